//! Clock of the allocator's calls while arguments are lowered, and whether their time counts.

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
