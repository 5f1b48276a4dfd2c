//! Outcome of a generation, as it is shown.

use super::by_agents::{self, AgentRow};
use crate::cli::failure::Failure;
use crate::cli::open_tasks::OpenTasks;
use crate::cli::options::{Format, Output};
use crate::cli::show;
use crate::library::generation::outcome;
use bakeoff_domain::report::Generation;
use bakeoff_provider::Models;
use serde::Serialize;
use std::path::Path;

/// Outcome of a generation, in JSON.
#[derive(Serialize)]
pub(super) struct GenerateOutput<'a> {
    #[serde(flatten)]
    pub(super) generation: &'a Generation,
    /// Attempts of agents.
    #[serde(skip_serializing_if = "<[AgentRow]>::is_empty")]
    pub(super) agents: &'a [AgentRow],
    #[serde(flatten)]
    pub(super) tasks: Option<OpenTasks>,
}

impl GenerateOutput<'_> {
    /// Writes the outcome of a generation for an experiment, by the model if one was asked.
    pub(super) fn write(
        &self,
        (models, experiment): (Option<&Models>, &Path),
        output: &Output,
    ) -> Result<(), Failure> {
        if output.format == Format::Json {
            return show::write_json(self);
        }
        let tasks = self.tasks.as_ref().map(OpenTasks::text);
        let left = by_agents::text(self.agents);
        let text = outcome::text(self.generation, models, Some(experiment));
        show::write(&(text + &left + &tasks.unwrap_or_default()))
    }
}
