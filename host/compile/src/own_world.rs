//! Comparison of a component with one of bakeoff's own worlds, item by item, in the child.
//!
//! A component is linked by name, and the engine's own error about a type that differs names neither the
//! function nor the type.

use super::build_protocol::BuildTask;
use super::decoded_world::decoded;
use super::failures::{cut, load_failure};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_source::interface::Interface;
use std::fmt::Write as _;
use wit_parser::decoding::DecodedWasm;
use wit_parser::{
    Function, Handle, InterfaceId, Resolve, Type, TypeDefKind, WorldId, WorldItem, WorldKey,
};

/// The most bytes of a signature that is written out: more than any type of bakeoff's own worlds has.
const TYPE_BYTES_MAX: usize = 8 << 10;

/// Refuses a component that has an interface of bakeoff's own in another version, or with another type.
///
/// # Errors
/// `wrong-world`, naming the difference.
pub(super) fn check(bytes: &[u8], ours: &Interface, task: &BuildTask) -> Result<(), Failure> {
    let refused = |why: String| {
        let message = format!("{} {why}", task.path_shown);
        load_failure(FailureClass::WrongWorld, cut(&message))
    };
    // Bytes that are no component are refused elsewhere, with another message.
    let Ok(DecodedWasm::Component(resolve, world)) = decoded(bytes) else {
        return Ok(());
    };
    let Some((own_resolve, own_world)) = ours.resolved(task.world) else {
        return Err(refused("is built for a world that there is not".to_owned()));
    };
    let own = Side {
        resolve: own_resolve,
        world: own_world,
    };
    let theirs = Side {
        resolve: &resolve,
        world,
    };
    difference(&own, &theirs).map_or(Ok(()), |why| Err(refused(why)))
}

/// A world, with its resolved packages.
struct Side<'a> {
    resolve: &'a Resolve,
    world: WorldId,
}

impl Side<'_> {
    /// Returns direction, name and id of every interface that the world imports or exports.
    fn interfaces(&self) -> Vec<(&'static str, String, InterfaceId)> {
        let world = &self.resolve.worlds[self.world];
        let of = |direction: &'static str, (key, item): (&WorldKey, &WorldItem)| match item {
            WorldItem::Interface { id, .. } => {
                Some((direction, self.resolve.name_world_key(key), *id))
            }
            _ => None,
        };
        let imports = world.imports.iter();
        let exports = world.exports.iter();
        imports
            .filter_map(|item| of("imports", item))
            .chain(exports.filter_map(|item| of("exports", item)))
            .collect()
    }
}

/// Returns the first difference between our world and theirs, as words that follow the name of a file.
fn difference(own: &Side<'_>, theirs: &Side<'_>) -> Option<String> {
    let known = own.interfaces();
    for (direction, name, id) in theirs.interfaces() {
        let same = |one: &&(&str, String, InterfaceId)| one.0 == direction && one.1 == name;
        let Some((.., own_id)) = known.iter().find(same) else {
            let unversioned = |name: &str| name.split('@').next().unwrap_or(name).to_owned();
            let other = known
                .iter()
                .find(|one| unversioned(&one.1) == unversioned(&name));
            if let Some((own_direction, own_name, _)) = other {
                return Some(if own_name == &name {
                    format!("{direction} `{name}`, which this world {own_direction}")
                } else {
                    format!(
                        "{direction} `{name}`, and this bakeoff has `{own_name}`: build it against that"
                    )
                });
            }
            continue;
        };
        let functions = &theirs.resolve.interfaces[id].functions;
        let own_functions = &own.resolve.interfaces[*own_id].functions;
        for (function_name, function) in functions {
            let found = signature(theirs.resolve, function);
            let Some(own_function) = own_functions.get(function_name) else {
                return Some(format!(
                    "{direction} `{function_name}` of `{name}`, which has no such function"
                ));
            };
            let wanted = signature(own.resolve, own_function);
            if found != wanted {
                return Some(format!(
                    "{direction} `{function_name}` of `{name}` as {found}, and it is {wanted}"
                ));
            }
        }
    }
    None
}

