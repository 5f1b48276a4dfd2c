//! Outcome of a generation, as it is shown.

use super::by_agents::{self, AgentRow};
use crate::cli::failure::Failure;
use crate::cli::open_tasks::OpenTasks;
use crate::cli::options::{Format, Output};
use crate::cli::show;
use crate::library::generation::{Generation, outcome};
use bakeoff_domain::report;
use serde::Serialize;
use std::path::Path;

/// Outcome of a generation, with that of whoever writes or answers beside the model.
pub(super) struct GenerateOutput<'a> {
    pub(super) generation: &'a Generation,
    /// Attempts of agents.
    pub(super) agents: &'a [AgentRow],
    pub(super) tasks: Option<OpenTasks>,
}

/// The same in JSON.
#[derive(Serialize)]
struct JsonOutput<'a> {
    #[serde(flatten)]
    generation: &'a report::Generation,
    #[serde(skip_serializing_if = "<[AgentRow]>::is_empty")]
    agents: &'a [AgentRow],
    #[serde(flatten)]
    tasks: Option<&'a OpenTasks>,
}

impl GenerateOutput<'_> {
    /// Writes the outcome of a generation for an experiment.
    pub(super) fn write(&self, experiment: &Path, output: &Output) -> Result<(), Failure> {
        let made = self.generation;
        let is_model_alone = self.agents.is_empty() && self.tasks.is_none();
        if output.format == Format::Json && is_model_alone {
            return show::write(&made.json());
        }
        if output.format == Format::Json {
            return show::write_json(&JsonOutput {
                generation: made.outcome(),
                agents: self.agents,
                tasks: self.tasks.as_ref(),
            });
        }
        let tasks = self.tasks.as_ref().map(OpenTasks::text).unwrap_or_default();
        let left = by_agents::text(self.agents);
        let next = outcome::next_step(made.outcome(), experiment);
        show::write(&(made.text() + &next + &left + &tasks))
    }
}
