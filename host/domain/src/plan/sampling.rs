//! The sampling of a race: calls, blocks and warm-up, fixed before the first replica that counts.

use super::costs::{CaseOverhead, Costs};
use super::pilot::PilotTimes;
use super::replica_plan::at_once;
use super::seeds::CALLS_MAX;
use super::short_calls::{self, ShortCalls, ShortCase, call_ns_min};
use super::steady::{Steadiness, WarmUp, steadiness};
use super::too_short::{self, TooShort};
use super::{BLOCKS_MAX, BLOCKS_MIN, LiveVariant, SingleCalls, single_calls};
use crate::measurement::{CaseIndex, VariantIndex};
use crate::stats::replicas_needed;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A sample lasts at least this many times the clock resolution.
const SAMPLE_RESOLUTIONS: f64 = 1_000.0;
/// A sample lasts at least this long, in nanoseconds.
const SAMPLE_NS_MIN: f64 = 300_000.0;
/// The jitter may shorten a sample to this share.
const JITTER_LOW: f64 = 0.9;
/// Blocks take at least this many times as long as starting and warming up, if 16 of them do.
const BLOCKS_TO_STARTUP: f64 = 2.0;
/// A difference is obvious if every other variant takes at least so many times as long as the quickest in
/// the pilot: a few blocks then have the sign that many have.
const OBVIOUS_RATIO: f64 = 1.5;
/// The budget should hold this many times the replicas that an obvious difference takes.
const REPLICAS_WANTED: f64 = 3.0;
/// Nanoseconds in a second.
const SECOND_NS: f64 = 1e9;

/// The constraints of a sampling, besides the pilot's times.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplingConstraints {
    /// q: the clock resolution, its cost included, in nanoseconds.
    pub clock_ns: f64,
    /// The time that a replica takes before any warm-up (process, loading, instances), in seconds.
    pub startup_seconds: f64,
    /// How much longer guest code takes on the wall clock than on a CPU, since other programs run on the
    /// same cores: a budget is wall time. Less than 1 counts as 1.
    pub wall_per_cpu: f64,
    /// By case: the time around its calls.
    pub overheads: Vec<CaseOverhead>,
    /// By case: the largest number of calls of a sample, so that its inputs fit into memory; at least 1.
    pub calls_max: Vec<u32>,
    /// The number of cases that each block draws, if they are instances of one set.
    pub instances_per_block: Option<u32>,
    /// What is known of calls that are too short for the CPU clock.
    pub short_calls: ShortCalls,
    /// True if no checked call took far more work than others on its case, for any variant: then few calls
    /// say what many do.
    pub inputs_are_alike: bool,
    /// The time left for the whole race, in seconds.
    pub seconds: f64,
    /// The number of replicas that run at once.
    pub workers: u32,
    /// The evidence that a claim over all cases needs, in nats: [`crate::race::RaceSettings::threshold`].
    pub threshold: f64,
    /// The largest number of replicas.
    pub replicas_max: u32,
    /// δ as a difference of logarithms.
    pub practical_log: f64,
}

/// The sampling of a race.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// By case: the number of calls of a sample, before the jitter. 0 for a case on which no variant ran
    /// or calls are too short.
    pub calls: Vec<u32>,
    /// The number of cases that each block draws, if they are instances of one set; `None` if every
    /// block has all of them.
    #[serde(default)]
    pub instances_per_block: Option<u32>,
    /// m: the number of blocks of a replica, 4 to 16.
    pub blocks: u32,
    /// The warm-up of each variant.
    pub warm_up: WarmUp,
    /// The pilot's test for a steady state after that warm-up.
    pub steadiness: Steadiness,
    /// The variants that make single calls, ascending, each with its cases.
    #[serde(default)]
    pub single_calls: Vec<SingleCalls>,
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
}

