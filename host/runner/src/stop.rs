//! Reasons why a call of a runner ends early.

use super::guest_failure::GuestFailure;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::VariantIndex;
use bakeoff_sandbox::GuestError;

/// The reason why a call about a single variant ended early.
pub(super) enum Halt {
    /// The channel to the parent is closed.
    Channel(String),
    /// A call of a guest failed.
    GuestError(GuestError),
}

impl Halt {
    /// Returns the message of the reason.
    pub(super) fn into_message(self) -> String {
        match self {
            Self::Channel(message) => message,
            Self::GuestError(error) => error.message,
        }
    }
}

impl From<GuestError> for Halt {
    fn from(error: GuestError) -> Self {
        Self::GuestError(error)
    }
}

/// The reason why a replica ended early.
pub(super) enum Stop {
    /// The channel to the parent is closed.
    Channel(String),
    /// Variants failed, or the workload.
    Failed(Vec<GuestFailure>),
}

/// Makes the end of a replica by a failure of one variant, or of the workload (`None`).
pub(super) fn blame(variant: Option<VariantIndex>, error: GuestError) -> Stop {
    Stop::Failed(vec![GuestFailure {
        variant,
        error,
        calls: Vec::new(),
    }])
}

/// Makes the failure of the runner itself.
pub(super) fn internal(message: impl Into<String>) -> GuestError {
    GuestError::new(FailureClass::RunnerCrashed, message)
}
