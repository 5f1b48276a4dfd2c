//! Files that are compared without an experiment's file: their function and its types are read, inputs are drawn by these
//! types, all files are called on them, and what can be timed becomes an experiment.

mod after_run;
mod assembled;
mod bounds;
mod called;
mod comparison;
mod derived;
mod edge_pairs;
mod error;
mod examples;
mod first_look;
mod looking;
mod read_sources;
mod remembered;
mod rounding;
mod saved_inputs;
mod searching;
mod shrinking;
mod steered;
mod timed_inputs;
mod vectors;

pub use assembled::{approach, approaches, code, code_of, experiment, is_crate, no_crate, sizes};
pub use bounds::SearchBounds;
pub use comparison::{Comparison, GivenInputs, Prepared, ReadyComparison};
pub use derived::{Agreement, Derived};
pub use error::CompareError;
pub use first_look::timed_sizes;
pub use looking::{EXAMPLE_OF_BOTH, UNTIMED};
pub use read_sources::{KnownInterface, ReadSources, undrawable_interface};
pub use saved_inputs::SavedInputs;

/// Told of progress.
pub type Say<'a> = &'a mut (dyn FnMut(&str) + Send);
