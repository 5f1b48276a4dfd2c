//! The call of a replica: its request and its replies.

use super::instances::Instances;
use super::lowering_clock::LoweringClock;
use super::protocol::{Guest, GuestCode};
use super::replica_facts::ReplicaFacts;
use bakeoff_domain::measurement::Sample;
use bakeoff_domain::plan::ReplicaPlan;
use serde::{Deserialize, Serialize};

/// Times several variants against each other: one replica of the race or of the pilot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReplicaCall {
    /// The code of each variant in the timed profile; `None` for one that has left the race.
    pub payloads: Vec<Option<VariantPayload>>,
    /// A component of the same signature that does nothing, in the timed profile.
    pub calibrator: GuestCode,
    /// The plan: the order of trials and their inputs.
    pub plan: ReplicaPlan,
    /// The use of instances, the same for all variants.
    pub instances: Instances,
    /// The clock of the allocator's calls for arguments, the same for all variants.
    pub lowering: LoweringClock,
    /// The most bytes of memory that one of the variants used in the gate.
    pub resident_bytes: u64,
}

/// The code of a variant in the race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariantPayload {
    /// The component in the timed profile.
    pub guest: Guest,
    /// True if the host recodes the component's strings, so that all of a call counts as its time.
    pub recodes: bool,
    /// True if a later call on an instance takes less work than the first.
    pub gains_by_state: bool,
}

/// A reply of a replica, at its end: each frame wakes the parent, and samples of a replica that does not end are of no
/// use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ReplicaReply {
    /// Timed samples, in the order in which they were taken.
    Samples(Vec<Sample>),
    /// The facts of the replica beside its samples.
    Facts(ReplicaFacts),
}
