//! Calls that are too short for the thread's CPU clock, and are timed by a cheaper one.

use super::pilot::PilotTimes;
use super::too_short::TooShort;
use crate::measurement::{CaseIndex, VariantIndex};
use serde::{Deserialize, Serialize};

/// A call shorter than this many times the clock resolution is not timed by the CPU clock.
const CALL_RESOLUTIONS: f64 = 20.0;
/// Largest number of calls of a sample of short ones: each takes an input and a fresh instance, and so far longer than
/// itself.
const CALLS_MAX: u32 = 1_000;
/// The share of a call that does nothing by which a time may be wrong: what the processor does beside
/// reading a clock depends on what comes next.
const UNCERTAIN_SHARE: f64 = 0.1;

/// The CPU clock takes this many times as long to read as a clock that is cheap enough for short calls.
const CHEAP_CLOCK_RATIO: f64 = 4.0;

/// The shortest call that the CPU clock times, in nanoseconds: 20 q, with q its resolution.
pub fn call_ns_min(clock_ns: f64) -> f64 {
    CALL_RESOLUTIONS * clock_ns
}

/// The shortest call of a program, in nanoseconds: the exchange with its host takes microseconds, of which as much is
/// subtracted, and what is left of shorter ones is mostly its error.
const PROGRAM_CALL_NS_MIN: f64 = 1_000.0;

/// Returns true if calls that are too short for the CPU clock can be timed by another one, given what
/// reading each takes in nanoseconds.
pub fn is_cheap_clock(clock_ns: f64, other_ns: f64) -> bool {
    CHEAP_CLOCK_RATIO * other_ns <= clock_ns
}

/// About the shortest call that can get a verdict on a machine, in nanoseconds, given what reading the CPU
/// clock and the monotonic one take: what may be wrong of a call that is timed by the cheaper one, or what
/// the CPU clock times.
pub fn shortest_call_ns(clock_ns: f64, other_ns: f64) -> f64 {
    if is_cheap_clock(clock_ns, other_ns) {
        // A call that does nothing takes some four readings.
        4.0 * UNCERTAIN_SHARE * other_ns
    } else {
        call_ns_min(clock_ns)
    }
}

/// A case whose calls are timed by the cheaper clock, for all variants alike.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShortCase {
    /// The case.
    pub case: CaseIndex,
    /// Error that the time of a call may have, in nanoseconds: it takes the place of the clock's resolution.
    pub uncertain_ns: f64,
}

/// Facts about short calls that are known before a sampling is chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShortCalls {
    /// True if calls can be timed by the cheaper clock on this machine, in this race.
    pub can_be_timed: bool,
    /// Cases that the pilot timed by the cheaper clock.
    pub timed: Vec<ShortCase>,
    /// Times of a call that does nothing, by case, in nanoseconds.
    pub nothing_ns: Vec<f64>,
    /// The variants that are programs, which no cheaper clock times.
    pub programs: Vec<VariantIndex>,
}

impl ShortCalls {
    fn is_timed(&self, case: CaseIndex) -> bool {
        self.timed.iter().any(|short| short.case == case)
    }

    /// Time of a call that does nothing on a case, in nanoseconds; for an instance that the pilot did not draw, the
    /// longest of all cases.
    fn nothing_ns(&self, case: CaseIndex) -> f64 {
        let own = self.nothing_ns.get(case).copied().unwrap_or(0.0);
        let longest = self.nothing_ns.iter().copied().fold(0.0, f64::max);
        if own > 0.0 { own } else { longest }
    }

    /// The cases on which some call of the pilot is too short for the CPU clock, and those that were found
    /// before, ascending.
    pub(super) fn find(&self, pilot: &PilotTimes, cases: usize, clock_ns: f64) -> Vec<ShortCase> {
        let is_short = |case: &CaseIndex| {
            let variants = pilot.variants().into_iter();
            let mut calls = variants.filter_map(|variant| pilot.call_ns(variant, *case));
            self.is_timed(*case) || calls.any(|call_ns| call_ns < call_ns_min(clock_ns))
        };
        let short = (0..cases).filter(|case| self.can_be_timed && is_short(case));
        let short = short.map(|case| ShortCase {
            case,
            uncertain_ns: UNCERTAIN_SHARE * self.nothing_ns(case),
        });
        short.collect()
    }

