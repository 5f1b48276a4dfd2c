//! The generated crate: bindings for the interface, and the glue between them and the user's file.

use super::build_protocol::BuildKind;
use super::export_names;
use super::failures::ungenerated as internal;
use super::own_modules;
use super::rust_function::adapted;
use super::session_glue;
use bakeoff_domain::failure::Failure;
use bakeoff_source::interface::{Function, Interface, World, rust_name};
use syn::{ImplItem, Item, TraitItem};
use wit_bindgen_core::{Files, WorldGenerator};
use wit_bindgen_rust::Opts;
use wit_parser::{Resolve, WorldId};

/// The run-time modules of the guest SDK.
const RT: &str = include_str!("../../../guest-sdk/src/rt.rs");
const ALLOCATOR: &str = include_str!("../../../guest-sdk/src/allocator.rs");
const FLAGS: &str = include_str!("../../../guest-sdk/src/flags.rs");
const RANDOM: &str = include_str!("../../../guest-sdk/src/random.rs");
const DIAGNOSTIC: &str = include_str!("../../../guest-sdk/src/diagnostic.rs");
const PARAMETERS: &str = include_str!("../../../guest-sdk/src/parameters.rs");

/// The package that a diagnostic build imports from.
const DIAGNOSTIC_WIT: &str = include_str!("../../../wit/diagnostic/diagnostic.wit");

/// The import of a diagnostic build, as components name it. Its one function is
/// `report: func(message: string)`.
pub const DIAGNOSTIC_IMPORT: &str = "bakeoff:diagnostic/panic@0.1.0";

/// The import of evaluators, as components name it.
pub const EVALUATOR_IMPORT: &str = "bakeoff:evaluator/types@0.1.0";
/// The import of proposers that ask a model, as components name it.
pub const COMPLETIONS_IMPORT: &str = "bakeoff:completions/completions@0.1.0";
/// The part of `wasi:config` that a prototype with parameters imports.
const PARAMETERS_WIT: &str = include_str!("../../../wit/config/config.wit");

/// The interfaces through which a component gets the values of its parameters, as components name them:
/// the one that sources import, and an earlier one with the same functions.
pub const PARAMETER_IMPORTS: [&str; 2] = [
    "wasi:config/store@0.2.0-rc.1",
    "wasi:config/store@0.2.0-draft",
];

/// The file with the bindings and the glue. An error in it is about the interface.
pub(super) const BINDINGS_FILE: &str = "bindings.rs";

/// The file with the crate's root.
pub(super) const ROOT_FILE: &str = "root.rs";

/// Everything that decides the generated crate and component besides the interface and the module:
/// the files of the crate, the code that generates it, and, by the lock file, the versions of the
/// generators. Part of the cache key.
pub(super) fn fingerprint() -> [&'static str; 25] {
    [
        RT,
        ALLOCATOR,
        FLAGS,
        RANDOM,
        own_modules::TEXTS,
        DIAGNOSTIC,
        DIAGNOSTIC_WIT,
        PARAMETERS,
        PARAMETERS_WIT,
        include_str!("glue.rs"),
        include_str!("calibrator.rs"),
        include_str!("component.rs"),
        include_str!("conversion.rs"),
        include_str!("passed.rs"),
        include_str!("rust_function.rs"),
        include_str!("rust_types.rs"),
        include_str!("rust_structs.rs"),
        include_str!("collections.rs"),
        include_str!("session_glue.rs"),
        include_str!("rustc.rs"),
        include_str!("link.rs"),
        include_str!("unasked.rs"),
        include_str!("export_names.rs"),
        bakeoff_source::interface::RUST_RULES,
        include_str!("../../../Cargo.lock"),
    ]
}

/// Returns the file name under which the user's code is compiled. Panic messages contain it, so it
/// does not depend on the user's path.
pub(super) fn user_file(world: World) -> &'static str {
    match world {
        World::Prototype => "prototype.rs",
        World::Workload => "workload.rs",
        World::Evaluator => "evaluator.rs",
        World::Aggregator => "aggregator.rs",
        World::Proposer => "proposer.rs",
    }
}

