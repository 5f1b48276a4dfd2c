//! The clocks that trials are timed by: how fine they are, and what reading them costs.

use super::facts::{Clock, Clocks};
use crate::sandbox::Clocks as Timed;
use bakeoff_domain::plan;
use rustix::time::ClockId;

/// Readings of a clock.
const READINGS: usize = 4_096;

/// Batches of readings, of which the median one is believed.
const BATCHES: usize = 9;

/// Looks at both.
pub(super) fn examine() -> Clocks {
    let thread_cpu = clock(ClockId::ThreadCPUTime);
    Clocks {
        thread_cpu,
        monotonic: clock(ClockId::Monotonic),
        call_ns_min: plan::call_ns_min(thread_cpu.cost_ns.max(thread_cpu.step_ns)),
    }
}

fn clock(id: ClockId) -> Clock {
    let mut costs = Vec::with_capacity(BATCHES);
    let mut step = u64::MAX;
    for _ in 0..BATCHES {
        let first = Timed::read(id);
        let mut last = first;
        for _ in 0..READINGS {
            let now = Timed::read(id);
            if now > last {
                step = step.min(now - last);
            }
            last = now;
        }
        costs.push((last - first) as f64 / READINGS as f64);
    }
    costs.sort_by(f64::total_cmp);
    Clock {
        step_ns: step as f64,
        cost_ns: costs[BATCHES / 2],
    }
}
