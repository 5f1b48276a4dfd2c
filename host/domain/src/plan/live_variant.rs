//! Variants as they take part in replicas: in full, or with single calls on some cases.

use crate::measurement::{CaseIndex, VariantIndex};
use serde::{Deserialize, Serialize};

/// Added to the index of a replica, so that the first one, on which all the others depend, has single calls
/// only of those that make them in every replica, and the replicas that run alone have no more of them
/// than others. The same for all: whoever makes them seldom meets those that make them more often.
const FIRST_OFFSET: u32 = 3;

/// The cases on which a variant makes single calls instead of full samples, because it is far slower
/// than the best there. Fixed by the pilot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SingleCalls {
    /// The variant.
    pub variant: VariantIndex,
    /// The cases, ascending; at least one.
    pub cases: Vec<CaseIndex>,
    /// It makes them in every so many-th replica, so that they take no more than their share of the time; 0 if one call takes more than that, and none is made.
    pub every: u32,
}

/// A variant that takes part in a replica.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveVariant {
    /// The variant.
    pub variant: VariantIndex,
    /// The cases on which it makes single calls instead of full samples, ascending.
    pub single_calls: Vec<CaseIndex>,
    /// It makes them in every so many-th replica; 0 for none.
    pub single_calls_every: u32,
}

impl LiveVariant {
    /// A variant that makes full samples on every case.
    pub fn full(variant: VariantIndex) -> Self {
        Self {
            variant,
            single_calls: Vec::new(),
            single_calls_every: 1,
        }
    }

    /// A variant with the single calls that it has among `single_calls`.
    pub fn new(variant: VariantIndex, single_calls: &[SingleCalls]) -> Self {
        let own = single_calls.iter().find(|own| own.variant == variant);
        own.map_or_else(
            || Self::full(variant),
            |own| Self {
                variant,
                single_calls: own.cases.clone(),
                single_calls_every: own.every,
            },
        )
    }

    /// Returns true if it makes single calls on a case, in whatever replica.
    pub fn makes_single_calls_on(&self, case: CaseIndex) -> bool {
        self.single_calls.binary_search(&case).is_ok()
    }

    /// Returns true if it makes its single calls in the replica of this index.
    pub fn makes_single_calls_in(&self, index: u32) -> bool {
        let place = index.wrapping_add(FIRST_OFFSET);
        !self.single_calls.is_empty() && place.checked_rem(self.single_calls_every) == Some(0)
    }
}
