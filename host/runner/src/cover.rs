//! Calls of a prototype whose code leaves marks where they pass, inside a runner.

use super::call::{Replies, RunnerCall};
use super::guest_failure::Call;
use super::marked_calls::MarkedCalls;
use super::protocol::Guest;
use super::runner::Runner;
use bakeoff_compile::{COVERAGE_EXPORT, COVERAGE_MARK_BYTES_MAX};
use serde::{Deserialize, Serialize};

/// Makes calls of a prototype whose code leaves marks, each on a fresh instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverCall {
    /// The prototype, in the checked profile.
    pub prototype: Guest,
    /// The calls. One that fails leaves no marks and ends the work; and so do calls that take very long together.
    pub calls: Vec<Call>,
}

/// A reply to a [`CoverCall`]: calls were made that marked points which none before had marked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Covered {
    /// The points that were marked for the first time.
    pub points: Vec<u32>,
}

impl RunnerCall for CoverCall {
    type Reply = Covered;

    fn serve(&self, runner: &Runner<'_>, replies: Replies<'_, Self::Reply>) -> Result<(), String> {
        let calls = MarkedCalls {
            prototype: self.prototype,
            calls: &self.calls,
            export: COVERAGE_EXPORT,
            mark_bytes_max: COVERAGE_MARK_BYTES_MAX,
        };
        let mut known = Vec::new();
        calls.serve(runner, replies, |marks| {
            known.resize(marks.after.len(), false);
            let mut points = Vec::new();
            for (point, mark) in marks.after.iter().enumerate() {
                if *mark != 0 && !known[point] {
                    known[point] = true;
                    points.push(point as u32);
                }
            }
            (!points.is_empty()).then_some(Covered { points })
        })
    }
}
