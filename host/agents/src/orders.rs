//! Orders of the work on all variants.

use super::instructions::Instructions;
use super::record::CompletionRequest;
use bakeoff_programs::{CommandLine, FenceReach};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Instructions that stand above the task of variants unless others are named.
pub const AGENT_INSTRUCTIONS: &str = "\
Work in the current folder, which is yours alone: a copy of a git repository. Do the task below by the approach below, \
and end when it is done. What you leave in the files is what counts; it is committed for you. Tests that you change or \
add are shown, and those of the original are the ones that your work is verified by. In DONE.md you may say in a few \
lines what you did and what is left.";

/// Tests that an agent added, where what it left is verified with the tests of the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewTests {
    /// They are left out.
    LeftOut,
    /// They are there beside those of the base.
    Kept,
}

/// Commands and bounds of the work on all variants.
#[derive(Clone, Copy, Debug)]
pub struct Orders<'a> {
    /// Request, which is kept with each completion.
    pub request: &'a CompletionRequest,
    /// Instructions of agents that begin now, in place of those of the request.
    pub instructions: &'a Instructions,
    /// Remarks that agents are told beside the task, and that are no part of the request.
    pub remarks: &'a str,
    /// Command of the agent.
    pub agent: &'a CommandLine,
    /// Commands that verify.
    pub verify: &'a [CommandLine],
    /// Tests that an agent added.
    pub new_tests: NewTests,
    /// Paths that come from what the agent left even if they are tests: the base has conflicts in them.
    pub conflicts: &'a [String],
    /// Reach of all of them.
    pub reach: &'a FenceReach,
    /// The most agents that work at the same time.
    pub agents_at_once: usize,
    /// The longest time of an agent, and of each verification.
    pub wall: Duration,
    /// True once the user has interrupted it.
    pub interrupted: &'a AtomicBool,
}
