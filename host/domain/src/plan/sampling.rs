//! The sampling of a race: calls, blocks and warm-up, fixed before the first replica that counts.

use super::costs::{CaseOverhead, Costs};
use super::pilot::PilotTimes;
use super::seeds::CALLS_MAX;
use super::short_calls::{self, ShortCalls, ShortCase};
use super::steady::{Steadiness, WarmUp, steadiness};
use super::too_short::{self, TooShort};
use super::{BLOCKS_MAX, BLOCKS_MIN};
use crate::measurement::{CaseIndex, VariantIndex};
use crate::race::{INPUTS_ENOUGH, blocks_needed};
use crate::stats::replicas_needed;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Length of a sample: the longer of a number of clock resolutions and a number of nanoseconds.
#[derive(Clone, Copy)]
struct SampleLength {
    resolutions: f64,
    ns: f64,
}

/// Length of a sample of the quickest variant, where it is compared with others like it.
const USUAL: SampleLength = SampleLength {
    resolutions: 1_000.0,
    ns: 300_000.0,
};
/// Length of the same sample beside a variant that is far slower: a large difference takes shorter samples, which cost
/// less.
const SHORTER: SampleLength = SampleLength {
    resolutions: 200.0,
    ns: 100_000.0,
};
/// Length of the same sample beside a variant that is slower by so much that little is needed to see it.
const SHORTEST: SampleLength = SampleLength {
    resolutions: 50.0,
    ns: 20_000.0,
};
/// Length of the same sample beside a variant that is slower by so much that the error of a clock says nothing.
const BRIEFEST: SampleLength = SampleLength {
    resolutions: 5.0,
    ns: 2_000.0,
};
/// Ratio to the quickest variant's time above which a variant is far slower, and samples are [`SHORTER`].
const FAR_SLOWER: f64 = 3.0;
/// Ratio to the quickest variant's time above which samples are [`SHORTEST`].
const FARTHEST: f64 = 30.0;
/// Ratio to the quickest variant's time above which samples are [`BRIEFEST`].
const BEYOND: f64 = 1_000.0;
/// Ratio to the quickest variant's time above which a difference is obvious after a few blocks of two processes.
const OBVIOUS: f64 = 1.8;
/// Number of processes after which an obvious difference is to be known.
const OBVIOUS_REPLICAS: u32 = 2;
/// Number of processes that together are to meet enough inputs, where each could have more of them for little.
const INPUTS_REPLICAS: u32 = 4;
/// Ratio to the quickest variant's time above which a variant may be set aside.
const ASIDE: f64 = 10.0;
/// Share of the budget that [`OBVIOUS_REPLICAS`] processes with all variants may take before variants are set aside.
const ASIDE_SHARE: f64 = 0.25;
/// Share of its length to which the jitter may shorten a sample.
const JITTER_LOW: f64 = 0.9;
/// Least ratio of the time of a replica's blocks to that of starting and warming up, if 16 blocks reach it.
const BLOCKS_TO_STARTUP: f64 = 2.0;
/// Number of times that the replicas of a clear difference should fit into the budget.
const REPLICAS_WANTED: f64 = 3.0;

/// The constraints of a sampling, besides the pilot's times.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplingConstraints {
    /// q: the clock resolution, its cost included, in nanoseconds.
    pub clock_ns: f64,
    /// The time that a replica takes before any warm-up (process, loading, instances), in seconds.
    pub startup_seconds: f64,
    /// Factor by which guest code takes longer on the wall clock than on a CPU, since other programs run on the same
    /// cores: a budget is wall time. Less than 1 counts as 1.
    pub wall_per_cpu: f64,
    /// Times around the calls, by case.
    pub overheads: Vec<CaseOverhead>,
    /// Largest numbers of calls of a sample, by case, so that its inputs fit into memory; at least 1.
    pub calls_max: Vec<u32>,
    /// The number of cases that each block draws, if they are instances of one set.
    pub instances_per_block: Option<u32>,
    /// Facts about calls that are too short for the CPU clock.
    pub short_calls: ShortCalls,
    /// The time left for the whole race, in seconds.
    pub seconds: f64,
    /// The number of replicas that run at once.
    pub workers: u32,
    /// The evidence that a claim over all cases needs, in nats: [`crate::race::RaceSettings::threshold`].
    pub threshold: f64,
    /// The evidence that a claim over all cases needs by blocks, in nats:
    /// [`crate::race::RaceSettings::block_threshold`].
    pub block_threshold: f64,
    /// The largest number of replicas.
    pub replicas_max: u32,
    /// δ as a difference of logarithms.
    pub practical_log: f64,
}

