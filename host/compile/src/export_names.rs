//! Names of a core module's exports, given in the child, by which nothing else in the module can be named.
//!
//! An export's name is a symbol of the linker, as all functions of the C library and of the compiler's
//! run-time are, and the linker takes the first definition of a symbol for all of them: an export `cbrt`
//! would be what `f64::cbrt` calls. So the bindings name exports with a prefix that no other symbol has,
//! and the linked module's exports get the names that the component model gives them.

use std::collections::BTreeMap;
use wasm_encoder::reencode::{Error, RoundtripReencoder, utils};
use wasm_encoder::{ExportSection, Module, RawSection};
use wasmparser::{Parser, Payload};
use wit_parser::{
    Function, LiftLowerAbi, ManglingAndAbi, Resolve, WasmExport, WasmExportKind, WorldKey,
};

/// The prefix of the symbols of exports.
pub(super) const SYMBOL_PREFIX: &str = "bakeoff:export/";

/// The beginning of the attribute that names an export in generated bindings.
const ATTRIBUTE: &str = "export_name = \"";

/// The naming scheme of bindings for the exports of a core module.
pub(super) const ABI: ManglingAndAbi = ManglingAndAbi::Legacy(LiftLowerAbi::Sync);

/// The kind of an export of a core module for a function of the interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The function.
    Function,
    /// The function that frees its answer after the call.
    PostReturn,
}

impl From<Kind> for WasmExportKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Function => Self::Normal,
            Kind::PostReturn => Self::PostReturn,
        }
    }
}

/// Returns the symbol by which the linker knows the export of a function of the interface.
pub(super) fn symbol(
    resolve: &Resolve,
    interface: Option<&WorldKey>,
    func: &Function,
    kind: Kind,
) -> String {
    let kind = kind.into();
    let export = WasmExport::Func {
        interface,
        func,
        kind,
    };
    format!("{SYMBOL_PREFIX}{}", resolve.wasm_export_name(ABI, export))
}

/// Returns the name under which a core module exports a function of the interface. A function of the world itself
/// may have the name of another export of modules, `memory`, so its name follows the scheme that keeps these apart.
pub(super) fn of_function(
    resolve: &Resolve,
    interface: Option<&WorldKey>,
    func: &Function,
    kind: Kind,
) -> String {
    let scheme = match interface {
        None => ManglingAndAbi::Standard32,
        Some(_) => ABI,
    };
    let kind = kind.into();
    let export = WasmExport::Func {
        interface,
        func,
        kind,
    };
    resolve.wasm_export_name(scheme, export)
}

/// Returns the text of generated bindings with symbols of its exports that nothing else has.
pub(super) fn with_own_symbols(bindings: &str) -> String {
    bindings.replace(ATTRIBUTE, &format!("{ATTRIBUTE}{SYMBOL_PREFIX}"))
}

/// Returns the module with renamed exports: `names` has the new name by the old one. Other exports keep their names.
///
/// # Errors
/// The module is malformed.
pub(super) fn renamed(module: &[u8], names: &BTreeMap<String, String>) -> Result<Vec<u8>, Error> {
    with_exports(module, |name| {
        Some(names.get(name).map_or(name, String::as_str))
    })
}

/// Returns the module without the export of this name.
///
/// # Errors
/// The module is malformed.
pub(super) fn without(module: &[u8], left_out: &str) -> Result<Vec<u8>, Error> {
    with_exports(module, |name| (name != left_out).then_some(name))
}

/// Returns the module with other names of its exports, and without those that get none.
fn with_exports<'a>(
    module: &'a [u8],
    name: impl Fn(&'a str) -> Option<&'a str>,
) -> Result<Vec<u8>, Error> {
    let mut written = Module::new();
    for payload in Parser::new(0).parse_all(module) {
        let payload = payload?;
        if let Payload::ExportSection(section) = payload {
            let mut exports = ExportSection::new();
            for export in section {
                let export = export?;
                let kind = utils::export_kind(&mut RoundtripReencoder, export.kind);
                if let Some(name) = name(export.name) {
                    exports.export(name, kind, export.index);
                }
            }
            written.section(&exports);
        } else if let Some((id, range)) = payload.as_section() {
            written.section(&RawSection {
                id,
                data: &module[range],
            });
        }
    }
    Ok(written.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exports_alone_get_other_names() {
        let text = "(module (memory (export \"memory\") 1) (global (export \"kept\") i32 (i32.const 7))
            (func $f (export \"a\") (result i32) (i32.const 3)) (func (export \"b\") (drop (call $f)))
            (data (i32.const 0) \"xyz\"))";
        let module = wat::parse_str(text).unwrap();
        let names = [("a", "x:y"), ("b", "cm32p2||b")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        let renamed = renamed(&module, &names.into()).unwrap();
        let expected = text
            .replace("\"a\"", "\"x:y\"")
            .replace("\"b\"", "\"cm32p2||b\"");
        // The name section, which says `$f`, is the same in both.
        assert_eq!(renamed, wat::parse_str(expected).unwrap());
        assert!(super::renamed(&module[..module.len() - 1], &BTreeMap::new()).is_err());
    }

    #[test]
    fn every_export_of_bindings_has_a_symbol_of_its_own() {
        let bindings = "#[unsafe(export_name = \"cbrt\")] fn a() {} #[unsafe(export_name = \"a:b/c#d\")] fn b() {}";
        let own = with_own_symbols(bindings);
        assert!(
            own.contains("\"bakeoff:export/cbrt\"") && own.contains("\"bakeoff:export/a:b/c#d\"")
        );
    }
}
