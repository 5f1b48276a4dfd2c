//! Labels of cases in reports.

use serde::{Deserialize, Serialize};

/// The label of a case: its size, its name, or the call itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CaseLabel {
    /// The size passed to the workload's `generate`.
    Size(u32),
    /// A call in WAVE, from a file of cases.
    Call(String),
    /// The name passed to the workload's `generate`.
    Instance {
        /// The name.
        instance: String,
    },
}

impl CaseLabel {
    /// The label of an instance.
    pub fn instance(name: impl Into<String>) -> Self {
        Self::Instance {
            instance: name.into(),
        }
    }
}

impl std::fmt::Display for CaseLabel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Size(size) => write!(f, "{size}"),
            Self::Call(call) => f.write_str(call),
            Self::Instance { instance } => f.write_str(instance),
        }
    }
}