/// The sampling of a race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// Numbers of calls of a sample where all variants take part, by case, before the jitter. 0 for a case on which no
    /// variant ran or calls are too short.
    pub calls: Vec<u32>,
    /// The number of cases that each block draws, if they are instances of one set; `None` if every
    /// block has all of them.
    #[serde(default)]
    pub instances_per_block: Option<u32>,
    /// m: the number of blocks of a replica in which all take part, 4 to 16.
    pub blocks: u32,
    /// The warm-up of each variant.
    pub warm_up: WarmUp,
    /// The pilot's test for a steady state after that warm-up.
    pub steadiness: Steadiness,
    /// The variants that run in replicas of their own, ascending: far slower than the others, which would wait for
    /// them.
    #[serde(default)]
    pub aside: Vec<VariantIndex>,
    /// The cases whose calls are timed by a cheaper clock than that of CPU time, ascending.
    #[serde(default)]
    pub short_cases: Vec<ShortCase>,
    /// Calls that are too short to be timed.
    pub too_short: Vec<TooShort>,
    /// Variants that are not timed at all, ascending: their calls are too short on so many cases that
    /// the others would have no verdict. Other cases of [`too_short`](Self::too_short) get no verdict
    /// for any variant.
    #[serde(default)]
    pub untimed: Vec<VariantIndex>,
    costs: Costs,
    /// Bounds of a replica's samples. Results of earlier versions lack them; no replica can be added to these.
    #[serde(default)]
    limits: Limits,
}

/// Bounds of a replica's samples, whichever variants take part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Limits {
    clock_ns: f64,
    calls_max: Vec<u32>,
    seconds: f64,
    workers: u32,
    /// Number of replicas that the budget should hold.
    replicas: f64,
    /// Number of blocks after which an obvious difference is known.
    obvious_blocks: u32,
}

/// The samples of one replica, and the time that they are predicted to take. Predictions take the pilot's machine for
/// what is to come: callers correct them by what replicas really take ([`super::Correction`]).
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicaSampling {
    /// Numbers of calls of a sample, by case, before the jitter; 0 for a case that is not timed.
    pub calls: Vec<u32>,
    /// The number of blocks, 4 to 16.
    pub blocks: u32,
    /// The predicted time of the replica in seconds, start and warm-up included.
    pub seconds: f64,
    /// The predicted time of one block in seconds: by this much a budget may be exceeded.
    pub block_seconds: f64,
}

