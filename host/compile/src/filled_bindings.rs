//! Generated bindings with the implementation of their traits, which calls the functions of the user's file.

use super::failures::ungenerated as internal;
use super::own_modules;
use super::rust_function::adapted;
use super::session_glue;
use bakeoff_domain::failure::Failure;
use bakeoff_source::interface::{Function, Interface, World, rust_name};
use syn::{ImplItem, Item, TraitItem};

/// The files that decide the implementation; part of the cache key.
pub(super) const SOURCES: [&str; 10] = [
    include_str!("changed_inside.rs"),
    include_str!("function_arguments.rs"),
    super::function_arguments::VALUES,
    include_str!("filled_bindings.rs"),
    include_str!("conversion.rs"),
    include_str!("passed_type.rs"),
    include_str!("rust_function.rs"),
    include_str!("rust_types.rs"),
    include_str!("rust_structs.rs"),
    include_str!("collections.rs"),
];

/// The bindings of a world, and what the crate's root has to know of them.
pub(super) struct FilledBindings {
    pub(super) file: syn::File,
    form: Form,
    /// Name and path of the types to re-export for the user.
    types: Vec<(String, String)>,
}

impl FilledBindings {
    /// Adds the implementation to generated bindings. For one of bakeoff's own worlds another module has it.
    pub(super) fn new(
        generated: &str,
        interface: &Interface,
        world: World,
        text: &str,
    ) -> Result<Self, Failure> {
        let mut file = syn::parse_file(generated).map_err(internal)?;
        let is_session = world == World::Prototype && interface.call().is_session;
        let form = form(&file, is_session, text);
        let mut types = Vec::new();
        let mut glue = Glue {
            module: world.name(),
            form: &form,
            types: &mut types,
            called: (world == World::Prototype && !is_session).then(|| &interface.call().function),
            text,
        };
        if own_modules::of(world).is_none() {
            glue.fill(&mut file.items, &mut vec!["bindings".to_owned()])?;
        }
        Ok(Self { file, form, types })
    }

    /// Returns the text of the file.
    pub(super) fn text(&self) -> String {
        prettyplease::unparse(&self.file)
    }

    /// Returns the form of the user's file.
    pub(super) fn form(&self) -> &Form {
        &self.form
    }

    /// Returns the module that re-exports the types for the user.
    pub(super) fn types_module(&self) -> String {
        let paths = self.types.iter().map(|(_, path)| path);
        let types: String = paths.map(|path| format!("    pub use {path};\n")).collect();
        format!("pub mod types {{\n{types}}}\n")
    }
}

/// The form in which the user's file implements the world.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Form {
    /// Plain functions with the names of the exports.
    Functions,
    /// Plain functions, and a struct of this name for the resource that is called in parts.
    Session(String),
    /// Traits on a type `Component`: the world exports a resource.
    Traits,
}

/// Returns true if a file implements the traits of the bindings itself.
pub(super) fn implements_traits(text: &str) -> bool {
    text.contains("struct Component")
}

/// Returns the form of the user's file. `is_session` is true for a prototype whose resource is called in parts.
fn form(file: &syn::File, is_session: bool, text: &str) -> Form {
    fn has_resource(items: &[Item]) -> bool {
        items.iter().any(|item| match item {
            Item::Mod(module) => module
                .content
                .as_ref()
                .is_some_and(|(_, items)| has_resource(items)),
            Item::Trait(item) => {
                item.ident == "Guest"
                    && item
                        .items
                        .iter()
                        .any(|item| matches!(item, TraitItem::Type(_)))
            }
            _ => false,
        })
    }
    if !has_resource(&file.items) {
        return Form::Functions;
    }
    let plain = is_session && !implements_traits(text);
    let resource = plain.then(|| session_glue::only_resource(&file.items));
    resource.flatten().map_or(Form::Traits, Form::Session)
}