/// Chooses the sampling from a pilot, before any data that counts.
///
/// Calls: as many as make the sample of the fastest variant last about max(1000 q, 0.3 ms) after the
/// jitter; one at least. Blocks: enough to take twice as long as starting and warming up, but few enough that three
/// times the replicas of an obvious difference fit into the budget; 4 to 16. Where the difference is obvious
/// and inputs are alike, 4: what is left open is then a matter of processes, not of samples.
pub fn choose(pilot: &PilotTimes, warm_up: WarmUp, conditions: &SamplingConstraints) -> Sampling {
    let all_cases: Vec<CaseIndex> = (0..conditions.calls_max.len()).collect();
    let (cases, clock_ns) = (all_cases.len(), conditions.clock_ns);
    let short_cases = conditions.short_calls.find(pilot, cases, clock_ns);
    let too_short = conditions.short_calls.too_short(pilot, cases, clock_ns);
    let untimed = too_short::untimed(&pilot.variants(), all_cases.len(), &too_short);
    let pilot = &pilot.without(&untimed);
    let others = too_short
        .iter()
        .filter(|short| !untimed.contains(&short.variant));
    let short: BTreeSet<CaseIndex> = others.map(|short| short.case).collect();
    let timed = |case: &CaseIndex| !short.contains(case);
    let timed: Vec<CaseIndex> = all_cases.iter().copied().filter(timed).collect();
    let variants = pilot.variants();
    let calls = all_cases.iter().map(|case| {
        let times = variants.iter();
        let quickest = times
            .filter_map(|variant| pilot.call_ns(*variant, *case))
            .fold(f64::INFINITY, f64::min);
        if timed.binary_search(case).is_ok() {
            calls_of_sample(quickest, *case, conditions)
                .min(short_calls::calls_max(&short_cases, *case))
        } else {
            0
        }
    });
    let calls: Vec<u32> = calls.collect();
    let single_calls = match conditions.instances_per_block {
        Some(_) => single_calls::find_on_set(pilot, &timed, &calls),
        None => {
            let is_short = |case| short_cases.iter().any(|short| short.case == case);
            single_calls::find(pilot, &timed, |case| match is_short(case) {
                true => call_ns_min(clock_ns),
                false => 0.0,
            })
        }
    };
    let mut sampling = Sampling {
        calls,
        instances_per_block: conditions.instances_per_block,
        blocks: BLOCKS_MIN,
        warm_up,
        steadiness: steadiness(pilot, conditions.practical_log),
        costs: Costs::new(
            pilot,
            all_cases.len(),
            conditions.startup_seconds,
            conditions.wall_per_cpu,
            &conditions.overheads,
        ),
        single_calls,
        short_cases,
        too_short,
        untimed,
    };
    sampling.blocks = sampling.choose_blocks(pilot, conditions);
    sampling.spread_single_calls(pilot, conditions);
    sampling
}

