//! Public functions of a source file: their signatures, and the glue by which they are called.

use super::changed_inside::ChangedInside;
use super::conversion::{Conversion, give, give_bound};
use super::function_arguments::{FUNCTIONS_MAX, VALUES};
use super::passed_type::PassedType;
use super::rust_structs::Structs;
use super::rust_types::{self, Names};
use super::unreadable_file::Unreadable;
use bakeoff_source::interface::{
    EnumShape, Function, PublicFunction, Shape, Signature, StructFields, UncallableFunction,
    wit_name,
};
use syn::{FnArg, Item, ItemFn, Pat, ReturnType, Visibility};

/// The place of a variable's name in an expression of it: no source has it.
const VARIABLE: &str = "\u{1}";

/// The deepest nesting of brackets or prefix operators in a file that is parsed here.
const DEPTH_MAX: usize = 200;

/// A public function, with its Rust types.
#[derive(Clone, Debug)]
struct RustFunction {
    name: String,
    /// The names and types of the parameters.
    parameters: Vec<(String, PassedType)>,
    /// The type of the result; `None` if it returns nothing.
    result: Option<PassedType>,
}

/// Reads the public functions of a file, in their order.
///
/// # Errors
/// The file is not Rust; the error says what was expected, and where.
pub(super) fn public_functions(text: &str) -> Result<Vec<PublicFunction>, Unreadable> {
    let file = syn::parse_file(text).map_err(|error| Unreadable::at(text, &error))?;
    let structs = Structs::of(&file);
    let functions = public(&file).map(|item| {
        let function = RustFunction::read(item, &structs);
        PublicFunction {
            name: item.sig.ident.to_string(),
            passing: function.as_ref().ok().and_then(RustFunction::passing),
            is_shown: function
                .as_ref()
                .is_ok_and(|function| function.is_shown(&structs)),
            structs: function
                .as_ref()
                .map(RustFunction::structs)
                .unwrap_or_default(),
            signature: function.and_then(|function| function.signature()),
            examples: Vec::new(),
        }
    });
    Ok(functions.collect())
}

/// The most functions that cannot be called that are returned, each with its reason.
const UNCALLABLE_MAX: usize = 256;

