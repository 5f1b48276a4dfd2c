//! Verdicts about the cold start: the time of the first call on a fresh instance, of which each
//! replica has one for each variant.

use super::settings::RaceSettings;
use crate::measurement::{Metric, Replica, VariantIndex};
use crate::paired_times::PairedTimes;
use crate::verdict::{self, PairVerdict};

/// The cold starts of a race.
#[derive(Clone, Debug)]
pub(super) struct ColdStarts(PairedTimes);

impl ColdStarts {
    /// Returns the cold starts of a race that has none yet. Without a criterion that asks for them
    /// there are no pairs.
    pub(super) fn new(settings: &RaceSettings) -> Self {
        let variants = if settings.cold_start {
            settings.variants
        } else {
            0
        };
        Self(PairedTimes::new(
            variants,
            settings.reading_threshold(),
            verdict::practical_log(settings.practical, Metric::Cpu),
            settings.clock_ns,
        ))
    }

    /// Adds the cold starts of one replica.
    pub(super) fn push(&mut self, replica: &Replica) {
        self.0.push(&replica.cold_ns);
    }

    /// The verdicts about all pairs of variants that have not failed.
    pub(super) fn verdicts(&mut self, withdrawn: &[VariantIndex]) -> Vec<PairVerdict> {
        let mut verdicts = self.0.verdicts();
        verdicts.retain(|pair| !withdrawn.contains(&pair.a) && !withdrawn.contains(&pair.b));
        verdicts
    }
}

#[cfg(test)]
mod tests {
    use crate::measurement::{Replica, Surroundings};
    use crate::race::{NextStep, Race, RaceSettings, RemainingBudget, StopReason, analyse};
    use crate::verdict::Verdict;

    /// Replicas without samples, with these cold starts by variant.
    fn replicas(count: u32, cold: impl Fn(u32) -> Vec<Option<u64>>) -> Vec<Replica> {
        let replica = |index| Replica {
            index,
            solo: index % 2 == 0,
            samples: Vec::new(),
            baselines: Vec::new(),
            cold_ns: cold(index),
            parts: Vec::new(),
            surroundings: Surroundings::default(),
        };
        (0..count).map(replica).collect()
    }

    fn settings(variants: usize) -> RaceSettings {
        RaceSettings {
            cold_start: true,
            metric_share: 0.5,
            ..RaceSettings::new(variants, 2)
        }
    }

    /// 100 µs with some noise, and twice as much.
    fn apart(index: u32) -> Vec<Option<u64>> {
        let noise = u64::from(index * 7 % 5) * 1_000;
        vec![Some(100_000 + noise), Some(200_000 - noise)]
    }

    #[test]
    fn a_faster_start_beats_by_replicas_and_never_by_a_median_alone() {
        let all = replicas(16, apart);
        let analysis = analyse(&settings(2), None, &all);
        assert_eq!(analysis.cold_start[0].verdict, Verdict::Beats);
        assert_eq!(analysis.cold_start[0].replicas, 16);
        let few = analyse(&settings(2), None, &all[..4]);
        assert_eq!(few.cold_start[0].verdict, Verdict::NoCall);
    }

    #[test]
    fn cold_starts_are_judged_only_where_a_criterion_asks() {
        let unasked = RaceSettings {
            cold_start: false,
            ..settings(2)
        };
        assert!(
            analyse(&unasked, None, &replicas(16, apart))
                .cold_start
                .is_empty()
        );
    }

    #[test]
    fn a_replica_counts_for_the_pairs_that_took_part() {
        let missing = |index: u32| match index % 4 {
            0 => vec![Some(100_000), None],
            _ => apart(index),
        };
        let all = replicas(16, missing);
        assert_eq!(analyse(&settings(2), None, &all).cold_start[0].replicas, 12);
        let withdrawn = RaceSettings {
            withdrawn: vec![1],
            ..settings(2)
        };
        assert!(analyse(&withdrawn, None, &all).cold_start.is_empty());
    }

    #[test]
    fn sizes_do_not_divide_the_share_of_a_reading_that_has_none() {
        let threshold = |cases| RaceSettings::new(4, cases).reading_threshold();
        assert_eq!(threshold(1), threshold(7));
        assert!(settings(4).reading_threshold() > threshold(1));
    }

    #[test]
    fn a_race_goes_on_while_the_start_of_unbeaten_variants_is_open() {
        let asked = settings(2);
        let budget = RemainingBudget {
            seconds: 1.0,
            whole_seconds: 2.0,
        };
        let timed = |count: u32, cold: fn(u32) -> Vec<Option<u64>>| {
            let mut all = replicas(count, cold);
            for replica in &mut all {
                replica.baselines = vec![Default::default(); 2];
                for case in 0..2 {
                    for variant in 0..2 {
                        replica.samples.push(crate::measurement::Sample {
                            variant,
                            case,
                            block: 0,
                            position: 0,
                            calls: 1,
                            cpu_ns: 1_000_000 * (1 + variant as u64)
                                + u64::from(replica.index * 5 % 7),
                            wall_ns: 1,
                        });
                    }
                }
            }
            all
        };
        let next = |settings: &RaceSettings, replicas: &[Replica]| {
            let mut race = Race::new(settings.clone(), None);
            replicas
                .iter()
                .cloned()
                .for_each(|replica| race.push(replica));
            race.analysis().next(budget, |_| 0.1)
        };
        let even = |index: u32| vec![Some(100_000 + u64::from(index % 2)), Some(100_001)];
        let open = timed(16, even);
        let wobbly = |index: u32| {
            let more = u64::from(index % 2) * 60_000;
            vec![Some(100_000 + more), Some(160_000 - more)]
        };
        let unsure = timed(16, wobbly);
        assert!(
            matches!(next(&asked, &unsure), NextStep::Run { live_variants } if live_variants.len() == 2)
        );
        let unasked = RaceSettings {
            cold_start: false,
            ..asked.clone()
        };
        assert_eq!(next(&unasked, &unsure), NextStep::Stop(StopReason::Winner));
        // Told apart, or within the practical threshold: nothing is open.
        assert_eq!(
            next(&asked, &timed(16, apart)),
            NextStep::Stop(StopReason::Winner)
        );
        assert_eq!(next(&asked, &open), NextStep::Stop(StopReason::Winner));
    }
}
