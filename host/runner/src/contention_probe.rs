//! The contention probe: two fixed pieces of work that show how much of its physical core a thread
//! has.
//!
//! Steal time and load show other work that takes the core away. They do not show work that shares
//! the core: the other hardware thread, which may belong to another machine, takes execution units,
//! and work that fills these takes longer. So it does where the core's frequency falls; work that waits for its
//! own results takes longer by that alone. The ratio of the two shows who else is on the core, and
//! nothing of its frequency.

use bakeoff_domain::stats::quantile;
use bakeoff_sandbox::CpuWallTime;
use std::hint::black_box;

/// Rounds of the work that fills the core: some tens of microseconds, well above the clock resolution.
const ROUNDS: u64 = 24_000;
/// Multiplications, each of which waits for the one before: some tens of microseconds.
const MULTIPLICATIONS: u64 = 24_000;
/// Rounds of either piece before it is timed.
const BRIEF: u64 = 1_000;
/// The quantile of ratios that bounds them from below: a smaller ratio counts as this one.
const LOW_QUANTILE: f64 = 0.1;
/// The largest ratio that counts, as a multiple of the low one: a neighbour that fills the core takes half of it, and a
/// larger ratio has another cause, which came between two readings of the clock.
const RATIO_MAX: f64 = 2.0;

/// The probe's readings in a process.
#[derive(Debug, Default)]
pub struct ContentionReadings {
    filling_ns: Vec<u64>,
    ratios: Vec<f64>,
}

impl ContentionReadings {
    /// Takes a reading, and returns its ratio.
    pub fn read(&mut self) -> f64 {
        let (ratio, filling_ns) = ratio_and_filling_ns();
        self.ratios.push(ratio);
        self.filling_ns.push(filling_ns);
        ratio
    }

    /// The times of the work that fills the core, in nanoseconds.
    pub(super) fn filling_ns(&mut self) -> &mut [u64] {
        &mut self.filling_ns
    }

    /// Returns the mean ratio of the two pieces; `None` without readings. It grows with the share of readings in which
    /// the core was shared, where a median would be blind to fewer than half of them. Very low ratios are raised to a
    /// low quantile: an event between two readings of the clock may make a ratio smaller, too.
    pub fn mean_ratio(&self) -> Option<f64> {
        let low = quantile(&mut self.ratios.clone(), LOW_QUANTILE)?;
        let counted = self.ratios.iter();
        let counted = counted.map(|ratio| ratio.clamp(low, RATIO_MAX * low));
        Some(counted.sum::<f64>() / self.ratios.len() as f64)
    }
}

/// Returns the ratio of the two pieces now, and the time of the first one in nanoseconds. Both run for a moment before:
/// other code may have driven theirs out of the caches, and must not decide the reading.
fn ratio_and_filling_ns() -> (f64, u64) {
    black_box(fill(black_box(BRIEF)) ^ wait(black_box(BRIEF)));
    let filling_ns = contention_probe_ns();
    let waiting_ns = time_ns(|| wait(black_box(MULTIPLICATIONS)));
    (filling_ns as f64 / waiting_ns.max(1) as f64, filling_ns)
}

/// Returns the CPU time that the work that fills the core takes on this thread now, in nanoseconds.
pub fn contention_probe_ns() -> u64 {
    time_ns(|| fill(black_box(ROUNDS)))
}

fn time_ns(work: impl FnOnce() -> u64) -> u64 {
    let before = CpuWallTime::thread_cpu_ns();
    black_box(work());
    CpuWallTime::thread_cpu_ns().saturating_sub(before)
}

/// Runs three independent chains of additions and shifts, without memory access. Together they fill every execution
/// unit; a single chain would wait for its own results, and another user of the units would not slow it down.
#[inline(never)]
fn fill(rounds: u64) -> u64 {
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

/// Runs a single chain of multiplications, without memory access, each of which waits for the one before.
#[inline(never)]
fn wait(multiplications: u64) -> u64 {
    let mut product = 3_u64;
    for round in 0..multiplications {
        // Any odd number; the other operand keeps two multiplications from being made one.
        product = product.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ round;
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_crowded_readings_moves_the_mean_and_no_outlier_does() {
        let readings = |ratios: &[f64]| ContentionReadings {
            filling_ns: Vec::new(),
            ratios: ratios.to_vec(),
        };
        assert_eq!(readings(&[]).mean_ratio(), None);
        assert_eq!(readings(&[1.0, 1.0, 1.0, 1.4]).mean_ratio(), Some(1.1));
        assert_eq!(readings(&[1.0, 1.0, 1.0, 900.0]).mean_ratio(), Some(1.25));
        let with_a_small_one = [&[0.1][..], &[1.0; 10], &[1.5; 9]].concat();
        let mean = readings(&with_a_small_one).mean_ratio();
        assert!(
            mean.is_some_and(|mean| (mean - 1.225).abs() < 1e-9),
            "{mean:?}"
        );
    }

    #[test]
    fn readings_are_times_of_two_pieces() {
        let mut readings = ContentionReadings::default();
        readings.read();
        readings.read();
        assert_eq!(readings.filling_ns().len(), 2);
        assert!(readings.mean_ratio().is_some_and(|ratio| ratio > 0.0));
    }
}
