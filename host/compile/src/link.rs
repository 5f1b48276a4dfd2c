//! Linking of the compiler's objects to a core module, by one call of the linker in the child.
//!
//! The compiler would start the linker itself, and put the names that a source exports among the
//! linker's arguments, where `@file` is read as a file with more arguments. Here the compiler only
//! collects objects, and no argument of the linker comes from a source: the exports follow from the
//! interface.

use super::archive::{self, Member};
use super::build_folder::{OBJECTS_FILE, folder_failure, read_output};
use super::build_protocol::{BuildKind, BuildTask, Compiler};
use super::exit_failure::classify_compiler_exit;
use super::export_names::{self, ABI, Kind, SYMBOL_PREFIX};
use super::failures::{build_failure, cut};
use super::object_names::{self, LocalNames};
use super::scrub::without_paths;
use super::tool::{self, ToolOutput};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_source::interface::Interface;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use wit_parser::{InterfaceId, Resolve, TypeDefKind, WasmExport, WorldId, WorldItem, WorldKey};

/// The name of the linker's output file.
const MODULE_FILE: &str = "out.wasm";

/// The arguments of the linker for prototypes in any language, as the compiler of Rust gives them for a library of this
/// target.
pub(super) const ARGUMENTS: [&str; 10] = [
    "--export=__heap_base",
    "--export=__data_end",
    "-z",
    "stack-size=1048576",
    "--stack-first",
    "--no-entry",
    "--gc-sections",
    "-O3",
    "--color-diagnostics=never",
    "--threads=1",
];

/// Links the compiler's output to a core module, after checking all names in it.
pub(super) fn link(
    interface: &Interface,
    task: &BuildTask,
    compiler: &Compiler,
    scratch: &Path,
) -> Result<Vec<u8>, Failure> {
    let unusable = |what: &str, error: &std::io::Error| folder_failure(&format!("{what}: {error}"));
    let archive =
        read_output(&scratch.join(OBJECTS_FILE)).map_err(|error| unusable(OBJECTS_FILE, &error))?;
    let members = archive::members(&archive)
        .ok_or_else(|| folder_failure("the compiler's output is not an archive"))?;
    for member in &members {
        object_names::check(member, LocalNames::Usual).map_err(|what| refused(task, &what))?;
    }
    // The crate's own objects come first, as a linker takes from an archive only what others ask for.
    let prefix = format!("{}.", OBJECTS_FILE.trim_end_matches(".a"));
    let (own, others): (Vec<&Member<'_>>, Vec<&Member<'_>>) =
        (members.iter()).partition(|member| member.name.starts_with(&prefix));
    if let Some(name) = object_names::defined_by_both(&own, &others) {
        return Err(meets_runtime(task, &name));
    }
    let mut files = Vec::new();
    for (member, number) in own.into_iter().zip(0..) {
        let file = format!("own-{number}.o");
        std::fs::write(scratch.join(&file), member.bytes)
            .map_err(|error| unusable(&file, &error))?;
        files.push(file);
    }
    let (resolve, world) = interface
        .resolved(task.world)
        .ok_or_else(|| folder_failure("the interface lacks this world"))?;
    let names = exports(resolve, world);
    let mut command = Command::new(&compiler.linker);
    command
        .args(["-flavor", "wasm"])
        .args((names.keys()).map(|symbol| format!("--export-if-defined={symbol}")))
        .args(ARGUMENTS)
        .args(["--allow-undefined", "--no-demangle"])
        .args((task.kind == BuildKind::Release).then_some("--strip-all"))
        .args(files)
        .args([OBJECTS_FILE, "-o", MODULE_FILE]);
    let output = tool::run(&mut command, &[], scratch)?;
    if !output.status.success() {
        return Err(explain(&output, task, compiler, scratch));
    }
    let module =
        read_output(&scratch.join(MODULE_FILE)).map_err(|error| unusable(MODULE_FILE, &error))?;
    export_names::renamed(&module, &names)
        .map_err(|error| folder_failure(&format!("{MODULE_FILE} cannot be read: {error}")))
}

