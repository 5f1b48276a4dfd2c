//! Functions that a component exports, read in the child, for comparing files without any WIT.

use super::component::is_module;
use super::decoded_world::decoded;
use super::inspect::inspect;
use bakeoff_source::interface::{Export, PublicFunction, world_exports};
use wit_parser::decoding::DecodedWasm;

/// The error about a core module, which does not contain the types of its exports.
const CORE_MODULE: &str = "it is a core WebAssembly module, which does not say what its functions take: give its interface \
    with --wit and --call, of which a component is made, or make one with `wasm-tools component embed` and \
    `wasm-tools component new`, or give the Rust source";

/// Returns the functions that a component exports, in their order, each with its signature.
///
/// # Errors
/// The bytes are no component, or a component that exceeds the limits of its sizes.
pub(super) fn exported_functions(bytes: &[u8]) -> Result<Vec<PublicFunction>, String> {
    if is_module(bytes) {
        return Err(CORE_MODULE.to_owned());
    }
    inspect(bytes, "it").map_err(|failure| failure.message)?;
    match decoded(bytes) {
        Ok(DecodedWasm::Component(resolve, world)) => {
            let exports = world_exports(&resolve, world);
            let own = exports
                .into_iter()
                .filter(|export| !is_of_the_system(export));
            Ok(own
                .map(|export| PublicFunction::exported(&export))
                .collect())
        }
        Ok(DecodedWasm::WitPackage(..)) => Err("it is a WIT package without code".to_owned()),
        Err(error) => Err(format!("it cannot be decoded: {error}")),
    }
}

/// Returns true if an export belongs to WASI, such as the entry point of a program.
fn is_of_the_system(export: &Export) -> bool {
    let interface = export.interface.as_deref();
    interface.is_some_and(|interface| interface.starts_with("wasi:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_component_is_said_to_be_none() {
        let said = |bytes: &[u8]| exported_functions(bytes).unwrap_err();
        assert!(said(b"\0asm\x01\0\0\0").contains("core WebAssembly module"));
        assert!(said(b"\0asm\x0d\0\x01\0\xff\xff").contains("not a valid component"));
        assert!(said(b"").contains("empty"));
        // A component that exports nothing.
        assert_eq!(exported_functions(b"\0asm\x0d\0\x01\0"), Ok(Vec::new()));
    }
}
