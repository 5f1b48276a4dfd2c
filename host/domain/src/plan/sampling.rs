//! The sampling of a race: calls, blocks and warm-up, fixed before the first replica that counts.

use super::costs::{CaseOverhead, Costs};
use super::pilot::{PilotTimes, single_call_variants};
use super::seeds::CALLS_MAX;
use super::steady::{Steadiness, WarmUp, steadiness};
use super::{BLOCKS_MAX, BLOCKS_MIN, LiveVariant};
use crate::measurement::{CaseIndex, VariantIndex};
use crate::stats::replicas_needed;
use serde::{Deserialize, Serialize};

/// A sample lasts at least this many times the clock resolution.
const SAMPLE_RESOLUTIONS: f64 = 1_000.0;
/// A sample lasts at least this long, in nanoseconds.
const SAMPLE_NS_MIN: f64 = 300_000.0;
/// A call shorter than this many times the clock resolution gets no verdict.
const CALL_RESOLUTIONS: f64 = 20.0;
/// The jitter may shorten a sample to this share.
const JITTER_LOW: f64 = 0.9;
/// Blocks take at least this many times as long as starting and warming up, if 16 of them do.
const BLOCKS_TO_STARTUP: f64 = 2.0;
/// The budget should hold this many times the replicas that an obvious difference takes.
const REPLICAS_WANTED: f64 = 3.0;

/// The shortest call that gets a verdict, in nanoseconds: 20 q, with q the clock resolution.
pub fn call_ns_min(clock_ns: f64) -> f64 {
    CALL_RESOLUTIONS * clock_ns
}

/// The constraints of a sampling, besides the pilot's times.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplingConstraints {
    /// q: the clock resolution, its cost included, in nanoseconds.
    pub clock_ns: f64,
    /// The time that a replica takes before any warm-up (process, loading, instances), in seconds.
    pub startup_seconds: f64,
    /// By case: the time around its calls.
    pub overheads: Vec<CaseOverhead>,
    /// By case: the largest number of calls of a sample, so that its inputs fit into memory; at least 1.
    pub calls_max: Vec<u32>,
    /// The time left for the whole race, in seconds.
    pub seconds: f64,
    /// The number of replicas that run at once.
    pub workers: u32,
    /// The evidence that a claim needs, in nats: [`crate::race::RaceSettings::threshold`].
    pub threshold: f64,
    /// The largest number of replicas.
    pub replicas_max: u32,
    /// δ as a difference of logarithms.
    pub practical_log: f64,
}

/// A variant whose calls are too short on a case.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TooShort {
    /// The variant.
    pub variant: VariantIndex,
    /// The case.
    pub case: CaseIndex,
    /// The time of a call, in nanoseconds.
    pub call_ns: f64,
    /// The shortest time that can be measured, in nanoseconds: 20 q.
    pub call_ns_min: f64,
}

/// The sampling of a race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// By case: the number of calls of a sample, before the jitter. 0 for a case on which no variant ran
    /// or calls are too short.
    pub calls: Vec<u32>,
    /// m: the number of blocks of a replica, 4 to 16.
    pub blocks: u32,
    /// The warm-up of each variant.
    pub warm_up: WarmUp,
    /// The pilot's test for a steady state after that warm-up.
    pub steadiness: Steadiness,
    /// Variants that make a single call in each replica, ascending.
    #[serde(alias = "brief")]
    pub single_call: Vec<VariantIndex>,
    /// Calls that are too short to be timed: their cases get no verdict for any variant.
    pub too_short: Vec<TooShort>,
    costs: Costs,
}

