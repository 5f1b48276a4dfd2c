//! Outcome of an exploration, as it is shown.

use super::failure::Failure;
use super::open_tasks::{self, OpenTasks};
use super::options::{Format, Output};
use super::{Status, show};
use crate::library::exploration::{CriteriaOrigin, ExplorationOutcome, ExplorationResult};
use serde::Serialize;

/// Outcome of an exploration, in JSON.
#[derive(Serialize)]
pub(super) struct ExploreOutput<'a> {
    #[serde(flatten)]
    pub(super) outcome: &'a ExplorationOutcome,
    /// Tasks that wait for an answer of whoever calls. They are shown, and not kept.
    #[serde(flatten)]
    pub(super) tasks: Option<OpenTasks>,
}

impl ExploreOutput<'_> {
    /// Writes the outcome: to stderr if more comes on stdout, and otherwise there, with the next step. `approaches` is the text
    /// of its approaches.
    ///
    /// # Errors
    /// Stdout cannot be written.
    pub(super) fn write(
        &self,
        approaches: &str,
        next_step: &str,
        (output, more_comes): (&Output, bool),
    ) -> Result<(), Failure> {
        match (output.format, more_comes) {
            (Format::Json, false) => show::write_json(self),
            (_, false) => show::write(&self.text(&(approaches.to_owned() + next_step))),
            (_, true) => {
                output.reporter()(self.text(approaches).trim_end());
                Ok(())
            }
        }
    }

    fn text(&self, approaches: &str) -> String {
        let mut first = String::new();
        if !self.outcome.record.is_complete {
            first += "It has not come to its end: the same command goes on, and pays for no reply twice.\n";
        }
        if let Some(criteria) = &self.outcome.criteria {
            first += &criteria.line(origin(criteria.origin));
        }
        let text = self.outcome.text(&first, approaches);
        text + &self.tasks.as_ref().map(OpenTasks::text).unwrap_or_default()
    }
}

/// Returns the exit status of an exploration whose experiment is not measured.
///
/// # Errors
/// A budget ended it, or the model gives no answers.
pub(super) fn status(made: &ExplorationResult) -> Result<Status, Failure> {
    if let Some(error) = made.generation().ended() {
        return open_tasks::ending(error);
    }
    let approaches = made.generation().approaches();
    let passed = approaches.filter(|one| one.file.is_some()).count();
    let all = made.generation().approaches().count();
    let has_failed = passed < all || !made.outcome().not_started.is_empty();
    Ok(match (passed, has_failed) {
        (0, _) => Status::NoAnswer,
        (_, true) => Status::SomeFailed,
        (_, false) => Status::Done,
    })
}

/// Returns words on the origin of criteria, with the option or the file that says otherwise.
fn origin(origin: CriteriaOrigin) -> &'static str {
    match origin {
        CriteriaOrigin::User => "",
        CriteriaOrigin::Like => ", taken over by --like",
        CriteriaOrigin::Model => ", proposed by the model (change it in bakeoff.toml)",
        CriteriaOrigin::Usual => ", as usual (--criterion says otherwise)",
        CriteriaOrigin::File => ", by bakeoff.toml",
    }
}
