//! Facts that a replica reports beside its samples: clocks, baselines, context switches.

use super::overheads::OverheadTotals;
use bakeoff_domain::measurement::{Baseline, PartTimes};
use bakeoff_sandbox::{CpuWallTime, Lowering};
use serde::{Deserialize, Serialize};

/// The facts that a replica reports beside its samples.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReplicaFacts {
    /// The baseline of each case.
    pub baselines: Vec<Baseline>,
    /// CPU time of the first call on a fresh instance in nanoseconds, by variant.
    pub cold_ns: Vec<Option<u64>>,
    /// Times of the parts of calls, where they are worth a report; each variant and case at most once.
    pub parts: Vec<PartTimes>,
    /// The most bytes of one input with its answer, as the host holds them, by case.
    pub input_bytes: Vec<u64>,
    /// Cost of reading the thread clock, in nanoseconds.
    pub clock_ns: f64,
    /// Cost of reading the monotonic clock, in nanoseconds.
    pub cheap_clock_ns: f64,
    /// CPU time of the contention probe, the median of readings between the samples, in
    /// nanoseconds.
    pub contention_probe_ns: Option<f64>,
    /// The mean ratio of the contention probe's two pieces.
    pub core_contention: Option<f64>,
    /// True if timed instances came from a pool.
    pub pooled: bool,
    /// True if all of every call was timed, what the host does for it included.
    pub all_timed: bool,
    /// The number of involuntary context switches.
    pub preemptions: u64,
    /// The number of calls of guest code, warm-up included.
    pub calls: u64,
    /// Wall time of warm-up and blocks, in nanoseconds.
    pub work_ns: u64,
    /// The guest's time in all calls.
    pub guest: CpuWallTime,
    /// Wall time around the calls, by case.
    pub overheads: Vec<OverheadTotals>,
}

/// Pairs of clock readings whose median is the cost of the clock.
const CLOCK_READINGS: usize = 65;

/// Calls of the no-op component for each sample: enough for a median over the blocks.
const BASELINE_CALLS: usize = 16;

/// The number of untimed pieces of the arguments from which on lowering them takes far longer than the no-op call
/// itself. That component is then called once, and for the first [`BLOCKS_OF_MANY`] samples only.
const PIECES_MANY: u64 = 1_000;
const BLOCKS_OF_MANY: usize = 3;

/// Returns the number of calls of the no-op component for a sample whose inputs are lowered like this, after `blocks`
/// earlier samples.
pub(super) fn baseline_calls(blocks: usize, lowering: impl Iterator<Item = Lowering>) -> usize {
    let mut lowering = lowering;
    if lowering.any(|lowering| matches!(lowering, Lowering::Untimed(PIECES_MANY..))) {
        usize::from(blocks < BLOCKS_OF_MANY)
    } else {
        BASELINE_CALLS
    }
}

/// Returns the upper medians of the times of a call that does nothing.
pub(super) fn baseline(samples: &[Baseline]) -> Baseline {
    let of = |clock: fn(&Baseline) -> f64| {
        let mut values: Vec<f64> = samples.iter().map(clock).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    };
    Baseline {
        cpu_ns: of(|clocks| clocks.cpu_ns),
        wall_ns: of(|clocks| clocks.wall_ns),
    }
}

/// Returns the upper median; `None` for no values.
pub(super) fn median(values: &mut [u64]) -> Option<f64> {
    values.sort_unstable();
    values.get(values.len() / 2).map(|value| *value as f64)
}

/// Returns the resolution of a clock in nanoseconds: the median difference of two readings in a row.
pub(super) fn clock_cost_ns(read: fn() -> u64) -> f64 {
    let mut costs: Vec<u64> = (0..CLOCK_READINGS)
        .map(|_| {
            let before = read();
            read() - before
        })
        .collect();
    costs.sort_unstable();
    costs[CLOCK_READINGS / 2] as f64
}

/// Returns the number of involuntary context switches of this thread.
#[cfg(target_os = "linux")]
pub(super) fn preemptions() -> u64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is a valid place for what the call writes, and all-zero bytes are valid.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    usage.ru_nivcsw.unsigned_abs()
}

/// Returns 0 where the system does not count them for a thread. No runner is started there.
#[cfg(not(target_os = "linux"))]
pub(super) fn preemptions() -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_does_nothing_is_made_less_often_where_its_arguments_take_long() {
        let calls =
            |blocks, lowering: &[Lowering]| baseline_calls(blocks, lowering.iter().copied());
        let (few, many) = (Lowering::Untimed(999), Lowering::Untimed(1_000));
        for blocks in [0, 2, 3, 15] {
            assert_eq!(calls(blocks, &[few, few]), 16);
            // Their clocks are part of what is subtracted.
            assert_eq!(calls(blocks, &[Lowering::Timed(20_000)]), 16);
            assert_eq!(calls(blocks, &[few, many]), usize::from(blocks < 3));
        }
    }
}