/// Options of the crate that is generated around a user's file.
#[derive(Clone, Copy, Debug)]
pub(super) struct GlueOptions {
    /// The purpose of the build.
    pub(super) kind: BuildKind,
    /// True if the crate provides the values of parameters.
    pub(super) parameters: bool,
}

/// Generates the crate around a user's file: the names and texts of the other files, with
/// [`ROOT_FILE`] among them.
pub(super) fn generate(
    interface: &Interface,
    world: World,
    build: GlueOptions,
    text: &str,
) -> Result<Vec<(&'static str, String)>, Failure> {
    let kind = build.kind;
    let (resolve, id) = interface
        .resolved(world)
        .ok_or_else(|| internal("the world is missing"))?;
    let mut resolve = resolve.clone();
    if kind == BuildKind::Diagnostic {
        add_world(&mut resolve, id, DIAGNOSTIC_WIT, "diagnostic")?;
    }
    if build.parameters {
        add_world(&mut resolve, id, PARAMETERS_WIT, "imports")?;
    }
    let generated = bindings_text(&resolve, id, options(kind))?;
    let generated = export_names::with_own_symbols(&generated);
    let mut file = syn::parse_file(&generated).map_err(internal)?;
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
    let own = own_modules::of(world);
    if own.is_none() {
        glue.fill(&mut file.items, &mut vec!["bindings".to_owned()])?;
    }
    let mut files = vec![
        (BINDINGS_FILE, prettyplease::unparse(&file)),
        (ROOT_FILE, root(world, build, &form, &types)),
        ("rt.rs", RT.to_owned()),
        ("flags.rs", FLAGS.to_owned()),
    ];
    match world {
        World::Prototype => files.push(("allocator.rs", ALLOCATOR.to_owned())),
        World::Workload => files.push(("random.rs", RANDOM.to_owned())),
        World::Evaluator | World::Aggregator | World::Proposer => {
            files.push(("allocator.rs", ALLOCATOR.to_owned()));
            files.push(("random.rs", RANDOM.to_owned()));
        }
    }
    files.extend(own.iter().flat_map(own_modules::OwnModules::files));
    if kind == BuildKind::Diagnostic {
        files.push(("diagnostic.rs", DIAGNOSTIC.to_owned()));
    }
    if build.parameters {
        files.push(("parameters.rs", PARAMETERS.to_owned()));
    }
    Ok(files)
}

/// Adds the imports of a world that bakeoff defines to a world.
fn add_world(resolve: &mut Resolve, world: WorldId, text: &str, name: &str) -> Result<(), Failure> {
    let package = resolve
        .push_source(&format!("{name}.wit"), text)
        .map_err(internal)?;
    let added = resolve.packages[package].worlds[name];
    let mut maps = wit_parser::CloneMaps::default();
    resolve
        .merge_worlds(added, world, &mut maps)
        .map_err(internal)
}

fn options(kind: BuildKind) -> Opts {
    let runtime = match kind {
        BuildKind::Release => "crate::rt",
        BuildKind::Diagnostic => "crate::reporting",
    };
    Opts {
        generate_all: true,
        runtime_path: Some(runtime.to_owned()),
        bitflags_path: Some("crate".to_owned()),
        ..Opts::default()
    }
}

/// Returns the bindings of a world, as `wit-bindgen` generates them.
fn bindings_text(resolve: &Resolve, world: WorldId, options: Opts) -> Result<String, Failure> {
    let mut files = Files::default();
    let mut resolve = resolve.clone();
    options
        .build()
        .generate(&mut resolve, world, &mut files)
        .map_err(internal)?;
    let (_, text) = files
        .iter()
        .next()
        .ok_or_else(|| internal("no file came out"))?;
    let text = std::str::from_utf8(text).map_err(internal)?;
    Ok(text.to_owned())
}

