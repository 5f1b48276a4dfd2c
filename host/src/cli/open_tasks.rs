//! Tasks that wait for an answer of whoever calls (`--provider manual`), as they are shown.

use super::Status;
use super::failure::Failure;
use super::options::{Format, Output};
use super::show;
use bakeoff_provider::{AskError, Models, OpenTask};
use bakeoff_render::escape::{Lines, Plain};
use serde::Serialize;

/// Tasks that wait for an answer, and answers that fit none.
#[derive(Serialize)]
pub(super) struct OpenTasks {
    tasks: Vec<OpenTask>,
    /// Ids of answers to no task that was asked: it was never given out, or is answered already.
    unused_answers: Vec<String>,
}

impl OpenTasks {
    /// Returns the tasks of models whose questions whoever calls answers; `None` for all others.
    pub(super) fn of(models: &Models) -> Option<Self> {
        models.is_manual().then(|| Self {
            tasks: models.open_tasks(),
            unused_answers: models.unused_answers(),
        })
    }

    /// Writes them where nothing else came of the questions yet.
    ///
    /// # Errors
    /// Stdout cannot be written.
    pub(super) fn write(&self, output: &Output) -> Result<(), Failure> {
        match output.format {
            Format::Json => show::write_json(self),
            _ => show::write(&self.text()),
        }
    }

    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for task in &self.tasks {
            let OpenTask {
                task: id,
                purpose,
                subject,
                system,
                prompt,
                schema,
                refused,
            } = task;
            text += &format!("\nTask {id}: {purpose} ({subject})\n");
            if let Some(refused) = refused {
                text += &format!("The answer to it was not taken: {}\n", Plain(refused));
            }
            let asked = format!("{system}\n\n{prompt}\n\nThe schema of the reply:\n{schema}");
            text += &format!("\n{}\n", Lines(&asked));
        }
        for id in &self.unused_answers {
            text += &format!(
                "\nNo task {} waits for an answer: it was never given out, or is answered already.\n",
                Plain(id)
            );
        }
        if !self.tasks.is_empty() {
            text += "\nAnswer them in a file: [{\"task\": \"ID\", \"reply\": {…}}]. The same command goes on with \
                     --answers FILE.\n";
        }
        text
    }
}

/// Returns the exit status of a command whose model gives no more answers, after its output.
///
/// # Errors
/// A budget ended it, or the model gives no answers.
pub(super) fn ending(error: &AskError) -> Result<Status, Failure> {
    match error {
        // Its tasks are the output.
        AskError::NotAnswered { .. } => Ok(Status::Provider),
        error => Err(Failure::unanswered(error)),
    }
}