/// Returns the failure of a file that defines a function of the run-time anew, which the run-time's own functions
/// and the compiler's would then call.
fn meets_runtime(task: &BuildTask, name: &str) -> Failure {
    let message = format!(
        "{} defines `{name}` for all the code that it is linked with, where the run-time has a function of that \
         name: leave out `#[no_mangle]` or `#[export_name]`, no export needs it",
        task.path_shown
    );
    build_failure(FailureClass::BuildFailed, message)
}

fn refused(task: &BuildTask, what: &str) -> Failure {
    let message = format!(
        "{} cannot be linked: it has {what}; only names and sections as Rust and the interface make \
         them are linked",
        task.path_shown
    );
    build_failure(FailureClass::BuildFailed, message)
}

fn explain(output: &ToolOutput, task: &BuildTask, compiler: &Compiler, scratch: &Path) -> Failure {
    let said = String::from_utf8_lossy(&output.stderr);
    let said = without_paths(&said, compiler, scratch);
    classify_compiler_exit(output.status, output.cpu, &said).unwrap_or_else(|| {
        let message = format!("{} cannot be linked\n{}", task.path_shown, said.trim_end());
        build_failure(FailureClass::BuildFailed, cut(&message))
    })
}

/// Returns the names of the exports of a core module for this world, by their symbols.
fn exports(resolve: &Resolve, world: WorldId) -> BTreeMap<String, String> {
    let realloc = resolve.wasm_export_name(ABI, WasmExport::Realloc);
    let mut names = BTreeMap::from([(realloc.clone(), realloc)]);
    for (key, item) in &resolve.worlds[world].exports {
        match item {
            WorldItem::Function(function) => {
                add_function(resolve, None, function, &mut names);
            }
            WorldItem::Interface { id, .. } => add_interface(resolve, key, *id, &mut names),
            WorldItem::Type { .. } => {}
        }
    }
    names
}

fn add_interface(
    resolve: &Resolve,
    key: &WorldKey,
    id: InterfaceId,
    names: &mut BTreeMap<String, String>,
) {
    let interface = &resolve.interfaces[id];
    for function in interface.functions.values() {
        add_function(resolve, Some(key), function, names);
    }
    for resource in interface.types.values().copied() {
        if resolve.types[resource].kind == TypeDefKind::Resource {
            let interface = key;
            let destructor = WasmExport::ResourceDtor {
                interface,
                resource,
            };
            let name = resolve.wasm_export_name(ABI, destructor);
            names.insert(format!("{SYMBOL_PREFIX}{name}"), name);
        }
    }
}

fn add_function(
    resolve: &Resolve,
    interface: Option<&WorldKey>,
    func: &wit_parser::Function,
    names: &mut BTreeMap<String, String>,
) {
    for kind in [Kind::Function, Kind::PostReturn] {
        let symbol = export_names::symbol(resolve, interface, func, kind);
        let name = export_names::of_function(resolve, interface, func, kind);
        names.insert(symbol, name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_source::interface::{WitFile, World};

    #[test]
    fn exports_follow_from_the_interface() {
        let wit = "package a:b@1.0.0;
            interface i { resource r { constructor(); m: func(); } f: func() -> string; }
            world prototype { export i; export top-k: func() -> string; }";
        let file = WitFile {
            name: "test.wit".to_owned(),
            text: wit.to_owned(),
        };
        let interface = Interface::parse(vec![file], "top-k").unwrap();
        let (resolve, world) = interface.resolved(World::Prototype).unwrap();
        let names = exports(resolve, world);
        let names = names.iter().map(|(symbol, name)| (&**symbol, &**name));
        let names: Vec<(&str, &str)> = names
            .filter(|(symbol, _)| !symbol.contains("cabi_post_"))
            .collect();
        assert_eq!(
            names,
            [
                (
                    "bakeoff:export/a:b/i@1.0.0#[constructor]r",
                    "a:b/i@1.0.0#[constructor]r"
                ),
                ("bakeoff:export/a:b/i@1.0.0#[dtor]r", "a:b/i@1.0.0#[dtor]r"),
                (
                    "bakeoff:export/a:b/i@1.0.0#[method]r.m",
                    "a:b/i@1.0.0#[method]r.m"
                ),
                ("bakeoff:export/a:b/i@1.0.0#f", "a:b/i@1.0.0#f"),
                ("bakeoff:export/top-k", "cm32p2||top-k"),
                ("cabi_realloc", "cabi_realloc"),
            ]
        );
    }
}
