//! Outcome of an exploration, as it is kept and shown.

use super::new_criteria::NewCriteria;
use super::open_tasks::OpenTasks;
use crate::library::generation::outcome;
use crate::library::generation::record::ExplorationRecord;
use bakeoff_domain::oracle::OracleTest;
use bakeoff_domain::report::Generation;
use bakeoff_propose::TaskKind;
use bakeoff_provider::Models;
use bakeoff_render::escape::Lines;
use serde::Serialize;
use std::path::Path;

/// Outcome of an exploration, in JSON.
#[derive(Serialize)]
pub(super) struct ExploreOutput<'a> {
    #[serde(flatten)]
    pub(super) approaches: Generation,
    #[serde(flatten)]
    pub(super) record: ExplorationRecord,
    /// The criteria of the experiment, if they are measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) criteria: Option<NewCriteria>,
    /// Result of the test of the oracle.
    pub(super) oracle: Option<&'a OracleTest>,
    /// Tasks that were never done, since a task that they wait for has no result.
    pub(super) not_started: &'a [String],
    /// Task whose answer could not be used after all repairs, with the reason.
    pub(super) unusable: Option<UnusableOutput<'a>>,
    /// Tasks that wait for an answer of whoever calls. They are shown, and not kept.
    #[serde(flatten)]
    pub(super) tasks: Option<OpenTasks>,
}

#[derive(Serialize)]
pub(super) struct UnusableOutput<'a> {
    pub(super) task: TaskKind,
    pub(super) reason: &'a str,
}

impl ExploreOutput<'_> {
    pub(super) fn text(&self, models: &Models, next: Option<&Path>) -> String {
        let mut text = String::new();
        if !self.record.is_complete {
            text += "It has not come to its end: the same command goes on, and pays for no reply twice.\n";
        }
        if let Some(criteria) = &self.criteria {
            text += &criteria.text();
        }
        if let Some(oracle) = self.oracle {
            text += &format!("{}\n", oracle.sentence());
        }
        if let Some(unusable) = &self.unusable {
            let kind = unusable.task.name();
            let reason: String = unusable.reason.chars().take(600).collect();
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
        text += &outcome::text(&self.approaches, Some(models));
        if let Some(next) = next {
            text += &outcome::next_step(&self.approaches, next);
        }
        text + &self.tasks.as_ref().map(OpenTasks::text).unwrap_or_default()
    }
}
