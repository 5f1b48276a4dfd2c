//! The call of a replica: its request and its replies.

use super::call::{Replies, RunnerCall};
use super::instances::Instances;
use super::lowering_clock::LoweringClock;
use super::protocol::{Blob, Guest};
use super::replica::Replica;
use super::replica_facts::ReplicaFacts;
use super::runner::Runner;
use super::stop::Stop;
use bakeoff_domain::measurement::Sample;
use bakeoff_domain::plan::ReplicaPlan;
use bakeoff_sandbox::Sandbox;
use serde::{Deserialize, Serialize};

/// Times several variants against each other: one replica of the race or of the pilot.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReplicaCall {
    /// The code of each variant in the timed profile; `None` for one that has left the race.
    pub payloads: Vec<Option<VariantPayload>>,
    /// A component of the same signature that does nothing, in the timed profile.
    pub calibrator: Blob,
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

impl RunnerCall for ReplicaCall {
    type Reply = ReplicaReply;

    fn serve(
        &self,
        runner: &Runner<'_>,
        mut replies: Replies<'_, Self::Reply>,
    ) -> Result<(), String> {
        // The calibrator has instances too.
        let components = self.plan.load_order.len() + 1;
        let limits = runner.opened.request.limits;
        let timed = Sandbox::pooled(limits, components, self.resident_bytes)
            .map_err(|error| format!("{error:#}"))?;
        let replica = Replica::load(runner, self, &timed, &mut replies);
        match replica.and_then(Replica::run) {
            Ok(()) => Ok(()),
            Err(Stop::Channel(error)) => Err(error),
            Err(Stop::Failed(failed)) => failed.into_iter().try_for_each(|one| replies.fail(one)),
        }
    }
}
