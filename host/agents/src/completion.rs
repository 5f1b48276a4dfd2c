//! The evidence of an agent that has ended.

use super::changes::Changes;
use super::claimed_cost::Claimed;
use serde::{Deserialize, Serialize};

/// Outcome of an agent's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentWorkOutcome {
    /// It left changes, which are committed, and are still to be verified.
    Committed,
    /// It left changes, which are committed, and every verification passed.
    Passed,
    /// It left changes, which are committed, and nothing was verified.
    Unverified,
    /// It left changes, which are committed, and a verification failed.
    VerificationFailed,
    /// It ended with a failure or was ended; what it left is in its worktree.
    AgentFailed,
    /// It ended, and changed nothing.
    NothingChanged,
    /// The files that it left cannot be committed.
    Refused,
    /// An experiment has no winner that could be taken, or could not be run.
    NoWinner,
}

impl AgentWorkOutcome {
    /// Returns the outcome in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Committed => "not verified yet",
            Self::Passed => "passed",
            Self::Unverified => "not verified",
            Self::VerificationFailed => "verification failed",
            Self::AgentFailed => "agent failed",
            Self::NothingChanged => "nothing changed",
            Self::Refused => "refused",
            Self::NoWinner => "no winner",
        }
    }
}

/// Run of a verification on what an agent left, with the tests of the base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgentVerification {
    /// Command as the user typed it.
    pub command: String,
    /// True if it ended with status 0.
    pub passed: bool,
    /// Time until its end, in seconds.
    pub seconds: f64,
    /// The end of it, and of what it wrote, if it failed; empty otherwise.
    pub reason: String,
}

fn one() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_one(attempts: &u32) -> bool {
    *attempts == 1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_no_time(seconds: &f64) -> bool {
    *seconds == 0.0
}

/// Evidence of one variant, or of one task: `completion.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Completion {
    /// Name of the variant.
    pub variant: String,
    /// Its idea.
    pub idea: String,
    /// Commit that its worktree was made from.
    pub base: String,
    /// Commit that the first round began with, in every round after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_base: Option<String>,
    /// Outcome of it all.
    pub outcome: AgentWorkOutcome,
    /// Reason of an outcome without a commit, or of a failed verification; empty otherwise.
    pub reason: String,
    /// Commit of what it left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Branch with that commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The end of what the agent wrote to stdout. It claims nothing.
    pub reply: String,
    /// Turns, tokens and dollars that it took by its own word, which nobody else has counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<Claimed>,
    /// Text of the file DONE.md that it left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<String>,
    /// Time that the agent took, in seconds.
    pub seconds: f64,
    /// Time that attempts before the last one took, with their checks, in seconds.
    #[serde(default, skip_serializing_if = "is_no_time")]
    pub earlier_seconds: f64,
    /// Attempts of it until then: 1 for a variant, which is tried once.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub attempts: u32,
    /// Number of the command that worked on a task last, from 1; 0 for a variant.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub command: u64,
    /// Folder with what it left, from the top of the repository, if that is on no branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// Changes from the base; its tests are those that differ from the base of the first round.
    pub changes: Changes,
    /// Verifications, in the order of the command line.
    pub verifications: Vec<AgentVerification>,
    /// The same commands on the base, before an agent was started.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub base_verifications: Vec<AgentVerification>,
}

impl Completion {
    /// Returns the completion of a variant's first attempt, which left nothing yet.
    pub(crate) fn begun(variant: &str, base: &str, outcome: AgentWorkOutcome) -> Self {
        Self {
            variant: variant.to_owned(),
            idea: String::new(),
            base: base.to_owned(),
            first_base: None,
            outcome,
            reason: String::new(),
            commit: None,
            branch: None,
            reply: String::new(),
            claimed: None,
            done: None,
            seconds: 0.0,
            earlier_seconds: 0.0,
            attempts: one(),
            command: 0,
            worktree: None,
            changes: Changes::default(),
            verifications: Vec::new(),
            base_verifications: Vec::new(),
        }
    }

    /// Returns the time that all its attempts took, with their checks, in seconds.
    pub fn all_seconds(&self) -> f64 {
        let checks = self.verifications.iter().map(|check| check.seconds);
        self.earlier_seconds + self.seconds + checks.sum::<f64>()
    }

    /// Returns the commit that all of it began with, before the first round.
    pub fn first_base(&self) -> &str {
        self.first_base.as_ref().unwrap_or(&self.base)
    }
}
