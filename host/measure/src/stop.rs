//! Reasons why a replica ends early.

use super::judging::Blame;
use super::protocol::Reply;
use bakeoff_confine::Frames;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::VariantIndex;
use bakeoff_sandbox::GuestError;

/// The reason why a replica ended early.
pub(super) enum Stop {
    /// The channel to the parent is closed.
    Channel(String),
    /// Variants failed, or the workload.
    Blamed(Vec<Blame>),
}

/// Sends a reply to the parent.
pub(super) fn send(reply: &Reply, frames: &mut Frames) -> Result<(), Stop> {
    reply.send(frames).map_err(Stop::Channel)
}

/// Makes the end of a replica by a failure of one variant, or of the workload (`None`).
pub(super) fn blame(variant: Option<VariantIndex>, error: GuestError) -> Stop {
    Stop::Blamed(vec![Blame {
        variant,
        error,
        calls: Vec::new(),
    }])
}

/// Makes the failure of the runner itself.
pub(super) fn internal(message: impl Into<String>) -> GuestError {
    GuestError::new(FailureClass::RunnerCrashed, message)
}