    /// The calls that cannot be timed: those of programs alone, if the cheaper clock can be used.
    pub(super) fn too_short(
        &self,
        pilot: &PilotTimes,
        cases: usize,
        clock_ns: f64,
    ) -> Vec<TooShort> {
        let variants = pilot.variants().into_iter();
        let rows = variants.flat_map(|variant| (0..cases).map(move |case| (variant, case)));
        let short = rows.filter_map(|(variant, case)| {
            let call_ns = pilot.call_ns(variant, case)?;
            let call_ns_min = if self.programs.contains(&variant) {
                call_ns_min(clock_ns).max(PROGRAM_CALL_NS_MIN)
            } else if self.can_be_timed {
                0.0
            } else {
                call_ns_min(clock_ns)
            };
            let is_too_short = call_ns < call_ns_min;
            is_too_short.then_some(TooShort {
                variant,
                case,
                call_ns,
                call_ns_min,
            })
        });
        short.collect()
    }
}

/// The most calls of a sample on a case.
pub(super) fn calls_max(short: &[ShortCase], case: CaseIndex) -> u32 {
    if short.iter().any(|short| short.case == case) {
        CALLS_MAX
    } else {
        u32::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::{Metric, Replica, Surroundings};

    /// A pilot with the given call times, by variant, by case.
    fn pilot(times_ns: &[&[u64]]) -> PilotTimes {
        let nothing = Replica {
            index: 0,
            solo: true,
            samples: Vec::new(),
            baselines: Vec::new(),
            cold_ns: Vec::new(),
            parts: Vec::new(),
            surroundings: Surroundings::default(),
        };
        let mut times = PilotTimes::new(&nothing, Metric::Cpu);
        for (variant, cases) in times_ns.iter().enumerate() {
            for (case, call_ns) in cases.iter().enumerate() {
                times.assume(variant, case, *call_ns as f64);
            }
        }
        times
    }

    /// A call that does nothing takes 80 ns by the cheaper clock, and 1 µs by the other.
    fn short_calls(can_be_timed: bool, timed: &[CaseIndex]) -> ShortCalls {
        let timed = timed.iter().map(|case| ShortCase {
            case: *case,
            uncertain_ns: 8.0,
        });
        ShortCalls {
            can_be_timed,
            timed: timed.collect(),
            nothing_ns: vec![80.0, 80.0, 1_000.0],
            programs: Vec::new(),
        }
    }

    #[test]
    fn a_case_with_one_short_call_is_timed_by_the_cheaper_clock_for_all() {
        let pilot = pilot(&[&[5, 50_000, 50_000], &[300_000, 9_000, 50_000]]);
        let cases = |short: ShortCalls| -> Vec<(CaseIndex, f64)> {
            let found = short.find(&pilot, 3, 500.0).into_iter();
            found
                .map(|short| (short.case, short.uncertain_ns))
                .collect()
        };
        assert_eq!(cases(short_calls(true, &[])), [(0, 8.0), (1, 8.0)]);
        assert_eq!(
            cases(short_calls(true, &[2])),
            [(0, 8.0), (1, 8.0), (2, 100.0)]
        );
        assert_eq!(cases(short_calls(false, &[])), []);
        let mut unknown = short_calls(true, &[]);
        unknown.nothing_ns[1] = 0.0;
        assert_eq!(cases(unknown), [(0, 8.0), (1, 100.0)]);
    }

    #[test]
    fn without_a_cheaper_clock_short_calls_are_not_timed() {
        let pilot = pilot(&[&[1, 1, 50_000], &[3, 9_000, 50_000]]);
        let found = |short: ShortCalls| -> Vec<(usize, CaseIndex, f64)> {
            let found = short.too_short(&pilot, 3, 500.0).into_iter();
            let found = found.map(|one| (one.variant, one.case, one.call_ns_min));
            found.collect()
        };
        assert_eq!(found(short_calls(true, &[0, 1])), []);
        let least = 10_000.0;
        let expected = [(0, 0, least), (0, 1, least), (1, 0, least), (1, 1, least)];
        assert_eq!(found(short_calls(false, &[])), expected);
        // What is left of the exchange with a program is no time of its calls.
        let precise = |programs: Vec<usize>| {
            let short = ShortCalls {
                programs,
                ..short_calls(true, &[])
            };
            let found = short.too_short(&pilot, 3, 20.0).into_iter();
            let found = found.map(|one| (one.variant, one.case, one.call_ns_min));
            found.collect::<Vec<_>>()
        };
        assert_eq!(precise(vec![]), []);
        assert_eq!(precise(vec![1]), [(1, 0, 1_000.0)]);
    }
}
