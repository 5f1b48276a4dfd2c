//! One attempt at a task: from the merged results of what it waits for to a commit that passed its checks.

use super::attempt::{attempt, verified};
use super::changes::{Differing, differing_paths};
use super::completion::{AgentWorkOutcome, Completion};
use super::error::AgentError;
use super::experiment::AgentExperiment;
use super::merge::{self, CommitMerge};
use super::orders::{NewTests, Orders};
use super::record::{CompletionRequest, VariantRequest};
use super::slots::Slots;
use super::task_experiment::{TaskPaths, experiment_attempt};
use super::task_orders::TaskOrders;
use super::test_patterns;
use super::verification::verify;
use super::work::keep;
use bakeoff_config::{AgentTask, TaskWork};
use bakeoff_domain::report::words;
use bakeoff_programs::CommandLine;

/// The most tests that a reason names.
const TESTS_NAMED_MAX: usize = 8;
/// The most characters of a reason that the next agent is told.
const REASON_CHARS_MAX: usize = 2_000;

/// Task with what it starts from.
pub(crate) struct ReadyTask<'a> {
    task: &'a AgentTask,
    request: CompletionRequest,
    checks: &'a [CommandLine],
    conflicts: Vec<String>,
    /// True if there are conflicts, and an agent that leaves all files as they are resolves them: of each, one side has no
    /// file.
    can_stay: bool,
    waits_for: Vec<&'a str>,
}

/// Attempt at a task, among all others.
pub(crate) struct PlacedAttempt<'a> {
    /// Number of the command, from 1.
    pub(crate) command: u64,
    /// Number of the attempt in this command, from 1.
    pub(crate) number: u32,
    /// Reason why the last one failed, if there was one.
    pub(crate) last_reason: Option<&'a str>,
}

/// Task that is done.
#[derive(Clone, Debug)]
pub(crate) struct DoneTask {
    pub(crate) completion: Completion,
    /// Commit that has its work: that of its base, if nothing had to be changed.
    pub(crate) commit: String,
}

impl<'a> ReadyTask<'a> {
    /// Merges the results of what a task waits for, which are `results` by their places.
    pub(crate) fn new(
        experiment: &AgentExperiment,
        orders: &'a TaskOrders<'_>,
        place: usize,
        results: &[Option<DoneTask>],
    ) -> Result<Self, AgentError> {
        let task = &orders.tasks[place];
        let after = task.after.iter();
        let commits: Vec<&str> = after
            .filter_map(|one| results[*one].as_ref())
            .map(|done| done.commit.as_str())
            .collect();
        let merged = match commits.split_first() {
            None => CommitMerge {
                commit: orders.base.to_owned(),
                conflicts: Vec::new(),
                of_one_side: Vec::new(),
            },
            Some((first, others)) => merge::merge_all(&experiment.git(), first, others)?,
        };
        Ok(Self {
            task,
            can_stay: merged.can_stay(),
            request: request(orders, task, merged.commit),
            checks: &orders.checks[place],
            conflicts: merged.conflicts,
            waits_for: task
                .after
                .iter()
                .map(|one| orders.tasks[*one].name.as_str())
                .collect(),
        })
    }

    /// Returns the task of resolving the conflicts of a merge. `sides` names what was merged.
    pub(crate) fn of_merge(
        orders: &TaskOrders<'_>,
        task: &'a AgentTask,
        merged: CommitMerge,
        checks: &'a [CommandLine],
        sides: Vec<&'a str>,
    ) -> Self {
        Self {
            task,
            can_stay: merged.can_stay(),
            request: request(orders, task, merged.commit),
            checks,
            conflicts: merged.conflicts,
            waits_for: sides,
        }
    }

    /// Returns the completion of the same task from an earlier time, if it was done.
    pub(crate) fn done_before(&self, experiment: &AgentExperiment) -> Option<Completion> {
        let (kept, completion) = experiment.completion(&self.task.name)?;
        (is_done(&completion) && self.is_same(&kept)).then_some(completion)
    }

