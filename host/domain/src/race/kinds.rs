//! By which calls a pair is compared on each case, and what follows from one kind of pairs for others:
//! nothing.

use super::analysis::Analysis;
use super::settings::RaceSettings;
use crate::measurement::{CaseIndex, VariantIndex};
use crate::verdict::{PairVerdict, Verdict};

impl RaceSettings {
    /// The kind of a pair: the cases that count on which it is compared by single calls, in ascending
    /// order. Differences of two pairs add up to that of a third only if all three are of one kind.
    pub(super) fn kind(&self, a: VariantIndex, b: VariantIndex) -> Vec<CaseIndex> {
        let slow = |variant: VariantIndex, case: CaseIndex| {
            let mut own = self.single_calls.iter();
            own.any(|own| own.variant == variant && own.cases.contains(&case))
        };
        let mut cases = self.claimed_cases();
        cases.retain(|case| slow(a, *case) || slow(b, *case));
        cases
    }
}

impl Analysis {
    /// Returns true if the variant is open against one that nobody beats, and no verdict about others
    /// could imply one about the two. A variant that is beaten stays as long as that: without it the
    /// race could have no winner.
    ///
    /// Of two that the same variant beats, with all three pairs of one kind, a verdict follows once
    /// it is known which of the others is faster.
    pub(super) fn has_to_be_met(&self, variant: VariantIndex) -> bool {
        let mut unbeaten = self.unbeaten.iter().copied();
        unbeaten.any(|other| {
            self.pair(variant, other).is_some_and(PairVerdict::is_open)
                && !self.can_be_implied(other, variant)
        })
    }

    fn can_be_implied(&self, other: VariantIndex, beaten: VariantIndex) -> bool {
        let kind = self.settings.kind(other, beaten);
        let same = |a, b| self.settings.kind(a, b) == kind;
        let beats_it = |pair: &PairVerdict| match pair.verdict {
            Verdict::Beats if pair.b == beaten => Some(pair.a),
            Verdict::Beaten if pair.a == beaten => Some(pair.b),
            _ => None,
        };
        let mut through = self.overall.iter().filter_map(beats_it);
        through.any(|through| same(through, beaten) && same(other, through))
    }

    fn pair(&self, a: VariantIndex, b: VariantIndex) -> Option<&PairVerdict> {
        let mut pairs = self.overall.iter();
        pairs.find(|pair| (pair.a, pair.b) == (a, b) || (pair.b, pair.a) == (a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::{Baseline, Replica, Sample, SampleKind, Surroundings};
    use crate::plan::SingleCalls;
    use crate::race::{NextStep, RemainingBudget, StopReason, analyse};

    /// Three variants on two cases, the last of which makes single calls on the second one.
    fn settings() -> RaceSettings {
        RaceSettings {
            single_calls: vec![SingleCalls {
                variant: 2,
                cases: vec![1],
                every: 1,
            }],
            ..RaceSettings::new(3, 2)
        }
    }

    /// Replicas in which the first is faster than the second by its samples, and the second than
    /// the third by single calls; what the single call of the first takes is given.
    fn replicas(count: u32, single_ns: impl Fn(u32) -> u64) -> Vec<Replica> {
        let replica = |index: u32| {
            let noise = u64::from(index * 7 % 5) * 100;
            let mut samples = Vec::new();
            let mut add = |variant, case, kind, cpu_ns: u64| {
                samples.push(Sample {
                    kind,
                    variant,
                    case,
                    block: 0,
                    position: 0,
                    calls: 1,
                    cpu_ns,
                    wall_ns: cpu_ns,
                    core_contention: None,
                });
            };
            add(0, 1, SampleKind::SingleCall, single_ns(index));
            add(1, 1, SampleKind::SingleCall, 200_000 + noise);
            add(2, 1, SampleKind::SingleCall, 2_000_000 + 3 * noise);
            for case in 0..2 {
                add(0, case, SampleKind::Full, 100_000 + noise);
                add(1, case, SampleKind::Full, 110_000 - noise);
            }
            add(2, 0, SampleKind::Full, 105_000);
            Replica {
                index,
                solo: true,
                samples,
                baselines: vec![Baseline::default(); 2],
                cold_ns: vec![None; 3],
                parts: Vec::new(),
                surroundings: Surroundings::default(),
            }
        };
        (0..count).map(replica).collect()
    }

    fn next(analysis: &Analysis) -> NextStep {
        analysis.next(RemainingBudget {
            seconds: 1.0,
            replica_seconds: 0.1,
        })
    }

    #[test]
    fn a_beaten_variant_stays_while_it_is_open_against_one_that_no_verdict_leads_to() {
        // Single calls of the first scatter so much that nothing is known of it and the third.
        let wild = |index: u32| {
            if index.is_multiple_of(2) {
                20_000_000
            } else {
                150_000
            }
        };
        let analysis = analyse(&settings(), &replicas(16, wild));
        let verdict = |a, b| analysis.pair(a, b).unwrap().verdict;
        assert_eq!(verdict(0, 1), Verdict::Beats);
        assert_eq!(verdict(1, 2), Verdict::Beats);
        assert_eq!(verdict(0, 2), Verdict::NoCall);
        assert_eq!(analysis.winner, None);
        let NextStep::Run { live_variants } = next(&analysis) else {
            panic!("{:?}", next(&analysis));
        };
        let live: Vec<_> = live_variants.iter().map(|one| one.variant).collect();
        assert_eq!(live, [0, 2]);
    }

    #[test]
    fn who_beats_each_by_its_own_calls_wins() {
        let steady = |index: u32| 150_000 + u64::from(index * 5 % 7) * 100;
        let analysis = analyse(&settings(), &replicas(16, steady));
        assert_eq!(analysis.winner, Some(0));
        assert_eq!(next(&analysis), NextStep::Stop(StopReason::Winner));
    }

    #[test]
    fn one_that_is_beaten_leaves_if_all_are_compared_in_the_same_way() {
        let wild = |index: u32| {
            if index.is_multiple_of(2) {
                20_000_000
            } else {
                150_000
            }
        };
        let mut all = replicas(16, wild);
        for replica in &mut all {
            replica
                .samples
                .retain(|sample| sample.kind == SampleKind::Full);
            let slow = Sample {
                variant: 2,
                case: 1,
                cpu_ns: 1_000_000,
                ..replica.samples[0].clone()
            };
            replica.samples.push(slow);
        }
        let analysis = analyse(&RaceSettings::new(3, 2), &all);
        assert!(!analysis.has_to_be_met(2));
        assert_eq!(analysis.winner, Some(0));
    }
}
