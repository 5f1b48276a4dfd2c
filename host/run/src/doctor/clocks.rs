//! The clocks of trials: their resolution, and the duration of a reading.

use super::facts::{ClockFacts, ClocksFacts};
use bakeoff_domain::plan;
use bakeoff_sandbox::CpuWallTime;
use rustix::time::ClockId;

/// Number of readings of a clock in a batch.
const READINGS: usize = 4_096;

/// Number of batches; the median one counts.
const BATCHES: usize = 9;

/// Examines both clocks.
pub(super) fn examine() -> ClocksFacts {
    let thread_cpu = clock(ClockId::ThreadCPUTime);
    let monotonic = clock(ClockId::Monotonic);
    let resolution_ns = |clock: ClockFacts| clock.cost_ns.max(clock.step_ns);
    ClocksFacts {
        thread_cpu,
        monotonic,
        call_ns_min: plan::shortest_call_ns(resolution_ns(thread_cpu), resolution_ns(monotonic)),
    }
}

fn clock(id: ClockId) -> ClockFacts {
    let mut costs = Vec::with_capacity(BATCHES);
    let mut step = u64::MAX;
    for _ in 0..BATCHES {
        let first = CpuWallTime::read(id);
        let mut last = first;
        for _ in 0..READINGS {
            let now = CpuWallTime::read(id);
            if now > last {
                step = step.min(now - last);
            }
            last = now;
        }
        costs.push((last - first) as f64 / READINGS as f64);
    }
    costs.sort_by(f64::total_cmp);
    ClockFacts {
        step_ns: step as f64,
        cost_ns: costs[BATCHES / 2],
    }
}
