//! Types of parameters and results as Rust source writes them.

use super::collections::collection;
use super::function_arguments::{CAN_BE_PASSED, FunctionTypes, Gift, is_ordering, of_functions};
use super::passed_type::{Closure, Enum, PassedType, Struct, TUPLE_MAX};
use super::rust_structs::{Structs, is_public, refuse_parameters};
use bakeoff_source::interface::{EnumCase, EnumShape};
use std::cell::Cell;
use syn::{GenericArgument, GenericParam, PathArguments, TypeParamBound, WherePredicate};

/// The longest array, in items.
const ARRAY_MAX: usize = 4_096;
/// The most cases of an enum.
const CASES_MAX: usize = 64;
/// The most parts that the types of a function have in all: a type that holds another one twice, which holds a third
/// one twice, is short to write, and its parts grow exponentially.
const ALL_PARTS_MAX: usize = 512;

/// Plain types with their names in WIT.
const PLAIN: [(&str, &str); 13] = [
    ("bool", "bool"),
    ("char", "char"),
    ("u8", "u8"),
    ("u16", "u16"),
    ("u32", "u32"),
    ("u64", "u64"),
    ("i8", "s8"),
    ("i16", "s16"),
    ("i32", "s32"),
    ("i64", "s64"),
    ("f32", "f32"),
    ("f64", "f64"),
    ("String", "string"),
];

/// The deepest nesting of a type.
const DEPTH_MAX: usize = 16;

/// The meaning of the names in a function's types: its type parameters with their bounds, and the structs of its
/// file.
pub(super) struct Names<'a> {
    parameters: Vec<(String, Vec<TypeParamBound>)>,
    structs: &'a Structs<'a>,
    /// The number of parts that may still be read.
    left: Cell<usize>,
}

impl<'a> Names<'a> {
    pub(super) fn of(generics: &syn::Generics, structs: &'a Structs<'a>) -> Self {
        let mut parameters: Vec<(String, Vec<TypeParamBound>)> = Vec::new();
        for parameter in &generics.params {
            if let GenericParam::Type(parameter) = parameter {
                let bounds = parameter.bounds.iter().cloned().collect();
                parameters.push((parameter.ident.to_string(), bounds));
            }
        }
        let predicates = generics
            .where_clause
            .iter()
            .flat_map(|clause| &clause.predicates);
        for predicate in predicates {
            if let WherePredicate::Type(predicate) = predicate
                && let Some(name) = last_name(&predicate.bounded_ty)
                && let Some((_, bounds)) = parameters.iter_mut().find(|(known, _)| *known == name)
            {
                bounds.extend(predicate.bounds.iter().cloned());
            }
        }
        Self {
            parameters,
            structs,
            left: Cell::new(ALL_PARTS_MAX),
        }
    }

    fn bounds(&self, name: &str) -> Option<&[TypeParamBound]> {
        let found = self.parameters.iter().find(|(known, _)| known == name);
        found.map(|(_, bounds)| &bounds[..])
    }

    /// Counts one more part; returns false if there are too many.
    fn has_room(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        left > 0
    }
}

/// Reads a type.
///
/// # Errors
/// The type has no counterpart in WIT; the error is the type as written in the source.
pub(super) fn read(ty: &syn::Type, generics: &Names<'_>) -> Result<PassedType, String> {
    let passed = read_at(ty, generics, 0)?;
    if passed.parts() <= ALL_PARTS_MAX {
        Ok(passed)
    } else {
        Err(written(ty))
    }
}

