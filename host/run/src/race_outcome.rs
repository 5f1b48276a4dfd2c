//! The result of a race, with the ids of its variants.

use bakeoff_domain::measurement::Replica;
use bakeoff_domain::race::Analysis;
use bakeoff_domain::spec::{Experiment, Inputs};
use bakeoff_domain::variant::VariantId;
use bakeoff_measure::Raced;

/// A race and the variants in it.
pub(super) struct RaceOutcome {
    /// The ids of the variants, by their index in the race.
    pub(super) variants: Vec<VariantId>,
    /// The result of the race.
    pub(super) raced: Raced,
}

impl RaceOutcome {
    /// Returns the index of a variant in the race, if it took part.
    pub(super) fn index_of(&self, id: &VariantId) -> Option<usize> {
        self.variants.iter().position(|other| other == id)
    }

    /// Returns the number of different inputs that were timed on the case with the fewest; `None` where inputs are
    /// fixed, or nothing was timed.
    pub(super) fn drawn_inputs(&self, experiment: &Experiment) -> Option<u64> {
        let are_drawn = matches!(experiment.workload.inputs, Inputs::Generated { .. });
        let analysis = self.raced.analysis.as_ref().filter(|_| are_drawn);
        analysis.and_then(Analysis::inputs)
    }

    /// Returns the replicas that count: in the order of their launch, up to the first that is missing.
    pub(super) fn counted(&self) -> &[Replica] {
        let replicas = &self.raced.replicas;
        let in_order = replicas.iter().zip(0..);
        let count = in_order.take_while(|(replica, number)| replica.index == *number);
        &replicas[..count.count()]
    }
}
