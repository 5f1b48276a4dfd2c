//! Times of the parts of calls in a replica, by variant and case.

use super::racer::CallParts;
use bakeoff_domain::measurement::{CaseIndex, PartTimes, VariantIndex};
use std::collections::BTreeMap;

/// The smallest share of a call's time that is reported as its start.
const START_SHARE_MIN: f64 = 0.01;
/// The shortest start, in nanoseconds: reading the clocks around one takes a good part of that.
const START_NS_MIN: f64 = 5_000.0;

/// Times of the parts of calls so far.
#[derive(Default)]
pub(super) struct PartTotals(BTreeMap<(VariantIndex, CaseIndex), PartTimes>);

impl PartTotals {
    fn of(&mut self, variant: VariantIndex, case: CaseIndex) -> &mut PartTimes {
        let parts = self.0.entry((variant, case)).or_default();
        (parts.variant, parts.case) = (variant, case);
        parts
    }

    /// Adds the calls of a sample.
    pub(super) fn add(
        &mut self,
        variant: VariantIndex,
        case: CaseIndex,
        calls: u32,
        more: &CallParts,
    ) {
        let parts = self.of(variant, case);
        parts.calls += u64::from(calls);
        parts.total_ns += more.total_ns;
        parts.start_ns += more.start_ns;
        if let Some(more) = more.session_ns {
            let known = parts.session_ns.get_or_insert_default();
            for (known, more) in known.iter_mut().zip(more) {
                *known += more;
            }
        }
    }

    /// Keeps the time of a call on an instance that was called before.
    pub(super) fn add_again(
        &mut self,
        variant: VariantIndex,
        case: CaseIndex,
        again_ns: Option<u64>,
    ) {
        if again_ns.is_some() {
            self.of(variant, case).again_ns = again_ns;
        }
    }

    /// Returns the parts that are worth a report: those of calls in three parts, and of calls whose start is more than
    /// next to nothing.
    pub(super) fn worth_telling(self) -> Vec<PartTimes> {
        let told = |parts: &PartTimes| {
            let call_ns = parts.total_ns as f64 / parts.calls.max(1) as f64;
            let least_ns = (START_SHARE_MIN * call_ns).max(START_NS_MIN);
            let starts = parts.start_of_call_ns() >= least_ns;
            parts.calls > 0 && (parts.session_ns.is_some() || starts)
        };
        self.0.into_values().filter(told).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_starts_are_told_and_nothing_else() {
        let mut totals = PartTotals::default();
        let sample = |start_ns, session_ns| CallParts {
            total_ns: 1_000_000,
            start_ns,
            session_ns,
        };
        totals.add(0, 0, 2, &sample(0, Some([600, 300, 100])));
        totals.add(0, 0, 3, &sample(1, Some([1, 2, 3])));
        totals.add(1, 0, 1, &sample(10_000, None));
        totals.add(2, 0, 1, &sample(9_999, None));
        totals.add(3, 0, 1, &sample(0, None));
        totals.add_again(3, 0, Some(980_000));
        totals.add_again(4, 0, Some(1));
        // Reading clocks is no start, however short the call is.
        let short = CallParts {
            total_ns: 6_000,
            start_ns: 4_900,
            session_ns: None,
        };
        totals.add(5, 0, 1, &short);
        let told = totals.worth_telling();
        let variants: Vec<usize> = told.iter().map(|parts| parts.variant).collect();
        assert_eq!(variants, [0, 1, 3]);
        let expected = PartTimes {
            calls: 5,
            total_ns: 2_000_000,
            start_ns: 1,
            session_ns: Some([601, 302, 103]),
            ..PartTimes::default()
        };
        assert_eq!(told[0], expected);
    }
}