fn calls_of_sample(quickest_ns: f64, case: CaseIndex, conditions: &SamplingConstraints) -> u32 {
    if !quickest_ns.is_finite() {
        return 0;
    }
    let sample_ns = SAMPLE_NS_MIN.max(SAMPLE_RESOLUTIONS * conditions.clock_ns);
    // The nearest number of calls, not the next larger one: between one call and two it is better to have
    // more blocks than longer samples, as a median over blocks sees disturbances that a long sample adds up.
    let wanted = (sample_ns / (JITTER_LOW * quickest_ns)).round();
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

    /// A variant as it takes part in replicas.
    pub fn live_variant(&self, variant: VariantIndex) -> LiveVariant {
        LiveVariant::new(variant, &self.single_calls)
    }

    /// The longest of a variant's single calls as the pilot knows it: its CPU time in nanoseconds, and how many
    /// times that of the quickest variant on its case it is. `None` if it makes none.
    pub fn longest_single_call(&self, variant: VariantIndex) -> Option<(f64, f64)> {
        let own = self
            .single_calls
            .iter()
            .find(|own| own.variant == variant)?;
        let of_case = |case: &CaseIndex| {
            let call_ns = self.costs.guest_ns(variant, *case);
            (call_ns, call_ns / self.costs.quickest_ns(*case))
        };
        let calls = own.cases.iter().map(of_case);
        calls.max_by(|one, other| one.0.total_cmp(&other.0))
    }

    /// The predicted time of the replica of this index with these variants in seconds, start and
    /// warm-up included. It takes the pilot's machine for what is to come: callers correct it by what
    /// replicas really take ([`super::Correction`]).
    pub fn replica_seconds(&self, live_variants: &[LiveVariant], index: u32) -> f64 {
        self.full_seconds(live_variants, self.blocks)
            + self.single_calls_seconds(live_variants, index)
    }

    /// The predicted time of one block in seconds: by this much a budget may be exceeded.
    pub fn block_seconds(&self, live_variants: &[LiveVariant]) -> f64 {
        let on_case = |case: CaseIndex| -> f64 {
            let calls = self.calls[case];
            let samples = live_variants
                .iter()
                .filter(|one| !one.makes_single_calls_on(case))
                .map(|one| self.costs.calls_seconds(one.variant, case, calls));
            self.costs.with_inputs(case, calls, samples)
        };
        self.share_of_block() * self.timed_cases().map(on_case).sum::<f64>()
    }

    /// The share of the timed cases that a block has: of a set of instances, those that it draws.
    fn share_of_block(&self) -> f64 {
        let all = self.timed_cases().count().max(1) as f64;
        let drawn = self.instances_per_block.map_or(all, f64::from);
        (drawn / all).min(1.0)
    }

    /// The predicted time of a replica without its single calls, in seconds.
    fn full_seconds(&self, live_variants: &[LiveVariant], blocks: u32) -> f64 {
        self.startup_seconds(live_variants) + f64::from(blocks) * self.block_seconds(live_variants)
    }

    fn timed_cases(&self) -> impl Iterator<Item = CaseIndex> {
        (0..self.calls.len()).filter(|case| self.calls[*case] > 0)
    }

    fn startup_seconds(&self, live_variants: &[LiveVariant]) -> f64 {
        let full_cases = |one: &LiveVariant| {
            let cases = self.timed_cases();
            let full = cases.filter(|case| !one.makes_single_calls_on(*case));
            (one.variant, full.collect())
        };
        let rotations: Vec<(VariantIndex, Vec<CaseIndex>)> =
            live_variants.iter().map(full_cases).collect();
        let share = self.share_of_block();
        self.costs.startup_seconds() + self.costs.warm_up_seconds(self.warm_up, &rotations, share)
    }

    /// The predicted time of the single calls in the replica of this index: those of slow variants,
    /// and of the others beside them.
    fn single_calls_seconds(&self, live_variants: &[LiveVariant], index: u32) -> f64 {
        let due = |one: &LiveVariant| one.makes_single_calls_in(index);
        let has_round = |case: &CaseIndex| {
            let mut live_variants = live_variants.iter();
            live_variants.any(|one| one.makes_single_calls_on(*case) && due(one))
        };
        let cases: Vec<CaseIndex> = self.timed_cases().filter(has_round).collect();
        let least_ns = self.round_warm_up_ns(cases.len());
        let round = |case: &CaseIndex| -> f64 {
            let single = |one: &&LiveVariant| one.makes_single_calls_on(*case);
            let present = live_variants.iter().filter(|one| !single(one) || due(one));
            let calls = |one: &LiveVariant| {
                let before = self.costs.calls_before_single(one.variant, *case, least_ns);
                let seconds = self.costs.single_call_seconds(one.variant, *case, least_ns);
                (before, seconds)
            };
            let calls: Vec<(u32, f64)> = present.map(calls).collect();
            let inputs = calls.iter().map(|(before, _)| *before).max();
            let seconds = calls.into_iter().map(|(_, seconds)| seconds);
            self.costs.with_inputs(*case, 1, seconds)
                + self.costs.inputs_seconds(*case, inputs.unwrap_or(0))
        };
        self.share_of_block() * cases.iter().map(round).sum::<f64>()
    }

    /// The least time of the calls before a single one, where so many cases have rounds of them; of a set,
    /// a replica draws some.
    fn round_warm_up_ns(&self, cases: usize) -> u64 {
        let rounds = match self.instances_per_block {
            Some(drawn) => cases.min(drawn as usize),
            None => cases,
        };
        self.warm_up.round_time_ns(rounds)
    }

    /// Decides how often each variant makes its single calls.
    fn spread_single_calls(&mut self, pilot: &PilotTimes, conditions: &SamplingConstraints) {
        let live_variants = pilot.variants().into_iter();
        let live_variants: Vec<LiveVariant> = live_variants
            .map(|variant| self.live_variant(variant))
            .collect();
        let cases: BTreeSet<CaseIndex> = self
            .single_calls
            .iter()
            .flat_map(|own| &own.cases)
            .copied()
            .collect();
        let least_ns = self.round_warm_up_ns(cases.len());
        let round_ns = |own: &SingleCalls| {
            let calls = own
                .cases
                .iter()
                .map(|case| self.costs.single_call_seconds(own.variant, *case, least_ns));
            self.share_of_block() * calls.sum::<f64>() * SECOND_NS
        };
        let rounds_ns: Vec<f64> = self.single_calls.iter().map(round_ns).collect();
        let budget_ns = conditions.seconds * at_once(conditions.workers) * SECOND_NS;
        let replica_ns = self.full_seconds(&live_variants, self.blocks) * SECOND_NS;
        let every = single_calls::every(
            &rounds_ns,
            &single_calls::Room {
                budget_ns,
                others: live_variants.len() - rounds_ns.len(),
                needed: replicas_needed(conditions.threshold),
                replicas: (budget_ns / replica_ns.max(1.0))
                    .clamp(1.0, f64::from(conditions.replicas_max)),
            },
        );
        for (own, every) in self.single_calls.iter_mut().zip(every) {
            own.every = every;
        }
    }

    fn choose_blocks(&self, pilot: &PilotTimes, conditions: &SamplingConstraints) -> u32 {
        let live_variants = pilot.variants().into_iter();
        let live_variants: Vec<LiveVariant> = live_variants
            .map(|variant| self.live_variant(variant))
            .collect();
        let startup = self.startup_seconds(&live_variants);
        let block = self.block_seconds(&live_variants);
        let fills = |blocks: &u32| f64::from(*blocks) * block >= BLOCKS_TO_STARTUP * startup;
        let wanted = (BLOCKS_MIN..=BLOCKS_MAX).find(fills).unwrap_or(BLOCKS_MAX);
        let cases: Vec<CaseIndex> = self.timed_cases().collect();
        let is_brief = conditions.inputs_are_alike
            && conditions.instances_per_block.is_none()
            && pilot.is_obvious(&cases, OBVIOUS_RATIO);
        let wanted = if is_brief { BLOCKS_MIN } else { wanted };
        let replicas = REPLICAS_WANTED * f64::from(replicas_needed(conditions.threshold));
        let replicas = replicas.min(f64::from(conditions.replicas_max));
        let seconds = conditions.seconds * f64::from(conditions.workers.max(1));
        let fits = |blocks: &u32| replicas * self.full_seconds(&live_variants, *blocks) <= seconds;
        (BLOCKS_MIN..=wanted).rev().find(fits).unwrap_or(BLOCKS_MIN)
    }
}

#[cfg(test)]
mod tests;
