//! The sandbox: a store with limits, and what came of a call in it.
//!
//! A guest gets nothing of the machine: no clock, file, network, environment, argument or randomness.
//! A component that a user brought and that imports WASI finds a virtual world. What a guest may
//! use of the host's memory, stack and time is bounded here; what it may do to the process is
//! bounded by [`crate::confine`], and how long a timed call may take by whoever watches the
//! process from outside.

mod attempts;
mod brackets;
mod guest;
mod limiter;
mod outcome;
mod wasi;

pub use brackets::{Bracketed, Clocks};
pub use guest::{Answered, Guest, Imports, Instance, Prepared, Sandbox};
pub use limiter::Peak;
pub use outcome::{Breach, MESSAGE_BYTES_MAX};
