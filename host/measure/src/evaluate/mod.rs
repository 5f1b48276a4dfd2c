//! Readings: numbers about a variant, each with its unit, from what was built, checked and timed.

mod evaluation;
mod evidence;
mod growth;
mod part_readings;
mod readings;
mod set_readings;

pub use evaluation::{
    Evaluation, EvaluationOutcome, EvaluationResult, GivenEvidence, check_description,
};
pub use evidence::VariantEvidence;
pub use growth::growth;
pub use part_readings::start_of_call;
pub use readings::{log_time, readings};
pub use set_readings::{log_time_on_set, quality_on_set};