/// Returns the signature of a function with its types written out, without the names of parameters.
fn signature(resolve: &Resolve, function: &Function) -> String {
    let mut text = String::from("func(");
    for (place, param) in function.params.iter().enumerate() {
        text.push_str(if place > 0 { ", " } else { "" });
        write_type(resolve, &param.ty, &mut text);
    }
    text.push(')');
    if let Some(result) = &function.result {
        text.push_str(" -> ");
        write_type(resolve, result, &mut text);
    }
    text
}

/// Writes a type out, up to [`TYPE_BYTES_MAX`].
fn write_type(resolve: &Resolve, ty: &Type, text: &mut String) {
    if text.len() > TYPE_BYTES_MAX {
        return;
    }
    let id = match ty {
        Type::Id(id) => *id,
        plain => {
            let _ = write!(text, "{}", plain_name(plain));
            return;
        }
    };
    let def = &resolve.types[id];
    let list = |text: &mut String, name: &str, types: &mut dyn Iterator<Item = Option<&Type>>| {
        text.push_str(name);
        text.push('<');
        for (place, ty) in types.enumerate() {
            text.push_str(if place > 0 { ", " } else { "" });
            match ty {
                Some(ty) => write_type(resolve, ty, text),
                None => text.push('_'),
            }
        }
        text.push('>');
    };
    let fields =
        |text: &mut String, kind: &str, items: &mut dyn Iterator<Item = (&str, Option<&Type>)>| {
            text.push_str(kind);
            text.push_str(" { ");
            for (place, (name, ty)) in items.enumerate() {
                text.push_str(if place > 0 { ", " } else { "" });
                text.push_str(name);
                if let Some(ty) = ty {
                    text.push_str(": ");
                    write_type(resolve, ty, text);
                }
            }
            text.push_str(" }");
        };
    match &def.kind {
        TypeDefKind::Type(inner) => write_type(resolve, inner, text),
        TypeDefKind::List(item) => list(text, "list", &mut [Some(item)].into_iter()),
        TypeDefKind::Option(item) => list(text, "option", &mut [Some(item)].into_iter()),
        TypeDefKind::Result(result) => {
            let parts = [result.ok.as_ref(), result.err.as_ref()];
            list(text, "result", &mut parts.into_iter());
        }
        TypeDefKind::Tuple(tuple) => list(text, "tuple", &mut tuple.types.iter().map(Some)),
        TypeDefKind::Record(record) => {
            let mut items = record.fields.iter().map(|one| (&*one.name, Some(&one.ty)));
            fields(text, "record", &mut items);
        }
        TypeDefKind::Variant(variant) => {
            let mut items = variant
                .cases
                .iter()
                .map(|one| (&*one.name, one.ty.as_ref()));
            fields(text, "variant", &mut items);
        }
        TypeDefKind::Enum(one) => {
            let mut items = one.cases.iter().map(|one| (&*one.name, None));
            fields(text, "enum", &mut items);
        }
        TypeDefKind::Flags(flags) => {
            let mut items = flags.flags.iter().map(|one| (&*one.name, None));
            fields(text, "flags", &mut items);
        }
        TypeDefKind::Handle(Handle::Own(id)) => {
            list(text, "own", &mut [Some(&Type::Id(*id))].into_iter())
        }
        TypeDefKind::Handle(Handle::Borrow(id)) => {
            list(text, "borrow", &mut [Some(&Type::Id(*id))].into_iter());
        }
        TypeDefKind::Resource => text.push_str(def.name.as_deref().unwrap_or("resource")),
        _ => text.push_str("another type"),
    }
}

fn plain_name(ty: &Type) -> &'static str {
    match ty {
        Type::Bool => "bool",
        Type::U8 => "u8",
        Type::U16 => "u16",
        Type::U32 => "u32",
        Type::U64 => "u64",
        Type::S8 => "s8",
        Type::S16 => "s16",
        Type::S32 => "s32",
        Type::S64 => "s64",
        Type::F32 => "f32",
        Type::F64 => "f64",
        Type::Char => "char",
        Type::String => "string",
        _ => "another type",
    }
}
