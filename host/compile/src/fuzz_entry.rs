//! The parsers of this crate for fuzz targets: the work of a builder child and the parent on untrusted
//! bytes, without a fence and without compiling anything.

use super::build_protocol::{BuildEvent, BuildKind, BuildTask, TaskInput};
use super::failures::build_failure;
use super::{calibrator as no_op, child, component, inspect, world_check};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_source::interface::{Interface, World};

/// Checks that bytes are a prototype of an interface, as a builder child does before it compiles them:
/// format, sizes, instances, world. `shown` is the component's name in messages.
///
/// # Errors
/// The failure for which the component would be refused.
pub fn validate_prototype(bytes: &[u8], shown: &str, interface: &Interface) -> Result<(), Failure> {
    inspect::inspect(bytes, shown)?;
    let task = BuildTask {
        files: Vec::new(),
        call: String::new(),
        world: World::Prototype,
        kind: BuildKind::Release,
        code: TaskInput::Component,
        path_shown: shown.to_owned(),
        granted: Vec::new(),
        parameters: false,
        wasi: super::imports::WasiImports::Virtual,
        memory_bytes: 0,
        crates: None,
        code_is_wanted: true,
    };
    world_check::check(bytes, interface, &task).map(drop)
}

/// Builds the interface's calibrator.
///
/// # Errors
/// The interface cannot be implemented by a component.
pub fn calibrator(interface: &Interface) -> Result<Vec<u8>, Failure> {
    let (resolve, world) = interface.resolved(World::Prototype).ok_or_else(|| {
        build_failure(FailureClass::BuildFailed, "the interface lacks this world")
    })?;
    component::componentise_as(no_op::module(resolve, world), resolve, world)
}

/// Returns true if a builder child would accept these bytes as a task.
pub fn is_build_task(payload: &[u8]) -> bool {
    child::read_task(payload).is_ok()
}

/// Returns true if the parent would accept these bytes as an event of a builder child.
pub fn is_build_event(frame: &[u8]) -> bool {
    BuildEvent::read(frame).is_some()
}
