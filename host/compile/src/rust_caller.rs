//! A source that calls a public function of a package: what stands between a package's function and a component that
//! exports it.

use super::rust_function::nested_deeply;
use super::unreadable_file::Unreadable;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use syn::{FnArg, Item, ItemFn, Pat, UseTree, Visibility};

/// The longest name of a function with its modules, in bytes.
const PATH_BYTES_MAX: usize = 200;

/// A function of a package, as its callers name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalledFunction {
    /// The name of the library in sources.
    pub library: String,
    /// The modules by which it is called, from the root of the library; none if the root exports it.
    pub modules: Vec<String>,
    /// The name of the function.
    pub name: String,
}

impl CalledFunction {
    /// Returns the function of `MODULE::NAME`, or `None` if that is no path of plain names.
    pub fn parse(library: &str, path: &str) -> Option<Self> {
        let mut modules: Vec<String> = path.split("::").map(str::to_owned).collect();
        let is_plain = |name: &String| syn::parse_str::<syn::Ident>(name).is_ok();
        if path.len() > PATH_BYTES_MAX || !modules.iter().all(is_plain) {
            return None;
        }
        let name = modules.pop()?;
        Some(Self {
            library: library.to_owned(),
            modules,
            name,
        })
    }

    /// Returns the path by which any source of a build reaches an item beside the function.
    fn beside(&self, name: &str) -> String {
        let modules: String = self.modules.iter().map(|one| format!("{one}::")).collect();
        format!("::{}::{modules}{name}", self.library)
    }
}

/// Returns a source whose one public function calls that of a package. `text` is the file in which it is written.
/// Structs and enums of the file that it passes are named, too, so that values of them can be made.
///
/// # Errors
/// The file is not Rust, or has no such function.
pub(super) fn caller(text: &str, called: &CalledFunction) -> Result<String, Unreadable> {
    if nested_deeply(text) {
        return Err(Unreadable::because("it is nested too deeply".to_owned()));
    }
    let file = syn::parse_file(text).map_err(|error| Unreadable::at(text, &error))?;
    let mut functions = file.items.iter().filter_map(|item| match item {
        Item::Fn(item) if is_public(&item.vis) && item.sig.ident == called.name => Some(item),
        _ => None,
    });
    let function = functions
        .next()
        .ok_or_else(|| Unreadable::because(format!("it has no public function {}", called.name)))?;
    let function = Item::Fn(calling(function, called)?);
    let mut items = vec![function];
    let mut named = identifiers(&items[0]);
    let mut left: Vec<&Item> = file.items.iter().collect();
    // What is named may name others.
    while let Some(place) = left
        .iter()
        .position(|item| name_of(item).is_some_and(|name| named.contains(&name)))
    {
        let item = left.remove(place);
        named.extend(identifiers(item));
        items.extend(declared(item, called)?);
    }
    items.extend(left.into_iter().filter_map(of_std));
    Ok(prettyplease::unparse(&syn::File {
        shebang: None,
        attrs: Vec::new(),
        items,
    }))
}

/// Returns a module that is written within a file, as a file.
///
/// # Errors
/// The file is not Rust, or has no such module.
pub(super) fn inline_module(text: &str, modules: &[String]) -> Result<String, Unreadable> {
    if nested_deeply(text) {
        return Err(Unreadable::because("it is nested too deeply".to_owned()));
    }
    let file = syn::parse_file(text).map_err(|error| Unreadable::at(text, &error))?;
    let mut items = file.items;
    for name in modules {
        let inner = items.into_iter().find_map(|item| match item {
            Item::Mod(module) if module.ident == name => Some(module.content?.1),
            _ => None,
        });
        items = inner.ok_or_else(|| Unreadable::because(format!("it has no module {name}")))?;
    }
    Ok(prettyplease::unparse(&syn::File {
        shebang: None,
        attrs: Vec::new(),
        items,
    }))
}

/// Returns a function with the signature of another one, which it calls.
fn calling(function: &ItemFn, called: &CalledFunction) -> Result<ItemFn, Unreadable> {
    let mut function = function.clone();
    function.attrs.clear();
    function.sig.constness = None;
    function.sig.abi = None;
    let mut arguments = Vec::new();
    for (place, input) in function.sig.inputs.iter_mut().enumerate() {
        let FnArg::Typed(input) = input else {
            return Err(Unreadable::because(format!("{} is a method", called.name)));
        };
        let name = match &*input.pat {
            Pat::Ident(pattern) => pattern.ident.to_string(),
            _ => format!("argument_{place}"),
        };
        input.attrs.clear();
        *input.pat = parsed(&name, syn::Pat::parse_single)?;
        arguments.push(name);
    }
    let body = format!(
        "{{ {}({}) }}",
        called.beside(&called.name),
        arguments.join(", ")
    );
    *function.block = syn::parse_str(&body).map_err(|error| unwritable(&error))?;
    Ok(function)
}

