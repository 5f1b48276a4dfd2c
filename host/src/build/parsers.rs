//! The parsers of this room for whoever throws bytes at them: what a builder child does to bytes
//! before and after its work, without the fence and without compiling anything.

use super::order::{Code, Event, Kind, Order, build_failure};
use super::{calibrator as no_op, child, component, inspect, world};
use crate::interface::{Interface, World};
use bakeoff_domain::failure::{Failure, FailureClass};

/// Looks into what should be a prototype of an interface as a builder child does before it compiles
/// it: its kind, its sizes, its instances, its world. `shown` is what messages call it.
///
/// # Errors
/// What the component would be refused for.
pub fn examine(bytes: &[u8], shown: &str, interface: &Interface) -> Result<(), Failure> {
    inspect::inspect(bytes, shown)?;
    let order = Order {
        files: Vec::new(),
        call: String::new(),
        world: World::Prototype,
        kind: Kind::Release,
        code: Code::Component,
        path_shown: shown.to_owned(),
        granted: Vec::new(),
        wasi: super::imports::WasiImports::Virtual,
    };
    world::check(bytes, interface, &order).map(drop)
}

/// The interface's own no-op, as a component.
///
/// # Errors
/// The interface cannot be implemented by a component.
pub fn calibrator(interface: &Interface) -> Result<Vec<u8>, Failure> {
    let (resolve, world) = interface.resolved(World::Prototype).ok_or_else(|| {
        build_failure(FailureClass::BuildFailed, "the interface lacks this world")
    })?;
    component::componentise_as(no_op::module(resolve, world), resolve, world)
}

/// Whether a builder child would take these bytes for an order.
pub fn reads_as_order(payload: &[u8]) -> bool {
    child::read_order(payload).is_ok()
}

/// Whether the parent would take these bytes for an event of a builder child.
pub fn reads_as_event(frame: &[u8]) -> bool {
    Event::read(frame).is_some()
}
