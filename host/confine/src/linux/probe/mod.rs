//! The probe: children that try to get out of the fence, because version numbers prove nothing.

mod escape;
mod startup;

pub use escape::{EscapeAttempt, EscapeOutcome, PROBE};
pub use startup::ProbeConfig;
