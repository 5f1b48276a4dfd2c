//! The clocks of trials: their resolution, and the duration of a reading.

use super::facts::{ClockFacts, ClocksFacts};
use crate::sandbox::CpuWallTime;
use bakeoff_domain::plan;
use rustix::time::ClockId;

/// Number of readings of a clock in a batch.
const READINGS: usize = 4_096;

/// Number of batches; the median one counts.
const BATCHES: usize = 9;

/// Examines both clocks.
pub(super) fn examine() -> ClocksFacts {
    let thread_cpu = clock(ClockId::ThreadCPUTime);
    ClocksFacts {
        thread_cpu,
        monotonic: clock(ClockId::Monotonic),
        call_ns_min: plan::call_ns_min(thread_cpu.cost_ns.max(thread_cpu.step_ns)),
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