/// Returns the public functions of a file that cannot be called, each with the reason.
pub(super) fn uncallable(text: &str) -> Vec<UncallableFunction> {
    let Ok(file) = syn::parse_file(text) else {
        return Vec::new();
    };
    let is_public = |visibility: &Visibility| matches!(visibility, Visibility::Public(_));
    let because = |signature: &syn::Signature, why: &str| UncallableFunction {
        name: signature.ident.to_string(),
        why: why.to_owned(),
    };
    let mut found = Vec::new();
    for item in &file.items {
        match item {
            Item::Fn(item) if is_public(&item.vis) && item.sig.asyncness.is_some() => {
                found.push(because(&item.sig, "is async"));
            }
            Item::Fn(item) if is_public(&item.vis) && item.sig.unsafety.is_some() => {
                found.push(because(&item.sig, "is unsafe"));
            }
            Item::Impl(block) => found.extend(block.items.iter().filter_map(|item| match item {
                syn::ImplItem::Fn(item) if is_public(&item.vis) => {
                    Some(because(&item.sig, "is a method"))
                }
                _ => None,
            })),
            Item::Mod(module) => {
                let items = module.content.iter().flat_map(|(_, items)| items);
                found.extend(items.filter_map(|item| match item {
                    Item::Fn(item) if is_public(&item.vis) => {
                        let why = format!("is in the module {}", module.ident);
                        Some(because(&item.sig, &why))
                    }
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    found.truncate(UNCALLABLE_MAX);
    found
}

/// Returns the body of the glue for a function of the interface, with these names of its arguments, if the
/// file's function takes or returns its values in another form, or has another name and is the only one.
/// `None` if the function is called as it is; the compiler then reports a function that does not fit.
pub(super) fn adapted(
    text: &str,
    called: &Function,
    rust_name: &str,
    path: &str,
    arguments: &[String],
) -> Option<String> {
    if nested_deeply(text) {
        return None;
    }
    let file = syn::parse_file(text).ok()?;
    let item = public(&file).find(|item| item.sig.ident == rust_name);
    let alike = || public(&file).find(|item| wit_name(&item.sig.ident.to_string()) == called.name);
    let item = item.or_else(alike).or_else(|| only(public(&file)))?;
    let function = RustFunction::read(item, &Structs::of(&file)).ok()?;
    let signature = function.signature().ok()?;
    let parameters = called.params.iter().map(|parameter| &parameter.ty);
    let fits = signature.parameters.len() == called.params.len()
        && signature.parameters.len() == arguments.len()
        && (signature.parameters.iter().zip(parameters)).all(|((_, shape), ty)| shape.fits(ty))
        && called
            .result
            .as_ref()
            .is_some_and(|ty| signature.result.fits(ty));
    let is_called_as_it_is = function.is_same() && function.name == rust_name;
    (fits && !is_called_as_it_is).then(|| function.body(path, arguments))?
}

/// Returns the item of an iterator that has exactly one.
fn only<T>(mut items: impl Iterator<Item = T>) -> Option<T> {
    let first = items.next()?;
    items.next().is_none().then_some(first)
}

/// Returns true if a parser might run out of stack: it recurses for each bracket and each operator before
/// another. The error of such a file is left to the compiler.
pub(super) fn nested_deeply(text: &str) -> bool {
    let (mut depth, mut operators) = (0_usize, 0_usize);
    text.bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .any(|byte| {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            operators = match byte {
                b'!' | b'&' | b'*' | b'-' => operators + 1,
                _ => 0,
            };
            depth > DEPTH_MAX || operators > DEPTH_MAX
        })
}

/// Returns the public functions of a file that can be called.
fn public(file: &syn::File) -> impl Iterator<Item = &ItemFn> {
    file.items.iter().filter_map(|item| match item {
        Item::Fn(item)
            if matches!(item.vis, Visibility::Public(_))
                && item.sig.asyncness.is_none()
                && item.sig.unsafety.is_none() =>
        {
            Some(item)
        }
        _ => None,
    })
}

/// Returns the name in WIT that two enums in a signature have.
fn twice_named(signature: &Signature) -> Option<String> {
    let shapes = signature.parameters.iter().map(|(_, shape)| shape);
    let mut known: Vec<&EnumShape> = Vec::new();
    for of in shapes.chain([&signature.result]).flat_map(Shape::enums) {
        let mut others = known.iter().filter(|other| **other != of);
        if others.any(|other| other.wit_name() == of.wit_name()) {
            return Some(of.wit_name());
        }
        known.push(of);
    }
    None
}

impl RustFunction {
    fn read(item: &ItemFn, structs: &Structs<'_>) -> Result<Self, String> {
        let generics = Names::of(&item.sig.generics, structs);
        let refused = |ty| format!("it passes {ty}, which has no counterpart in WIT");
        let mut parameters = Vec::new();
        for (place, input) in item.sig.inputs.iter().enumerate() {
            let FnArg::Typed(input) = input else {
                return Err("it is a method".to_owned());
            };
            let name = match &*input.pat {
                Pat::Ident(name) => name.ident.to_string(),
                _ => format!("argument-{place}"),
            };
            parameters.push((
                name,
                rust_types::read(&input.ty, &generics).map_err(refused)?,
            ));
        }
        let result = match &item.sig.output {
            ReturnType::Default => None,
            ReturnType::Type(_, ty) if rust_types::is_unit(ty) => None,
            ReturnType::Type(_, ty) => {
                let result = rust_types::read(ty, &generics).map_err(refused)?;
                // The caller keeps what is lent to it, so that a loan for changes is read as any other.
                Some(result.lent_for_reading())
            }
        };
        let values: Vec<PassedType> = parameters
            .iter()
            .map(|(_, passed)| passed.clone())
            .collect();
        let has_generic = |name: &str| {
            values
                .iter()
                .chain(&result)
                .any(|passed| passed.has_generic(name))
        };
        for (_, passed) in &mut parameters {
            passed.bind(&has_generic);
        }
        Ok(Self {
            name: item.sig.ident.to_string(),
            parameters,
            result,
        })
    }

    /// Returns the signature in WIT. Arguments that the function changes in place are part of the result.
    fn signature(&self) -> Result<Signature, String> {
        let nested = || {
            "it passes a `&mut` deeper than in an option, a tuple or a `Vec`, or in something else"
                .to_owned()
        };
        let whole = self.parameters.iter().map(|(_, passed)| passed);
        let mut whole = whole
            .filter(|passed| passed.function().is_none())
            .chain(&self.result);
        if whole.any(PassedType::has_function) {
            return Err(
                "it returns a function, or passes one inside something else: a function can be a parameter alone".to_owned(),
            );
        }
        let mut parameters = Vec::new();
        let mut results = Vec::new();
        if let Some(result) = &self.result {
            results.push(result.shape().ok_or_else(nested)?);
        }
        for (name, passed) in &self.parameters {
            let inside = ChangedInside::of(passed);
            let inner = match (passed, &inside) {
                (PassedType::Mutable(inner), _) => inner,
                (_, Some(inside)) => &inside.whole,
                (other, None) => other,
            };
            let shape = inner.shape().ok_or_else(nested)?;
            let is_changed =
                matches!(passed, PassedType::Mutable(_)) && passed.function().is_none();
            if is_changed || inside.is_some() {
                results.push(shape.clone());
            }
            parameters.push((name.trim_start_matches('_').replace('_', "-"), shape));
        }
        let result = match results.len() {
            0 => return Err("it returns nothing, and changes nothing in place".to_owned()),
            1 => results.remove(0),
            _ => Shape::Tuple(results),
        };
        let functions = self.parameters.iter().filter_map(|(_, ty)| ty.function());
        if functions.count() > FUNCTIONS_MAX {
            return Err(format!("it takes more than {FUNCTIONS_MAX} functions"));
        }
        let signature = Signature { parameters, result };
        if let Some(name) = twice_named(&signature) {
            return Err(format!(
                "it passes two enums called {name} in WIT, one of which chooses a function that is passed: rename the \
                 other one"
            ));
        }
        let body = self.body("f", &vec![String::new(); self.parameters.len()]);
        if body.is_none() {
            return Err("it borrows in a way that no value of WIT can be borrowed".to_owned());
        }
        Ok(signature)
    }

    /// Returns the text before and behind a variable's name that passes its value, by parameter, so that the variable
    /// can be used again; `None` if the function takes a value other than by value or reference, or changes it.
    fn passing(&self) -> Option<Vec<(String, String)>> {
        // What stands around the name of the variable.
        let around = |before: &str, made: Option<String>| {
            let made = made?;
            let (start, end) = made.split_once(VARIABLE)?;
            Some((format!("{before}{start}"), end.to_owned()))
        };
        let parameters = self.parameters.iter().map(|(_, passed)| match passed {
            PassedType::Size("u32") => Some((String::new(), " as usize".to_owned())),
            PassedType::Size(_) => Some((String::new(), " as isize".to_owned())),
            PassedType::Plain(name) if *name != "string" => Some((String::new(), String::new())),
            PassedType::Reference(inner) => match &**inner {
                PassedType::Str => Some(("&".to_owned(), String::new())),
                PassedType::Slice(item) if item.is_written_as_its_shape() => {
                    Some(("&".to_owned(), String::new()))
                }
                other if other.is_written_as_its_shape() => Some(("&".to_owned(), String::new())),
                other => around("&", other.made_of(VARIABLE)),
            },
            other if other.is_written_as_its_shape() => {
                Some((String::new(), ".clone()".to_owned()))
            }
            other => around("", other.made_of(VARIABLE)),
        });
        parameters.collect()
    }

    /// Returns the structs in the types of its parameters and its result.
    fn structs(&self) -> Vec<StructFields> {
        let mut found = Vec::new();
        let parameters = self.parameters.iter().map(|(_, passed)| passed);
        for passed in parameters.chain(&self.result) {
            passed.add_structs(&mut found);
        }
        found
    }

    /// Returns true if the enums in its result implement `Debug`.
    fn is_shown(&self, structs: &Structs<'_>) -> bool {
        let shape = self.signature().map(|signature| signature.result);
        shape.is_ok_and(|shape| {
            let mut enums = shape.enums().into_iter();
            enums.all(|of| structs.is_shown(&of.name))
        })
    }

    /// Returns true if the function can be called with the values of the bindings as they are.
    fn is_same(&self) -> bool {
        self.parameters.iter().all(|(_, passed)| passed.is_same())
            && self.result.as_ref().is_some_and(PassedType::is_same)
    }

    /// Returns a block that converts the arguments, calls the function, and converts its result. Where parameters are
    /// functions, there is a call for each choice of closures.
    fn body(&self, path: &str, arguments: &[String]) -> Option<String> {
        let mut conversion = Conversion::new();
        let mut passed_on = Vec::new();
        let mut changed = Vec::new();
        let mut chosen_by = Vec::new();
        for ((_, passed), argument) in self.parameters.iter().zip(arguments) {
            if passed.function().is_some() {
                chosen_by.push(argument.as_str());
                passed_on.push(String::new());
                continue;
            }
            if let Some(inside) = ChangedInside::of(passed) {
                passed_on.push(inside.pass(&mut conversion, argument)?);
                changed.push((inside.whole, conversion.last_binding()));
                continue;
            }
            let expression = conversion.pass(passed, argument)?;
            if let PassedType::Mutable(inner) = passed {
                changed.push(((**inner).clone(), conversion.last_binding()));
            }
            passed_on.push(expression);
        }
        let mut results = Vec::new();
        if let Some(result) = &self.result {
            results.push(give(result, "result")?);
        }
        for (inner, binding) in changed {
            results.push(give_bound(&inner, &binding)?);
        }
        let results = match results.as_slice() {
            [one] => one.clone(),
            several => format!("({})", several.join(", ")),
        };
        let bindings = conversion.bindings();
        let called = |passed_on: &[String]| {
            let call = format!("{path}::{}({})", self.name, passed_on.join(", "));
            match &self.result {
                // Otherwise the compiler counts in 32 bits within the function, where a `usize` is converted to that.
                Some(PassedType::Size(_)) => {
                    format!("let result = ::core::hint::black_box({call}); {results}")
                }
                Some(_) => format!("let result = {call}; {results}"),
                None => format!("{call}; {results}"),
            }
        };
        if chosen_by.is_empty() {
            return Some(format!("{{ {bindings} {} }}", called(&passed_on)));
        }
        let choices = self.choices(&passed_on).into_iter();
        let arms = choices.map(|(patterns, passed_on)| {
            format!("({},) => {{ {} }}", patterns.join(", "), called(&passed_on))
        });
        let arms: Vec<String> = arms.collect();
        Some(format!(
            "{{ {VALUES} {bindings} match ({},) {{ {} }} }}",
            chosen_by.join(", "),
            arms.join("\n")
        ))
    }

    /// Returns each choice of closures: the patterns of the values that choose them, and all arguments.
    fn choices(&self, passed_on: &[String]) -> Vec<(Vec<String>, Vec<String>)> {
        let mut choices = vec![(Vec::new(), passed_on.to_vec())];
        for (place, (_, passed)) in self.parameters.iter().enumerate() {
            let Some((closure, (before, behind))) = passed.function() else {
                continue;
            };
            let arms = closure.arms();
            let with = |(patterns, passed_on): &(Vec<String>, Vec<String>)| {
                let arms = arms.iter().map(|(pattern, closure)| {
                    let (mut patterns, mut passed_on) = (patterns.clone(), passed_on.clone());
                    patterns.push(pattern.clone());
                    passed_on[place] = format!("{before}{closure}{behind}");
                    (patterns, passed_on)
                });
                arms.collect::<Vec<_>>()
            };
            choices = choices.iter().flat_map(with).collect();
        }
        choices
    }
}

#[cfg(test)]
mod tests;
