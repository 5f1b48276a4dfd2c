//! The glue for a resource that is called in three parts: the user's file has a plain struct of its name.

use super::failures::ungenerated as internal;
use bakeoff_domain::failure::Failure;
use syn::{FnArg, Item, ItemTrait, Pat, ReturnType, TraitItem, TraitItemFn};

/// The type that holds the user's struct in a `RefCell`, as methods of resources only get a shared reference.
const HELD: &str = "Held";

/// Returns the name of the only resource that a world's bindings let a crate implement; `None` if there are
/// several, or none.
pub(super) fn only_resource(items: &[Item]) -> Option<String> {
    let mut names = Vec::new();
    collect(items, &mut names);
    match names.len() {
        1 => names.pop(),
        _ => None,
    }
}

fn collect(items: &[Item], names: &mut Vec<String>) {
    for item in items {
        match item {
            Item::Mod(module) => {
                let items = module.content.as_ref();
                collect(items.map_or(&[][..], |(_, items)| items), names);
            }
            Item::Trait(guest) if guest.ident == "Guest" => {
                names.extend(guest.items.iter().filter_map(|item| match item {
                    TraitItem::Type(resource) => Some(resource.ident.to_string()),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
}

/// Returns the line by which the implementation of an interface names the type of its resource.
pub(super) fn resource_type(name: &str) -> Result<syn::ImplItem, Failure> {
    syn::parse_str(&format!("type {name} = {HELD};")).map_err(internal)
}

/// Returns the type that holds the user's struct, and the implementation of the resource's trait by it.
pub(super) fn held(name: &str, module: &str, guest: &ItemTrait) -> Result<[Item; 2], Failure> {
    let path = format!("crate::{module}::{name}");
    let held = format!("pub struct {HELD}(core::cell::RefCell<{path}>);");
    let methods = guest.items.iter().filter_map(|item| match item {
        // What the bindings implement themselves has a body.
        TraitItem::Fn(function) if function.default.is_none() => Some(function),
        _ => None,
    });
    let mut implementation: syn::ItemImpl =
        syn::parse_str(&format!("impl {} for {HELD} {{}}", guest.ident)).map_err(internal)?;
    for function in methods {
        let body = body(function, name, &path);
        implementation
            .items
            .push(syn::ImplItem::Fn(syn::ImplItemFn {
                attrs: Vec::new(),
                vis: syn::Visibility::Inherited,
                defaultness: None,
                sig: function.sig.clone(),
                block: syn::parse_str(&body).map_err(internal)?,
            }));
    }
    let held = syn::parse_str(&held).map_err(internal)?;
    Ok([held, Item::Impl(implementation)])
}

/// Returns the body of a function of the resource, which calls the user's function of that name.
fn body(function: &TraitItemFn, name: &str, path: &str) -> String {
    let inputs = function.sig.inputs.iter();
    let arguments = inputs.filter_map(|input| match input {
        FnArg::Typed(input) => match &*input.pat {
            Pat::Ident(name) => Some(name.ident.to_string()),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    });
    let arguments = arguments.collect::<Vec<_>>().join(", ");
    let called = &function.sig.ident;
    if function.sig.receiver().is_some() {
        return format!("{{ self.0.borrow_mut().{called}({arguments}) }}");
    }
    let call = format!("{path}::{called}({arguments})");
    let made = format!("{HELD}(core::cell::RefCell::new({call}))");
    match &function.sig.output {
        ReturnType::Type(_, ty) => match &**ty {
            syn::Type::Path(ty) if ty.path.is_ident("Self") => format!("{{ {made} }}"),
            syn::Type::Path(ty) if ty.path.is_ident(name) => {
                format!("{{ {name}::new({made}) }}")
            }
            _ => format!("{{ {call} }}"),
        },
        ReturnType::Default => format!("{{ {call} }}"),
    }
}
