//! Cases that are left out of the times of a report.

use super::CaseLabel;
use serde::{Deserialize, Serialize};

/// A case on which calls are shorter than can be timed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TooShortCase {
    /// The case.
    pub case: CaseLabel,
    /// The id of the variant whose calls are the shortest there.
    pub variant: String,
    /// The time of one of its calls, in nanoseconds, as far as that can be told.
    pub call_ns: f64,
    /// The time of the shortest call that can be timed, in nanoseconds.
    pub call_ns_min: f64,
}
