//! Implementations of the run-time's trait for the records, variants, enums and flags of a call.

use super::super::failures::ungenerated as internal;
use super::super::filled_bindings::flags_name;
use bakeoff_domain::failure::Failure;
use bakeoff_source::interface::{Function, Type, rust_name};
use proc_macro2::TokenTree;
use std::collections::{BTreeMap, BTreeSet};
use syn::{FnArg, GenericArgument, Item, PathArguments, ReturnType, TraitItem};

/// The largest tuple that the run-time itself can read.
const TUPLE_MAX: usize = 12;

/// The implementations for the types that a call passes, each of which is found in the bindings on the way through
/// its type in WIT: there it has the same parts in the same order, so that names are never worked out from names.
pub(super) struct Implementations<'a> {
    /// Items of the bindings by their paths in the crate.
    items: BTreeMap<Vec<String>, &'a Item>,
    /// The paths of types that are implemented.
    known: BTreeSet<Vec<String>>,
    /// The lengths of tuples that are implemented here.
    lengths: BTreeSet<usize>,
    text: String,
}

/// A type of the bindings, with the path of the module that names it.
#[derive(Clone)]
struct NamedType<'a> {
    ty: &'a syn::Type,
    module: Vec<String>,
}

impl<'a> Implementations<'a> {
    /// Returns a module's text with the implementations for what a function takes and returns. The trait that has the
    /// function is in the module of this path.
    pub(super) fn of_call(
        bindings: &'a [Item],
        module: &[String],
        function: &Function,
    ) -> Result<String, Failure> {
        let mut items = BTreeMap::new();
        collect(bindings, &mut vec!["bindings".to_owned()], &mut items);
        let mut found = Self {
            items,
            known: BTreeSet::new(),
            lengths: BTreeSet::new(),
            text: USES.to_owned(),
        };
        let signature = found.signature(module, function)?;
        let named = |ty| NamedType {
            ty,
            module: module.to_vec(),
        };
        let inputs = signature.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(input) => Some(&*input.ty),
            FnArg::Receiver(_) => None,
        });
        for (ty, param) in inputs.zip(&function.params) {
            found.add(named(ty), &param.ty)?;
        }
        if let (ReturnType::Type(_, ty), Some(result)) = (&signature.output, &function.result) {
            found.add(named(ty), result)?;
        }
        Ok(found.text)
    }

    /// Returns the signature of the function's method.
    fn signature(
        &self,
        module: &[String],
        function: &Function,
    ) -> Result<&'a syn::Signature, Failure> {
        let name = rust_name(&function.name);
        let methods = match self.items.get(&joined(module, "Guest")) {
            Some(Item::Trait(guest)) => &guest.items[..],
            _ => &[],
        };
        let method = methods.iter().find_map(|item| match item {
            TraitItem::Fn(method) if method.sig.ident == name => Some(&method.sig),
            _ => None,
        });
        method.ok_or_else(|| unexpected(&function.name))
    }

    /// Adds what a type needs that the run-time does not have.
    fn add(&mut self, named: NamedType<'a>, ty: &Type) -> Result<(), Failure> {
        match ty {
            Type::Plain(_) => Ok(()),
            Type::List(item) | Type::Option(item) => {
                let inner = self.argument(named, 0)?;
                self.add(inner, item)
            }
            Type::Result(ok, err) => {
                for (place, payload) in [ok, err].into_iter().enumerate() {
                    if let Some(payload) = payload {
                        let inner = self.argument(named.clone(), place)?;
                        self.add(inner, payload)?;
                    }
                }
                Ok(())
            }
            Type::Tuple(items) => self.add_tuple(named, items),
            Type::Record(name, fields) => self.add_record(named, name, fields),
            Type::Variant(name, cases) => {
                let cases = cases.iter().map(|(name, ty)| (&**name, ty.as_ref()));
                self.add_variant(named, name, cases.collect())
            }
            Type::Enum(name, cases) => {
                let cases = cases.iter().map(|name| (&**name, None));
                self.add_variant(named, name, cases.collect())
            }
            Type::Flags(name, flags) => self.add_flags(named, name, flags),
        }
    }

    fn add_tuple(&mut self, named: NamedType<'a>, items: &[Type]) -> Result<(), Failure> {
        let named = self.without_alias(named);
        let syn::Type::Tuple(tuple) = named.ty else {
            return Err(unexpected("a tuple"));
        };
        if items.len() > TUPLE_MAX && self.lengths.insert(items.len()) {
            let places = (0..items.len()).map(|place| format!("T{place} {place}"));
            let places: Vec<String> = places.collect();
            self.text
                .push_str(&format!("tuple!({});\n", places.join(", ")));
        }
        for (part, item) in tuple.elems.iter().zip(items) {
            let module = named.module.clone();
            self.add(NamedType { ty: part, module }, item)?;
        }
        Ok(())
    }

    fn add_record(
        &mut self,
        named: NamedType<'a>,
        name: &str,
        fields: &[(String, Type)],
    ) -> Result<(), Failure> {
        let Some((path, item)) = self.unknown(named, name)? else {
            return Ok(());
        };
        let Item::Struct(item) = item else {
            return Err(unexpected(name));
        };
        let mut entries = Vec::new();
        for (part, (name, ty)) in item.fields.iter().zip(fields) {
            let ident = part.ident.as_ref().ok_or_else(|| unexpected(name))?;
            entries.push(format!("{ident} = {name:?}"));
            self.add(inside(&path, &part.ty), ty)?;
        }
        self.write("record", &path, &[entries]);
        Ok(())
    }

    fn add_variant(
        &mut self,
        named: NamedType<'a>,
        name: &str,
        cases: Vec<(&str, Option<&Type>)>,
    ) -> Result<(), Failure> {
        let Some((path, item)) = self.unknown(named, name)? else {
            return Ok(());
        };
        let Item::Enum(item) = item else {
            return Err(unexpected(name));
        };
        let (mut empty, mut holding) = (Vec::new(), Vec::new());
        for (part, (name, payload)) in item.variants.iter().zip(cases) {
            let entry = format!("{} = {name:?}", part.ident);
            match (payload, part.fields.iter().next()) {
                (None, None) => empty.push(entry),
                (Some(ty), Some(field)) => {
                    holding.push(entry);
                    self.add(inside(&path, &field.ty), ty)?;
                }
                _ => return Err(unexpected(name)),
            }
        }
        self.write("variant", &path, &[empty, holding]);
        Ok(())
    }

    fn add_flags(
        &mut self,
        named: NamedType<'a>,
        name: &str,
        flags: &[String],
    ) -> Result<(), Failure> {
        let Some((path, item)) = self.unknown(named, name)? else {
            return Ok(());
        };
        let Item::Macro(item) = item else {
            return Err(unexpected(name));
        };
        let constants = constants(item);
        if constants.len() != flags.len() {
            return Err(unexpected(name));
        }
        let entries = constants.iter().zip(flags);
        let entries = entries.map(|(constant, name)| format!("{constant} = {name:?}"));
        self.write("flags", &path, &[entries.collect()]);
        Ok(())
    }

    /// Writes a call of a macro of the run-time, with these lists in braces.
    fn write(&mut self, macro_name: &str, path: &[String], lists: &[Vec<String>]) {
        let path = path.join("::");
        let lists = lists
            .iter()
            .map(|list| format!(" {{ {} }}", list.join(", ")));
        let lists: String = lists.collect();
        self.text
            .push_str(&format!("{macro_name}!(crate::{path}{lists});\n"));
    }

    /// Returns the item that defines a type, with its path; `None` if it is implemented already.
    fn unknown(
        &mut self,
        named: NamedType<'a>,
        name: &str,
    ) -> Result<Option<(Vec<String>, &'a Item)>, Failure> {
        let named = self.without_alias(named);
        let (path, item) = self.defined(&named).ok_or_else(|| unexpected(name))?;
        Ok(self.known.insert(path.clone()).then_some((path, item)))
    }

    /// Returns the type in angle brackets at this place.
    fn argument(&self, named: NamedType<'a>, place: usize) -> Result<NamedType<'a>, Failure> {
        let NamedType { ty, module } = self.without_alias(named);
        let arguments = match ty {
            syn::Type::Path(ty) => ty.path.segments.last().map(|last| &last.arguments),
            _ => None,
        };
        let argument = match arguments {
            Some(PathArguments::AngleBracketed(arguments)) => arguments.args.iter().nth(place),
            _ => None,
        };
        match argument {
            Some(GenericArgument::Type(ty)) => Ok(NamedType { ty, module }),
            _ => Err(unexpected("a list, an option or a result")),
        }
    }

    /// Returns the type that a name stands for, which may be the name of another one.
    fn without_alias(&self, mut named: NamedType<'a>) -> NamedType<'a> {
        while let Some((path, Item::Type(alias))) = self.defined(&named) {
            named = inside(&path, &alias.ty);
        }
        named
    }

    /// Returns the item of the bindings that a type names, with its path.
    fn defined(&self, named: &NamedType<'a>) -> Option<(Vec<String>, &'a Item)> {
        let syn::Type::Path(ty) = named.ty else {
            return None;
        };
        let mut path = named.module.clone();
        for segment in &ty.path.segments {
            match segment.ident.to_string().as_str() {
                "super" => {
                    path.pop();
                }
                name => path.push(name.to_owned()),
            }
        }
        let item = self.items.get(&path)?;
        Some((path, item))
    }
}

/// The beginning of the module: what the macros of the run-time name.
const USES: &str = "\
use super::reader::{Malformed, Reader};
use super::values::{Json, write_tagged};
use super::writer::close;
";

fn unexpected(what: &str) -> Failure {
    internal(format!("{what} is not as expected"))
}

fn joined(module: &[String], name: &str) -> Vec<String> {
    let name = name.to_owned();
    module.iter().cloned().chain([name]).collect()
}

/// Returns a type that an item names, from the path of that item.
fn inside<'a>(path: &[String], ty: &'a syn::Type) -> NamedType<'a> {
    let module = path[..path.len().saturating_sub(1)].to_vec();
    NamedType { ty, module }
}

