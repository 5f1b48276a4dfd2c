//! Files that are compared without an experiment's file: their function and its types are read, inputs are drawn by these
//! types, all files are called on them, and what can be timed becomes an experiment.

mod after_run;
mod bounds;
mod comparison;
mod derived;
mod difference_search;
mod edge_pairs;
mod error;
mod examples;
mod first_look;
mod known_differences;
mod read_sources;
mod rounding;
mod saved_inputs;
mod searching;
mod shared_calls;
mod shrinking;
mod steered_inputs;
mod timed_inputs;
mod undeclared_experiment;
mod vectors;

pub use bounds::SearchBounds;
pub use comparison::{Comparison, GivenInputs, Prepared, ReadyComparison};
pub use derived::{Agreement, Derived};
pub use difference_search::{EXAMPLE_OF_BOTH, UNTIMED};
pub use error::CompareError;
pub use first_look::timed_sizes;
pub use read_sources::{KnownInterface, ReadSources, undrawable_interface};
pub use saved_inputs::SavedInputs;
pub use undeclared_experiment::{
    approach, approaches, code, code_of, experiment, is_crate, no_crate, sizes,
};

/// Told of progress.
pub type Say<'a> = &'a mut (dyn FnMut(&str) + Send);