/// Chooses the sampling from a pilot, before any data that counts. The samples of a replica follow from the sampling
/// and from the variants that take part: [`Sampling::of_replica`].
pub fn choose(pilot: &PilotTimes, warm_up: WarmUp, conditions: &SamplingConstraints) -> Sampling {
    let cases = conditions.calls_max.len();
    let clock_ns = conditions.clock_ns;
    let short_cases = conditions.short_calls.find(pilot, cases, clock_ns);
    let too_short = conditions.short_calls.too_short(pilot, cases, clock_ns);
    let untimed = too_short::untimed(&pilot.variants(), cases, &too_short);
    let pilot = &pilot.without(&untimed);
    let others = too_short
        .iter()
        .filter(|short| !untimed.contains(&short.variant));
    let too_short_cases: BTreeSet<CaseIndex> = others.map(|short| short.case).collect();
    let variants = pilot.variants();
    let is_timed = |case: CaseIndex| {
        let mut called = variants.iter();
        !too_short_cases.contains(&case)
            && called.any(|variant| pilot.call_ns(*variant, case).is_some())
    };
    let replicas = REPLICAS_WANTED * f64::from(replicas_needed(conditions.threshold));
    let mut sampling = Sampling {
        calls: (0..cases).map(|case| u32::from(is_timed(case))).collect(),
        instances_per_block: conditions.instances_per_block,
        blocks: BLOCKS_MIN,
        warm_up,
        steadiness: steadiness(pilot, conditions.practical_log),
        costs: Costs::new(
            pilot,
            cases,
            conditions.startup_seconds,
            conditions.wall_per_cpu,
            &conditions.overheads,
        ),
        aside: Vec::new(),
        short_cases,
        too_short,
        untimed,
        limits: Limits {
            clock_ns,
            calls_max: conditions.calls_max.clone(),
            seconds: conditions.seconds,
            workers: conditions.workers.max(1),
            replicas: replicas.min(f64::from(conditions.replicas_max)),
            obvious_blocks: blocks_needed(conditions.block_threshold),
        },
    };
    sampling.aside = sampling.choose_aside(&variants);
    let mut together = variants;
    together.retain(|variant| !sampling.aside.contains(variant));
    ReplicaSampling {
        calls: sampling.calls,
        blocks: sampling.blocks,
        ..
    } = sampling.of_replica(&together);
    sampling
}

impl Sampling {
    /// The declared weights of cases, with 0 for cases on which calls are too short.
    pub fn case_weights(&self, declared: &[f64]) -> Vec<f64> {
        let weights = declared.iter().enumerate();
        let weight = |(case, weight): (usize, &f64)| match self.calls.get(case) {
            Some(calls) if *calls > 0 => *weight,
            _ => 0.0,
        };
        weights.map(weight).collect()
    }

    /// The samples of a replica in which these variants take part.
    ///
    /// Calls: as many as make the sample of the quickest variant last about max(1000 q, 0.3 ms) after the jitter;
    /// max(200 q, 0.1 ms) beside a variant that is more than 3 × slower, max(50 q, 0.02 ms) beside one that is more
    /// than 30 × slower, max(5 q, 2 µs) beside one that is more than 1,000 × slower; one at least.
    ///
    /// Blocks: enough to take twice as long as starting and warming up. Where a variant is nearly twice as slow: enough
    /// for two processes to tell, and for four of them to meet enough inputs if that takes no longer. Few enough that
    /// three times the replicas of a clear difference fit into the budget; 4 to 16, and no fewer than two processes need
    /// where a variant is far slower and the budget has room for these.
    pub fn of_replica(&self, variants: &[VariantIndex]) -> ReplicaSampling {
        let slowest = self.slowest(variants);
        let length = if slowest > BEYOND {
            BRIEFEST
        } else if slowest > FARTHEST {
            SHORTEST
        } else if slowest > FAR_SLOWER {
            SHORTER
        } else {
            USUAL
        };
        let calls = (0..self.calls.len()).map(|case| match self.calls[case] {
            0 => 0,
            _ => self.calls_of_sample(variants, case, length),
        });
        let calls: Vec<u32> = calls.collect();
        let startup = self.startup_seconds(variants);
        let block = self.seconds_of_block(variants, &calls);
        let fills = |blocks: &u32| f64::from(*blocks) * block >= BLOCKS_TO_STARTUP * startup;
        let filling = (BLOCKS_MIN..=BLOCKS_MAX).find(fills).unwrap_or(BLOCKS_MAX);
        let least = self.limits.obvious_blocks.div_ceil(OBVIOUS_REPLICAS);
        let wanted = if slowest > OBVIOUS {
            let enough = least + 1;
            let for_inputs = self.blocks_for_inputs(&calls).min(filling);
            enough.max(for_inputs).clamp(BLOCKS_MIN, BLOCKS_MAX)
        } else {
            filling
        };
        let seconds = self.limits.seconds * f64::from(self.limits.workers);
        let fits =
            |blocks: &u32| self.limits.replicas * (startup + f64::from(*blocks) * block) <= seconds;
        // Two processes that tell cost less than three that are needed since each has a block too few.
        let least = least.clamp(BLOCKS_MIN, BLOCKS_MAX);
        let of_two = f64::from(OBVIOUS_REPLICAS) * (startup + f64::from(least) * block);
        let fewest = if slowest > FAR_SLOWER && of_two <= seconds {
            least
        } else {
            BLOCKS_MIN
        };
        let fitting = (fewest..=wanted).rev().find(fits);
        let blocks = fitting.unwrap_or(fewest);
        ReplicaSampling {
            calls,
            blocks,
            seconds: startup + f64::from(blocks) * block,
            block_seconds: block,
        }
    }

