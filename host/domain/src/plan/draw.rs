//! Drawing one replica's plan.

use super::seeds::{Purpose, SampleSeeds, mix, sample_seeds};
use super::steady::WarmUp;
use crate::measurement::{CaseIndex, Sample, VariantIndex};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

/// Every n-th replica runs alone where others run side by side.
const SOLO_EVERY: u32 = 8;
/// The number of calls differs by this share from block to block, in per cent.
const JITTER_PERCENT: u64 = 10;

/// Who takes part in a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entrant {
    /// Who.
    pub variant: VariantIndex,
    /// A single call in a single block: it is more than 10 × slower than the best.
    pub brief: bool,
}

/// Whether a replica counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// It only serves to choose how to measure, and is discarded.
    Pilot,
    /// It counts.
    Race,
}

/// Whether a replica runs beside others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Company {
    /// Nothing else of ours runs meanwhile.
    Solo,
    /// Others may run on other cores.
    Shared,
}

/// Every eighth replica runs alone, as a control, if several workers measure at once. With a single
/// worker all of them do.
pub fn company(index: u32, workers: u32) -> Company {
    if workers <= 1 || index % SOLO_EVERY == SOLO_EVERY - 1 {
        Company::Solo
    } else {
        Company::Shared
    }
}

/// One replica: what a fresh process does, in this order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplicaPlan {
    /// Its place in the order of launches, from 0.
    pub index: u32,
    /// Whether it counts.
    pub stage: Stage,
    /// The order in which components are loaded, and as which version: both decide where their
    /// code lies in memory.
    pub load_order: Vec<Load>,
    /// Who takes part.
    pub entrants: Vec<Entrant>,
    /// How each variant is warmed up before the first block, in the order of loading.
    pub warm_up: WarmUp,
    /// By case, the inputs of the warm-up.
    pub warm_up_seeds: Vec<SampleSeeds>,
    /// The blocks.
    pub blocks: Vec<BlockPlan>,
}

impl ReplicaPlan {
    /// Whether these are the samples of the plan: each of them, in the order in which they were to be
    /// taken, and no other.
    pub fn is_followed_by(&self, samples: &[Sample]) -> bool {
        let taken = samples.iter().map(|sample| {
            let place = (sample.block, sample.case, sample.position);
            (place, sample.variant, sample.calls)
        });
        taken.eq(self.turns())
    }

    /// How many samples it holds.
    pub fn samples(&self) -> usize {
        self.turns().count()
    }

    /// By sample: block, case and position; who; how many calls.
    fn turns(&self) -> impl Iterator<Item = ((u32, CaseIndex, u32), VariantIndex, u32)> {
        (0..).zip(&self.blocks).flat_map(|(block, plan)| {
            plan.cases.iter().flat_map(move |plan| {
                let turns = (0..).zip(&plan.order);
                turns.map(move |(position, turn)| {
                    let place = (block, plan.case, position);
                    (place, turn.variant, turn.calls.min(plan.calls))
                })
            })
        })
    }
}

/// One component to be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Load {
    /// Whose.
    pub variant: VariantIndex,
    /// Which version of its machine code: they differ only in where the code lies.
    pub layout: u32,
}

/// One block: every variant once for each case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockPlan {
    /// In the order in which they run.
    pub cases: Vec<CasePlan>,
}

/// One case within a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CasePlan {
    /// Which.
    pub case: CaseIndex,
    /// Calls of each sample, the same for all variants but the brief ones.
    pub calls: u32,
    /// The inputs of the calls, the same for all variants.
    pub seeds: SampleSeeds,
    /// Who runs, in this order.
    pub order: Vec<Turn>,
}

/// One sample to be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Who runs.
    pub variant: VariantIndex,
    /// How many calls: those of the case, or 1 for a brief variant.
    pub calls: u32,
}

