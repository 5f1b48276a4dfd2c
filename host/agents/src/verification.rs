//! Verifications: commands of the user's on what an agent left, with the tests of the base.

use super::completion::Verification;
use super::error::AgentError;
use super::fenced::{Bounds, Reach, last_part, run_line};
use super::git::Git;
use super::worktree;
use bakeoff_confine::Network;
use bakeoff_files::Scratch;
use bakeoff_programs::CommandLine;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Verifies a commit in a temporary folder, without a network. The first command that fails is the last one.
pub(crate) fn verify(
    git: &Git,
    [commit, base]: [&str; 2],
    is_test: &dyn Fn(&str) -> bool,
    commands: &[CommandLine],
    reach: &Reach,
    (wall, interrupted): (Duration, &AtomicBool),
) -> Result<Vec<Verification>, AgentError> {
    let mut verifications = Vec::new();
    if commands.is_empty() {
        return Ok(verifications);
    }
    let folder = Scratch::new()?;
    worktree::read_with_tests_of(git, commit, base, is_test)?;
    worktree::check_out(git, folder.work())?;
    let reach = Reach {
        network: Network::Closed,
        ..reach.clone()
    };
    for line in commands {
        let ended = run_line(
            line,
            folder.work(),
            &reach,
            &Bounds::of(&[], wall, interrupted),
        )?;
        let reason = if ended.succeeded {
            String::new()
        } else {
            let said = if ended.stderr.is_empty() {
                last_part(&ended.stdout)
            } else {
                ended.stderr
            };
            format!("{}: {said}", ended.end)
                .trim_end_matches(": ")
                .to_owned()
        };
        verifications.push(Verification {
            command: line.text().to_owned(),
            passed: ended.succeeded,
            seconds: ended.seconds,
            reason,
        });
        if !ended.succeeded {
            break;
        }
    }
    Ok(verifications)
}
