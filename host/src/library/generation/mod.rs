//! Approaches that a model or a proposer writes: what is asked, and the record, the files and the experiment file that it
//! is written to.

pub(crate) mod changed;
mod cores;
mod cost;
mod error;
pub(crate) mod events;
pub(crate) mod ideas;
mod model_options;
pub(crate) mod outcome;
mod places;
pub(crate) mod planning;
pub(crate) mod record;
pub(crate) mod research;
mod seal;
pub(crate) mod wishes;
mod writing;
pub(crate) mod written;

pub(crate) use cores::cores_of;
pub(crate) use cost::cost;
pub(crate) use error::GenerationError;
pub(crate) use model_options::{ModelOptions, microdollars};
pub(crate) use places::{PLACES, opinions_in, record_in, record_of};
pub(crate) use writing::WritingOptions;
