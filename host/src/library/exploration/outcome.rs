//! Outcome of an exploration, as it is kept and shown.

use super::new_criteria::NewCriteria;
use crate::library::generation::record::ExplorationRecord;
use bakeoff_domain::oracle::OracleTest;
use bakeoff_domain::report::Generation;
use bakeoff_propose::TaskKind;
use bakeoff_render::escape::Lines;
use serde::Serialize;

/// The most characters that are shown of the reason why an answer could not be used.
const REASON_CHARS_MAX: usize = 600;

/// Outcome of an exploration, in JSON.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ExplorationOutcome {
    #[serde(flatten)]
    pub(crate) approaches: Generation,
    #[serde(flatten)]
    pub(crate) record: ExplorationRecord,
    /// The criteria of the experiment, if they are measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) criteria: Option<NewCriteria>,
    /// Result of the test of the oracle.
    pub(crate) oracle: Option<OracleTest>,
    /// Tasks that were never done, since a task that they wait for has no result.
    pub(crate) not_started: Vec<String>,
    /// Task whose answer could not be used after all repairs, with the reason.
    pub(crate) unusable: Option<UnusableAnswer>,
}

/// An answer that could not be used.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct UnusableAnswer {
    pub(crate) task: TaskKind,
    pub(crate) reason: String,
}

impl ExplorationOutcome {
    /// Returns the outcome as text: lines that come first, what came of the experiment, and the text of its approaches.
    pub(crate) fn text(&self, first: &str, approaches: &str) -> String {
        let mut text = first.to_owned();
        if let Some(oracle) = &self.oracle {
            text += &format!("{}\n", oracle.sentence());
        }
        if let Some(unusable) = &self.unusable {
            let kind = unusable.task.name();
            let reason: String = unusable.reason.chars().take(REASON_CHARS_MAX).collect();
            let reason = Lines(&reason).to_string();
            text += &format!(
                "{kind}: it cannot be used: {}\n",
                reason.replace('\n', "\n  ")
            );
        }
        if !self.not_started.is_empty() {
            text += &format!(
                "Not begun, for what they wait for: {}\n",
                self.not_started.join(", ")
            );
        }
        text + approaches
    }
}
