//! The plan of one replica: what a fresh process does.

use super::seeds::SampleSeeds;
use super::steady::WarmUp;
use crate::measurement::{CaseIndex, Sample, SampleKind, VariantIndex};
use serde::{Deserialize, Serialize};

/// Every n-th replica runs alone if several workers measure at once.
const SOLO_EVERY: u32 = 8;

/// The stage that a replica belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplicaStage {
    /// The sampling and the first scales are chosen from it; it counts for nothing else.
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

/// The number of replicas that run at once with so many workers, on average: while one runs alone, the
/// other workers wait.
pub(crate) fn at_once(workers: u32) -> f64 {
    let workers = workers.max(1);
    let shared_rounds = (SOLO_EVERY - 1).div_ceil(workers);
    f64::from(SOLO_EVERY) / f64::from(shared_rounds + 1)
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
    /// The rounds of single calls, in which each variant of the order makes one, right after
    /// [calls that warm it up](Self::round_warm_up_ns): before any of them is warmed up for its samples,
    /// so that all are equally warm.
    pub single_call_rounds: Vec<CasePlan>,
    /// The order in which variants are instantiated and warmed up: whoever is first finds the machine
    /// and the memory of the process in another state than those after it.
    pub warm_up_order: Vec<VariantIndex>,
    /// The warm-up of each variant before the first block.
    pub warm_up: WarmUp,
    /// By case, the seeds of the warm-up's inputs.
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

    /// The least time of the calls of a variant right before its single one, in nanoseconds; there is one
    /// of them at least. `None` in a pilot, which asks only how long a call takes.
    pub fn round_warm_up_ns(&self) -> Option<u64> {
        let rounds = self.single_call_rounds.len();
        (self.stage == ReplicaStage::Race).then(|| self.warm_up.round_time_ns(rounds))
    }

    /// The cases on which a variant is warmed up, ascending: those of its full samples.
    pub fn warm_up_cases(&self, variant: VariantIndex) -> Vec<CaseIndex> {
        let cases = self
            .blocks
            .first()
            .into_iter()
            .flat_map(|block| &block.cases);
        let cases = cases.filter(|plan| plan.order.contains(&variant));
        let mut cases: Vec<CaseIndex> = cases.map(|plan| plan.case).collect();
        cases.sort_unstable();
        cases
    }

    /// Returns true if these are exactly the samples of the plan, in its order.
    pub fn is_followed_by(&self, samples: &[Sample]) -> bool {
        let taken = samples.iter().map(|sample| {
            let place = (sample.kind, sample.block, sample.case, sample.position);
            (place, sample.variant, sample.calls)
        });
        taken.eq(self.planned())
    }

    /// The number of samples.
    pub fn samples(&self) -> usize {
        self.planned().count()
    }

    /// By sample: (kind, block, case, position), variant, number of calls.
    fn planned(
        &self,
    ) -> impl Iterator<Item = ((SampleKind, u32, CaseIndex, u32), VariantIndex, u32)> {
        let rounds = self.single_call_rounds.iter();
        let rounds = rounds.map(|plan| (SampleKind::SingleCall, 0, plan));
        let blocks = (0..).zip(&self.blocks).flat_map(|(block, plan)| {
            let cases = plan.cases.iter();
            cases.map(move |plan| (SampleKind::Full, block, plan))
        });
        rounds.chain(blocks).flat_map(|(kind, block, plan)| {
            let samples = (0..).zip(&plan.order);
            samples.map(move |(position, variant)| {
                ((kind, block, plan.case, position), *variant, plan.calls)
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

/// One block: on each case, every variant that makes full samples there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockPlan {
    /// The cases in the order in which they run.
    pub cases: Vec<CasePlan>,
}

/// One case within a block, or a round of single calls.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_eighth_replica_runs_alone() {
        let solo = (0..32).filter(|index| isolation(*index, 2) == Isolation::Solo);
        assert_eq!(solo.collect::<Vec<_>>(), [7, 15, 23, 31]);
        assert_eq!(isolation(0, 1), Isolation::Solo);
    }
}
