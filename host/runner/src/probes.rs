//! The probe of a replica: a fixed piece of work between its samples that shows whether other work uses the core. It
//! decides nothing; the report shows its readings.

use super::contention_probe::ContentionReadings;
use super::replica_facts::ReplicaFacts;
use super::replica_facts::median;

/// The probe and its readings.
#[derive(Default)]
pub(super) struct Probes {
    core: ContentionReadings,
}

impl Probes {
    /// Reads the probe before the samples of a block on a case.
    pub(super) fn before_samples(&mut self) {
        self.core.read();
    }

    /// Writes a summary of all readings into the facts.
    pub(super) fn tell(&mut self, facts: &mut ReplicaFacts) {
        facts.contention_probe_ns = median(self.core.filling_ns());
        facts.core_contention = self.core.mean_ratio();
    }
}
