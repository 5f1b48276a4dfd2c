//! How to measure, fixed before the first replica that counts.

use super::pilot::{PilotReadings, brief_variants};
use super::seeds::CALLS_MAX;
use super::steady::{Steadiness, WarmUp, steadiness};
use super::{BLOCKS_MAX, BLOCKS_MIN, Entrant};
use crate::measurement::{CaseIndex, VariantIndex};
use crate::stats::replicas_needed;
use serde::{Deserialize, Serialize};

/// A sample lasts at least so many granules of the clock …
const SAMPLE_GRANULES: f64 = 1_000.0;
/// … and at least this long, in nanoseconds.
const SAMPLE_NS_MIN: f64 = 300_000.0;
/// A call shorter than so many granules gets no verdict.
const CALL_GRANULES: f64 = 20.0;
/// The jitter may shorten a sample to this share.
const JITTER_LOW: f64 = 0.9;
/// Blocks take at least so many times as long as starting and warming up, where 16 of them can.
const BLOCKS_TO_STARTUP: f64 = 2.0;
/// The budget should hold so many times the replicas that an obvious difference takes.
const REPLICAS_WANTED: f64 = 3.0;
/// Nanoseconds in a second.
const SECOND_NS: f64 = 1e9;

/// The shortest call that gets a verdict, in nanoseconds: 20 q, where q is the granularity and cost
/// of the clock.
pub fn call_ns_min(clock_ns: f64) -> f64 {
    CALL_GRANULES * clock_ns
}

/// What the caller knows besides the pilot's times.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions {
    /// q: granularity and cost of the clock, in nanoseconds.
    pub clock_ns: f64,
    /// What a replica costs before any warm-up: process, loading, instances; in seconds.
    pub startup_seconds: f64,
    /// By case: what a call costs outside its brackets, in nanoseconds: making the input, lowering
    /// and lifting.
    pub call_overhead_ns: Vec<f64>,
    /// By case: calls a sample may have at most, so that its inputs fit into memory; at least 1.
    pub calls_max: Vec<u32>,
    /// Seconds left for the whole race.
    pub seconds: f64,
    /// Replicas that run at once.
    pub workers: u32,
    /// Evidence that a claim needs, in nats: [`crate::race::Settings::threshold`].
    pub threshold: f64,
    /// Replicas at most.
    pub replicas_max: u32,
    /// δ as a difference of logarithms.
    pub practical_log: f64,
}

/// A variant whose calls are too short on a case.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TooShort {
    /// Who.
    pub variant: VariantIndex,
    /// On which case.
    pub case: CaseIndex,
    /// How long a call takes, in nanoseconds.
    pub call_ns: f64,
    /// How long it must take, in nanoseconds: 20 q.
    pub call_ns_min: f64,
}

/// How the race is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// By case: calls of a sample, before the jitter. 0 for a case on which nobody ran, or on which
    /// calls are too short.
    pub calls: Vec<u32>,
    /// m: blocks of a replica, 4 to 16.
    pub blocks: u32,
    /// How variants are warmed up.
    pub warm_up: WarmUp,
    /// Whether the pilot had settled after that warm-up.
    pub steadiness: Steadiness,
    /// Variants that make a single call in each replica, ascending.
    pub brief: Vec<VariantIndex>,
    /// Calls that cannot be timed: their cases are not spoken of, for anybody.
    pub too_short: Vec<TooShort>,
    costs: Costs,
}

/// What things take, for predictions; all in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Costs {
    startup: f64,
    /// By variant, by case: one call with everything around it; 0 if it did not run.
    call: Vec<Vec<f64>>,
}

