//! The code of a variant that the checked inputs reach, as it is kept.

use bakeoff_domain::coverage::Coverage;
use serde::{Deserialize, Serialize};

/// The code of a variant that the checked inputs reach, or the reason why it is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptCoverage {
    /// The code that was reached.
    pub coverage: Option<Coverage>,
    /// The reason why it is not known; empty if it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// Returns why the reached code is not known where a call failed.
pub(super) fn unreached_by_failure(message: &str) -> String {
    format!("a call failed, and what it reached is not known: {message}")
}

impl KeptCoverage {
    /// Returns an unknown coverage with the reason.
    pub(super) fn unknown(why: String) -> Self {
        Self {
            coverage: None,
            why,
        }
    }
}

impl From<Coverage> for KeptCoverage {
    fn from(coverage: Coverage) -> Self {
        Self {
            coverage: Some(coverage),
            why: String::new(),
        }
    }
}
