//! Readings: numbers about a variant, each with its unit, from what was built, checked and timed.

mod growth;
mod readings;

pub use growth::growth;
pub use readings::{Subject, log_time, of_build, readings};