/// Chooses from a pilot, before any data that counts.
///
/// Calls: so many that the sample of the quickest variant lasts max(1000 q, 0.3 ms) even after the
/// jitter. Blocks: so many that they take twice as long as starting and warming up, but no more than
/// let three times the replicas of an obvious difference fit into the budget; 4 to 16.
pub fn choose(pilot: &PilotReadings, warm_up: WarmUp, conditions: &Conditions) -> Sampling {
    let all_cases: Vec<CaseIndex> = (0..conditions.calls_max.len()).collect();
    let too_short = find_too_short(pilot, &all_cases, call_ns_min(conditions.clock_ns));
    let timed = |case: &CaseIndex| !too_short.iter().any(|short| short.case == *case);
    let timed: Vec<CaseIndex> = all_cases.iter().copied().filter(timed).collect();
    let times = pilot.variants().into_iter();
    let times = times.filter_map(|variant| Some((variant, pilot.log_ns(variant, &timed)?)));
    let brief = brief_variants(&times.collect::<Vec<_>>());
    let calls = all_cases.iter().map(|case| {
        let quickest = pilot
            .variants()
            .into_iter()
            .filter(|variant| !brief.contains(variant))
            .filter_map(|variant| pilot.call_ns(variant, *case))
            .fold(f64::INFINITY, f64::min);
        if timed.contains(case) {
            calls_of_sample(quickest, *case, conditions)
        } else {
            0
        }
    });
    let mut sampling = Sampling {
        calls: calls.collect(),
        blocks: BLOCKS_MIN,
        warm_up,
        steadiness: steadiness(pilot, conditions.practical_log),
        costs: Costs::new(pilot, conditions),
        brief,
        too_short,
    };
    sampling.blocks = sampling.choose_blocks(pilot, conditions);
    sampling
}

fn find_too_short(pilot: &PilotReadings, cases: &[CaseIndex], call_ns_min: f64) -> Vec<TooShort> {
    let rows = pilot
        .variants()
        .into_iter()
        .flat_map(|variant| cases.iter().map(move |case| (variant, *case)));
    let short = rows.filter_map(|(variant, case)| {
        let call_ns = pilot.call_ns(variant, case)?;
        (call_ns < call_ns_min).then_some(TooShort {
            variant,
            case,
            call_ns,
            call_ns_min,
        })
    });
    short.collect()
}

fn calls_of_sample(quickest_ns: f64, case: CaseIndex, conditions: &Conditions) -> u32 {
    if !quickest_ns.is_finite() {
        return 0;
    }
    let sample_ns = SAMPLE_NS_MIN.max(SAMPLE_GRANULES * conditions.clock_ns);
    let wanted = (sample_ns / (JITTER_LOW * quickest_ns)).ceil();
    // The jitter may add a tenth, which must still fit.
    let fitting = f64::from(conditions.calls_max[case].min(CALLS_MAX - 1)) / 1.1;
    wanted.min(fitting.floor()).max(1.0) as u32
}

impl Costs {
    fn new(pilot: &PilotReadings, conditions: &Conditions) -> Self {
        let cases = conditions.calls_max.len();
        let variants = pilot.variants().last().map_or(0, |last| last + 1);
        let call = |variant: VariantIndex, case: CaseIndex| {
            let overhead = conditions
                .call_overhead_ns
                .get(case)
                .copied()
                .unwrap_or(0.0);
            pilot
                .call_ns(variant, case)
                .map_or(0.0, |time| time + overhead)
        };
        let row = |variant| (0..cases).map(|case| call(variant, case)).collect();
        Self {
            startup: conditions.startup_seconds.max(0.0) * SECOND_NS,
            call: (0..variants).map(row).collect(),
        }
    }

    fn of_call(&self, variant: VariantIndex, case: CaseIndex) -> f64 {
        let row = self.call.get(variant);
        row.and_then(|row| row.get(case)).copied().unwrap_or(0.0)
    }
}

impl Sampling {
    /// The declared weights of cases, with 0 for those on which calls are too short.
    pub fn case_weights(&self, declared: &[f64]) -> Vec<f64> {
        let weights = declared.iter().enumerate();
        let weight = |(case, weight): (usize, &f64)| match self.calls.get(case) {
            Some(calls) if *calls > 0 => *weight,
            _ => 0.0,
        };
        weights.map(weight).collect()
    }

    /// Seconds that a replica with these entrants is predicted to take, start and warm-up included.
    /// What the pilot took for a call counts as wall time, so on a busy machine this is too little:
    /// callers take the larger of this and what recent replicas took.
    pub fn replica_seconds(&self, entrants: &[Entrant]) -> f64 {
        self.startup_seconds(entrants) + self.blocks_seconds(entrants, self.blocks)
    }

