//! One variant: a worktree, its agent, a commit of what it left; and then its verification.

use super::changes::Changes;
use super::claimed_cost::Claimed;
use super::completion::{AgentWorkOutcome, Completion};
use super::error::AgentError;
use super::experiment::AgentExperiment;
use super::fenced_program::{Bounds, last_part, run_line};
use super::folder_modes::FolderModes;
use super::orders::Orders;
use super::record::{CompletionRequest, VariantRequest};
use super::slots::Slots;
use super::test_patterns;
use super::verification::verify;
use super::worktree;
use bakeoff_files::Folder;
use std::fmt::Write as _;
use std::io::Read as _;

/// The variable by which an agent knows the name of its variant or task.
const NAME_VARIABLE: &str = "BAKEOFF_VARIANT";
/// The file with the task, which an agent finds in its worktree. It is removed before anything is committed.
const TASK: &str = "TASK.md";
/// The file in which an agent may say what it did. It is kept beside the commit.
const DONE: &str = "DONE.md";
/// The most of such a file that is kept, in bytes.
const DONE_BYTES_MAX: u64 = 64 << 10;

/// Returns the text that an agent reads as its stdin and in its file.
fn text(request: &CompletionRequest, variant: &VariantRequest, remarks: &str) -> String {
    let mut text = request.instructions.trim().to_owned();
    let _ = write!(text, "\n\n# Task\n\n{}\n", request.task.trim());
    if !variant.idea.is_empty() {
        let _ = write!(text, "\n# Approach\n\n{}\n", variant.idea.trim());
    }
    if !remarks.is_empty() {
        let _ = write!(text, "\n# Remarks\n\n{}\n", remarks.trim());
    }
    text
}

/// Has an agent work on a variant, and returns what became of that: a commit that is still to be verified, or why there is
/// none.
pub(crate) fn attempt(
    experiment: &AgentExperiment,
    orders: &Orders<'_>,
    variant: &VariantRequest,
) -> Result<Completion, AgentError> {
    let request = orders.request;
    let folder = experiment.make_worktree(&variant.name, &request.base)?;
    let task = text(request, variant, orders.remarks);
    // A file of the repository stays as it is; the task is on stdin, too.
    let has_task = folder.write_new(TASK, task.as_bytes()).is_ok();
    let modes = experiment.modes_above(&folder)?;
    let bounds = Bounds {
        modes: Some(&modes),
        ..Bounds::of(task.as_bytes(), orders.wall, orders.interrupted)
    };
    let notes = [has_task, !folder.has(DONE)];
    let mut reach = orders.reach.clone();
    // The repository in the worktree borrows them.
    let objects = experiment.git().repository().common_dir().join("objects");
    reach.readable.push(objects);
    reach
        .variables
        .push((NAME_VARIABLE.to_owned(), variant.name.clone().into()));
    let ended = run_line(orders.agent, folder.path(), &reach, &bounds);
    drop(folder);
    // The folder of that name may be another one by now, or none.
    let folder = experiment.worktree(&variant.name);
    if let Ok(folder) = &folder {
        worktree::remove_inner(folder)?;
    }
    // Also after an interrupt, nobody meets what the agent wrote into the settings of its repository.
    let ended = ended?.ended;
    let mut completion = Completion {
        idea: variant.idea.clone(),
        first_base: request.first_base.clone(),
        reply: last_part(&ended.stdout),
        claimed: Claimed::read(&ended.stdout),
        seconds: ended.seconds,
        ..Completion::begun(&variant.name, &request.base, AgentWorkOutcome::AgentFailed)
    };
    if !ended.succeeded {
        let mut reason = format!("{}: {}", ended.end, ended.stderr);
        if ended.stderr.contains("Permission denied") {
            reason += " (the fence lets it write its worktree and temporary home alone; --read PATH lets it read and start \
                       what lies there)";
        }
        let reason = reason.trim_end_matches(": ").to_owned();
        completion.reason = with_remark(reason, &modes);
        // What cannot be taken out stays with the rest of what it left.
        if let Ok(folder) = &folder {
            let _ = take_notes(folder, notes, &mut completion);
        }
        return Ok(completion);
    }
    let refused = |mut completion: Completion, reason: String| {
        completion.outcome = AgentWorkOutcome::Refused;
        completion.reason = with_remark(reason, &modes);
        Ok(completion)
    };
    let Ok(folder) = folder else {
        return refused(completion, "it removed its worktree".to_owned());
    };
    if let Err(error) = take_notes(&folder, notes, &mut completion) {
        return refused(completion, error.to_string());
    }
    let is_test = |path: &str| test_patterns::is_of_base(&request.tests, path);
    let message = format!(
        "{}: {}\n\n{}\n",
        variant.name,
        first_line(&request.task),
        variant.idea
    );
    let committed = worktree::commit(
        &experiment.git(),
        &request.base,
        &folder,
        &message,
        &is_test,
    );
    let (commit, changes) = match committed {
        Ok(Some(committed)) => committed,
        Ok(None) => {
            completion.outcome = AgentWorkOutcome::NothingChanged;
            "it ended, and changed nothing".clone_into(&mut completion.reason);
            return Ok(completion);
        }
        Err(AgentError::Usage(reason)) => return refused(completion, reason),
        Err(error) => return Err(error),
    };
    completion.changes = changes;
    if let Some(first) = &request.first_base {
        let all = Changes::between(&experiment.git(), first, &commit, &is_test)?;
        completion.changes.tests = all.tests;
        completion.changes.test_setup = all.test_setup;
    }
    completion.outcome = AgentWorkOutcome::Committed;
    completion.commit = Some(commit);
    completion.branch = Some(experiment.branch(&variant.name));
    Ok(completion)
}

