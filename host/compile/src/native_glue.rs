//! The crate around a user's file that is built for this machine: a program that answers lines of JSON, as
//! `docs/programs.md` describes.

mod implementations;

use super::build_protocol::BuildKind;
use super::failures::{build_failure, ungenerated as internal};
use super::filled_bindings::{self, FilledBindings, Form, implements_traits};
use super::glue::{self, BINDINGS_FILE, ROOT_FILE};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_source::interface::{Function, Interface, RUST_RULES, World, rust_name};
use implementations::Implementations;
use wit_bindgen_core::name_package_module;
use wit_parser::{Resolve, WorldId, WorldKey};

/// The run-time of a program, by the names of its files.
const RUN_TIME: [(&str, &str); 4] = [
    ("program.rs", include_str!("../guest-sdk/native/program.rs")),
    ("reader.rs", include_str!("../guest-sdk/native/reader.rs")),
    ("values.rs", include_str!("../guest-sdk/native/values.rs")),
    ("writer.rs", include_str!("../guest-sdk/native/writer.rs")),
];

/// The file with the implementations of the run-time's trait for the types of the interface.
const TYPES_FILE: &str = "json_types.rs";

/// Everything that decides the generated crate besides the interface and the user's file: part of the cache key of a
/// program.
pub(super) fn fingerprint() -> Vec<&'static str> {
    let own = [
        glue::RT,
        glue::FLAGS,
        include_str!("native_glue.rs"),
        include_str!("native_glue/implementations.rs"),
        include_str!("glue.rs"),
        RUST_RULES,
        include_str!("../workspace.lock"),
    ];
    let run_time = RUN_TIME.map(|(_, text)| text);
    [&run_time[..], &own, &filled_bindings::SOURCES].concat()
}

/// Generates the crate of a program around a user's file: the names and texts of the other files, with [`ROOT_FILE`],
/// which has `main`, among them. The user's file is beside them under the name that [`glue::user_file`] gives it.
///
/// # Errors
/// The call has no form as a program, or the bindings cannot be generated.
pub(super) fn generate(
    interface: &Interface,
    text: &str,
) -> Result<Vec<(&'static str, String)>, Failure> {
    let call = interface.call();
    if call.is_session {
        return Err(no_native_form("a resource that is called in parts"));
    }
    if implements_traits(text) {
        return Err(no_native_form(TRAIT_FORM));
    }
    let (resolve, world) = interface
        .resolved(World::Prototype)
        .ok_or_else(|| internal("the world is missing"))?;
    let generated = glue::bindings_text(resolve, world, glue::options(BuildKind::Release))?;
    let bindings = FilledBindings::new(&generated, interface, World::Prototype, text)?;
    if *bindings.form() != Form::Functions {
        return Err(no_native_form(TRAIT_FORM));
    }
    let module = exporting_module(resolve, world, call.interface.as_deref())
        .ok_or_else(|| internal("the interface of the call is not exported"))?;
    let types = Implementations::of_call(&bindings.file.items, &module, &call.function)?;
    let root = root(&bindings, &module, &call.function);
    let mut files = vec![
        (BINDINGS_FILE, bindings.text()),
        (ROOT_FILE, root),
        (TYPES_FILE, types),
        ("rt.rs", glue::RT.to_owned()),
        ("flags.rs", glue::FLAGS.to_owned()),
    ];
    files.extend(RUN_TIME.map(|(name, text)| (name, text.to_owned())));
    Ok(files)
}

/// The form of a file that is no plain function, in words.
const TRAIT_FORM: &str = "a file that implements the traits of the bindings";

/// Returns the failure of a file or a call that is no program.
fn no_native_form(what: &str) -> Failure {
    let message = format!(
        "{what} cannot be compiled for this machine: a program answers a plain function\n\n\
         help: leave out --natively, or compare a plain function"
    );
    build_failure(FailureClass::BuildFailed, message)
}

/// Returns the path in the crate of the module with the trait that has the called function: that of the world itself,
/// or that of an interface which it exports, by its name in components. `None` if there is none.
fn exporting_module(
    resolve: &Resolve,
    world: WorldId,
    interface: Option<&str>,
) -> Option<Vec<String>> {
    let mut path = vec!["bindings".to_owned()];
    let Some(interface) = interface else {
        return Some(path);
    };
    let mut exported = resolve.worlds[world].exports.keys();
    let key = exported.find(|key| resolve.name_world_key(key) == interface)?;
    path.push("exports".to_owned());
    match key {
        WorldKey::Name(name) => path.push(rust_name(name)),
        WorldKey::Interface(id) => {
            let interface = &resolve.interfaces[*id];
            let package = interface.package?;
            path.push(rust_name(&resolve.packages[package].name.namespace));
            path.push(name_package_module(resolve, package));
            path.push(rust_name(interface.name.as_deref()?));
        }
    }
    Some(path)
}

/// Returns the crate's root. `module` is the path of the module with the trait that has the function.
fn root(bindings: &FilledBindings, module: &[String], function: &Function) -> String {
    let (types, world) = (bindings.types_module(), World::Prototype);
    let (user, user_file) = (world.name(), glue::user_file(world));
    let called = format!(
        "<Component as {}::Guest>::{}",
        module.join("::"),
        rust_name(&function.name)
    );
    let names: Vec<String> = (0..function.params.len())
        .map(|place| format!("argument_{place}"))
        .collect();
    let read = names.iter().enumerate().map(|(place, name)| {
        format!("    reader.item({place})?;\n    let {name} = values::Json::read(reader)?;\n")
    });
    let read: String = read.collect();
    let arguments = names.join(", ");
    format!(
        "mod flags;
mod rt;
mod bindings;
{types}#[path = \"{user_file}\"]
pub mod {user};
pub struct Component;
mod program;
mod reader;
#[macro_use]
mod values;
mod writer;
mod json_types;
fn answer(
    reader: &mut reader::Reader<'_>,
    line: &mut Vec<u8>,
    turns: &mut program::Turns<'_>,
) -> Result<(), program::Unanswered> {{
    reader.expect(b'[', \"an array of the arguments\")?;
{read}    reader.expect(b']', \"the end of the arguments\")?;
    reader.end()?;
    let result = turns.call(|| {called}({arguments}))?;
    values::Json::write(&result, line);
    Ok(())
}}
fn main() -> std::process::ExitCode {{
    program::serve(answer)
}}
"
    )
}

#[cfg(test)]
mod tests;
