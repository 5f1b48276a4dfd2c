//! States of tasks, for whoever looks on from another process.

use super::completion::{AgentWorkOutcome, Completion};
use super::error::AgentError;
use super::experiment::AgentExperiment;
use super::task_attempt::is_done;
use super::task_record::TaskList;
use bakeoff_config::RESULT_NAME;
use bakeoff_domain::wording;

/// State of a task, as another process sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentTaskState {
    /// Name of the task.
    pub name: String,
    /// The state in words.
    pub words: String,
    /// True if it is done.
    pub is_done: bool,
    /// Path of its worktree from the top of the repository, if there is one.
    pub worktree: Option<String>,
}

/// States of all tasks, as another process sees them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskStates {
    /// The tasks that were worked on last, in their order.
    pub tasks: Vec<AgentTaskState>,
    /// The last merge of results whose conflicts an agent was given, if there was one.
    pub merge: Option<AgentTaskState>,
    /// True if somebody works on them now.
    pub is_running: bool,
}

impl AgentExperiment {
    /// Returns the states of the tasks that were worked on last; `None` if there are none.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn task_states(&self) -> Result<Option<TaskStates>, AgentError> {
        let Some(list) = self.task_list() else {
            return Ok(None);
        };
        let is_held = self.is_held()?;
        let mut states: Vec<AgentTaskState> = Vec::with_capacity(list.tasks.len());
        for task in &list.tasks {
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
                _ if has_agent && is_held && task.is_experiment => {
                    "its experiment is run".to_owned()
                }
                _ if has_agent && is_held => "its agent works".to_owned(),
                _ if has_agent => "interrupted".to_owned(),
                Some(completion)
                    if is_held && completion.outcome == AgentWorkOutcome::Committed =>
                {
                    "is being checked".to_owned()
                }
                Some(completion) if is_held => {
                    let attempts_max = if task.is_experiment {
                        1
                    } else {
                        list.attempts_max
                    };
                    in_words(&completion, list.command, attempts_max)
                }
                Some(completion) => completion.outcome.words().to_owned(),
                None if worktree.is_some() && is_held => "begins".to_owned(),
                None if worktree.is_some() => "interrupted".to_owned(),
                None if open.is_empty() => "not begun".to_owned(),
                None => format!("waits for {}", open.join(", ")),
            };
            states.push(AgentTaskState {
                worktree: worktree.map(|_| self.worktree_path(&task.name)),
                name: task.name.clone(),
                words,
                is_done,
            });
        }
        Ok(Some(TaskStates {
            merge: self.merge_state(is_held, &list),
            tasks: states,
            is_running: is_held,
        }))
    }

    /// Returns the state of the merge of results that conflicted; `None` if no agent was given one.
    fn merge_state(&self, is_held: bool, list: &TaskList) -> Option<AgentTaskState> {
        let worktree = self.worktree(RESULT_NAME).ok();
        let has_agent = worktree.as_ref().is_some_and(|folder| folder.has(".git"));
        let completion = self
            .completion(RESULT_NAME)
            .map(|(_, completion)| completion);
        let is_done = !has_agent && completion.as_ref().is_some_and(is_done);
        let words = match completion {
            _ if has_agent && is_held => "an agent resolves its conflicts".to_owned(),
            _ if has_agent => "interrupted".to_owned(),
            Some(completion) if is_done => completion.outcome.words().to_owned(),
            Some(completion) if is_held && completion.outcome == AgentWorkOutcome::Committed => {
                "is being checked".to_owned()
            }
            Some(completion) if is_held => in_words(&completion, list.command, list.attempts_max),
            Some(completion) => completion.outcome.words().to_owned(),
            None if worktree.is_some() && !is_held => "interrupted".to_owned(),
            None => return None,
        };
        Some(AgentTaskState {
            name: RESULT_NAME.to_owned(),
            words,
            is_done,
            worktree: worktree.map(|_| self.worktree_path(RESULT_NAME)),
        })
    }
}

/// Returns what becomes of a task that failed, while somebody works on the tasks: this command, of this number, makes so many
/// attempts at most.
fn in_words(completion: &Completion, command: u64, attempts_max: u32) -> String {
    let (failed, attempts) = (completion.outcome.words(), completion.attempts);
    if completion.command != command {
        format!("{failed} before; not begun again")
    } else if attempts < attempts_max {
        format!(
            "{failed}; attempt {} of {attempts_max} is to come",
            attempts + 1
        )
    } else {
        let attempts = wording::counted(attempts_max, "attempt");
        format!("{failed} after {attempts}; given up")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_that_failed_says_whether_another_attempt_is_to_come() {
        let failed = |command, attempts| Completion {
            attempts,
            command,
            ..Completion::begun("a", "", AgentWorkOutcome::AgentFailed)
        };
        for (command, attempts, words) in [
            (2, 1, "agent failed; attempt 2 of 3 is to come"),
            (2, 3, "agent failed after 3 attempts; given up"),
            (1, 3, "agent failed before; not begun again"),
        ] {
            assert_eq!(in_words(&failed(command, attempts), 2, 3), words);
        }
    }
}
