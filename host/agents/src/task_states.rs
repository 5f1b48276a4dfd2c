//! States of tasks, for whoever looks on from another process.

use super::completion::Outcome;
use super::error::AgentError;
use super::experiment::Experiment;
use super::task_attempt::is_done;

/// State of a task, as another process sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskState {
    /// Name of the task.
    pub name: String,
    /// The state in words.
    pub words: String,
    /// True if it is done.
    pub is_done: bool,
    /// Path of its worktree from the top of the repository, if there is one.
    pub worktree: Option<String>,
}

impl Experiment {
    /// Returns the states of the tasks that were worked on last, in their order; `None` if there are none. The second value
    /// is true if somebody works on them now.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn task_states(&self) -> Result<Option<(Vec<TaskState>, bool)>, AgentError> {
        let Some(list) = self.task_list() else {
            return Ok(None);
        };
        let is_held = self.is_held()?;
        let mut states: Vec<TaskState> = Vec::with_capacity(list.tasks.len());
        for task in list.tasks {
            let worktree = self.worktree(&task.name).ok();
            let completion = self
                .completion(&task.name)
                .map(|(_, completion)| completion);
            let is_done = completion.as_ref().is_some_and(is_done);
            // The repository in a worktree is there while its agent works.
            let has_agent = worktree.as_ref().is_some_and(|folder| folder.has(".git"));
            let open: Vec<&str> = task
                .after
                .iter()
                .filter(|name| !states.iter().any(|one| one.name == **name && one.is_done))
                .map(String::as_str)
                .collect();
            let words = match completion {
                Some(completion) if is_done => completion.outcome.words().to_owned(),
                _ if has_agent && is_held => "its agent works".to_owned(),
                _ if has_agent => "interrupted".to_owned(),
                Some(completion) if is_held && completion.outcome == Outcome::Committed => {
                    "is being checked".to_owned()
                }
                Some(completion) => completion.outcome.words().to_owned(),
                None if open.is_empty() => "not begun".to_owned(),
                None => format!("waits for {}", open.join(", ")),
            };
            states.push(TaskState {
                worktree: worktree.map(|_| self.worktree_path(&task.name)),
                name: task.name,
                words,
                is_done,
            });
        }
        Ok(Some((states, is_held)))
    }
}
