//! The plan of one replica, drawn from a seed.

use super::seeds::{InputPurpose, SampleSeeds, mix, sample_seeds};
use super::steady::WarmUp;
use crate::measurement::{CaseIndex, Sample, VariantIndex};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

/// Every n-th replica runs alone if several workers measure at once.
const SOLO_EVERY: u32 = 8;
/// The largest deviation of the number of calls in a block, in per cent.
const JITTER_PERCENT: u64 = 10;

/// A variant that takes part in a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveVariant {
    /// The variant.
    pub variant: VariantIndex,
    /// True if it makes a single call in a single block: it is more than 10 × slower than the best.
    pub single_call: bool,
}

/// The stage that a replica belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplicaStage {
    /// The sampling is chosen from it; then it is discarded.
    Pilot,
    /// It counts for verdicts.
    Race,
}

/// Whether a replica runs alone or side by side with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// No other replica runs meanwhile.
    Solo,
    /// Other replicas may run on other cores.
    Shared,
}

/// The isolation of a replica: every eighth runs alone, as a control, if several workers measure at
/// once. With a single worker all of them do.
pub fn isolation(index: u32, workers: u32) -> Isolation {
    if workers <= 1 || index % SOLO_EVERY == SOLO_EVERY - 1 {
        Isolation::Solo
    } else {
        Isolation::Shared
    }
}

/// The plan of one replica: what a fresh process does, in this order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplicaPlan {
    /// Its place in the order of launches, from 0.
    pub index: u32,
    /// The stage that it belongs to.
    pub stage: ReplicaStage,
    /// The order in which components are loaded, each with its layout: both decide where their code
    /// lies in memory.
    pub load_order: Vec<ComponentLoad>,
    /// The variants that take part.
    pub live_variants: Vec<LiveVariant>,
    /// The warm-up of each variant before the first block, in the order of loading.
    pub warm_up: WarmUp,
    /// By case, the seeds of the warm-up's inputs.
    pub warm_up_seeds: Vec<SampleSeeds>,
    /// The blocks.
    pub blocks: Vec<BlockPlan>,
}

impl ReplicaPlan {
    /// Returns true if these are exactly the samples of the plan, in its order.
    pub fn is_followed_by(&self, samples: &[Sample]) -> bool {
        let taken = samples.iter().map(|sample| {
            let place = (sample.block, sample.case, sample.position);
            (place, sample.variant, sample.calls)
        });
        taken.eq(self.planned())
    }

    /// The number of samples.
    pub fn samples(&self) -> usize {
        self.planned().count()
    }

    /// By sample: (block, case, position), variant, number of calls.
    fn planned(&self) -> impl Iterator<Item = ((u32, CaseIndex, u32), VariantIndex, u32)> {
        (0..).zip(&self.blocks).flat_map(|(block, plan)| {
            plan.cases.iter().flat_map(move |plan| {
                let samples = (0..).zip(&plan.order);
                samples.map(move |(position, sample)| {
                    let place = (block, plan.case, position);
                    (place, sample.variant, sample.calls.min(plan.calls))
                })
            })
        })
    }
}

/// A component to be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ComponentLoad {
    /// Its variant.
    pub variant: VariantIndex,
    /// The version of its machine code: versions differ only in where the code lies.
    pub layout: u32,
}

/// One block: every variant once for each case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockPlan {
    /// The cases in the order in which they run.
    pub cases: Vec<CasePlan>,
}

/// One case within a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CasePlan {
    /// The case.
    pub case: CaseIndex,
    /// The number of calls of each sample, the same for all variants but single-call ones.
    pub calls: u32,
    /// The seeds of the calls' inputs, the same for all variants.
    pub seeds: SampleSeeds,
    /// The samples in the order in which they are taken.
    pub order: Vec<PlannedSample>,
}

/// One sample to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedSample {
    /// The variant.
    pub variant: VariantIndex,
    /// The number of calls: those of the case, or 1 for a single-call variant.
    pub calls: u32,
}

/// The parameters that a plan is drawn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplicaSpec<'a> {
    /// The run's seed.
    pub seed: u64,
    /// The replica's place in the order of launches, from 0, below
    /// [`REPLICAS_MAX`](super::REPLICAS_MAX).
    pub index: u32,
    /// The stage that it belongs to.
    pub stage: ReplicaStage,
    /// By case, the number of calls of a sample; 0 leaves the case out.
    pub calls: &'a [u32],
    /// The number of blocks; see [`BLOCKS_MIN`](super::BLOCKS_MIN) and
    /// [`BLOCKS_MAX`](super::BLOCKS_MAX).
    pub blocks: u32,
    /// The warm-up.
    pub warm_up: WarmUp,
    /// The variants that take part.
    pub live_variants: &'a [LiveVariant],
    /// By variant, the number of its layouts; 1 where it is missing.
    pub layouts: &'a [u32],
}

