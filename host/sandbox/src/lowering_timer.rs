//! The time of the allocator while arguments are lowered, one call of it for each string and list; and
//! of short calls.
//!
//! The thread's CPU clock is a system call of half a microsecond, ten times as long as such a call: with
//! 20,000 strings, reading it would be most of what is measured. The monotonic clock takes a
//! twentieth of that, as it is read without a system call, but it also runs while the thread does
//! not. So what is long enough to hide that is held against the CPU clock, and so is the sum.

use super::cpu_wall_time::CpuWallTime;
use rustix::time::ClockId;

/// The longest time that counts without a look at the CPU clock: some 40 times what that look takes.
/// A thread that loses its core loses it for longer, or for too short a time to matter.
const UNVERIFIED_NS: u64 = 20_000;

/// Timer that adds up the CPU time of the announced number of entries.
#[derive(Debug, Default)]
pub(super) struct LoweringTimer {
    expected: u64,
    cpu_ns: u64,
    /// CPU time of the thread at the first entry.
    began_cpu_ns: Option<u64>,
    /// Both clocks, read at the same moment, at most one unverified stretch ago.
    verified: CpuWallTime,
    entered_ns: u64,
    left_ns: u64,
}

impl LoweringTimer {
    /// A timer of the next `expected` entries.
    pub(super) fn expecting(expected: u64) -> Self {
        Self {
            expected,
            ..Self::default()
        }
    }

    /// Returns true if the next entry is one of those that it times.
    #[inline]
    pub(super) fn is_expecting(&self) -> bool {
        self.expected > 0
    }

    /// Begins an entry.
    #[inline]
    pub(super) fn enter(&mut self) {
        let now = monotonic_ns();
        let verified = self.began_cpu_ns.is_some() && now - self.left_ns <= UNVERIFIED_NS;
        self.entered_ns = if verified { now } else { self.verify() };
        self.began_cpu_ns.get_or_insert(self.verified.cpu_ns);
    }

    /// Ends an entry, and returns its wall time in nanoseconds.
    #[inline]
    pub(super) fn leave(&mut self) -> u64 {
        let now = monotonic_ns();
        let wall_ns = now - self.entered_ns;
        self.left_ns = now;
        self.cpu_ns += match wall_ns {
            0..=UNVERIFIED_NS => wall_ns,
            _ => {
                let before = self.verified;
                self.left_ns = self.verify();
                let ran_ns = self.verified.cpu_ns.saturating_sub(before.cpu_ns);
                let stopped_ns = (now - before.wall_ns).saturating_sub(ran_ns);
                wall_ns.saturating_sub(stopped_ns)
            }
        };
        self.expected -= 1;
        wall_ns
    }

    /// Reads both clocks, and returns the monotonic one.
    fn verify(&mut self) -> u64 {
        let cpu_ns = CpuWallTime::thread_cpu_ns();
        let wall_ns = monotonic_ns();
        self.verified = CpuWallTime { cpu_ns, wall_ns };
        wall_ns
    }

    /// Returns the CPU time of all entries so far, which is no more than the thread had from the first
    /// one until `cpu_ns`, a reading of its clock.
    pub(super) fn cpu_ns(&self, until_cpu_ns: u64) -> u64 {
        let began = self.began_cpu_ns.unwrap_or(until_cpu_ns);
        self.cpu_ns.min(until_cpu_ns.saturating_sub(began))
    }

    /// Returns true if there was an entry.
    pub(super) fn has_begun(&self) -> bool {
        self.began_cpu_ns.is_some()
    }
}

#[inline]
fn monotonic_ns() -> u64 {
    CpuWallTime::read(ClockId::Monotonic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;
    use std::thread::sleep;
    use std::time::Duration;

    /// CPU time of this thread, in nanoseconds.
    fn used(act: impl FnOnce()) -> u64 {
        let before = CpuWallTime::thread_cpu_ns();
        act();
        CpuWallTime::thread_cpu_ns() - before
    }

    fn work() {
        black_box(
            (0..black_box(3_000_000_u64)).fold(0, |sum: u64, number| sum ^ black_box(number)),
        );
    }

    fn rest() {
        sleep(Duration::from_millis(50));
    }

    /// A timer with one entry, after `before`, in which `inside` happens; and its result.
    fn one_entry(before: impl FnOnce(), inside: impl FnOnce()) -> u64 {
        let mut timer = LoweringTimer::expecting(2);
        timer.enter();
        timer.leave();
        before();
        timer.enter();
        inside();
        timer.leave();
        assert!(!timer.is_expecting());
        timer.cpu_ns(CpuWallTime::thread_cpu_ns())
    }

    /// Returns true if `holds` does in one of 40 tries: a right timer passes whenever the thread does not lose its core
    /// between two readings, a wrong one never.
    fn sometimes(holds: impl Fn() -> bool) -> bool {
        (0..40).any(|_| holds())
    }

    #[test]
    fn time_without_the_core_is_nobodys() {
        let mut counted = 0;
        let all = used(|| counted = one_entry(|| {}, rest));
        assert!(counted <= all, "{counted} of {all} ns");
        // Also where there was enough of it outside to hide it from the bound on the sum.
        assert!(sometimes(|| one_entry(work, rest) < used(work) / 2));
    }

    #[test]
    fn time_without_the_core_outside_takes_nothing_from_work_inside() {
        assert!(sometimes(|| {
            let mut inside = 0;
            let counted = one_entry(rest, || inside = used(work));
            counted > inside / 2
        }));
    }

    #[test]
    fn the_sum_is_bounded_by_what_the_thread_had() {
        let mut timer = LoweringTimer::expecting(u64::MAX);
        timer.enter();
        let began = timer.verified.cpu_ns;
        timer.leave();
        timer.cpu_ns += 1_000_000_000;
        assert_eq!(timer.cpu_ns(began + 7), 7);
        assert_eq!(timer.cpu_ns(began), 0);
        assert_eq!(LoweringTimer::default().cpu_ns(began), 0);
    }
}
