//! Refusal, in the child, of a workload whose file has functions that are never called, since its world does not
//! export them. A wrong `check` would go unnoticed there.

use super::build_protocol::BuildTask;
use super::failures::build_failure;
use super::filled_bindings::implements_traits;
use super::rust_function::{nested_deeply, public_functions};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_source::interface::{Interface, World};

/// The functions of a workload, by their names in both languages.
const FUNCTIONS: [&str; 3] = ["generate", "check", "assess"];

/// Refuses a workload with a public function of a workload's name that its world does not export.
pub(super) fn check(interface: &Interface, task: &BuildTask, text: &str) -> Result<(), Failure> {
    // The compiler explains a file that cannot be read.
    if task.world != World::Workload || implements_traits(text) || nested_deeply(text) {
        return Ok(());
    }
    let public = public_functions(text).unwrap_or_default();
    let exports = interface.exports(World::Workload);
    let is_unasked = |name: &&str| {
        let is_public = public.iter().any(|function| function.name == *name);
        let is_exported =
            (exports.iter()).any(|export| export.interface.is_none() && export.name == *name);
        is_public && !is_exported
    };
    let Some(name) = FUNCTIONS.into_iter().find(|name| is_unasked(name)) else {
        return Ok(());
    };
    let line = interface.wanted_of_workload(name);
    let line = line.map_or(String::new(), |line| format!("\n  export {line};\n"));
    let message = format!(
        "{} has a public function `{name}` that nobody would call: world `workload` of the WIT does not export \
         it. Add to that world{line}or make the function private, without `pub`",
        task.path_shown
    );
    Err(build_failure(FailureClass::BuildFailed, message))
}