    /// The least number of replicas of these variants that could bring a verdict by blocks; `None` where the difference is
    /// not obvious.
    pub fn obvious_replicas(&self, variants: &[VariantIndex]) -> Option<u32> {
        let blocks = self.of_replica(variants).blocks.max(1);
        let enough = self.limits.obvious_blocks.div_ceil(blocks);
        (self.slowest(variants) > OBVIOUS).then_some(enough.max(OBVIOUS_REPLICAS))
    }

    /// The predicted time of this many replicas of these variants, side by side where there are cores, in seconds.
    pub fn seconds_of(&self, replicas: u32, variants: &[VariantIndex]) -> f64 {
        let turns = replicas.div_ceil(self.limits.workers.max(1));
        f64::from(turns) * self.of_replica(variants).seconds
    }

    /// Number of blocks with which [`INPUTS_REPLICAS`] replicas together have [`INPUTS_ENOUGH`] inputs of every case; 0
    /// for a set of instances, of which all are known.
    fn blocks_for_inputs(&self, calls: &[u32]) -> u32 {
        let fewest = self.timed_cases().map(|case| calls[case]).min();
        let fewest = fewest.filter(|calls| *calls > 0 && self.instances_per_block.is_none());
        fewest.map_or(0, |calls| {
            (INPUTS_ENOUGH as u32).div_ceil(calls * INPUTS_REPLICAS)
        })
    }

    /// Returns true if one of these variants is more than 3 × slower than the quickest of them.
    pub fn is_far_apart(&self, variants: &[VariantIndex]) -> bool {
        self.slowest(variants) > FAR_SLOWER
    }

    /// Returns true if each of these variants is more than 3 × slower than whoever is next to it.
    pub fn are_all_far_apart(&self, variants: &[VariantIndex]) -> bool {
        let times = variants.iter().map(|variant| self.log_time(*variant));
        let Some(mut times) = times.collect::<Option<Vec<f64>>>() else {
            return false;
        };
        times.sort_by(f64::total_cmp);
        times
            .windows(2)
            .all(|pair| pair[1] - pair[0] > FAR_SLOWER.ln())
    }

