//! Calls that are too short to be timed, and the variants that are not timed because of them, so that the others are.

use crate::measurement::{CaseIndex, VariantIndex};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A variant whose calls are too short on a case.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TooShort {
    /// The variant.
    pub variant: VariantIndex,
    /// The case.
    pub case: CaseIndex,
    /// The time of a call, in nanoseconds.
    pub call_ns: f64,
    /// The shortest time that can be measured, in nanoseconds.
    pub call_ns_min: f64,
}

/// The variants that are not timed, ascending. A case on which a call is too short has no verdict; where that leaves
/// fewer than half of the cases, the variant that takes most of them away is left out of the race, and so on. Two are
/// always left; where even that does not help, no variant is left out.
pub(super) fn untimed(
    variants: &[VariantIndex],
    cases: usize,
    too_short: &[TooShort],
) -> Vec<VariantIndex> {
    let mut left: Vec<VariantIndex> = variants.to_vec();
    let cases_of = |variant: VariantIndex| -> BTreeSet<CaseIndex> {
        let own = too_short.iter().filter(|short| short.variant == variant);
        own.map(|short| short.case).collect()
    };
    loop {
        let lost: BTreeSet<CaseIndex> = left.iter().flat_map(|one| cases_of(*one)).collect();
        if 2 * lost.len() <= cases {
            let mut untimed = variants.to_vec();
            untimed.retain(|variant| !left.contains(variant));
            return untimed;
        }
        let most = left.iter().copied().max_by_key(|one| cases_of(*one).len());
        let Some(most) = most.filter(|_| left.len() > 2) else {
            return Vec::new();
        };
        left.retain(|variant| *variant != most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Variants of three that are left out, given the cases that each of them is too short on.
    fn of(cases: usize, short: [&[CaseIndex]; 3]) -> Vec<VariantIndex> {
        let too_short = |(variant, cases): (VariantIndex, &&[CaseIndex])| {
            let short = move |case: &CaseIndex| TooShort {
                variant,
                case: *case,
                call_ns: 1.0,
                call_ns_min: 2.0,
            };
            cases.iter().map(short).collect::<Vec<_>>()
        };
        let too_short: Vec<TooShort> = short.iter().enumerate().flat_map(too_short).collect();
        untimed(&[0, 1, 2], cases, &too_short)
    }

    #[test]
    fn whoever_is_too_quick_for_the_clock_takes_the_timing_from_nobody_else() {
        assert_eq!(of(1, [&[], &[0], &[]]), [1]);
        assert_eq!(of(3, [&[], &[], &[0, 1, 2]]), [2]);
        assert_eq!(of(3, [&[0], &[0, 1], &[]]), [1]);
    }

    #[test]
    fn a_minority_of_cases_is_left_out_for_all() {
        assert!(of(2, [&[0], &[], &[]]).is_empty());
        assert!(of(5, [&[0], &[0, 1], &[]]).is_empty());
    }

    #[test]
    fn nobody_is_left_out_where_that_would_leave_nobody_to_compare() {
        assert!(of(1, [&[0], &[0], &[]]).is_empty());
        assert!(of(2, [&[0, 1], &[0, 1], &[0, 1]]).is_empty());
    }
}
