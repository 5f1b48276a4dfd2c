//! Making of a component from a core module, in the child.

use super::build_protocol::BuildTask;
use super::failures::{build_failure, cut, load_failure};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_source::interface::Interface;
use wasmparser::{Parser, Payload};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{Resolve, WorldId};

/// The export through which a module built from source is asked for memory.
const REALLOC: &str = "cabi_realloc";

/// Returns true if a module exports [`REALLOC`], and no other function by which a component could be
/// asked for memory: a source may export such a function too, under another of the names that exist
/// for it.
pub(super) fn has_one_realloc(module: &[u8]) -> bool {
    let mut found = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        match payload {
            Ok(Payload::ExportSection(exports)) => {
                for export in exports {
                    match export {
                        Ok(export) if export.name.contains("realloc") => found.push(export.name),
                        Ok(_) => {}
                        Err(_) => return false,
                    }
                }
            }
            Ok(_) => {}
            Err(_) => return false,
        }
    }
    found == [REALLOC]
}

/// The import module of programs that were linked for WASI 0.1, which needs an adapter.
const WASI_1: &str = "wasi_snapshot_preview1";

/// Returns true if these are the bytes of a core module.
pub(super) fn is_module(bytes: &[u8]) -> bool {
    Parser::is_core_wasm(bytes)
}

/// Makes a component of a core module that a user brings. If the module describes its world, as the linker leaves
/// it after `wit-bindgen`, that description is used; any other module must implement the problem's world, with the
/// names and types that the canonical ABI gives to its exports. Nothing is guessed: a module that does not fit is
/// refused.
pub(super) fn componentise_brought(
    module: &[u8],
    interface: &Interface,
    task: &BuildTask,
) -> Result<Vec<u8>, Failure> {
    let facts = ModuleFacts::of(module);
    let refuse = |why: &str| {
        let message = format!(
            "{} is a core WebAssembly module, and {why}",
            task.path_shown
        );
        load_failure(FailureClass::InvalidComponent, cut(&message))
    };
    if facts.imports_wasi_1 {
        return Err(refuse(&format!(
            "imports {WASI_1}, which takes an adapter: link it without WASI, or make it a component with \
             `wasm-tools component new --adapt` (docs/languages.md)"
        )));
    }
    let encoded = if facts.describes_world {
        encode(module)
    } else {
        let (resolve, world) = interface
            .resolved(task.world)
            .ok_or_else(|| refuse("the interface lacks its world"))?;
        let mut described = module.to_vec();
        embed_component_metadata(&mut described, resolve, world, StringEncoding::UTF8)
            .map_err(|error| format!("{error:#}"))
            .and_then(|()| encode(&described))
    };
    encoded.map_err(|error| {
        refuse(&format!(
            "does not make a component of this interface: {error}. It exports its `memory`, \
             `cabi_realloc` if it takes lists or strings, and its functions under the names of the WIT, and \
             imports nothing (docs/languages.md)"
        ))
    })
}

/// The properties of a module that decide how it becomes a component.
#[derive(Default)]
struct ModuleFacts {
    describes_world: bool,
    imports_wasi_1: bool,
}

impl ModuleFacts {
    /// Reads the facts of a module, up to its first malformed part, which the encoder reports.
    fn of(module: &[u8]) -> Self {
        let mut facts = Self::default();
        for payload in Parser::new(0).parse_all(module) {
            match payload {
                Ok(Payload::CustomSection(section)) => {
                    facts.describes_world |= section.name().starts_with("component-type");
                }
                Ok(Payload::ImportSection(imports)) => {
                    let mut imports = imports.into_imports().flatten();
                    facts.imports_wasi_1 |= imports.any(|import| import.module == WASI_1);
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        facts
    }
}

fn encode(module: &[u8]) -> Result<Vec<u8>, String> {
    let encoder = ComponentEncoder::default().validate(true);
    let encoded = encoder
        .module(module)
        .and_then(|mut encoder| encoder.encode());
    encoded.map_err(|error| format!("{error:#}"))
}

/// Makes a component of a module that carries the description of its world.
pub(super) fn componentise(module: &[u8]) -> Result<Vec<u8>, Failure> {
    encode(module).map_err(|error| {
        let message = format!("the compiled module does not make a component: {error}");
        build_failure(FailureClass::BuildFailed, message)
    })
}

/// Makes a component of a module without a description of its world.
pub(super) fn componentise_as(
    mut module: Vec<u8>,
    resolve: &Resolve,
    world: WorldId,
) -> Result<Vec<u8>, Failure> {
    embed_component_metadata(&mut module, resolve, world, StringEncoding::UTF8).map_err(
        |error| {
            build_failure(
                FailureClass::BuildFailed,
                format!("cannot describe the module: {error:#}"),
            )
        },
    )?;
    componentise(&module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_may_be_asked_for_memory_in_one_way() {
        let with = |names: &[&str]| {
            let export = |name: &&str| format!("(export \"{name}\" (func $realloc))");
            let exports: String = names.iter().map(export).collect();
            let text = format!("(module (func $realloc) (func (export \"f\")) {exports})");
            has_one_realloc(&wat::parse_str(text).unwrap())
        };
        assert!(with(&["cabi_realloc"]));
        assert!(!with(&[]));
        for other in [
            "cabi_export_realloc",
            "cabi_import_realloc",
            "canonical_abi_realloc",
            "cm32p2_realloc",
        ] {
            assert!(!with(&["cabi_realloc", other]), "{other}");
            assert!(!with(&[other]), "{other}");
        }
        assert!(!has_one_realloc(b"no module"));
    }
}
