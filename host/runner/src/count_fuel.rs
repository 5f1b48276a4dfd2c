//! Calls of a prototype whose code counts its passes, inside a runner.

use super::call::{Replies, RunnerCall};
use super::guest_failure::Call;
use super::marked_calls::{MarkedCalls, Marks};
use super::protocol::Guest;
use super::runner::Runner;
use bakeoff_compile::{FUEL_EXPORT, FUEL_MARK_BYTES_MAX};
use serde::{Deserialize, Serialize};

/// Makes calls of a prototype whose code counts its passes, each on a fresh instance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountFuelCall {
    /// The prototype, in the checked profile.
    pub prototype: Guest,
    /// The calls. One that fails ends the work; and so do calls that take very long together.
    pub calls: Vec<Call>,
}

/// A reply to a [`CountFuelCall`]: a call was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedPasses {
    /// The points that it passed, each with how often.
    pub passes: Vec<(u32, u64)>,
}

impl RunnerCall for CountFuelCall {
    type Reply = CountedPasses;

    fn serve(&self, runner: &Runner<'_>, replies: Replies<'_, Self::Reply>) -> Result<(), String> {
        let calls = MarkedCalls {
            prototype: self.prototype,
            calls: &self.calls,
            export: FUEL_EXPORT,
            mark_bytes_max: FUEL_MARK_BYTES_MAX,
        };
        calls.serve(runner, replies, |marks| Some(passes(&marks)))
    }
}

/// Returns the passes of a call, without what passed while its instance was made.
fn passes(marks: &Marks<'_>) -> CountedPasses {
    let numbers = |bytes: &[u8]| -> Vec<u64> {
        let (chunks, _) = bytes.as_chunks();
        chunks.iter().copied().map(u64::from_le_bytes).collect()
    };
    let (before, after) = (numbers(marks.before), numbers(marks.after));
    let passed = (0_u32..).zip(after).filter_map(|(point, after)| {
        let before = before.get(point as usize).copied().unwrap_or_default();
        Some((point, after.saturating_sub(before))).filter(|(_, passes)| *passes > 0)
    });
    CountedPasses {
        passes: passed.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_are_those_of_the_call_alone() {
        let bytes = |counts: &[u64]| -> Vec<u8> {
            counts.iter().flat_map(|one| one.to_le_bytes()).collect()
        };
        let marks = Marks {
            before: &bytes(&[3, 0, 1]),
            after: &bytes(&[3, 7, u64::MAX, 4]),
        };
        assert_eq!(passes(&marks).passes, [(1, 7), (2, u64::MAX - 1), (3, 4)]);
    }
}