    /// Ratio of the time of the slowest of some variants to that of the quickest: the geometric mean over the cases
    /// that are timed; 1 for a single variant.
    fn slowest(&self, variants: &[VariantIndex]) -> f64 {
        let times = variants
            .iter()
            .filter_map(|variant| self.log_time(*variant));
        let (least, most) = times.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), log| {
            (log.min(least), log.max(most))
        });
        if most > least {
            (most - least).exp()
        } else {
            1.0
        }
    }

    /// Mean over the cases of the logarithm of the time of a call, in nanoseconds; `None` if it is not known.
    fn log_time(&self, variant: VariantIndex) -> Option<f64> {
        let times = self.timed_cases();
        let times = times.map(|case| self.costs.guest_ns(variant, case));
        let logs: Vec<f64> = times.filter(|ns| *ns > 0.0).map(f64::ln).collect();
        (!logs.is_empty()).then(|| logs.iter().sum::<f64>() / logs.len() as f64)
    }

    fn calls_of_sample(
        &self,
        variants: &[VariantIndex],
        case: CaseIndex,
        length: SampleLength,
    ) -> u32 {
        let times = variants.iter();
        let times = times.map(|variant| self.costs.guest_ns(*variant, case));
        let quickest = times.filter(|ns| *ns > 0.0).fold(f64::INFINITY, f64::min);
        if !quickest.is_finite() {
            return 1;
        }
        let sample_ns = length.ns.max(length.resolutions * self.limits.clock_ns);
        // The nearest number of calls, not the next larger one: between one call and two it is better to have
        // more blocks than longer samples.
        let wanted = (sample_ns / (JITTER_LOW * quickest)).round();
        // The jitter may add a tenth, which must still fit.
        let fitting = f64::from(
            self.limits
                .calls_max
                .get(case)
                .copied()
                .unwrap_or(1)
                .min(CALLS_MAX - 1),
        ) / 1.1;
        let calls = wanted.min(fitting.floor()).max(1.0) as u32;
        calls.min(short_calls::calls_max(&self.short_cases, case))
    }

    /// The predicted time of this many calls of a variant on a case, in seconds; only the time around them
    /// where the variant's own is not known.
    pub fn sample_seconds(&self, variant: VariantIndex, case: CaseIndex, calls: u32) -> f64 {
        self.costs.calls_seconds(variant, case, calls)
    }

    fn seconds_of_block(&self, variants: &[VariantIndex], calls: &[u32]) -> f64 {
        let on_case = |case: CaseIndex| -> f64 {
            let calls = calls[case];
            let samples = variants
                .iter()
                .map(|variant| self.costs.calls_seconds(*variant, case, calls));
            self.costs.with_inputs(case, calls, samples)
        };
        self.share_of_block() * self.timed_cases().map(on_case).sum::<f64>()
    }

    /// Share of the timed cases that a block has: 1, unless they are instances of a set, of which a block draws a few.
    fn share_of_block(&self) -> f64 {
        let all = self.timed_cases().count().max(1) as f64;
        let drawn = self.instances_per_block.map_or(all, f64::from);
        (drawn / all).min(1.0)
    }

    fn timed_cases(&self) -> impl Iterator<Item = CaseIndex> {
        (0..self.calls.len()).filter(|case| self.calls[*case] > 0)
    }

    fn startup_seconds(&self, variants: &[VariantIndex]) -> f64 {
        let cases: Vec<CaseIndex> = self.timed_cases().collect();
        let share = self.share_of_block();
        self.costs.startup_seconds()
            + self
                .costs
                .warm_up_seconds(self.warm_up, variants, &cases, share)
    }

    /// Chooses the variants that are set aside, ascending: those more than 10 × slower than the quickest, the dearest
    /// first, as long as two processes with all variants take more than a quarter of the budget. Two are always left.
    fn choose_aside(&self, variants: &[VariantIndex]) -> Vec<VariantIndex> {
        let logs = variants.iter().filter_map(|one| self.log_time(*one));
        let quickest = logs.fold(f64::INFINITY, f64::min);
        let is_slow = |variant: &VariantIndex| {
            let log = self.log_time(*variant);
            log.is_some_and(|log| log - quickest > ASIDE.ln())
        };
        let mut slow: Vec<VariantIndex> = variants.iter().copied().filter(is_slow).collect();
        let log_time = |variant: &VariantIndex| self.log_time(*variant).unwrap_or(0.0);
        slow.sort_by(|a, b| log_time(a).total_cmp(&log_time(b)));
        let mut together = variants.to_vec();
        let mut aside = Vec::new();
        let share = ASIDE_SHARE * self.limits.seconds * f64::from(self.limits.workers);
        while together.len() > 2
            && f64::from(OBVIOUS_REPLICAS) * self.of_replica(&together).seconds > share
            && let Some(dearest) = slow.pop()
        {
            together.retain(|variant| *variant != dearest);
            aside.push(dearest);
        }
        aside.sort_unstable();
        aside
    }
}

#[cfg(test)]
mod tests;
