//! Experiments that a model writes from a statement: what the user decides, the plan, and the files and the record that are
//! written; and questions in words.

mod chosen_criteria;
mod draft_files;
mod ending;
mod error;
mod like_experiment;
mod new_criteria;
mod of_statement;
mod outcome;
mod question;
mod question_plan;
mod request;
mod result;
mod sketch;
mod words;

pub(crate) use chosen_criteria::{ChosenCriteria, CriteriaError, WEIGHTS, measured_names};
pub(crate) use error::ExplorationError;
pub(crate) use like_experiment::LikeExperiment;
pub(crate) use new_criteria::CriteriaOrigin;
pub use of_statement::Exploration;
pub(crate) use outcome::ExplorationOutcome;
pub(crate) use question::{JudgeInFile, QuestionRequest};
pub(crate) use question_plan::PlannedQuestion;
pub(crate) use request::{
    ExplorationRequest, ExplorationSetting, GivenParts, PlannedExploration, check_statement,
};
pub use result::{ExplorationPlan, ExplorationResult};
pub use sketch::Sketch;