/// The form in which the user's file implements the world.
#[derive(Clone, PartialEq, Eq)]
enum Form {
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
fn flags_name(item: &syn::ItemMacro) -> Option<String> {
    if item.mac.path.segments.last()?.ident != "bitflags" {
        return None;
    }
    let text = item.mac.tokens.to_string();
    let (_, rest) = text.split_once("pub struct ")?;
    rest.split([' ', ':']).next().map(str::to_owned)
}

fn root(world: World, build: GlueOptions, form: &Form, types: &[(String, String)]) -> String {
    let mut text = String::from("mod flags;\nmod rt;\nmod bindings;\n");
    text.push_str("pub mod types {\n");
    for (_, path) in types {
        text.push_str(&format!("    pub use {path};\n"));
    }
    text.push_str("}\n");
    text.push_str(match world {
        World::Prototype | World::Evaluator | World::Aggregator | World::Proposer => {
            GLOBAL_ALLOCATOR
        }
        World::Workload => "#[path = \"random.rs\"]\npub mod bakeoff;\n",
    });
    if let Some(own) = own_modules::of(world) {
        text.push_str(&own.declarations());
    }
    if build.kind == BuildKind::Diagnostic {
        text.push_str(REPORTING);
    }
    if build.parameters {
        text.push_str(PARAMETER_MODULE);
    }
    let module = world.name();
    text.push_str(&format!(
        "#[path = \"{}\"]\npub mod {module};\n",
        user_file(world)
    ));
    text.push_str(&match form {
        Form::Functions | Form::Session(_) => "pub struct Component;\n".to_owned(),
        Form::Traits => format!("use crate::{module}::Component;\n"),
    });
    text.push_str("bindings::export!(Component with_types_in bindings);\n");
    text
}

/// The condition under which a prototype's own global allocator is used.
pub(super) const OWN_ALLOCATOR: &str = "own_allocator";

/// The allocator of a prototype, unless it has its own. [`OWN_ALLOCATOR`] is the condition.
const GLOBAL_ALLOCATOR: &str = "\
#[cfg(not(own_allocator))]
mod allocator;
#[cfg(not(own_allocator))]
#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator::new();
";

/// The run-time of a diagnostic build: it installs the panic hook at the start of each export.
const REPORTING: &str = "\
mod diagnostic;
pub mod reporting {
    pub use crate::rt::*;
    pub fn run_ctors_once() {
        crate::rt::run_ctors_once();
        crate::diagnostic::report_panics(crate::bindings::bakeoff::diagnostic::panic::report);
    }
}
";

/// The module by which a prototype with parameters asks for their values.
const PARAMETER_MODULE: &str = "\
mod parameters;
pub mod bakeoff {
    pub mod param {
        pub fn get<T: crate::parameters::Parameter>(name: &str) -> T {
            let value = crate::bindings::wasi::config::store::get(name);
            crate::parameters::parsed(name, value.ok().flatten())
        }
    }
}
";

/// Returns the Rust name of the user's function that a line of glue calls: `top_k` for a line that
/// holds `crate::prototype::top_k(`.
pub(super) fn called_on(line: &str, world: World) -> Option<&str> {
    let (_, rest) = line.split_once(&format!("crate::{}::", world.name()))?;
    rest.split_once('(').map(|(name, _)| name)
}

/// Returns the Rust paths of the traits that a file in trait form implements.
pub(super) fn trait_paths(interface: &Interface, world: World) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for export in interface.exports(world) {
        let path = match &export.interface {
            None => "crate::bindings::Guest".to_owned(),
            Some(name) => {
                let unversioned = name.split_once('@').map_or(&**name, |(name, _)| name);
                let parts: Vec<String> = unversioned.split([':', '/']).map(rust_name).collect();
                format!("crate::bindings::exports::{}::Guest", parts.join("::"))
            }
        };
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}

#[cfg(test)]
mod tests;