/// Chooses the sampling from a pilot, before any data that counts.
///
/// Calls: enough for the sample of the fastest variant to last max(1000 q, 0.3 ms) even after the
/// jitter. Blocks: enough to take twice as long as starting and warming up, but few enough that three
/// times the replicas of an obvious difference fit into the budget; 4 to 16.
pub fn choose(pilot: &PilotTimes, warm_up: WarmUp, conditions: &SamplingConstraints) -> Sampling {
    let all_cases: Vec<CaseIndex> = (0..conditions.calls_max.len()).collect();
    let too_short = find_too_short(pilot, &all_cases, call_ns_min(conditions.clock_ns));
    let timed = |case: &CaseIndex| !too_short.iter().any(|short| short.case == *case);
    let timed: Vec<CaseIndex> = all_cases.iter().copied().filter(timed).collect();
    let times = pilot.variants().into_iter();
    let times = times.filter_map(|variant| Some((variant, pilot.log_ns(variant, &timed)?)));
    let single_call = single_call_variants(&times.collect::<Vec<_>>());
    let calls = all_cases.iter().map(|case| {
        let quickest = pilot
            .variants()
            .into_iter()
            .filter(|variant| !single_call.contains(variant))
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
        single_call,
        too_short,
    };
    sampling.blocks = sampling.choose_blocks(pilot, conditions);
    sampling
}

fn find_too_short(pilot: &PilotTimes, cases: &[CaseIndex], call_ns_min: f64) -> Vec<TooShort> {
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

fn calls_of_sample(quickest_ns: f64, case: CaseIndex, conditions: &SamplingConstraints) -> u32 {
    if !quickest_ns.is_finite() {
        return 0;
    }
    let sample_ns = SAMPLE_NS_MIN.max(SAMPLE_RESOLUTIONS * conditions.clock_ns);
    let wanted = (sample_ns / (JITTER_LOW * quickest_ns)).ceil();
    // The jitter may add a tenth, which must still fit.
    let fitting = f64::from(conditions.calls_max[case].min(CALLS_MAX - 1)) / 1.1;
    wanted.min(fitting.floor()).max(1.0) as u32
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

    /// The predicted time of a replica with these variants in seconds, start and warm-up included.
    /// It takes the pilot's machine for what is to come: callers correct it by what replicas really
    /// take ([`super::Correction`]).
    pub fn replica_seconds(&self, live_variants: &[LiveVariant]) -> f64 {
        self.startup_seconds(live_variants) + self.blocks_seconds(live_variants, self.blocks)
    }

    /// The predicted time of one block without single-call variants in seconds: by this much a budget
    /// may be exceeded.
    pub fn block_seconds(&self, live_variants: &[LiveVariant]) -> f64 {
        let mut full = live_variants
            .iter()
            .filter(|live_variant| !live_variant.single_call)
            .peekable();
        if full.peek().is_none() {
            return 0.0;
        }
        let cases = self.calls.iter().enumerate();
        let inputs = cases.map(|(case, calls)| self.costs.inputs_seconds(case, *calls));
        let samples = full.map(|live_variant| self.sample_seconds(live_variant.variant));
        inputs.sum::<f64>() + samples.sum::<f64>()
    }

    fn timed_cases(&self) -> Vec<CaseIndex> {
        let cases = 0..self.calls.len();
        cases.filter(|case| self.calls[*case] > 0).collect()
    }

    fn startup_seconds(&self, live_variants: &[LiveVariant]) -> f64 {
        let variants = live_variants.iter();
        let variants: Vec<(VariantIndex, bool)> = variants
            .map(|live_variant| (live_variant.variant, live_variant.single_call))
            .collect();
        let warm_up = self
            .costs
            .warm_up_seconds(self.warm_up, &self.timed_cases(), &variants);
        self.costs.startup_seconds() + warm_up
    }

    fn blocks_seconds(&self, live_variants: &[LiveVariant], blocks: u32) -> f64 {
        let single_call = live_variants
            .iter()
            .filter(|live_variant| live_variant.single_call);
        let cases = self.timed_cases();
        let once = single_call.map(|live_variant| {
            let cases = cases.iter();
            cases
                .map(|case| self.costs.calls_seconds(live_variant.variant, *case, 1))
                .sum::<f64>()
        });
        f64::from(blocks) * self.block_seconds(live_variants) + once.sum::<f64>()
    }

    /// The samples of a variant in one block.
    fn sample_seconds(&self, variant: VariantIndex) -> f64 {
        let cases = self.calls.iter().enumerate();
        cases
            .map(|(case, calls)| self.costs.calls_seconds(variant, case, *calls))
            .sum()
    }

    fn choose_blocks(&self, pilot: &PilotTimes, conditions: &SamplingConstraints) -> u32 {
        let live_variant = |variant| LiveVariant {
            variant,
            single_call: self.single_call.contains(&variant),
        };
        let live_variants: Vec<LiveVariant> =
            pilot.variants().into_iter().map(live_variant).collect();
        let startup = self.startup_seconds(&live_variants);
        let fills = |blocks: &u32| {
            self.blocks_seconds(&live_variants, *blocks) >= BLOCKS_TO_STARTUP * startup
        };
        let wanted = (BLOCKS_MIN..=BLOCKS_MAX).find(fills).unwrap_or(BLOCKS_MAX);
        let replicas = REPLICAS_WANTED * f64::from(replicas_needed(conditions.threshold));
        let replicas = replicas.min(f64::from(conditions.replicas_max));
        let seconds = conditions.seconds * f64::from(conditions.workers.max(1));
        let fits = |blocks: &u32| {
            replicas * (startup + self.blocks_seconds(&live_variants, *blocks)) <= seconds
        };
        (BLOCKS_MIN..=wanted).rev().find(fits).unwrap_or(BLOCKS_MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::{Metric, Replica, Sample, Surroundings};

    /// A pilot with the given call times, by variant, by case.
    fn pilot(times_ns: &[&[u64]]) -> PilotTimes {
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
        PilotTimes::new(&replica, Metric::Cpu)
    }

    fn conditions(cases: usize) -> SamplingConstraints {
        SamplingConstraints {
            clock_ns: 500.0,
            startup_seconds: 0.003,
            overheads: vec![CaseOverhead::default(); cases],
            calls_max: vec![1_000_000; cases],
            seconds: 60.0,
            workers: 2,
            threshold: 4.0,
            replicas_max: 96,
            practical_log: 0.01,
        }
    }

    fn racing(variants: &[VariantIndex]) -> Vec<LiveVariant> {
        let live_variant = |variant: &VariantIndex| LiveVariant {
            variant: *variant,
            single_call: false,
        };
        variants.iter().map(live_variant).collect()
    }

    #[test]
    fn a_sample_of_the_quickest_is_long_enough() {
        let pilot = pilot(&[&[20_000, 900_000], &[50_000, 400_000]]);
        let sampling = choose(&pilot, WarmUp::Normal, &conditions(2));
        // 1000 q is 0.5 ms; nine tenths of 28 calls of 20 µs are 0.504 ms.
        assert_eq!(sampling.calls, [28, 2]);
        assert!(sampling.too_short.is_empty() && sampling.single_call.is_empty());
        let mut small = conditions(2);
        small.calls_max = vec![11, 1];
        assert_eq!(choose(&pilot, WarmUp::Normal, &small).calls, [10, 1]);
    }

    #[test]
    fn a_slow_variant_makes_single_calls_and_does_not_set_the_calls() {
        let sampling = choose(
            &pilot(&[&[1_000_000], &[20_000], &[30_000]]),
            WarmUp::Normal,
            &conditions(1),
        );
        assert_eq!(sampling.single_call, [0]);
        assert_eq!(sampling.calls, [28]);
    }

    #[test]
    fn calls_below_twenty_resolutions_are_not_timed() {
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
    fn what_is_around_the_calls_of_one_case_is_no_cost_of_another() {
        let pilot = pilot(&[&[20_000, 480_000], &[20_000, 480_000]]);
        let mut dear = conditions(2);
        dear.overheads[1] = CaseOverhead {
            input_ns: 50e6,
            judge_ns: 10e6,
            call_ns: 1e6,
        };
        let sampling = choose(&pilot, WarmUp::Normal, &dear);
        assert_eq!(sampling.calls, [28, 2]);
        // 28 calls of 20 µs and 2 of 1.48 ms for each of both, and two inputs that they share.
        let expected = 2.0 * (28.0 * 20e-6 + 2.0 * 1.48e-3) + 2.0 * 60e-3;
        let block = sampling.block_seconds(&racing(&[0, 1]));
        assert!((block - expected).abs() < 1e-9, "{block}");
        // The warm-up takes 20 calls, 10 on each case; both have the same inputs.
        let start = sampling.replica_seconds(&racing(&[0, 1])) - f64::from(sampling.blocks) * block;
        let expected = 0.003 + 2.0 * 10.0 * (20e-6 + 1.48e-3) + 10.0 * 50e-3;
        assert!((start - expected).abs() < 1e-9, "{start}");
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
    fn a_single_call_variant_costs_one_call_and_its_warm_up() {
        let pilot = pilot(&[&[20_000], &[4_000_000]]);
        let sampling = choose(&pilot, WarmUp::Normal, &conditions(1));
        let with = [
            LiveVariant {
                variant: 0,
                single_call: false,
            },
            LiveVariant {
                variant: 1,
                single_call: true,
            },
        ];
        let more = sampling.replica_seconds(&with) - sampling.replica_seconds(&with[..1]);
        assert!((more - 0.008).abs() < 1e-9, "{more}");
    }
}
