//! The time around calls, as a runner adds it up.

use bakeoff_domain::plan::CaseOverhead;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The wall time around the calls of one case, added up over a replica.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverheadTotals {
    /// The number of inputs that were made, warm-up included, and the time of making them.
    pub inputs: WorkTotal,
    /// The number of inputs of blocks, and the time of judging the answers to them and of the calls
    /// that do nothing.
    pub judged: WorkTotal,
    /// The number of calls, and their time without the guest's own.
    pub calls: WorkTotal,
}

impl OverheadTotals {
    /// Adds the overheads of another case.
    pub fn merge(&mut self, other: &Self) {
        let pairs = [
            (&mut self.inputs, other.inputs),
            (&mut self.judged, other.judged),
            (&mut self.calls, other.calls),
        ];
        for (own, other) in pairs {
            own.add(other.count, Duration::from_nanos(other.total_ns));
        }
    }
}

/// Number and total time of repetitions of one piece of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkTotal {
    /// Number of repetitions.
    pub count: u64,
    /// Total time, in nanoseconds.
    pub total_ns: u64,
}

impl WorkTotal {
    /// Adds `count` repetitions that took `time` together.
    pub fn add(&mut self, count: u64, time: Duration) {
        self.count = self.count.saturating_add(count);
        let ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.total_ns = self.total_ns.saturating_add(ns);
    }

    /// Returns the mean time in nanoseconds; 0 if there were no repetitions.
    pub fn mean_ns(&self) -> f64 {
        self.total_ns as f64 / self.count.max(1) as f64
    }
}

/// Fills in the overheads of instances that a replica did not draw: the mean of the others', with
/// inputs as large as the largest.
pub fn fill_unknown(
    totals_by_case: &[OverheadTotals],
    overhead: impl Fn(&OverheadTotals) -> CaseOverhead,
    overheads: &mut [CaseOverhead],
    input_bytes: &mut [u64],
) {
    let mut together = OverheadTotals::default();
    for totals in totals_by_case {
        together.merge(totals);
    }
    let largest = input_bytes.iter().copied().max().unwrap_or(0);
    for (case, totals) in totals_by_case.iter().enumerate() {
        if *totals == OverheadTotals::default() {
            overheads[case] = overhead(&together);
            input_bytes[case] = largest;
        }
    }
}