/// Returns a reason, with what is to be said of modes that were taken away.
fn with_remark(reason: String, modes: &FolderModes) -> String {
    match modes.remark() {
        Some(remark) => format!("{reason}; {remark}"),
        None => reason,
    }
}

/// Verifies the commit of what an agent left. Only so many are verified at once.
pub(crate) fn verified(
    experiment: &AgentExperiment,
    orders: &Orders<'_>,
    mut completion: Completion,
    verifying: &Slots,
) -> Result<Completion, AgentError> {
    let Some(commit) = &completion.commit else {
        return Ok(completion);
    };
    let slot = verifying.take();
    completion.verifications = verify(experiment, orders, commit)?;
    drop(slot);
    completion.outcome = match completion.verifications.last() {
        None => AgentWorkOutcome::Unverified,
        Some(last) if last.passed => AgentWorkOutcome::Passed,
        Some(last) => {
            completion.reason = format!("{}: {}", last.command, last.reason);
            AgentWorkOutcome::VerificationFailed
        }
    };
    Ok(completion)
}

/// Takes the file of the task and that of the agent's words out of a worktree, each where the base has none of that name.
fn take_notes(
    folder: &Folder,
    [has_task, has_done]: [bool; 2],
    completion: &mut Completion,
) -> std::io::Result<()> {
    if has_task {
        folder.remove(TASK)?;
    }
    completion.done = done(folder);
    if has_done && folder.has(DONE) {
        folder.remove(DONE)?;
    }
    Ok(())
}

/// Returns the beginning of the agent's words, and says where that is not all.
fn done(folder: &Folder) -> Option<String> {
    let file = folder.open(DONE).ok()?;
    let bytes = file.metadata().ok()?.len();
    let mut read = Vec::new();
    file.take(DONE_BYTES_MAX).read_to_end(&mut read).ok()?;
    let mut text = String::from_utf8_lossy(&read).into_owned();
    if bytes > DONE_BYTES_MAX {
        let _ = write!(text, "\n… (these are {DONE_BYTES_MAX} of {bytes} bytes)\n");
    }
    Some(text)
}

fn first_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    line.chars().take(60).collect()
}
