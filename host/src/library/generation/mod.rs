//! Approaches that a model or a proposer writes: what is asked, and the record, the files and the experiment file that it
//! is written to.

mod cores;
mod cost;
mod error;
pub(crate) mod events;
pub(crate) mod experiment_change;
pub(crate) mod ideas;
mod model_options;
mod of_experiment;
mod options;
pub(crate) mod outcome;
mod places;
mod plan_text;
pub(crate) mod planning;
pub(crate) mod record;
mod request;
pub(crate) mod research;
mod result;
mod seal;
pub(crate) mod wishes;
mod writing;
pub(crate) mod written_approaches;

pub(crate) use cores::cores_of;
pub(crate) use cost::cost;
pub(crate) use error::{GenerationError, unanswered};
pub use model_options::ModelOptions;
pub(crate) use model_options::{identity, microdollars};
pub(crate) use of_experiment::STOPPED;
pub(crate) use options::usual_approaches;
pub use options::{Depth, Diversity, GenerateOptions};
pub(crate) use places::{PLACES, opinions_in, record_in, record_of};
pub(crate) use request::{GenerationRequest, GenerationSetting, begin_events, clear_places};
pub use result::{GeneratedApproach, Generation, ModelCost};
pub(crate) use writing::WritingOptions;