fn parsed<T>(
    text: &str,
    parser: impl FnOnce(syn::parse::ParseStream<'_>) -> syn::Result<T>,
) -> Result<T, Unreadable> {
    syn::parse::Parser::parse_str(parser, text).map_err(|error| unwritable(&error))
}

fn unwritable(error: &syn::Error) -> Unreadable {
    Unreadable::because(format!("no call of it can be written: {error}"))
}

/// Returns the items by which a source knows what a package declares: an alias or a constant as it is, and a struct or
/// an enum by its name in the package, beside its declaration for those that read the source.
fn declared(item: &Item, called: &CalledFunction) -> Result<Vec<Item>, Unreadable> {
    let mut item = item.clone();
    let attributes = match &mut item {
        Item::Struct(item) => &mut item.attrs,
        Item::Enum(item) => &mut item.attrs,
        _ => return Ok(vec![item]),
    };
    // The compiler leaves it out.
    attributes.extend(parsed("#[cfg(any())]", syn::Attribute::parse_outer)?);
    let name = name_of(&item).unwrap_or_default();
    let used = format!("pub use {};", called.beside(&name));
    let used: Item = syn::parse_str(&used).map_err(|error| unwritable(&error))?;
    Ok(vec![used, item])
}

/// Returns the name of an item that a signature may name.
fn name_of(item: &Item) -> Option<String> {
    match item {
        Item::Struct(item) if is_public(&item.vis) => Some(item.ident.to_string()),
        Item::Enum(item) if is_public(&item.vis) => Some(item.ident.to_string()),
        Item::Type(item) => Some(item.ident.to_string()),
        Item::Const(item) if matches!(&*item.expr, syn::Expr::Lit(_)) => {
            Some(item.ident.to_string())
        }
        _ => None,
    }
}

/// Returns an item that makes names of the standard library known, by which of its crates ever.
fn of_std(item: &Item) -> Option<Item> {
    let Item::Use(item) = item else { return None };
    let mut item = item.clone();
    let UseTree::Path(path) = &mut item.tree else {
        return None;
    };
    let is_of_std = ["std", "core", "alloc"]
        .iter()
        .any(|name| path.ident == name);
    // A source has `alloc` only if it says so, and `std` has all of it.
    path.ident = syn::Ident::new("std", path.ident.span());
    is_of_std.then_some(Item::Use(item))
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// Returns all words in an item.
fn identifiers(item: &Item) -> BTreeSet<String> {
    let text = prettyplease::unparse(&syn::File {
        shebang: None,
        attrs: Vec::new(),
        items: vec![item.clone()],
    });
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, path: &str) -> String {
        caller(text, &CalledFunction::parse("codec", path).unwrap()).unwrap()
    }

    #[test]
    fn a_function_is_called_with_its_own_types() {
        let text = "use alloc::collections::BTreeMap;\nuse crate::inner::Hidden;\ntype Counts = BTreeMap<u8, Point>;\n\
                    /** Of a grid. */\n#[derive(Debug)]\npub struct Point { pub x: i64 }\nstruct Other;\n\
                    #[inline] pub const fn count<'a>(mut text: &'a str, (a, b): (u8, u8)) -> Counts { todo!() }";
        let written = written(text, "count");
        for part in [
            "pub fn count<'a>(text: &'a str, argument_1: (u8, u8)) -> Counts {",
            "::codec::count(text, argument_1)",
            "type Counts = BTreeMap<u8, Point>;",
            "pub use ::codec::Point;",
            "#[cfg(any())]\npub struct Point {",
            "use std::collections::BTreeMap;",
        ] {
            assert!(written.contains(part), "{part}:\n{written}");
        }
        assert!(
            !written.contains("Other") && !written.contains("Hidden"),
            "{written}"
        );
        let functions = super::super::rust_function::public_functions(&written).unwrap();
        assert_eq!(functions.len(), 1);
        assert!(functions[0].signature.is_ok(), "{functions:?}");
    }

    #[test]
    fn modules_are_part_of_the_call() {
        let written = written(
            "pub fn f(x: u8) -> E { E::A } pub enum E { A, B }",
            "a::b::f",
        );
        assert!(written.contains("::codec::a::b::f(x)"), "{written}");
        assert!(written.contains("pub use ::codec::a::b::E;"), "{written}");
    }

    #[test]
    fn a_module_within_a_file_is_a_file() {
        let text = "mod other; pub mod a { use super::*; pub mod b { /// Adds.\n pub fn f(x: u8) -> u8 { x } } }";
        let names = |path: &str| -> Vec<String> { path.split("::").map(str::to_owned).collect() };
        let found = inline_module(text, &names("a::b")).unwrap();
        assert!(found.starts_with("/// Adds.\npub fn f(x: u8)"), "{found}");
        for path in ["b", "other", "a::c", "a::b::f"] {
            assert!(inline_module(text, &names(path)).is_err(), "{path}");
        }
    }

    #[test]
    fn only_plain_names_are_called() {
        for path in [
            "", "a::", "::a", "a b", "a(", "a::<u8>", "crate", "fn", "a-b",
        ] {
            assert_eq!(CalledFunction::parse("codec", path), None, "{path}");
        }
        let called = CalledFunction::parse("codec", "g").unwrap();
        for text in ["fn g() {}", "pub fn f() {}", "pub fn"] {
            assert!(caller(text, &called).is_err(), "{text}");
        }
    }
}
