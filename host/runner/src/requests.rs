//! Requests to a workload's `generate`, one for each case.

use bakeoff_domain::report::CaseLabel;
use serde::{Deserialize, Serialize};

/// Requests to a workload's `generate`, one for each case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Requests {
    /// Inputs of these sizes, each made from a seed.
    Sizes(Vec<u32>),
    /// Fixed inputs of these names.
    Instances(Vec<String>),
}

impl Requests {
    /// Returns the number of cases.
    pub fn cases(&self) -> usize {
        match self {
            Self::Sizes(sizes) => sizes.len(),
            Self::Instances(names) => names.len(),
        }
    }

    /// Returns the label of each case in reports: its size or its name.
    pub fn labels(&self) -> Vec<CaseLabel> {
        match self {
            Self::Sizes(sizes) => sizes.iter().copied().map(CaseLabel::Size).collect(),
            Self::Instances(names) => names.iter().map(CaseLabel::instance).collect(),
        }
    }
}
