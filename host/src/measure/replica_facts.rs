//! What a replica says of itself beside its samples.

use bakeoff_domain::measurement::Baseline;

/// Pairs of clock readings whose median is the cost of the clock.
const CLOCK_READINGS: usize = 65;

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
pub(super) fn preemptions() -> u64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is a valid place for what the call writes, and all-zero bytes are valid.
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init()
    };
    usage.ru_nivcsw.unsigned_abs()
}
