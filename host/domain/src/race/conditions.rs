//! The conditions under which one replica ran.

use crate::measurement::Replica;

/// What is kept of a replica's surroundings beside each difference.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ReplicaConditions {
    /// Whether the replica ran alone.
    pub(super) solo: bool,
    /// Seconds from the beginning of the race to the replica's launch.
    pub(super) started_s: f64,
    /// The one-minute load average at launch.
    pub(super) load: Option<f64>,
    /// CPU time of the contention probe, in nanoseconds; positive.
    pub(super) contention_probe_ns: Option<f64>,
    /// The same over work that waits; positive.
    pub(super) core_contention: Option<f64>,
    /// CPU time of the cache probe, in nanoseconds; positive.
    pub(super) cache_probe_ns: Option<f64>,
}

impl From<&Replica> for ReplicaConditions {
    fn from(replica: &Replica) -> Self {
        let surroundings = &replica.surroundings;
        Self {
            solo: replica.solo,
            started_s: surroundings.started_s,
            load: surroundings.load,
            contention_probe_ns: surroundings.contention_probe_ns.filter(|took| *took > 0.0),
            core_contention: surroundings.core_contention.filter(|ratio| *ratio > 0.0),
            cache_probe_ns: surroundings.cache_probe_ns.filter(|took| *took > 0.0),
        }
    }
}
