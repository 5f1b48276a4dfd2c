//! The plan of one replica, drawn from a seed.

use super::deck::Deck;
use super::replica_plan::{BlockPlan, CasePlan, ComponentLoad, ReplicaPlan, ReplicaStage};
use super::secret::Secret;
use super::seeds::{InputPurpose, sample_seeds};
use super::short_calls::ShortCase;
use super::shuffle::shuffle;
use super::steady::WarmUp;
use crate::measurement::{CaseIndex, VariantIndex};
use crate::stats::below;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

/// The largest deviation of the number of calls in a block, in per cent.
const JITTER_PERCENT: u64 = 10;

/// The parameters that a plan is drawn from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplicaSpec<'a> {
    /// The key that orders and inputs are derived from.
    pub secret: Secret,
    /// The replica's place in the order of launches, from 0.
    pub index: u32,
    /// The stage that it belongs to.
    pub stage: ReplicaStage,
    /// Numbers of calls of a sample, by case; 0 leaves the case out.
    pub calls: &'a [u32],
    /// The number of cases that each block draws, if the cases are instances of one set; `None` if
    /// every block has all of them.
    pub instances_per_block: Option<u32>,
    /// The number of blocks; see [`BLOCKS_MIN`](super::BLOCKS_MIN) and
    /// [`BLOCKS_MAX`](super::BLOCKS_MAX).
    pub blocks: u32,
    /// The warm-up.
    pub warm_up: WarmUp,
    /// The cases whose calls are timed by a cheaper clock than that of CPU time.
    pub short_cases: &'a [ShortCase],
    /// The variants that take part.
    pub live_variants: &'a [VariantIndex],
    /// Numbers of layouts, by variant; 1 where it is missing.
    pub layouts: &'a [u32],
}

impl ReplicaSpec<'_> {
    fn purpose(&self) -> InputPurpose {
        match self.stage {
            ReplicaStage::Race => InputPurpose::Timed,
            ReplicaStage::Pilot => InputPurpose::Pilot,
        }
    }
}

