//! The merge of all that was done, on one branch, and the checks on it.

use super::branch::set_branch;
use super::changes::Changes;
use super::completion::AgentVerification;
use super::error::AgentError;
use super::experiment::AgentExperiment;
use super::merge;
use super::orders::{NewTests, Orders};
use super::record::CompletionRequest;
use super::task_attempt::DoneTask;
use super::task_merge::{Conflict, ConflictedMerge, Resolver};
use super::task_orders::TaskOrders;
use super::test_patterns;
use super::verification::verify;
use bakeoff_config::RESULT_NAME;
use bakeoff_programs::CommandLine;

/// Merge of all that was done.
#[derive(Clone, Debug)]
pub struct MergedResult {
    /// Branch with it.
    pub branch: String,
    /// Commit of it.
    pub commit: String,
    /// Changes from the base; `None` if they cannot be told, as somebody added a link or a repository to the branch.
    pub changes: Option<Changes>,
    /// Tasks that are left out, as they conflict with those before them, and no agent resolved that.
    pub left_out: Vec<ConflictedMerge>,
    /// Tasks whose conflicts an agent resolved in this command, all of which are in it.
    pub resolved: Vec<ConflictedMerge>,
    /// Checks of all tasks that are in it, each once, on the merged files.
    pub checks: Vec<AgentVerification>,
}

impl AgentExperiment {
    /// Returns the branch with all results.
    pub(crate) fn result_branch(&self) -> String {
        self.branch(RESULT_NAME)
    }
}

/// Merges all that was done into the branch of results, and runs the checks on it. What is on that branch stays there. What
/// conflicts is given to an agent.
pub(crate) fn merge_results(
    resolver: &Resolver<'_>,
    done: &[Option<DoneTask>],
) -> Result<Option<MergedResult>, AgentError> {
    let (experiment, orders) = (resolver.experiment, resolver.orders);
    if done.iter().all(Option::is_none) {
        return Ok(None);
    }
    let branch = experiment.result_branch();
    let mut tip = experiment.commit_of_branch(&branch);
    let mut commit = tip.clone().unwrap_or_else(|| orders.base.to_owned());
    let (mut left_out, mut resolved) = (Vec::new(), Vec::new());
    let mut checks: Vec<CommandLine> = Vec::new();
    let mut before: Vec<&str> = tip.iter().map(|_| branch.as_str()).collect();
    for place in order(orders, done) {
        let Some(one) = &done[place] else {
            continue;
        };
        let merged = merge::merge(&experiment.git(), &commit, &one.commit)?;
        let task = &orders.tasks[place];
        let of_both = with_checks(&checks, &orders.checks[place]);
        commit = if merged.conflicts.is_empty() {
            merged.commit
        } else {
            let (ended, resolution) = resolver.resolve(&Conflict {
                task,
                before: &before,
                merged,
                checks: &of_both,
            })?;
            let Some(resolution) = resolution else {
                left_out.push(ended);
                continue;
            };
            resolved.push(ended);
            // Nothing is to be resolved twice, whatever ends this command.
            set_branch(&experiment.git(), &branch, tip.as_deref(), &resolution)?;
            tip = Some(resolution.clone());
            resolution
        };
        checks = of_both;
        before.push(&task.name);
    }
    if tip.as_ref() != Some(&commit) {
        set_branch(&experiment.git(), &branch, tip.as_deref(), &commit)?;
    }
    let is_test = |path: &str| test_patterns::is_of_base(orders.tests, path);
    let changes = Changes::between(&experiment.git(), orders.base, &commit, &is_test);
    Ok(Some(MergedResult {
        changes: match changes {
            Ok(changes) => Some(changes),
            Err(AgentError::Usage(_)) => None,
            Err(error) => return Err(error),
        },
        checks: checked(experiment, orders, &commit, &checks)?,
        branch,
        commit,
        left_out,
        resolved,
    }))
}

/// Returns the places of tasks in the order in which they are merged: first those that none waits for that is done, which
/// have the work of all others in them, and what conflicts of these was resolved by.
fn order(orders: &TaskOrders<'_>, done: &[Option<DoneTask>]) -> Vec<usize> {
    let is_waited_for = |place: &usize| {
        let mut tasks = orders.tasks.iter().zip(done);
        tasks.any(|(task, done)| done.is_some() && task.after.contains(place))
    };
    let (inner, last): (Vec<usize>, Vec<usize>) = (0..done.len()).partition(is_waited_for);
    [last, inner].concat()
}

/// Returns checks with those of another task, each once.
fn with_checks(checks: &[CommandLine], more: &[CommandLine]) -> Vec<CommandLine> {
    let mut all = checks.to_vec();
    for check in more {
        if !all.iter().any(|other| other.text() == check.text()) {
            all.push(check.clone());
        }
    }
    all
}

/// Runs checks on a commit, one after the other, each on fresh files.
fn checked(
    experiment: &AgentExperiment,
    orders: &TaskOrders<'_>,
    commit: &str,
    checks: &[CommandLine],
) -> Result<Vec<AgentVerification>, AgentError> {
    let request = CompletionRequest {
        task: String::new(),
        instructions: String::new(),
        agent: String::new(),
        base: commit.to_owned(),
        first_base: None,
        verify: Vec::new(),
        tests: Vec::new(),
    };
    let mut found = Vec::new();
    for check in checks {
        let own = Orders {
            request: &request,
            instructions: orders.instructions,
            remarks: "",
            agent: orders.agent,
            verify: std::slice::from_ref(check),
            new_tests: NewTests::Kept,
            conflicts: &[],
            reach: orders.reach,
            agents_at_once: orders.workers,
            wall: orders.wall,
            interrupted: orders.interrupted,
        };
        found.extend(verify(experiment, &own, commit)?);
    }
    Ok(found)
}
