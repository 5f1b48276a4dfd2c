//! Failures of guests, as a runner tells the parent.

use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::{CaseIndex, VariantIndex};
use bakeoff_sandbox::GuestError;
use serde::{Deserialize, Serialize};

/// A failure of a guest, with the calls that reproduce it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuestFailure {
    /// The variant that failed; `None` for the workload.
    pub variant: Option<VariantIndex>,
    /// The last calls on the same instance, up to the failing one: case and seed of each.
    pub calls: Vec<Call>,
    /// The error of the call.
    pub error: GuestError,
}

impl GuestFailure {
    /// Makes the failure of the only variant of a call, or of the workload if the error is one of those.
    pub(super) fn of_single_variant(error: GuestError, calls: Vec<Call>) -> Self {
        let is_workload = error.class == FailureClass::WorkloadFailed;
        Self {
            variant: (!is_workload).then_some(0),
            calls,
            error,
        }
    }
}

/// A call of a guest, by its case and the seed of its input.
pub type Call = (CaseIndex, u64);
