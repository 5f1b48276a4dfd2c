//! The contention probe: a fixed piece of work that shows how much of its physical core a thread
//! has.
//!
//! Steal time and load show other work that takes the core away. They do not show work that shares
//! the core: the other hardware thread, which may belong to another machine, takes execution units,
//! and the same instructions take longer.

use crate::sandbox::CpuWallTime;
use std::hint::black_box;

/// Rounds of work: some tens of microseconds, well above the clock resolution.
const ROUNDS: u64 = 24_000;

/// Returns the CPU time that the probe takes on this thread now, in nanoseconds.
pub fn contention_probe_ns() -> u64 {
    let before = CpuWallTime::thread_cpu_ns();
    black_box(work(black_box(ROUNDS)));
    CpuWallTime::thread_cpu_ns().saturating_sub(before)
}

/// Runs three independent chains of additions and shifts, without memory access. Together they fill
/// every execution unit; a single chain would wait for its own results, and not be slowed down by
/// another user of the other units.
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