    /// Seconds of one block, without the brief variants: by how much a budget may be exceeded.
    pub fn block_seconds(&self, entrants: &[Entrant]) -> f64 {
        let full = entrants.iter().filter(|entrant| !entrant.brief);
        let samples = full.map(|entrant| self.block_ns(entrant.variant));
        samples.sum::<f64>() / SECOND_NS
    }

    fn startup_seconds(&self, entrants: &[Entrant]) -> f64 {
        let warm_up = |entrant: &Entrant| {
            let cases = (0..self.calls.len()).filter(|case| self.calls[*case] > 0);
            let calls: Vec<f64> = cases
                .map(|case| self.costs.of_call(entrant.variant, case))
                .collect();
            let rotation: f64 = calls.iter().sum();
            if entrant.brief || calls.is_empty() {
                return rotation;
            }
            let least = rotation / calls.len() as f64 * f64::from(self.warm_up.calls());
            least.max(rotation).max(self.warm_up.time_ns() as f64)
        };
        (self.costs.startup + entrants.iter().map(warm_up).sum::<f64>()) / SECOND_NS
    }

    fn blocks_seconds(&self, entrants: &[Entrant], blocks: u32) -> f64 {
        let brief = entrants.iter().filter(|entrant| entrant.brief);
        let brief_ns = brief.map(|entrant| {
            let cases = (0..self.calls.len()).filter(|case| self.calls[*case] > 0);
            cases
                .map(|case| self.costs.of_call(entrant.variant, case))
                .sum::<f64>()
        });
        f64::from(blocks) * self.block_seconds(entrants) + brief_ns.sum::<f64>() / SECOND_NS
    }

    fn block_ns(&self, variant: VariantIndex) -> f64 {
        let cases = self.calls.iter().enumerate();
        cases
            .map(|(case, calls)| f64::from(*calls) * self.costs.of_call(variant, case))
            .sum()
    }