/// What a plan is drawn for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplicaSpec<'a> {
    /// The experiment's seed.
    pub seed: u64,
    /// The replica's place in the order of launches, from 0, below
    /// [`REPLICAS_MAX`](super::REPLICAS_MAX).
    pub index: u32,
    /// Whether it counts.
    pub stage: Stage,
    /// By case, how many calls a sample has; 0 leaves the case out.
    pub calls: &'a [u32],
    /// How many blocks; see [`BLOCKS_MIN`](super::BLOCKS_MIN) and
    /// [`BLOCKS_MAX`](super::BLOCKS_MAX).
    pub blocks: u32,
    /// How to warm up.
    pub warm_up: WarmUp,
    /// Who takes part.
    pub entrants: &'a [Entrant],
    /// By variant, how many versions of its machine code there are; one where nothing is said.
    pub layouts: &'a [u32],
}

/// Draws the plan of one replica: a uniform order of loading and for each component, independently,
/// one of its versions, all equally likely; for every block a uniform order of
/// cases, and for every block and case a uniform order of variants and a number of calls within
/// ±10 %. Brief variants appear in one block, the same for all of them, drawn uniformly.
pub fn draw(spec: &ReplicaSpec<'_>) -> ReplicaPlan {
    let stage = match spec.stage {
        Stage::Race => 0_u64,
        Stage::Pilot => 1,
    };
    let stream = mix(spec.seed ^ mix(stage << 32 | u64::from(spec.index)));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(stream);
    let mut load_order: Vec<Load> = spec
        .entrants
        .iter()
        .map(|entrant| Load {
            variant: entrant.variant,
            layout: draw_layout(&mut random, spec, entrant.variant),
        })
        .collect();
    shuffle(&mut random, &mut load_order);
    let brief_block = below(&mut random, u64::from(spec.blocks.max(1))) as u32;
    let warm_up_seeds = (0..spec.calls.len())
        .map(|case| sample_seeds(spec.seed, Purpose::WarmUp, spec.index, stage as u32, case));
    ReplicaPlan {
        index: spec.index,
        stage: spec.stage,
        load_order,
        entrants: spec.entrants.to_vec(),
        warm_up: spec.warm_up,
        warm_up_seeds: warm_up_seeds.collect(),
        blocks: (0..spec.blocks)
            .map(|block| draw_block(&mut random, spec, block, block == brief_block))
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
    with_brief: bool,
) -> BlockPlan {
    let purpose = match spec.stage {
        Stage::Race => Purpose::Timed,
        Stage::Pilot => Purpose::Pilot,
    };
    let mut cases: Vec<CaseIndex> = (0..spec.calls.len())
        .filter(|case| spec.calls[*case] > 0)
        .collect();
    shuffle(random, &mut cases);
    let plans = cases.into_iter().map(|case| {
        let calls = jittered(random, spec.calls[case]);
        let present = spec
            .entrants
            .iter()
            .filter(|entrant| with_brief || !entrant.brief);
        let mut order: Vec<Turn> = present
            .map(|entrant| Turn {
                variant: entrant.variant,
                calls: if entrant.brief { 1 } else { calls },
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

/// A number of calls drawn uniformly from the whole numbers within ±10 % of `calls`, so that no
/// rhythm of the machine can keep step with the samples.
fn jittered(random: &mut Xoshiro256PlusPlus, calls: u32) -> u32 {
    let spread = u64::from(calls) * JITTER_PERCENT / 100;
    let drawn = u64::from(calls) - spread + below(random, 2 * spread + 1);
    drawn.min(u64::from(u32::MAX)) as u32
}

/// Fisher and Yates: every order is equally likely.
fn shuffle<T>(random: &mut Xoshiro256PlusPlus, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(random, last as u64 + 1) as usize);
    }
}

/// A number below `bound`, each equally likely: draws that would favour the small ones are drawn
/// again. `bound` 0 gives 0.
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

    fn entrants(count: usize) -> Vec<Entrant> {
        let entrant = |variant| Entrant {
            variant,
            brief: false,
        };
        (0..count).map(entrant).collect()
    }

    fn spec<'a>(index: u32, calls: &'a [u32], entrants: &'a [Entrant]) -> ReplicaSpec<'a> {
        ReplicaSpec {
            seed: 42,
            index,
            stage: Stage::Race,
            calls,
            blocks: 16,
            warm_up: WarmUp::Normal,
            entrants,
            layouts: &[],
        }
    }

    fn cases_of(plan: &ReplicaPlan) -> impl Iterator<Item = &CasePlan> {
        plan.blocks.iter().flat_map(|block| &block.cases)
    }

    /// p of the counts under "all of `kinds` equally likely".
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
        let (entrants, calls) = (entrants(4), [100, 50]);
        let (mut orders, mut loads) = (HashMap::new(), HashMap::new());
        for index in 0..400 {
            let plan = draw(&spec(index, &calls, &entrants));
            let order: Vec<_> = plan.load_order.iter().map(|load| load.variant).collect();
            *loads.entry(order).or_insert(0) += 1;
            for case in cases_of(&plan) {
                let order: Vec<_> = case.order.iter().map(|turn| turn.variant).collect();
                *orders.entry((case.case, order)).or_insert(0) += 1;
            }
        }
        assert!(uniform_p(&orders, 48) > 0.001, "{orders:?}");
        assert!(uniform_p(&loads, 24) > 0.001, "{loads:?}");
    }

    #[test]
    fn every_pair_of_layouts_is_equally_likely() {
        let (entrants, calls) = (entrants(3), [100]);
        let mut pairs = HashMap::new();
        for index in 0..800 {
            let plan = draw(&ReplicaSpec {
                layouts: &[4, 1, 4],
                ..spec(index, &calls, &entrants)
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
    fn who_is_first_now_says_nothing_about_the_next_block() {
        let (entrants, calls) = (entrants(2), [100]);
        let mut follows = HashMap::new();
        for index in 0..400 {
            let plan = draw(&spec(index, &calls, &entrants));
            let firsts: Vec<_> = cases_of(&plan).map(|case| case.order[0].variant).collect();
            for pair in firsts.chunks_exact(2) {
                *follows.entry((pair[0], pair[1])).or_insert(0) += 1;
            }
        }
        assert!(uniform_p(&follows, 4) > 0.001, "{follows:?}");
    }

    #[test]
    fn calls_are_common_to_a_block_and_within_a_tenth() {
        let (entrants, calls) = (entrants(3), [100, 7, 0]);
        let mut drawn = HashSet::new();
        for index in 0..20 {
            for case in cases_of(&draw(&spec(index, &calls, &entrants))) {
                assert!(case.order.iter().all(|turn| turn.calls == case.calls));
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
    fn brief_variants_share_one_block_and_make_one_call() {
        let mut entrants = entrants(4);
        entrants[1].brief = true;
        entrants[3].brief = true;
        let mut blocks = HashMap::new();
        for index in 0..320 {
            let plan = draw(&spec(index, &[100, 50], &entrants));
            let with: Vec<usize> = (0..16)
                .filter(|block| plan.blocks[*block].cases[0].order.len() == 4)
                .collect();
            assert_eq!(with.len(), 1);
            for case in &plan.blocks[with[0]].cases {
                let brief = case.order.iter().filter(|turn| turn.variant % 2 == 1);
                assert_eq!(brief.map(|turn| turn.calls).collect::<Vec<_>>(), [1, 1]);
            }
            *blocks.entry(with[0]).or_insert(0) += 1;
        }
        assert!(uniform_p(&blocks, 16) > 0.001, "{blocks:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_plan_and_another_another() {
        let (entrants, calls) = (entrants(4), [100]);
        let base = spec(3, &calls, &entrants);
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
            stage: Stage::Pilot,
            ..base
        });
        assert_ne!(draw(&base).blocks, pilot.blocks);
        assert_ne!(draw(&base).warm_up_seeds, pilot.warm_up_seeds);
    }

    #[test]
    fn every_eighth_replica_runs_alone() {
        let solo = (0..32).filter(|index| company(*index, 2) == Company::Solo);
        assert_eq!(solo.collect::<Vec<_>>(), [7, 15, 23, 31]);
        assert_eq!(company(0, 1), Company::Solo);
    }
}