/// Adds an implementation beside each generated trait, and collects the types beside it.
struct Glue<'a> {
    /// The user's module.
    module: &'static str,
    form: &'a Form,
    /// Name and path of the types to re-export for the user.
    types: &'a mut Vec<(String, String)>,
    /// The called function of a prototype. The user's function may take its values in another form.
    called: Option<&'a Function>,
    /// The user's file.
    text: &'a str,
}

impl Glue<'_> {
    fn fill(&mut self, items: &mut Vec<Item>, path: &mut Vec<String>) -> Result<(), Failure> {
        let mut implementation = None;
        let mut held = Vec::new();
        for item in items.iter_mut() {
            match item {
                Item::Mod(module) => {
                    path.push(module.ident.to_string());
                    if let Some((_, items)) = &mut module.content {
                        self.fill(items, path)?;
                    }
                    path.pop();
                }
                Item::Trait(guest) if guest.ident == "Guest" => {
                    implementation = Some(self.implement(guest)?);
                }
                Item::Trait(guest) => {
                    if let Form::Session(name) = self.form
                        && guest.ident == format!("Guest{name}")
                    {
                        held.extend(session_glue::held(name, self.module, guest)?);
                    }
                }
                _ => {}
            }
        }
        if let Some(implementation) = implementation {
            self.collect_types(items, path);
            if *self.form != Form::Traits {
                items.push(implementation);
            }
        }
        items.extend(held);
        Ok(())
    }

    /// Returns `impl Guest for crate::Component`, in which each method calls the user's function.
    fn implement(&self, guest: &syn::ItemTrait) -> Result<Item, Failure> {
        let mut implementation: syn::ItemImpl =
            syn::parse_str("impl Guest for crate::Component {}").map_err(internal)?;
        for item in &guest.items {
            let function = match item {
                TraitItem::Fn(function) => function,
                TraitItem::Type(resource) => {
                    let resource = resource.ident.to_string();
                    implementation
                        .items
                        .push(session_glue::resource_type(&resource)?);
                    continue;
                }
                _ => continue,
            };
            let names = function.sig.inputs.iter().filter_map(|input| match input {
                syn::FnArg::Typed(input) => match &*input.pat {
                    syn::Pat::Ident(name) => Some(name.ident.to_string()),
                    _ => None,
                },
                syn::FnArg::Receiver(_) => None,
            });
            let names: Vec<String> = names.collect();
            let path = format!("crate::{}", self.module);
            let name = function.sig.ident.to_string();
            let called = self.called.filter(|called| rust_name(&called.name) == name);
            let adapted =
                called.and_then(|called| adapted(self.text, called, &name, &path, &names));
            let call =
                adapted.unwrap_or_else(|| format!("{{ {path}::{name}({}) }}", names.join(", ")));
            implementation.items.push(ImplItem::Fn(syn::ImplItemFn {
                attrs: Vec::new(),
                vis: syn::Visibility::Inherited,
                defaultness: None,
                sig: function.sig.clone(),
                block: syn::parse_str(&call).map_err(internal)?,
            }));
        }
        Ok(Item::Impl(implementation))
    }

    fn collect_types(&mut self, items: &[Item], path: &[String]) {
        for item in items {
            let name = match item {
                Item::Struct(item) => item.ident.to_string(),
                Item::Enum(item) => item.ident.to_string(),
                Item::Type(item) => item.ident.to_string(),
                Item::Macro(item) => match flags_name(item) {
                    Some(name) => name,
                    None => continue,
                },
                _ => continue,
            };
            // Of two types with the same name, the first is re-exported.
            if !name.starts_with('_') && !self.types.iter().any(|(known, _)| *known == name) {
                let path = format!("crate::{}::{name}", path.join("::"));
                self.types.push((name, path));
            }
        }
    }
}

/// Returns the name of the type that `crate::bitflags! { … pub struct Name: u8 { … } }` makes.
pub(super) fn flags_name(item: &syn::ItemMacro) -> Option<String> {
    if item.mac.path.segments.last()?.ident != "bitflags" {
        return None;
    }
    let text = item.mac.tokens.to_string();
    let (_, rest) = text.split_once("pub struct ")?;
    rest.split([' ', ':']).next().map(str::to_owned)
}
