//! A simulation of a run with many machines of one core each.
//!
//! Machines are served in the order in which they become free. What each task costs the run and the server, and the bytes of
//! its content, pass through one resource after the other, as through one thread and one cable; its way there and back and its
//! own time pass beside those of all others. A machine has one task at a time, as in a run: no task is sent ahead.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

/// Costs of a candidate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    /// Time that it takes by itself.
    pub(crate) candidate: Duration,
    /// Time that each task takes from all others, at the run and the server.
    pub(crate) per_task: Duration,
    /// Time of the way there and back.
    pub(crate) round_trip: Duration,
    /// Time of its content through the server, there and back.
    pub(crate) content: Duration,
}

/// Returns how many times as fast as one machine so many are, over their number.
pub(crate) fn efficiency(candidates: usize, machines: usize, costs: &Costs) -> f64 {
    let one = makespan(candidates, 1, costs).as_secs_f64();
    one / (machines as f64 * makespan(candidates, machines, costs).as_secs_f64())
}

/// Returns the time until the last candidate is done.
fn makespan(candidates: usize, machines: usize, costs: &Costs) -> Duration {
    let mut free: BinaryHeap<Reverse<Duration>> = BinaryHeap::new();
    free.extend((0..machines).map(|_| Reverse(Duration::ZERO)));
    let mut shared_until = Duration::ZERO;
    let mut last = Duration::ZERO;
    for _ in 0..candidates {
        let Some(Reverse(at)) = free.pop() else {
            break;
        };
        shared_until = shared_until.max(at) + costs.per_task + costs.content;
        let done = shared_until + costs.round_trip + costs.candidate;
        last = last.max(done);
        free.push(Reverse(done));
    }
    last
}
