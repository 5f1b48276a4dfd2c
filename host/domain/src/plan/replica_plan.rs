//! The plan of one replica: what a fresh process does.

use super::seeds::SampleSeeds;
use super::steady::WarmUp;
use crate::measurement::{CaseIndex, Sample, VariantIndex};
use serde::{Deserialize, Serialize};

/// The stage that a replica belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplicaStage {
    /// The pilot: the sampling and the first scales are chosen from it; its times count for the ratios that are shown,
    /// and for no verdict.
    Pilot,
    /// The race itself: the replica counts for verdicts.
    Race,
}

/// The plan of one replica: what a fresh process does, in this order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplicaPlan {
    /// Place of the replica in the order of launches, from 0.
    pub index: u32,
    /// Stage that the replica belongs to.
    pub stage: ReplicaStage,
    /// The order in which components are loaded, each with its layout: both decide where their code
    /// lies in memory.
    pub load_order: Vec<ComponentLoad>,
    /// The order in which variants are instantiated and warmed up: the first one finds the machine and the memory of
    /// the process in another state than those after it.
    pub warm_up_order: Vec<VariantIndex>,
    /// The warm-up of each variant before the first block.
    pub warm_up: WarmUp,
    /// Seeds of the warm-up's inputs, by case.
    pub warm_up_seeds: Vec<SampleSeeds>,
    /// The blocks.
    pub blocks: Vec<BlockPlan>,
    /// The cases whose calls are timed by a cheaper clock than that of CPU time.
    pub short_cases: Vec<CaseIndex>,
}

impl ReplicaPlan {
    /// Returns true if the variant takes part.
    pub fn takes_part(&self, variant: VariantIndex) -> bool {
        self.load_order.iter().any(|load| load.variant == variant)
    }

    /// The cases on which variants are warmed up, ascending: those of the first block.
    pub fn warm_up_cases(&self) -> Vec<CaseIndex> {
        let first = self.blocks.first().into_iter();
        let mut cases: Vec<CaseIndex> = first
            .flat_map(|block| &block.cases)
            .map(|plan| plan.case)
            .collect();
        cases.sort_unstable();
        cases
    }

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

    /// Samples of the plan in order, each as (block, case, position), variant, number of calls.
    fn planned(&self) -> impl Iterator<Item = ((u32, CaseIndex, u32), VariantIndex, u32)> {
        let blocks = (0..).zip(&self.blocks);
        let cases =
            blocks.flat_map(|(block, plan)| plan.cases.iter().map(move |plan| (block, plan)));
        cases.flat_map(|(block, plan)| {
            let samples = (0..).zip(&plan.order);
            samples.map(move |(position, variant)| {
                ((block, plan.case, position), *variant, plan.calls)
            })
        })
    }
}

/// A component to be loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ComponentLoad {
    /// Variant whose component is loaded.
    pub variant: VariantIndex,
    /// The version of its machine code: versions differ only in where the code lies.
    pub layout: u32,
}

/// One block: on each case, a sample of every variant.
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
    /// The number of calls of each sample, the same for all variants.
    pub calls: u32,
    /// The seeds of the calls' inputs, the same for all variants.
    pub seeds: SampleSeeds,
    /// The variants in the order in which they take their samples.
    pub order: Vec<VariantIndex>,
}
