//! Check, in the child, that a component has the imports and exports of the problem's world.

use super::build_protocol::{BuildTask, TaskInput};
use super::decoded_world::decoded;
use super::failures::{cut, load_failure};
use super::imports::{ImportSupport, WasiImports, import_support};
use super::limits::{NAME_BYTES_MAX, NAMES_MAX};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_source::interface::{Export, Interface, type_mismatch, world_exports};
use wit_parser::decoding::DecodedWasm;
use wit_parser::{Resolve, TypeDefKind, WorldId, WorldItem};

/// The most refused imports that a message names.
const REFUSED_SHOWN_MAX: usize = 5;

/// The imports and exports of a component, as lists of bounded length.
pub(super) struct ImportsAndExports {
    pub(super) imports: Vec<String>,
    pub(super) exports: Vec<String>,
}

/// Decodes the world of a component, and compares it with the world that the interface wants.
///
/// # Errors
/// The component has a forbidden import, or lacks an export, or an export has other types.
pub(super) fn check(
    bytes: &[u8],
    interface: &Interface,
    task: &BuildTask,
) -> Result<ImportsAndExports, Failure> {
    let shown = &task.path_shown;
    let (resolve, world) = match decoded(bytes) {
        Ok(DecodedWasm::Component(resolve, world)) => (resolve, world),
        Ok(DecodedWasm::WitPackage(..)) => {
            let message = format!("{shown} is a WIT package without code, not a component");
            return Err(load_failure(FailureClass::InvalidComponent, message));
        }
        Err(error) => {
            let message = format!("{shown} is not a component that can be decoded: {error}");
            return Err(load_failure(FailureClass::InvalidComponent, message));
        }
    };
    let imports = imports(&resolve, world);
    let exports = world_exports(&resolve, world);
    check_imports(&imports, task)?;
    for wanted in interface.exports(task.world) {
        check_export(&wanted, &exports, task)?;
    }
    Ok(ImportsAndExports {
        imports: bounded(imports.into_iter()),
        exports: bounded(exports.iter().map(with_signature)),
    })
}

/// Returns the imports that can be called or hold resources. Imports of plain types are left out: they
/// give no access to anything.
fn imports(resolve: &Resolve, world: WorldId) -> Vec<String> {
    let imports = resolve.worlds[world].imports.iter();
    let callable = imports.filter(|(_, item)| match item {
        WorldItem::Function(_) => true,
        WorldItem::Interface { id, .. } => {
            let interface = &resolve.interfaces[*id];
            let is_resource =
                |id: &wit_parser::TypeId| matches!(resolve.types[*id].kind, TypeDefKind::Resource);
            !interface.functions.is_empty() || interface.types.values().any(is_resource)
        }
        WorldItem::Type { id, .. } => matches!(resolve.types[*id].kind, TypeDefKind::Resource),
    });
    callable
        .map(|(key, _)| resolve.name_world_key(key))
        .collect()
}

/// Refuses imports that are not provided. A component that a user brings may import virtual WASI; a
/// component built from source only imports that are granted by name.
fn check_imports(imports: &[String], task: &BuildTask) -> Result<(), Failure> {
    let why = |import: &String| -> Option<&'static str> {
        if task.granted.contains(import) {
            return None;
        }
        match (&task.code, task.wasi, import_support(import)) {
            (TaskInput::Component, WasiImports::Virtual, ImportSupport::Virtual(_)) => None,
            (TaskInput::Component, WasiImports::Refused, ImportSupport::Virtual(_)) => {
                Some("the host's policy lets no component import WASI")
            }
            (TaskInput::Component, _, ImportSupport::Refused(why)) => Some(why),
            _ => Some("it is not granted"),
        }
    };
    let refused: Vec<(&String, &str)> = imports
        .iter()
        .filter_map(|import| Some((import, why(import)?)))
        .collect();
    let Some((_, why)) = refused.first() else {
        return Ok(());
    };
    let shown = refused.iter().take(REFUSED_SHOWN_MAX);
    let names: Vec<String> = shown
        .map(|(import, _)| format!("`{}`", clip(import)))
        .collect();
    let others = match refused.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    // Tools for other languages import WASI by default, and have options to leave it out.
    let brought = matches!(task.code, TaskInput::Component);
    let is_wasi = refused
        .iter()
        .all(|(import, _)| import.starts_with("wasi:"));
    let how = if brought && is_wasi {
        ": componentize-py and componentize-qjs do by `--stub-wasi` (docs/languages.md)"
    } else {
        ""
    };
    let message = format!(
        "{} imports {}{others}: {why}; build it without{how}",
        task.path_shown,
        names.join(", "),
    );
    Err(load_failure(FailureClass::ForbiddenImport, message))
}

fn check_export(wanted: &Export, exports: &[Export], task: &BuildTask) -> Result<(), Failure> {
    let shown = &task.path_shown;
    let is_wanted =
        |export: &&Export| export.interface == wanted.interface && export.name == wanted.name;
    let path = wanted.path();
    let Some(found) = exports.iter().find(is_wanted) else {
        let has = bounded(exports.iter().map(|export| format!("`{}`", export.path())));
        let has = if has.is_empty() {
            "nothing".to_owned()
        } else {
            has.join(", ")
        };
        let signature = wanted
            .function
            .as_ref()
            .map(|f| format!(": {}", f.signature()));
        let message = format!(
            "{shown} does not export `{path}{}`; it exports {has}",
            signature.unwrap_or_default()
        );
        return Err(load_failure(FailureClass::MissingExport, cut(&message)));
    };
    // An export that cannot be called is not compared: only the call itself must be callable.
    let Ok(wanted) = &wanted.function else {
        return Ok(());
    };
    let message = match &found.function {
        Ok(found) => match type_mismatch(found, wanted) {
            None => return Ok(()),
            Some(mismatch) => {
                let note = mismatch
                    .note
                    .map_or(String::new(), |note| format!(" ({note})"));
                format!(
                    "{shown} exports `{path}` as {}, the problem wants {}{note}",
                    mismatch.found,
                    wanted.signature()
                )
            }
        },
        Err(reason) => format!(
            "{shown} exports `{path}` with other types than the problem's {}: {reason}",
            wanted.signature()
        ),
    };
    Err(load_failure(FailureClass::WrongWorld, cut(&message)))
}

fn with_signature(export: &Export) -> String {
    match &export.function {
        Ok(function) => format!("{}: {}", export.path(), function.signature()),
        Err(_) => export.path(),
    }
}

/// Returns the first [`NAMES_MAX`] names, each cut to [`NAME_BYTES_MAX`] bytes.
fn bounded(names: impl Iterator<Item = String>) -> Vec<String> {
    names.take(NAMES_MAX).map(|name| clip(&name)).collect()
}

fn clip(name: &str) -> String {
    if name.len() > NAME_BYTES_MAX {
        format!("{}…", &name[..name.floor_char_boundary(NAME_BYTES_MAX)])
    } else {
        name.to_owned()
    }
}