fn read_at(ty: &syn::Type, generics: &Names<'_>, depth: usize) -> Result<PassedType, String> {
    let refused = || written(ty);
    if depth > DEPTH_MAX || !generics.has_room() {
        return Err(refused());
    }
    let read = |ty: &syn::Type| read_at(ty, generics, depth + 1).map(Box::new);
    match ty {
        syn::Type::Paren(inner) => read_at(&inner.elem, generics, depth + 1),
        syn::Type::Group(inner) => read_at(&inner.elem, generics, depth + 1),
        syn::Type::Reference(reference) if reference.mutability.is_some() => {
            Ok(PassedType::Mutable(read(&reference.elem)?))
        }
        syn::Type::Reference(reference) => Ok(PassedType::Reference(read(&reference.elem)?)),
        syn::Type::Slice(slice) => Ok(PassedType::Slice(read(&slice.elem)?)),
        syn::Type::Array(array) => {
            let length = generics.structs.length(&array.len);
            let length = length.filter(|length| (1..=ARRAY_MAX).contains(length));
            let length = length.ok_or_else(refused)?;
            Ok(PassedType::Array(read(&array.elem)?, length))
        }
        syn::Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            let items = tuple.elems.iter();
            let items = items.map(|item| read_at(item, generics, depth + 1));
            Ok(PassedType::Tuple(items.collect::<Result<_, _>>()?))
        }
        syn::Type::ImplTrait(implements) => {
            let bounds: Vec<TypeParamBound> = implements.bounds.iter().cloned().collect();
            match of_functions(&bounds) {
                Some(called) => function(called, &written(ty), generics, depth),
                None => of_bounds(&bounds, generics, depth).ok_or_else(refused),
            }
        }
        syn::Type::TraitObject(object) => {
            let bounds: Vec<TypeParamBound> = object.bounds.iter().cloned().collect();
            let called = of_functions(&bounds).ok_or_else(refused)?;
            function(called, &written(ty), generics, depth)
        }
        syn::Type::BareFn(called) if called.unsafety.is_none() && called.variadic.is_none() => {
            let inputs: Vec<&syn::Type> = called.inputs.iter().map(|input| &input.ty).collect();
            let called = (inputs, &called.output);
            function(called, &written(ty), generics, depth)
        }
        syn::Type::Path(path) if path.qself.is_none() => {
            let last = path.path.segments.last().ok_or_else(refused)?;
            let name = last.ident.to_string();
            if let Some((_, wit)) = PLAIN.iter().find(|(rust, _)| *rust == name) {
                return Ok(PassedType::Plain(wit));
            }
            let arguments = types_of(&last.arguments);
            let collection = collection(&name);
            match (name.as_str(), arguments.as_slice()) {
                (_, [item]) if collection.is_some_and(|one| !one.is_map()) => {
                    let collection = collection.ok_or_else(refused)?;
                    Ok(PassedType::Collected(collection, read(item)?))
                }
                (_, [key, value]) if collection.is_some_and(|one| one.is_map()) => {
                    let collection = collection.ok_or_else(refused)?;
                    let pair = PassedType::Tuple(vec![*read(key)?, *read(value)?]);
                    Ok(PassedType::Collected(collection, Box::new(pair)))
                }
                ("usize", []) => Ok(PassedType::Size("u32")),
                ("isize", []) => Ok(PassedType::Size("s32")),
                ("u128", []) => Ok(PassedType::Wide(false)),
                ("i128", []) => Ok(PassedType::Wide(true)),
                ("str", []) => Ok(PassedType::Str),
                ("Vec", [item]) => Ok(PassedType::List(read(item)?)),
                ("Box", [item]) => Ok(PassedType::Boxed(read(item)?)),
                ("Option", [item]) => Ok(PassedType::Option(read(item)?)),
                ("Result", [ok, ..]) if is_unit(ok) => Ok(PassedType::Result(None)),
                ("Result", [ok, ..]) => Ok(PassedType::Result(Some(read(ok)?))),
                (_, []) => {
                    match generics.bounds(&name) {
                        Some(bounds) => match of_functions(bounds) {
                            Some(called) => function(called, &name, generics, depth),
                            None => Ok(of_bounds(bounds, generics, depth)
                                .unwrap_or(PassedType::Generic(name))),
                        },
                        None => of_file(&name, generics, depth).unwrap_or_else(|| Err(refused())),
                    }
                }
                // What the file declares with parameters is refused with what to change.
                _ => Err(match of_file(&name, generics, depth) {
                    Some(Err(why)) => why,
                    _ => refused(),
                }),
            }
        }
        _ => Err(refused()),
    }
}

/// Reads the struct, enum or alias of the file with a name without parameters; `None` if there is none.
fn of_file(name: &str, generics: &Names<'_>, depth: usize) -> Option<Result<PassedType, String>> {
    let structs = generics.structs;
    if let Some(item) = structs.find(name) {
        return Some(of_struct(item, generics, depth));
    }
    if let Some(item) = structs.find_enum(name) {
        return Some(of_enum(item, generics, depth));
    }
    let meant = structs.meant(name)?;
    Some(read_at(meant, generics, depth + 1))
}

