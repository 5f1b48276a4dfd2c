//! In the child: whether a component is one of the problem's world, and what differs if not.

use super::imports::{Provision, WasiImports, provision};
use super::limits::{NAME_BYTES_MAX, NAMES_MAX};
use super::order::{Code, Order, load_failure};
use crate::interface::{Export, Interface, difference, world_exports};
use bakeoff_domain::failure::{Failure, FailureClass};
use wit_parser::decoding::{DecodedWasm, decode};
use wit_parser::{Resolve, TypeDefKind, WorldId, WorldItem};

/// Refused imports that a message names.
const REFUSED_SHOWN_MAX: usize = 5;

/// What a component imports and exports, as lists of bounded length.
pub(super) struct Ports {
    pub(super) imports: Vec<String>,
    pub(super) exports: Vec<String>,
}

/// Reads a component's world, and compares it with the one that the interface wants.
pub(super) fn check(bytes: &[u8], interface: &Interface, order: &Order) -> Result<Ports, Failure> {
    let shown = &order.path_shown;
    let (resolve, world) = match decode(bytes) {
        Ok(DecodedWasm::Component(resolve, world)) => (resolve, world),
        Ok(DecodedWasm::WitPackage(..)) => {
            let message = format!("{shown} is a WIT package without code, not a component");
            return Err(load_failure(FailureClass::InvalidComponent, message));
        }
        Err(error) => {
            let message = format!("{shown} is not a component that is understood here: {error:#}");
            return Err(load_failure(FailureClass::InvalidComponent, message));
        }
    };
    let imports = imports(&resolve, world);
    let exports = world_exports(&resolve, world);
    forbidden(&imports, order)?;
    for wanted in interface.exports(order.world) {
        compare(&wanted, &exports, order)?;
    }
    Ok(Ports {
        imports: bounded(imports.into_iter()),
        exports: bounded(exports.iter().map(written)),
    })
}

/// The imports that are more than names of types: whoever calls an import reaches out of the
/// sandbox.
fn imports(resolve: &Resolve, world: WorldId) -> Vec<String> {
    let imports = resolve.worlds[world].imports.iter();
    let reaching = imports.filter(|(_, item)| match item {
        WorldItem::Function(_) => true,
        WorldItem::Interface { id, .. } => {
            let interface = &resolve.interfaces[*id];
            let is_resource =
                |id: &wit_parser::TypeId| matches!(resolve.types[*id].kind, TypeDefKind::Resource);
            !interface.functions.is_empty() || interface.types.values().any(is_resource)
        }
        WorldItem::Type { id, .. } => matches!(resolve.types[*id].kind, TypeDefKind::Resource),
    });
    reaching
        .map(|(key, _)| resolve.name_world_key(key))
        .collect()
}

/// Refuses imports that nobody provides. A component that a user brings may import what is virtual;
/// what is built from source has no import but those that are granted by name.
fn forbidden(imports: &[String], order: &Order) -> Result<(), Failure> {
    let why = |import: &String| -> Option<&'static str> {
        if order.granted.contains(import) {
            return None;
        }
        match (&order.code, order.wasi, provision(import)) {
            (Code::Component, WasiImports::Virtual, Provision::Virtual(_)) => None,
            (Code::Component, WasiImports::Refused, Provision::Virtual(_)) => {
                Some("the host's policy lets no component import WASI")
            }
            (Code::Component, _, Provision::Refused(why)) => Some(why),
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
    let message = format!(
        "{} imports {}{others}: {why}; build it without",
        order.path_shown,
        names.join(", "),
    );
    Err(load_failure(FailureClass::ForbiddenImport, message))
}

fn compare(wanted: &Export, exports: &[Export], order: &Order) -> Result<(), Failure> {
    let shown = &order.path_shown;
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
        return Err(load_failure(
            FailureClass::MissingExport,
            super::diagnostics::cut(&message),
        ));
    };
    // What cannot be called is not compared: only the call itself must be callable.
    let Ok(wanted) = &wanted.function else {
        return Ok(());
    };
    let misfit = match &found.function {
        Ok(found) => match difference(found, wanted) {
            None => return Ok(()),
            Some(parted) => {
                let note = parted
                    .note
                    .map_or(String::new(), |note| format!(" ({note})"));
                format!(
                    "{shown} exports `{path}` as {}, the problem wants {}{note}",
                    parted.found,
                    wanted.signature()
                )
            }
        },
        Err(reason) => format!(
            "{shown} exports `{path}` with other types than the problem's {}: {reason}",
            wanted.signature()
        ),
    };
    Err(load_failure(
        FailureClass::WrongWorld,
        super::diagnostics::cut(&misfit),
    ))
}

fn written(export: &Export) -> String {
    match &export.function {
        Ok(function) => format!("{}: {}", export.path(), function.signature()),
        Err(_) => export.path(),
    }
}

/// The first of many names, none of them long: what a parent takes from a child.
fn bounded(names: impl Iterator<Item = String>) -> Vec<String> {
    names.take(NAMES_MAX).map(|name| clip(&name)).collect()
}

fn clip(name: &str) -> String {
    match name.len() > NAME_BYTES_MAX {
        true => format!("{}…", &name[..name.floor_char_boundary(NAME_BYTES_MAX)]),
        false => name.to_owned(),
    }
}