    /// Returns the task as it was done at an earlier time; `None` if it was not. Another agent or other instructions may go
    /// on with what was done.
    ///
    /// # Errors
    /// What was done was another task.
    pub(crate) fn kept(
        &self,
        experiment: &AgentExperiment,
    ) -> Result<Option<DoneTask>, AgentError> {
        let name = &self.task.name;
        let Some((kept, completion)) = experiment.completion(name) else {
            return Ok(None);
        };
        if !is_done(&completion) {
            return Ok(None);
        }
        if self.is_same(&kept) {
            let commit = completion.commit.clone();
            return Ok(Some(DoneTask {
                commit: commit.unwrap_or_else(|| self.request.base.clone()),
                completion,
            }));
        }
        let experiment = &experiment.name;
        Err(AgentError::Usage(format!(
            "the task {name:?} is done already, with another prompt, check or base, or other tasks before it: give this \
             work another name by --name, or remove that by `bakeoff worktrees --remove {experiment}` and its branches by \
             `git branch -D`"
        )))
    }

    /// Returns the commit that its agent begins with.
    pub(crate) fn base(&self) -> &str {
        &self.request.base
    }

    fn is_same(&self, kept: &CompletionRequest) -> bool {
        kept.task == self.request.task
            && kept.base == self.request.base
            && kept.verify == self.request.verify
            && kept.tests == self.request.tests
    }

    /// Returns what an agent left that was not checked before an interruption, with its request.
    pub(crate) fn unchecked(
        &self,
        experiment: &AgentExperiment,
    ) -> Option<(CompletionRequest, Completion)> {
        let (kept, completion) = experiment.completion(&self.task.name)?;
        (completion.outcome == AgentWorkOutcome::Committed && self.is_same(&kept))
            .then_some((kept, completion))
    }

    /// Has an agent work on the task, and checks what it left.
    pub(crate) fn attempt(
        &self,
        experiment: &AgentExperiment,
        orders: &TaskOrders<'_>,
        now: &PlacedAttempt<'_>,
        checking: &Slots,
    ) -> Result<Completion, AgentError> {
        let remarks = self.remarks(now.last_reason);
        let unchecked = self.unchecked(experiment);
        let request = CompletionRequest {
            instructions: match &unchecked {
                Some((kept, _)) => kept.instructions.clone(),
                None => orders.instructions.read()?,
            },
            ..self.request.clone()
        };
        let own = Orders {
            request: &request,
            instructions: orders.instructions,
            remarks: &remarks,
            agent: orders.agent,
            verify: self.checks,
            new_tests: NewTests::Kept,
            conflicts: &self.conflicts,
            reach: orders.reach,
            agents_at_once: orders.workers,
            wall: orders.wall,
            interrupted: orders.interrupted,
        };
        let mut completion = match unchecked {
            Some((_, mut completion)) => {
                completion.attempts = now.number;
                completion.command = now.command;
                completion
            }
            None => {
                let before = experiment.completion(&self.task.name);
                let before = before.filter(|(_, one)| one.attempts + 1 == now.number);
                let mut completion = self.worked_on(experiment, orders, &own)?;
                completion.earlier_seconds = before.map_or(0.0, |(_, one)| one.all_seconds());
                completion.attempts = now.number;
                completion.command = now.command;
                completion.branch = None;
                if completion.outcome == AgentWorkOutcome::Committed {
                    completion = keep(experiment, &request, completion)?;
                }
                completion
            }
        };
        if let Some(commit) = completion.commit.clone() {
            let tests = self.tests_of_others(experiment, &commit)?;
            if !tests.is_empty() {
                completion.outcome = AgentWorkOutcome::VerificationFailed;
                completion.reason = format!(
                    "it changes tests that were there before it ({}): leave these as they are, and write new ones into \
                     files of their own",
                    words::listed(tests, TESTS_NAMED_MAX)
                );
            }
        }
        // Marks that it had to remove count as no work of its own.
        if let Some(commit) = completion
            .commit
            .clone()
            .filter(|_| !self.conflicts.is_empty())
        {
            let marked = merge::with_marks(&experiment.git(), &commit, &self.conflicts)?;
            if !marked.is_empty() {
                completion.outcome = AgentWorkOutcome::VerificationFailed;
                completion.reason = format!("marks of conflicts are left in {}", marked.join(", "));
            }
        }
        match completion.outcome {
            AgentWorkOutcome::Committed => {
                completion = verified(experiment, &own, completion, checking)?;
            }
            // What there was is the winner's source.
            AgentWorkOutcome::NothingChanged if self.is_experiment() && self.checks.is_empty() => {
                completion.outcome = AgentWorkOutcome::Unverified;
            }
            // What there was may be all that was to be there; the check says so.
            AgentWorkOutcome::NothingChanged
                if (self.conflicts.is_empty() || self.can_stay) && !self.checks.is_empty() =>
            {
                let slot = checking.take();
                completion.verifications = verify(experiment, &own, &self.request.base)?;
                drop(slot);
                match completion.verifications.last() {
                    Some(last) if last.passed => {
                        completion.outcome = AgentWorkOutcome::Passed;
                        completion.reason = String::new();
                    }
                    Some(last) => {
                        completion.reason += &format!("; {}: {}", last.command, last.reason);
                    }
                    None => {}
                }
            }
            _ => {}
        }
        completion.worktree = None;
        if is_done(&completion) && completion.commit.is_some() {
            completion.branch = Some(experiment.branch(&self.task.name));
        }
        keep(experiment, &request, completion)
    }

