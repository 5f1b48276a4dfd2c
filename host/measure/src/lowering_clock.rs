//! Clock of the allocator's calls while arguments are lowered, and whether their time counts.

use super::race_types::TimedVariant;
use bakeoff_domain::spec::State;
use bakeoff_sandbox::Lowering;
use serde::{Deserialize, Serialize};

/// The clock of the calls by which memory for arguments is asked for: the same for all variants of a
/// race, since it is a part of their times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoweringClock {
    /// A cheap clock: a component that brings an allocator could hide work in it.
    Cheap,
    /// No clock: all variants have our allocator, on fresh memory. It does the same work for each of them, and reading
    /// a clock takes longer than it does.
    None,
}

impl LoweringClock {
    /// Returns the clock for a race of these variants, also those that have left it.
    pub(super) fn of(timed_variants: &[TimedVariant], state: State) -> Self {
        let ours = timed_variants.iter().all(|variant| variant.our_allocator);
        match state {
            // What a call leaves behind decides how long the allocator looks for memory in the next.
            State::Kept => Self::Cheap,
            State::Pure if ours => Self::None,
            State::Pure => Self::Cheap,
        }
    }

    /// Returns the first `entries` of a call, which are those of the allocator, with this clock.
    pub(super) fn entries(self, entries: u64) -> Lowering {
        match self {
            Self::Cheap => Lowering::Timed(entries),
            Self::None => Lowering::Untimed(entries),
        }
    }

    /// Returns the entries of a short call, in which the cheap clock times all the rest too.
    pub(super) fn of_short_call(self, entries: u64) -> Lowering {
        match self {
            Self::Cheap => Lowering::ThenCheaply(0),
            Self::None => Lowering::ThenCheaply(entries),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_allocator_of_somebody_elses_is_enough_to_time_all() {
        let of = |ours: &[bool], state| {
            let variant = |our_allocator: &bool| TimedVariant {
                timed: Vec::new().into(),
                our_allocator: *our_allocator,
                recodes: false,
                gains_by_state: false,
                files: None,
                peak_bytes: 0,
                fuel: Vec::new(),
                gate_cpu_ns: Vec::new(),
            };
            LoweringClock::of(&ours.iter().map(variant).collect::<Vec<_>>(), state)
        };
        assert_eq!(of(&[true, true], State::Pure), LoweringClock::None);
        assert_eq!(of(&[true, false], State::Pure), LoweringClock::Cheap);
        assert_eq!(of(&[true, true], State::Kept), LoweringClock::Cheap);
    }
}