/// Collects the types and traits of a module by their paths.
fn collect<'a>(
    module: &'a [Item],
    path: &mut Vec<String>,
    items: &mut BTreeMap<Vec<String>, &'a Item>,
) {
    for item in module {
        let name = match item {
            Item::Mod(inner) => {
                path.push(inner.ident.to_string());
                let content = inner.content.as_ref();
                collect(content.map_or(&[], |(_, items)| items), path, items);
                path.pop();
                continue;
            }
            Item::Struct(item) => item.ident.to_string(),
            Item::Enum(item) => item.ident.to_string(),
            Item::Type(item) => item.ident.to_string(),
            Item::Trait(item) => item.ident.to_string(),
            Item::Macro(item) => match flags_name(item) {
                Some(name) => name,
                None => continue,
            },
            _ => continue,
        };
        items.insert(joined(path, &name), item);
    }
}

/// Returns the names of the constants that a macro for flags defines, in their order.
fn constants(item: &syn::ItemMacro) -> Vec<String> {
    let mut names = Vec::new();
    for token in item.mac.tokens.clone() {
        if let TokenTree::Group(body) = token {
            let mut tokens = body.stream().into_iter();
            while let Some(token) = tokens.next() {
                if matches!(&token, TokenTree::Ident(word) if word == "const") {
                    names.extend(tokens.next().map(|name| name.to_string()));
                }
            }
        }
    }
    names
}
