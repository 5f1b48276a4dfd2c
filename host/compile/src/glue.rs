//! The generated crate: bindings for the interface, and the glue between them and the user's file.

use super::build_protocol::BuildKind;
use super::export_names;
use super::failures::ungenerated as internal;
use super::filled_bindings::{self, FilledBindings, Form};
use super::own_modules;
use bakeoff_domain::failure::Failure;
use bakeoff_source::interface::{Interface, World, rust_name};
use wit_bindgen_core::{Files, WorldGenerator};
use wit_bindgen_rust::Opts;
use wit_parser::{Resolve, WorldId};

/// The run-time modules of the guest SDK.
pub(super) const RT: &str = include_str!("../guest-sdk/rt.rs");
pub(super) const ALLOCATOR: &str = include_str!("../guest-sdk/allocator.rs");
pub(super) const FLAGS: &str = include_str!("../guest-sdk/flags.rs");
const RANDOM: &str = include_str!("../guest-sdk/random.rs");
const DIAGNOSTIC: &str = include_str!("../guest-sdk/diagnostic.rs");
const PARAMETERS: &str = include_str!("../guest-sdk/parameters.rs");

/// The package that a diagnostic build imports from.
const DIAGNOSTIC_WIT: &str = include_str!("../wit/diagnostic/diagnostic.wit");

/// The import of a diagnostic build, as components name it. Its one function is
/// `report: func(message: string)`.
pub const DIAGNOSTIC_IMPORT: &str = "bakeoff:diagnostic/panic@0.1.0";

/// The import of evaluators, as components name it.
pub const EVALUATOR_IMPORT: &str = "bakeoff:evaluator/types@0.1.0";
/// The import of proposers that ask a model, as components name it.
pub const COMPLETIONS_IMPORT: &str = "bakeoff:completions/completions@0.1.0";
/// The part of `wasi:config` that a prototype with parameters imports.
const PARAMETERS_WIT: &str = include_str!("../wit/config/config.wit");

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
pub(super) fn fingerprint() -> Vec<&'static str> {
    let own = [
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
        include_str!("session_glue.rs"),
        include_str!("rustc.rs"),
        include_str!("link.rs"),
        include_str!("uncalled_functions.rs"),
        include_str!("export_names.rs"),
        bakeoff_source::interface::RUST_RULES,
        include_str!("../workspace.lock"),
    ];
    [&own[..], &filled_bindings::SOURCES].concat()
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
    let (mut resolve, id) = world_of(interface, world, build.parameters)?;
    if kind == BuildKind::Diagnostic {
        add_world(&mut resolve, id, DIAGNOSTIC_WIT, "diagnostic")?;
    }
    let generated = bindings_text(&resolve, id, options(kind))?;
    let generated = export_names::with_own_symbols(&generated);
    let bindings = FilledBindings::new(&generated, interface, world, text)?;
    let own = own_modules::of(world);
    let mut files = vec![
        (BINDINGS_FILE, bindings.text()),
        (ROOT_FILE, root(world, build, &bindings)),
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

/// Returns a world of an interface, with the imports of its parameters if it has any.
pub(super) fn world_of(
    interface: &Interface,
    world: World,
    parameters: bool,
) -> Result<(Resolve, WorldId), Failure> {
    let (resolve, id) = interface
        .resolved(world)
        .ok_or_else(|| internal("the world is missing"))?;
    let mut resolve = resolve.clone();
    if parameters {
        add_world(&mut resolve, id, PARAMETERS_WIT, "imports")?;
    }
    Ok((resolve, id))
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

pub(super) fn options(kind: BuildKind) -> Opts {
    let runtime = match kind {
        BuildKind::Release | BuildKind::Coverage | BuildKind::FunctionFuel => "crate::rt",
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
pub(super) fn bindings_text(
    resolve: &Resolve,
    world: WorldId,
    options: Opts,
) -> Result<String, Failure> {
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

fn root(world: World, build: GlueOptions, bindings: &FilledBindings) -> String {
    let mut text = String::from("mod flags;\nmod rt;\nmod bindings;\n");
    text.push_str(&bindings.types_module());
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
    text.push_str(&match bindings.form() {
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
