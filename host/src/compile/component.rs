//! In the child: from a core module to a component.

use super::failures::build_failure;
use bakeoff_domain::failure::{Failure, FailureClass};
use wasmparser::{Parser, Payload};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{Resolve, WorldId};

/// The export through which a module of ours is asked for memory.
const REALLOC: &str = "cabi_realloc";

/// Returns true if a module exports [`REALLOC`], and nothing else that a component could be asked for
/// memory by: a source may export such a function too, under another of the names that exist for it.
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

/// Makes a component of a module that carries the description of its world.
pub(super) fn componentise(module: &[u8]) -> Result<Vec<u8>, Failure> {
    let encode = || {
        ComponentEncoder::default()
            .validate(true)
            .module(module)?
            .encode()
    };
    encode().map_err(|error| {
        let message = format!("the compiled module does not make a component: {error:#}");
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