/// Reads an enum of the file.
fn of_enum(item: &syn::ItemEnum, generics: &Names<'_>, depth: usize) -> Result<PassedType, String> {
    let name = item.ident.to_string();
    refuse_parameters(&name, &item.generics)?;
    if item.variants.len() > CASES_MAX {
        return Err(format!("{name} (which has more than {CASES_MAX} cases)"));
    }
    let (mut cases, mut fields) = (Vec::new(), Vec::new());
    for case in &item.variants {
        if case.fields.len() > TUPLE_MAX {
            return Err(name);
        }
        let own = case.fields.iter();
        let own = own.map(|field| read_at(&field.ty, generics, depth + 1));
        let own = own.collect::<Result<Vec<_>, _>>()?;
        let shapes: Option<Vec<_>> = own.iter().map(PassedType::shape).collect();
        cases.push(EnumCase {
            name: case.ident.to_string(),
            is_named: matches!(case.fields, syn::Fields::Named(_)),
            names: field_names(&case.fields),
            fields: shapes.ok_or_else(|| name.clone())?,
        });
        fields.push(own);
    }
    let shape = EnumShape { name, cases };
    if shape.has_distinct_names() {
        Ok(PassedType::Enum(Box::new(Enum { shape, fields })))
    } else {
        Err(shape.name)
    }
}

/// Returns the names of fields, or their places.
fn field_names(fields: &syn::Fields) -> Vec<String> {
    let names = fields.iter().enumerate().map(|(place, field)| {
        let named = field.ident.as_ref().map(ToString::to_string);
        named.unwrap_or_else(|| place.to_string())
    });
    names.collect()
}

/// Reads a struct of the file.
fn of_struct(
    item: &syn::ItemStruct,
    generics: &Names<'_>,
    depth: usize,
) -> Result<PassedType, String> {
    let name = item.ident.to_string();
    refuse_parameters(&name, &item.generics)?;
    match item.fields.len() {
        0 => return Err(format!("{name} (which has no fields)")),
        1..=TUPLE_MAX => {}
        _ => return Err(format!("{name} (which has more than {TUPLE_MAX} fields)")),
    }
    let private = item.fields.iter().zip(field_names(&item.fields));
    let private = private.filter(|(field, _)| !is_public(&field.vis));
    let private: Vec<String> = private.map(|(_, name)| name).collect();
    match private.as_slice() {
        [] => {}
        [one] => {
            return Err(format!(
                "{name} (whose field {one} is private: declare it `pub`)"
            ));
        }
        several => {
            let several = several.join(", ");
            return Err(format!(
                "{name} (whose fields {several} are private: declare them `pub`)"
            ));
        }
    }
    let fields = item.fields.iter();
    let fields = fields.map(|field| read_at(&field.ty, generics, depth + 1));
    Ok(PassedType::Struct(Box::new(Struct {
        names: field_names(&item.fields),
        fields: fields.collect::<Result<_, _>>()?,
        name,
    })))
}

/// Returns the type of a value by the bounds on it, if one of them is a trait that decides it, such as `AsRef<str>`
/// or `IntoIterator<Item = u32>`.
fn of_bounds(bounds: &[TypeParamBound], generics: &Names<'_>, depth: usize) -> Option<PassedType> {
    if depth > DEPTH_MAX {
        return None;
    }
    let read = |ty: &syn::Type| read_at(ty, generics, depth + 1).ok();
    bounds.iter().find_map(|bound| {
        let TypeParamBound::Trait(bound) = bound else {
            return None;
        };
        let last = bound.path.segments.last()?;
        let arguments = types_of(&last.arguments);
        match (last.ident.to_string().as_str(), arguments.as_slice()) {
            ("Into", [owned]) => read(owned),
            ("AsRef", [viewed]) => Some(PassedType::Reference(Box::new(read(viewed)?))),
            ("IntoIterator" | "Iterator" | "DoubleEndedIterator" | "ExactSizeIterator", _) => {
                let PathArguments::AngleBracketed(arguments) = &last.arguments else {
                    return None;
                };
                let item = arguments.args.iter().find_map(|argument| match argument {
                    GenericArgument::AssocType(item) if item.ident == "Item" => Some(&item.ty),
                    _ => None,
                })?;
                Some(PassedType::Iterator(Box::new(read(item)?)))
            }
            _ => None,
        }
    })
}

