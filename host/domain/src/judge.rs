//! The source of a criterion that nobody can measure: a model's opinion of the sources.

use serde::{Deserialize, Serialize};

/// Beginning of the names of sources whose readings are opinions: `judge:NAME`.
pub const JUDGE_PREFIX: &str = "judge:";

/// A question to a model, which gives each source a number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct JudgeSource {
    /// The name of the criterion, by which the questions of an experiment are told apart.
    pub criterion: String,
    /// The question, in the user's words.
    pub question: String,
}

impl JudgeSource {
    /// Returns the name of the source: `judge:NAME`.
    pub fn name(&self) -> String {
        format!("{JUDGE_PREFIX}{}", self.criterion)
    }
}
