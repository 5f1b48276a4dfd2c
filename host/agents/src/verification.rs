//! Verifications: commands of the user's on what an agent left, with the tests of the base.

use super::completion::AgentVerification;
use super::error::AgentError;
use super::experiment::AgentExperiment;
use super::fenced_program::{Bounds, EndedLine, run_line};
use super::orders::Orders;
use super::test_patterns;
use super::worktree;
use bakeoff_confine::Network;
use bakeoff_files::Scratch;
use bakeoff_programs::{CommandLine, FenceReach};
use std::path::Path;

/// Returns a temporary folder with the files of a commit, and the tests of the base in the place of its own.
pub(crate) fn files_of(
    experiment: &AgentExperiment,
    orders: &Orders<'_>,
    commit: &str,
) -> Result<Scratch, AgentError> {
    let request = orders.request;
    let is_test = |path: &str| {
        test_patterns::is_of_base(&request.tests, path)
            && !orders.conflicts.iter().any(|conflict| conflict == path)
    };
    let folder = Scratch::new()?;
    let git = experiment.git();
    let commits = [commit, request.tests_base()];
    worktree::read_with_tests_of(&git, commits, &is_test, orders.new_tests)?;
    worktree::check_out(&git, folder.work())?;
    Ok(folder)
}

/// Runs a command of the user's on what an agent left, without a network.
pub(crate) fn run_on(
    line: &CommandLine,
    folder: &Path,
    orders: &Orders<'_>,
) -> Result<EndedLine, AgentError> {
    let reach = FenceReach {
        network: Network::Closed,
        ..orders.reach.clone()
    };
    let bounds = Bounds::of(&[], orders.wall, orders.interrupted);
    run_line(line, folder, &reach, &bounds)
}

fn verification(line: &CommandLine, run: &EndedLine) -> AgentVerification {
    AgentVerification {
        command: line.text().to_owned(),
        passed: run.ended.succeeded,
        seconds: run.ended.seconds,
        reason: if run.ended.succeeded {
            String::new()
        } else {
            run.ended.reason_with_stdout()
        },
    }
}

/// Verifies a commit in a temporary folder. The first command that fails is the last one.
pub(crate) fn verify(
    experiment: &AgentExperiment,
    orders: &Orders<'_>,
    commit: &str,
) -> Result<Vec<AgentVerification>, AgentError> {
    let mut verifications = Vec::new();
    if orders.verify.is_empty() {
        return Ok(verifications);
    }
    let folder = files_of(experiment, orders, commit)?;
    for line in orders.verify {
        let run = run_on(line, folder.work(), orders)?;
        verifications.push(verification(line, &run));
        if !run.ended.succeeded {
            break;
        }
    }
    Ok(verifications)
}

/// Tries all verifications on the base, before an agent is started. That one fails there may be what the task is to mend.
///
/// # Errors
/// One cannot be started, as it could not be for any variant.
pub(crate) fn verify_base(
    experiment: &AgentExperiment,
    orders: &Orders<'_>,
) -> Result<Vec<AgentVerification>, AgentError> {
    if orders.verify.is_empty() {
        return Ok(Vec::new());
    }
    let folder = files_of(experiment, orders, &orders.request.base)?;
    let run = |line| {
        let run = run_on(line, folder.work(), orders)?;
        if run.is_started {
            return Ok(verification(line, &run));
        }
        Err(AgentError::Usage(format!(
            "--verify {:?} cannot be started behind the fence, so no agent was: {}. --read PATH lets it read and start \
             what lies there; a script that the task is to make is verified by `sh SCRIPT`",
            line.text(),
            run.ended.reason()
        )))
    };
    orders.verify.iter().map(run).collect()
}
