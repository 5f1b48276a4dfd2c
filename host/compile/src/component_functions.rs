//! In the child: the functions that a component exports, for comparing files without any WIT.

use super::component::is_module;
use super::decoded::decoded;
use super::inspect::inspect;
use bakeoff_source::interface::{Export, PublicFunction, Shape, Signature, world_exports};
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
            Ok(own.map(public_function).collect())
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

fn public_function(export: Export) -> PublicFunction {
    PublicFunction {
        name: export.name.replace('-', "_"),
        signature: signature(&export),
        passing: None,
        structs: Vec::new(),
        examples: Vec::new(),
        is_shown: true,
    }
}

fn signature(export: &Export) -> Result<Signature, String> {
    if let Some(interface) = &export.interface {
        return Err(format!(
            "it is in the interface {interface}, not in the world"
        ));
    }
    if export.is_session {
        return Err("it is a resource that is called in three parts".to_owned());
    }
    let function = export.function.as_ref().map_err(ToString::to_string)?;
    let parameters = function.params.iter().map(|parameter| {
        let shape =
            Shape::of(&parameter.ty).map_err(|what| format!("{} is {what}", parameter.name));
        Ok((parameter.name.clone(), shape?))
    });
    let result = function.result.as_ref().ok_or("it returns nothing")?;
    Ok(Signature {
        parameters: parameters.collect::<Result<_, String>>()?,
        result: Shape::of(result).map_err(|what| format!("its result is {what}"))?,
    })
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
