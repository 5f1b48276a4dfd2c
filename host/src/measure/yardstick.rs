//! A fixed piece of work that shows how much of its physical core a thread has.
//!
//! Steal time and load tell of others who take the core away. Those who share it while we run are
//! seen by neither: the other hardware thread of the core, which may be another machine's, takes
//! execution units, and the same instructions take longer.

use crate::sandbox::Clocks;
use std::hint::black_box;

/// Rounds of work: some tens of microseconds, well above the granularity of the thread's clock.
const ROUNDS: u64 = 24_000;

/// CPU time of the work on this thread now, in nanoseconds.
pub fn yardstick_ns() -> u64 {
    let before = Clocks::thread_cpu_ns();
    black_box(work(black_box(ROUNDS)));
    Clocks::thread_cpu_ns().saturating_sub(before)
}

/// Three independent chains of additions and shifts, more than enough for every execution unit, and
/// no memory: a chain of its own would wait for itself, and not notice who uses the other units.
#[inline(never)]
fn work(rounds: u64) -> u64 {
    let [mut a, mut b, mut c, mut d, mut e, mut f] = [1_u64, 2, 3, 4, 5, 6];
    for round in 0..rounds {
        a = a.wrapping_add(round ^ b);
        c = c.wrapping_add(round ^ d);
        e = e.wrapping_add(round ^ f);
        b ^= a >> 3;
        d ^= c >> 5;
        f ^= e >> 7;
    }
    a ^ b ^ c ^ d ^ e ^ f
}