/// Reads a function that is a parameter, with the name or type that is named where there is no closure for it.
fn function(
    (inputs, output): FunctionTypes<'_>,
    name: &str,
    generics: &Names<'_>,
    depth: usize,
) -> Result<PassedType, String> {
    let refused = || format!("the function {name} {CAN_BE_PASSED}");
    let read = |ty: &syn::Type| read_at(ty, generics, depth + 1).map_err(|_| refused());
    let takes = inputs.into_iter().map(read);
    let takes = takes.collect::<Result<Vec<_>, _>>()?;
    let gives = match output {
        syn::ReturnType::Default => Gift::Nothing,
        syn::ReturnType::Type(_, ty) if is_unit(ty) => Gift::Nothing,
        syn::ReturnType::Type(_, ty) if is_ordering(ty) => Gift::Order,
        syn::ReturnType::Type(_, ty) => Gift::Value(read(ty)?),
    };
    let closure = Closure::new(&takes, gives).ok_or_else(refused)?;
    Ok(PassedType::Function(Box::new(closure)))
}

fn types_of(arguments: &PathArguments) -> Vec<&syn::Type> {
    let PathArguments::AngleBracketed(arguments) = arguments else {
        return Vec::new();
    };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    });
    types.collect()
}

fn last_name(ty: &syn::Type) -> Option<String> {
    match ty {
        syn::Type::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

pub(super) fn is_unit(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// Returns the text of a type in Rust.
fn written(ty: &syn::Type) -> String {
    let text = "fn f(_: T) {}";
    let Ok(mut file) = syn::parse_file(text) else {
        return String::new();
    };
    if let Some(syn::Item::Fn(function)) = file.items.first_mut()
        && let Some(syn::FnArg::Typed(input)) = function.sig.inputs.first_mut()
    {
        *input.ty = ty.clone();
    }
    let text = prettyplease::unparse(&file);
    let inner = text.trim().strip_prefix("fn f(_: ");
    let inner = inner.and_then(|inner| inner.strip_suffix(") {}"));
    inner.unwrap_or(text.trim()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(signature: &str, ty: &str) -> Result<String, String> {
        let function: syn::ItemFn = syn::parse_str(&format!("{signature} {{}}")).unwrap();
        let structs = Structs::default();
        let generics = Names::of(&function.sig.generics, &structs);
        let passed = read(&syn::parse_str(ty).unwrap(), &generics)?;
        Ok(passed
            .shape()
            .map_or("-".to_owned(), |shape| shape.to_string()))
    }

    #[test]
    fn types_that_public_code_takes_have_a_counterpart() {
        for (ty, expected) in [
            ("Vec<i64>", "list<s64>"),
            ("&[usize]", "list<u32>"),
            ("&'a str", "string"),
            ("Option<&str>", "option<string>"),
            ("Vec<Vec<char>>", "list<list<char>>"),
            (
                "Result<Vec<u8>, std::num::ParseIntError>",
                "result<list<u8>>",
            ),
            ("Result<(), String>", "result"),
            ("(usize, f64)", "tuple<u32, f64>"),
            ("Box<[u8]>", "list<u8>"),
            ("impl Iterator<Item = u32>", "list<u32>"),
            ("impl AsRef<str>", "string"),
            ("std::vec::Vec<std::string::String>", "list<string>"),
            ("[u8; 3]", "tuple<u8, u8, u8>"),
            ("&mut [[f64; 2]]", "-"),
            ("[[u8; 2]; 40]", "list<tuple<u8, u8>>"),
            ("(u128, i128)", "tuple<tuple<u64, u64>, tuple<s64, u64>>"),
            ("VecDeque<u8>", "list<u8>"),
            ("HashMap<String, usize>", "list<tuple<string, u32>>"),
            ("&std::collections::BTreeSet<char>", "list<char>"),
        ] {
            assert_eq!(shape("fn f()", ty).as_deref(), Ok(expected), "{ty}");
        }
    }

    #[test]
    fn type_parameters_are_known_by_their_traits() {
        for (function, ty, expected) in [
            ("fn f<T: Ord>()", "&[T]", "list<T>"),
            ("fn f<S>() where S: Into<String>", "S", "string"),
            ("fn f<I: IntoIterator<Item = u8>>()", "I", "list<u8>"),
        ] {
            assert_eq!(shape(function, ty).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn what_has_no_counterpart_is_named_as_it_is_written() {
        for ty in [
            "HashMap<String, u32, Fast>",
            "[u8; 40_000]",
            "[u8; N]",
            "Node",
        ] {
            assert_eq!(shape("fn f()", ty), Err(ty.to_owned()));
        }
        assert_eq!(shape("fn f()", "Vec<&mut u32>").as_deref(), Ok("-"));
    }

    #[test]
    fn structs_of_the_file_count_as_their_fields_if_others_may_make_them() {
        let text = "pub struct Point { pub x: f64, pub y: f64 } pub struct Pair(pub Point, pub u8);
            pub struct Closed { x: f64 } struct Hidden { pub x: f64 } pub struct Of<T> { pub x: T }
            pub struct Chain { pub next: Option<Box<Chain>> } pub struct Nothing;
            pub struct A { pub a: B, pub b: B } pub struct B { pub a: C, pub b: C }
            pub struct C { pub a: D, pub b: D } pub struct D { pub a: E, pub b: E }
            pub struct E { pub a: [[u8; 12]; 12], pub b: u8 }
            type Distance = Result<usize, String>; type Points = Vec<Point>; type Turn = Option<Turn>;
            type Own<T> = Vec<T>; const SIDE: usize = BITS / 8 - (2 - 1) * 0; const BITS: usize = 160;
            const ROUND: usize = ROUND + 1; type Board = [[bool; SIDE]; SIDE];
            pub enum Hue { Red, DeepBlue } pub enum Figure { Disc(f64), Box { w: u8, h: usize }, None }
            pub enum Tree { Leaf, Node(Box<Tree>) } pub enum Alike { Ab, AB } enum Inner { A }
            pub struct Lent<'a> { pub word: &'a str } pub enum Lending<'a> { One(&'a str), None }
            pub enum Empty {} pub enum Words { One(&'static str) }";
        let file = syn::parse_file(text).unwrap();
        let structs = Structs::of(&file);
        let shape = |ty: &str| {
            let names = Names::of(&syn::Generics::default(), &structs);
            let passed = read(&syn::parse_str(ty).unwrap(), &names)?;
            Ok::<_, String>(passed.shape().map(|shape| shape.to_string()))
        };
        let is = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(shape("&[Point]"), is("list<tuple<f64, f64>>"));
        assert_eq!(shape("Pair"), is("tuple<tuple<f64, f64>, u8>"));
        assert_eq!(shape("Hidden"), Err("Hidden".to_owned()));
        for (refused, why) in [
            ("Nothing", "Nothing (which has no fields)"),
            ("Of<u8>", "Of (which has type parameters: declare it with"),
            ("Lent<'a>", "Lent (which borrows for 'a: declare it with"),
            ("Lending", "Lending (which borrows for 'a: declare it"),
        ] {
            let said = shape(refused).unwrap_err();
            assert!(said.starts_with(why), "{said}");
        }
        let closed = "Closed (whose field x is private: declare it `pub`)";
        assert_eq!(shape("&[Closed]"), Err(closed.to_owned()));
        assert!(shape("Chain").is_err() && shape("[A; 12]").is_err());
        assert_eq!(shape("&[Hue]"), is("list<hue>"));
        assert_eq!(shape("Option<Figure>"), is("option<figure>"));
        assert_eq!(shape("Board"), is("list<list<bool>>"));
        for refused in ["Alike", "Inner", "Empty"] {
            assert_eq!(shape(refused), Err(refused.to_owned()));
        }
        assert!(shape("Tree").is_err());
        assert!(shape("[u8; ROUND]").is_err());
        // Other names of types; one that leads to itself, and one with parameters, are refused.
        assert_eq!(shape("Distance"), is("result<u32>"));
        assert_eq!(shape("&Points"), is("list<tuple<f64, f64>>"));
        assert!(shape("Turn").is_err() && shape("Own<u8>").is_err());
    }
}