/// Draws the plan of one replica: a uniform order of loading, and for each component, independently,
/// a uniform layout; a uniform order of warming up, independent of that of loading; for every block
/// a uniform order of cases; for every block and case a uniform order of variants and a number of
/// calls within ±10 %.
///
/// Of a set of instances each block gets the next few of a shuffled deck, which is shuffled anew once
/// all were dealt.
pub fn draw(spec: &ReplicaSpec<'_>) -> ReplicaPlan {
    let stage = match spec.stage {
        ReplicaStage::Race => 0_u64,
        ReplicaStage::Pilot => 1,
    };
    let stream = spec.secret.derive("order", &[stage, u64::from(spec.index)]);
    let mut random = Xoshiro256PlusPlus::from_seed(stream.bytes());
    let cases: Vec<CaseIndex> = (0..spec.calls.len())
        .filter(|case| spec.calls[*case] > 0)
        .collect();
    let mut load_order: Vec<ComponentLoad> = spec
        .live_variants
        .iter()
        .map(|variant| ComponentLoad {
            variant: *variant,
            layout: draw_layout(&mut random, spec, *variant),
        })
        .collect();
    shuffle(&mut random, &mut load_order);
    let mut warm_up_order: Vec<VariantIndex> = load_order.iter().map(|load| load.variant).collect();
    shuffle(&mut random, &mut warm_up_order);
    let mut deck = Deck::new(cases, spec.instances_per_block);
    let warm_up_seeds = (0..spec.calls.len()).map(|case| {
        sample_seeds(
            &spec.secret,
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
        warm_up_order,
        warm_up: spec.warm_up,
        warm_up_seeds: warm_up_seeds.collect(),
        blocks: (0..spec.blocks)
            .map(|block| draw_block(&mut random, spec, &mut deck, block))
            .collect(),
        short_cases: spec.short_cases.iter().map(|short| short.case).collect(),
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
    deck: &mut Deck,
    block: u32,
) -> BlockPlan {
    let cases = deck.deal(random);
    let plans = cases.into_iter().map(|case| {
        let calls = jittered(random, spec.calls[case]);
        let mut order = spec.live_variants.to_vec();
        shuffle(random, &mut order);
        CasePlan {
            case,
            calls,
            seeds: sample_seeds(&spec.secret, spec.purpose(), spec.index, block, case),
            order,
        }
    });
    BlockPlan {
        cases: plans.filter(|plan| !plan.order.is_empty()).collect(),
    }
}

/// A number of calls drawn uniformly from the integers within ±10 % of `calls`, so that no periodic
/// disturbance can stay in step with the samples.
fn jittered(random: &mut Xoshiro256PlusPlus, calls: u32) -> u32 {
    let spread = u64::from(calls) * JITTER_PERCENT / 100;
    let drawn = u64::from(calls) - spread + below(random, 2 * spread + 1);
    drawn.min(u64::from(u32::MAX)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::RunSeed;
    use statrs::distribution::{ChiSquared, ContinuousCDF};
    use std::collections::{HashMap, HashSet};

    fn live_variants(count: usize) -> Vec<VariantIndex> {
        (0..count).collect()
    }

    fn spec<'a>(
        index: u32,
        calls: &'a [u32],
        live_variants: &'a [VariantIndex],
    ) -> ReplicaSpec<'a> {
        ReplicaSpec {
            secret: RunSeed::Named(42).race_secret(),
            index,
            stage: ReplicaStage::Race,
            calls,
            instances_per_block: None,
            blocks: 16,
            warm_up: WarmUp::Normal,
            short_cases: &[],
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
                *orders.entry((case.case, case.order.clone())).or_insert(0) += 1;
            }
        }
        assert!(uniform_p(&orders, 48) > 0.001, "{orders:?}");
        assert!(uniform_p(&loads, 24) > 0.001, "{loads:?}");
    }

    #[test]
    fn every_order_of_warming_up_is_equally_likely_whatever_the_order_of_loading() {
        let live_variants = live_variants(3);
        let mut orders = HashMap::new();
        for index in 0..2_000 {
            let plan = draw(&spec(index, &[100], &live_variants));
            let load: Vec<_> = plan.load_order.iter().map(|load| load.variant).collect();
            *orders.entry((load, plan.warm_up_order)).or_insert(0) += 1;
        }
        assert!(uniform_p(&orders, 36) > 0.001, "{orders:?}");
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
            let firsts: Vec<_> = cases_of(&plan).map(|case| case.order[0]).collect();
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
    fn every_variant_of_a_block_gets_the_instances_that_it_drew() {
        let live_variants = live_variants(3);
        let calls = vec![5; 40];
        let (mut orders, mut drawn) = (HashMap::new(), HashSet::new());
        for index in 0..200 {
            let plan = draw(&ReplicaSpec {
                instances_per_block: Some(4),
                ..spec(index, &calls, &live_variants)
            });
            assert!(plan.blocks.iter().all(|block| block.cases.len() == 4));
            assert_eq!(plan.warm_up_cases().len(), 4);
            for case in cases_of(&plan) {
                *orders.entry(case.order.clone()).or_insert(0) += 1;
                drawn.insert(case.case);
            }
        }
        assert_eq!((orders.len(), drawn.len()), (6, 40));
        assert!(uniform_p(&orders, 6) > 0.001, "{orders:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_plan_and_another_another() {
        let (live_variants, calls) = (live_variants(4), [100]);
        let base = spec(3, &calls, &live_variants);
        assert_eq!(draw(&base), draw(&base));
        assert_ne!(
            draw(&base).blocks,
            draw(&ReplicaSpec {
                secret: RunSeed::Named(43).race_secret(),
                ..base
            })
            .blocks
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
}