    /// Has an agent work on the task, or runs its experiment.
    fn worked_on(
        &self,
        experiment: &AgentExperiment,
        orders: &TaskOrders<'_>,
        own: &Orders<'_>,
    ) -> Result<Completion, AgentError> {
        let name = &self.task.name;
        match &self.task.work {
            TaskWork::Agent(_) => {
                let variant = VariantRequest {
                    name: name.clone(),
                    idea: String::new(),
                };
                attempt(experiment, own, &variant)
            }
            TaskWork::Experiment { file, into } => experiment_attempt(
                experiment,
                own,
                name,
                TaskPaths { file, into },
                orders.base,
                orders.experiments,
            ),
        }
    }

    /// Returns true for a task that is an experiment, of which another attempt would have the same answer.
    pub(crate) fn is_experiment(&self) -> bool {
        matches!(self.task.work, TaskWork::Experiment { .. })
    }

    /// Returns the tests of its base that a commit changes, but for those with conflicts, which it had to resolve. What comes
    /// after it would be held to what is left of them.
    fn tests_of_others(
        &self,
        experiment: &AgentExperiment,
        commit: &str,
    ) -> Result<Vec<String>, AgentError> {
        let commits = [self.request.base.as_str(), commit];
        let mut tests = differing_paths(&experiment.git(), Differing::OfFirst, commits)?;
        tests.retain(|path| {
            test_patterns::is_of_base(&self.request.tests, path) && !self.conflicts.contains(path)
        });
        Ok(tests)
    }

    /// Returns what an agent is told beside its task.
    fn remarks(&self, last_reason: Option<&str>) -> String {
        let mut remarks = String::new();
        if !self.conflicts.is_empty() {
            remarks += &format!(
                "The files are the merged results of the tasks {}, which conflict in {}: both sides stand between marks \
                 there, or one of them was deleted, and the other can stay. Resolve that first, so that the work of both is kept.\n\n",
                self.waits_for.join(", "),
                self.conflicts.join(", ")
            );
        }
        if let Some(reason) = last_reason {
            let reason: String = reason.chars().take(REASON_CHARS_MAX).collect();
            remarks += &format!(
                "An earlier attempt at this task failed, and its changes are not here:\n\n{reason}\n"
            );
        }
        remarks
    }
}

/// Returns what is kept of a task with its completion, but for the instructions, which each attempt reads anew.
fn request(orders: &TaskOrders<'_>, task: &AgentTask, base: String) -> CompletionRequest {
    CompletionRequest {
        task: match &task.work {
            TaskWork::Agent(prompt) => prompt.clone(),
            TaskWork::Experiment { file, into } => format!("the winner of {file} becomes {into}"),
        },
        instructions: String::new(),
        agent: orders.agent.text().to_owned(),
        base,
        first_base: None,
        verify: task.checks.clone(),
        tests: orders.tests.to_vec(),
    }
}

/// Returns true for a task whose agent ended, and which passed all of its checks.
pub(crate) fn is_done(completion: &Completion) -> bool {
    matches!(
        completion.outcome,
        AgentWorkOutcome::Passed | AgentWorkOutcome::Unverified
    )
}