/// Draws the plan of one replica: a uniform order of loading, and for each component, independently,
/// a uniform layout; for every block a uniform order of cases; for every block and case a uniform
/// order of variants and a number of calls within ±10 %. Single-call variants appear in one block,
/// the same for all of them, drawn uniformly.
pub fn draw(spec: &ReplicaSpec<'_>) -> ReplicaPlan {
    let stage = match spec.stage {
        ReplicaStage::Race => 0_u64,
        ReplicaStage::Pilot => 1,
    };
    let stream = mix(spec.seed ^ mix(stage << 32 | u64::from(spec.index)));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(stream);
    let mut load_order: Vec<ComponentLoad> = spec
        .live_variants
        .iter()
        .map(|live_variant| ComponentLoad {
            variant: live_variant.variant,
            layout: draw_layout(&mut random, spec, live_variant.variant),
        })
        .collect();
    shuffle(&mut random, &mut load_order);
    let single_call_block = below(&mut random, u64::from(spec.blocks.max(1))) as u32;
    let warm_up_seeds = (0..spec.calls.len()).map(|case| {
        sample_seeds(
            spec.seed,
            InputPurpose::WarmUp,
            spec.index,
            stage as u32,
            case,
        )
    });
    ReplicaPlan {
        index: spec.index,
        stage: spec.stage,
        load_order,
        live_variants: spec.live_variants.to_vec(),
        warm_up: spec.warm_up,
        warm_up_seeds: warm_up_seeds.collect(),
        blocks: (0..spec.blocks)
            .map(|block| draw_block(&mut random, spec, block, block == single_call_block))
            .collect(),
    }
}

fn draw_layout(
    random: &mut Xoshiro256PlusPlus,
    spec: &ReplicaSpec<'_>,
    variant: VariantIndex,
) -> u32 {
    let versions = spec.layouts.get(variant).copied().unwrap_or(1);
    below(random, u64::from(versions)) as u32
}

fn draw_block(
    random: &mut Xoshiro256PlusPlus,
    spec: &ReplicaSpec<'_>,
    block: u32,
    with_single_call: bool,
) -> BlockPlan {
    let purpose = match spec.stage {
        ReplicaStage::Race => InputPurpose::Timed,
        ReplicaStage::Pilot => InputPurpose::Pilot,
    };
    let mut cases: Vec<CaseIndex> = (0..spec.calls.len())
        .filter(|case| spec.calls[*case] > 0)
        .collect();
    shuffle(random, &mut cases);
    let plans = cases.into_iter().map(|case| {
        let calls = jittered(random, spec.calls[case]);
        let present = spec
            .live_variants
            .iter()
            .filter(|live_variant| with_single_call || !live_variant.single_call);
        let mut order: Vec<PlannedSample> = present
            .map(|live_variant| PlannedSample {
                variant: live_variant.variant,
                calls: if live_variant.single_call { 1 } else { calls },
            })
            .collect();
        shuffle(random, &mut order);
        CasePlan {
            case,
            calls,
            seeds: sample_seeds(spec.seed, purpose, spec.index, block, case),
            order,
        }
    });
    BlockPlan {
        cases: plans.collect(),
    }
}

/// A number of calls drawn uniformly from the integers within ±10 % of `calls`, so that no periodic
/// disturbance can stay in step with the samples.
fn jittered(random: &mut Xoshiro256PlusPlus, calls: u32) -> u32 {
    let spread = u64::from(calls) * JITTER_PERCENT / 100;
    let drawn = u64::from(calls) - spread + below(random, 2 * spread + 1);
    drawn.min(u64::from(u32::MAX)) as u32
}

/// Shuffles uniformly (Fisher and Yates).
pub(super) fn shuffle<T>(random: &mut Xoshiro256PlusPlus, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(random, last as u64 + 1) as usize);
    }
}

