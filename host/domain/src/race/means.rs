//! Mean times over everything that was timed, against verdicts that rest on a part of it.
//!
//! A variant that is beaten leaves, and the others go on: the slow inputs that these meet then are not in the replicas
//! that it had in common with them. A sure verdict that the mean times of both say the opposite of is withdrawn;
//! without it the beaten variant is back in the race.

use super::settings::RaceSettings;
use super::times::TimeSummary;
use crate::measurement::{CaseIndex, VariantIndex};
use crate::verdict::PairVerdict;
use std::collections::BTreeMap;

/// The mean times of a call, by variant and case.
pub(super) struct Means {
    /// Logarithms of the mean times of a call.
    times: BTreeMap<(VariantIndex, CaseIndex), f64>,
    weights: Vec<f64>,
}

impl Means {
    /// The means of these times. A set of instances has none: replicas draw other instances.
    pub(super) fn new(settings: &RaceSettings, times: &[TimeSummary]) -> Self {
        let times = times.iter().filter(|_| !settings.instances);
        Self {
            times: times
                .map(|time| ((time.variant, time.case), time.mean_ns.ln()))
                .collect(),
            weights: settings.weights(),
        }
    }

    /// The logarithm of the ratio of the mean times of a pair on its case, or weighted over all; `None` if one of them
    /// did not run there.
    fn log_ratio(&self, pair: &PairVerdict) -> Option<f64> {
        let on = |case: CaseIndex| {
            let (a, b) = (
                self.times.get(&(pair.a, case))?,
                self.times.get(&(pair.b, case))?,
            );
            Some(a - b)
        };
        if let Some(case) = pair.case {
            return on(case);
        }
        let counted = self.weights.iter().enumerate();
        let counted = counted.filter(|(_, weight)| **weight > 0.0);
        let logs = counted.map(|(case, weight)| Some(weight * on(case)?));
        logs.sum::<Option<f64>>().filter(|_| !self.times.is_empty())
    }

    /// Withdraws a sure verdict that the mean times contradict.
    pub(super) fn withdraw_if_contradicted(&self, pair: &mut PairVerdict) {
        if let Some(log_ratio) = self.log_ratio(pair) {
            pair.withdraw_if_against(log_ratio);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Race, RaceSettings, analyse};
    use crate::measurement::{Overrun, Replica, Sample, Surroundings};
    use crate::verdict::Verdict;

    /// A replica of 16 blocks in which each of these variants takes this number of milliseconds.
    fn replica(index: u32, times: &[(usize, f64)]) -> Replica {
        let sample = |variant, block: u32, ms: f64| Sample {
            variant,
            case: 0,
            block,
            position: 0,
            calls: 1,
            cpu_ns: (1e6 * ms * (1.0 + 0.001 * f64::from((block * 7 + index) % 5))) as u64,
            wall_ns: 0,
        };
        let block = |block| {
            times
                .iter()
                .map(move |(variant, ms)| sample(*variant, block, *ms))
        };
        Replica {
            index,
            solo: false,
            samples: (0..16).flat_map(block).collect(),
            baselines: Vec::new(),
            cold_ns: Vec::new(),
            parts: Vec::new(),
            surroundings: Surroundings::default(),
        }
    }

    #[test]
    fn a_sample_that_overran_takes_a_verdict_away_that_it_contradicts() {
        let overrun = |variant, ms: u64| Overrun {
            variant,
            case: 0,
            calls: 1,
            cpu_ns: 1_000_000 * ms,
            wall_ns: 2_000_000 * ms,
        };
        let replicas: Vec<Replica> = (0..30)
            .map(|index| replica(index, &[(0, 1.0), (1, 1.2)]))
            .collect();
        let with = |overruns: &[Overrun]| {
            let mut race = Race::new(RaceSettings::new(2, 1), None);
            replicas
                .iter()
                .for_each(|replica| race.push(replica.clone()));
            overruns
                .iter()
                .for_each(|overrun| race.push_overrun(*overrun));
            race.analysis()
        };
        let verdict = |overruns: &[Overrun]| with(overruns).overall[0].verdict;
        assert_eq!(verdict(&[]), Verdict::Beats);
        // A few milliseconds of five hundred change nothing; a second is twice all that was seen.
        assert_eq!(verdict(&[overrun(0, 3)]), Verdict::Beats);
        assert_eq!(verdict(&[overrun(0, 1_000)]), Verdict::NoCall);
        // The other one is slower still, by nobody knows how much.
        assert_eq!(verdict(&[overrun(1, 1_000)]), Verdict::Beats);
        // One of each variant counts, whenever it is known.
        let analysis = with(&[overrun(0, 1_000), overrun(0, 3)]);
        assert_eq!(analysis.settings.aside, [0]);
        let settings = RaceSettings {
            overruns: vec![overrun(0, 1_000)],
            ..RaceSettings::new(2, 1)
        };
        assert_eq!(analyse(&settings, None, &replicas), analysis);
        let shown = analysis
            .times
            .iter()
            .find(|time| time.variant == 0)
            .unwrap();
        assert!(shown.mean_ns > 2e6 && shown.calls == 481, "{shown:?}");
        assert_eq!(shown.inputs, 481);
        // The inputs of the pilot were met, too; its times are in no mean.
        let piloted = analyse(&settings, Some(&replicas[0]), &replicas);
        let found = piloted.times.iter().find(|time| time.variant == 0).unwrap();
        assert_eq!(
            (found.mean_ns, found.calls, found.inputs),
            (shown.mean_ns, 481, 497)
        );
    }

    #[test]
    fn slow_inputs_after_the_other_one_left_withdraw_a_verdict() {
        let settings = RaceSettings::new(3, 1);
        let together = |index| replica(index, &[(0, 1.0), (1, 2.0), (2, 2.0)]);
        let mut replicas: Vec<Replica> = (0..4).map(together).collect();
        let verdict = |replicas: &[Replica]| {
            let analysis = analyse(&settings, None, replicas);
            let pair = analysis
                .overall
                .iter()
                .find(|pair| (pair.a, pair.b) == (0, 1));
            (pair.unwrap().clone(), analysis.unbeaten)
        };
        assert_eq!(verdict(&replicas).0.verdict, Verdict::Beats);
        // Usual ones change nothing.
        replicas.extend((4..8).map(|index| replica(index, &[(0, 1.0), (2, 2.0)])));
        assert_eq!(verdict(&replicas).0.verdict, Verdict::Beats);
        replicas.push(replica(8, &[(0, 40.0), (2, 2.0)]));
        let (found, unbeaten) = verdict(&replicas);
        assert_eq!(found.verdict, Verdict::NoCall);
        assert!(
            found.interval.high.is_some_and(|high| high > 2.0),
            "{found:?}"
        );
        assert!(
            found.interval.ratio.is_some_and(|ratio| ratio < 0.6),
            "{found:?}"
        );
        assert!(unbeaten.contains(&1), "it is back in the race");
        // From the other side, too.
        let swap = |replica: &Replica| {
            let mut replica = replica.clone();
            for sample in &mut replica.samples {
                sample.variant = [1, 0, 2][sample.variant];
            }
            replica
        };
        let swapped: Vec<Replica> = replicas.iter().map(swap).collect();
        let (found, _) = verdict(&swapped);
        assert_eq!(found.verdict, Verdict::NoCall);
        assert!(found.interval.low.is_some_and(|low| low < 0.5), "{found:?}");
    }
}