    fn choose_blocks(&self, pilot: &PilotReadings, conditions: &Conditions) -> u32 {
        let entrant = |variant| Entrant {
            variant,
            brief: self.brief.contains(&variant),
        };
        let entrants: Vec<Entrant> = pilot.variants().into_iter().map(entrant).collect();
        let startup = self.startup_seconds(&entrants);
        let fills =
            |blocks: &u32| self.blocks_seconds(&entrants, *blocks) >= BLOCKS_TO_STARTUP * startup;
        let wanted = (BLOCKS_MIN..=BLOCKS_MAX).find(fills).unwrap_or(BLOCKS_MAX);
        let replicas = REPLICAS_WANTED * f64::from(replicas_needed(conditions.threshold));
        let replicas = replicas.min(f64::from(conditions.replicas_max));
        let seconds = conditions.seconds * f64::from(conditions.workers.max(1));
        let fits = |blocks: &u32| {
            replicas * (startup + self.blocks_seconds(&entrants, *blocks)) <= seconds
        };
        (BLOCKS_MIN..=wanted).rev().find(fits).unwrap_or(BLOCKS_MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::{Metric, Replica, Sample, Surroundings};

    /// A pilot in which call times are as given, by variant, by case.
    fn pilot(times_ns: &[&[u64]]) -> PilotReadings {
        let mut samples = Vec::new();
        for block in 0..8 {
            for (variant, cases) in times_ns.iter().enumerate() {
                for (case, time_ns) in cases.iter().enumerate() {
                    samples.push(Sample {
                        variant,
                        case,
                        block,
                        position: 0,
                        calls: 10,
                        cpu_ns: 10 * time_ns,
                        wall_ns: 10 * time_ns,
                    });
                }
            }
        }
        let replica = Replica {
            index: 0,
            solo: true,
            samples,
            baselines: Vec::new(),
            cold_ns: Vec::new(),
            surroundings: Surroundings::default(),
        };
        PilotReadings::new(&replica, Metric::Cpu)
    }

    fn conditions(cases: usize) -> Conditions {
        Conditions {
            clock_ns: 500.0,
            startup_seconds: 0.003,
            call_overhead_ns: vec![0.0; cases],
            calls_max: vec![1_000_000; cases],
            seconds: 60.0,
            workers: 2,
            threshold: 4.0,
            replicas_max: 96,
            practical_log: 0.01,
        }
    }

    fn racing(variants: &[VariantIndex]) -> Vec<Entrant> {
        let entrant = |variant: &VariantIndex| Entrant {
            variant: *variant,
            brief: false,
        };
        variants.iter().map(entrant).collect()
    }

    #[test]
    fn a_sample_of_the_quickest_is_long_enough() {
        let pilot = pilot(&[&[20_000, 900_000], &[50_000, 400_000]]);
        let sampling = choose(&pilot, WarmUp::Normal, &conditions(2));
        // 1000 q is 0.5 ms; nine tenths of 28 calls of 20 µs are 0.504 ms.
        assert_eq!(sampling.calls, [28, 2]);
        assert!(sampling.too_short.is_empty() && sampling.brief.is_empty());
        let mut small = conditions(2);
        small.calls_max = vec![11, 1];
        assert_eq!(choose(&pilot, WarmUp::Normal, &small).calls, [10, 1]);
    }

    #[test]
    fn a_slow_variant_is_brief_and_does_not_set_the_calls() {
        let sampling = choose(
            &pilot(&[&[1_000_000], &[20_000], &[30_000]]),
            WarmUp::Normal,
            &conditions(1),
        );
        assert_eq!(sampling.brief, [0]);
        assert_eq!(sampling.calls, [28]);
    }

    #[test]
    fn calls_below_twenty_granules_are_not_timed() {
        let pilot = pilot(&[&[9_000, 100_000], &[30_000, 100_000]]);
        let sampling = choose(&pilot, WarmUp::Normal, &conditions(2));
        assert_eq!(sampling.calls[0], 0);
        assert_eq!(sampling.case_weights(&[1.0, 2.0]), [0.0, 2.0]);
        assert_eq!(sampling.too_short.len(), 1);
        assert_eq!(
            (sampling.too_short[0].variant, sampling.too_short[0].case),
            (0, 0)
        );
        assert_eq!(sampling.too_short[0].call_ns_min, 10_000.0);
    }

    #[test]
    fn predictions_add_up() {
        let pilot = pilot(&[&[1_000_000], &[2_000_000]]);
        let sampling = choose(&pilot, WarmUp::Normal, &conditions(1));
        assert_eq!(sampling.calls, [1]);
        assert!((sampling.block_seconds(&racing(&[0, 1])) - 0.003).abs() < 1e-9);
        // 3 ms to start, 5 and 6 ms to warm up, and the blocks.
        let expected = 0.003 + 0.005 + 0.006 + f64::from(sampling.blocks) * 0.003;
        assert!((sampling.replica_seconds(&racing(&[0, 1])) - expected).abs() < 1e-9);
        // Twice the start takes 28 ms, which is more than 9 blocks of 3 ms.
        assert_eq!(sampling.blocks, 10);
    }

    #[test]
    fn a_short_budget_means_few_blocks() {
        let pilot = pilot(&[&[1_000_000], &[2_000_000]]);
        let mut hasty = conditions(1);
        hasty.seconds = 0.5;
        assert_eq!(choose(&pilot, WarmUp::Normal, &hasty).blocks, 7);
        hasty.seconds = 0.01;
        assert_eq!(choose(&pilot, WarmUp::Normal, &hasty).blocks, BLOCKS_MIN);
    }

    #[test]
    fn a_brief_variant_costs_one_call_and_its_warm_up() {
        let pilot = pilot(&[&[20_000], &[4_000_000]]);
        let sampling = choose(&pilot, WarmUp::Normal, &conditions(1));
        let with = [
            Entrant {
                variant: 0,
                brief: false,
            },
            Entrant {
                variant: 1,
                brief: true,
            },
        ];
        let more = sampling.replica_seconds(&with) - sampling.replica_seconds(&with[..1]);
        assert!((more - 0.008).abs() < 1e-9, "{more}");
    }
}
