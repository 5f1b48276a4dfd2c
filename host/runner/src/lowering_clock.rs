//! Clock of the allocator's calls while arguments are lowered, and whether their time counts.

use bakeoff_sandbox::Lowering;
use serde::{Deserialize, Serialize};

/// The clock of the calls by which memory for arguments is asked for: the same for all variants of a
/// race, since it is a part of their times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoweringClock {
    /// A cheap clock: what a call leaves behind decides how long our allocator looks for memory in the next; or a
    /// component brings an allocator, of which so few calls are made that nothing worth the while hides beside them.
    Cheap,
    /// No clock: all variants have our allocator, on fresh memory. It does the same work for each of them, and reading
    /// a clock takes longer than it does.
    None,
    /// The clock of the call, from before its arguments are lowered until its answer was lifted: a component that brings
    /// an allocator could do its work there, in pieces of which each takes no longer than reading a clock does, or than
    /// the host's work beside it. That work is the same for every variant, and counts. Calls that need no memory for
    /// arguments are timed as with [`None`](Self::None).
    All,
}

/// The most calls of somebody else's allocator, for the arguments of a call, that are timed one by one. Of each some tens of
/// nanoseconds could hide beside the host's work, and before the first of them no argument is known.
const TIMED_MAX: u64 = 4;

impl LoweringClock {
    /// Returns the clock for a function whose calls ask for memory at most so many times, if there is such a number.
    pub(super) fn for_calls(self, allocations_max: Option<u64>) -> Self {
        match (self, allocations_max) {
            (Self::All, Some(0..=TIMED_MAX)) => Self::Cheap,
            _ => self,
        }
    }

    /// Returns the first `entries` of a call, which are those of the allocator, with this clock.
    pub(super) fn entries(self, entries: u64) -> Lowering {
        match self {
            Self::Cheap => Lowering::Timed(entries),
            Self::None | Self::All => Lowering::Untimed(entries),
        }
    }

    /// Returns the entries of a short call, in which the cheap clock times all the rest too.
    pub(super) fn of_short_call(self, entries: u64) -> Lowering {
        match self {
            Self::Cheap => Lowering::ThenCheaply(0),
            Self::None | Self::All => Lowering::ThenCheaply(entries),
        }
    }
}
