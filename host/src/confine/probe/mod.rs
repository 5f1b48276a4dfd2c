//! Does the fence hold? Asked of a child that tries to get out, not of version numbers.

mod attempt;
mod startup;

pub use attempt::{Attempt, Outcome, PROBE};
pub use startup::Host;