/// A uniform number below `bound`: draws that would favour small numbers are rejected. 0 if `bound`
/// is 0.
fn below(random: &mut Xoshiro256PlusPlus, bound: u64) -> u64 {
    if bound <= 1 {
        return 0;
    }
    let unfair = u64::MAX - u64::MAX % bound;
    loop {
        let drawn = random.next_u64();
        if drawn < unfair {
            return drawn % bound;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ChiSquared, ContinuousCDF};
    use std::collections::{HashMap, HashSet};

    fn live_variants(count: usize) -> Vec<LiveVariant> {
        let live_variant = |variant| LiveVariant {
            variant,
            single_call: false,
        };
        (0..count).map(live_variant).collect()
    }

    fn spec<'a>(index: u32, calls: &'a [u32], live_variants: &'a [LiveVariant]) -> ReplicaSpec<'a> {
        ReplicaSpec {
            seed: 42,
            index,
            stage: ReplicaStage::Race,
            calls,
            blocks: 16,
            warm_up: WarmUp::Normal,
            live_variants,
            layouts: &[],
        }
    }

    fn cases_of(plan: &ReplicaPlan) -> impl Iterator<Item = &CasePlan> {
        plan.blocks.iter().flat_map(|block| &block.cases)
    }

    /// The p-value of the counts if all of `kinds` are equally likely (χ²).
    fn uniform_p<K>(counts: &HashMap<K, u32>, kinds: usize) -> f64 {
        let total: u32 = counts.values().sum();
        let expected = f64::from(total) / kinds as f64;
        let square = |count: f64| (count - expected).powi(2) / expected;
        let seen: f64 = counts.values().map(|count| square(f64::from(*count))).sum();
        let unseen = (kinds - counts.len()) as f64 * square(0.0);
        ChiSquared::new((kinds - 1) as f64)
            .unwrap()
            .sf(seen + unseen)
    }

    #[test]
    fn every_order_is_equally_likely() {
        let (live_variants, calls) = (live_variants(4), [100, 50]);
        let (mut orders, mut loads) = (HashMap::new(), HashMap::new());
        for index in 0..400 {
            let plan = draw(&spec(index, &calls, &live_variants));
            let order: Vec<_> = plan.load_order.iter().map(|load| load.variant).collect();
            *loads.entry(order).or_insert(0) += 1;
            for case in cases_of(&plan) {
                let order: Vec<_> = case.order.iter().map(|sample| sample.variant).collect();
                *orders.entry((case.case, order)).or_insert(0) += 1;
            }
        }
        assert!(uniform_p(&orders, 48) > 0.001, "{orders:?}");
        assert!(uniform_p(&loads, 24) > 0.001, "{loads:?}");
    }

    #[test]
    fn every_pair_of_layouts_is_equally_likely() {
        let (live_variants, calls) = (live_variants(3), [100]);
        let mut pairs = HashMap::new();
        for index in 0..800 {
            let plan = draw(&ReplicaSpec {
                layouts: &[4, 1, 4],
                ..spec(index, &calls, &live_variants)
            });
            let of = |variant| {
                let mut loads = plan.load_order.iter();
                loads.find(|load| load.variant == variant).unwrap().layout
            };
            assert_eq!(of(1), 0);
            *pairs.entry((of(0), of(2))).or_insert(0) += 1;
        }
        assert!(uniform_p(&pairs, 16) > 0.001, "{pairs:?}");
    }

    #[test]
    fn the_first_of_one_block_is_independent_of_the_next() {
        let (live_variants, calls) = (live_variants(2), [100]);
        let mut follows = HashMap::new();
        for index in 0..400 {
            let plan = draw(&spec(index, &calls, &live_variants));
            let firsts: Vec<_> = cases_of(&plan).map(|case| case.order[0].variant).collect();
            for pair in firsts.chunks_exact(2) {
                *follows.entry((pair[0], pair[1])).or_insert(0) += 1;
            }
        }
        assert!(uniform_p(&follows, 4) > 0.001, "{follows:?}");
    }

    #[test]
    fn calls_are_common_to_a_block_and_within_a_tenth() {
        let (live_variants, calls) = (live_variants(3), [100, 7, 0]);
        let mut drawn = HashSet::new();
        for index in 0..20 {
            for case in cases_of(&draw(&spec(index, &calls, &live_variants))) {
                assert!(case.order.iter().all(|sample| sample.calls == case.calls));
                match case.case {
                    0 => assert!((90..=110).contains(&case.calls)),
                    1 => assert_eq!(case.calls, 7),
                    other => panic!("case {other} is left out"),
                }
                drawn.insert(case.calls);
            }
        }
        assert!(drawn.len() > 15, "{drawn:?}");
    }

    #[test]
    fn single_call_variants_share_one_block_and_make_one_call() {
        let mut live_variants = live_variants(4);
        live_variants[1].single_call = true;
        live_variants[3].single_call = true;
        let mut blocks = HashMap::new();
        for index in 0..320 {
            let plan = draw(&spec(index, &[100, 50], &live_variants));
            let with: Vec<usize> = (0..16)
                .filter(|block| plan.blocks[*block].cases[0].order.len() == 4)
                .collect();
            assert_eq!(with.len(), 1);
            for case in &plan.blocks[with[0]].cases {
                let single_call = case.order.iter().filter(|sample| sample.variant % 2 == 1);
                assert_eq!(
                    single_call.map(|sample| sample.calls).collect::<Vec<_>>(),
                    [1, 1]
                );
            }
            *blocks.entry(with[0]).or_insert(0) += 1;
        }
        assert!(uniform_p(&blocks, 16) > 0.001, "{blocks:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_plan_and_another_another() {
        let (live_variants, calls) = (live_variants(4), [100]);
        let base = spec(3, &calls, &live_variants);
        assert_eq!(draw(&base), draw(&base));
        assert_ne!(
            draw(&base).blocks,
            draw(&ReplicaSpec { seed: 43, ..base }).blocks
        );
        assert_ne!(
            draw(&base).blocks,
            draw(&ReplicaSpec { index: 4, ..base }).blocks
        );
        let pilot = draw(&ReplicaSpec {
            stage: ReplicaStage::Pilot,
            ..base
        });
        assert_ne!(draw(&base).blocks, pilot.blocks);
        assert_ne!(draw(&base).warm_up_seeds, pilot.warm_up_seeds);
    }

    #[test]
    fn every_eighth_replica_runs_alone() {
        let solo = (0..32).filter(|index| isolation(*index, 2) == Isolation::Solo);
        assert_eq!(solo.collect::<Vec<_>>(), [7, 15, 23, 31]);
        assert_eq!(isolation(0, 1), Isolation::Solo);
    }
}
