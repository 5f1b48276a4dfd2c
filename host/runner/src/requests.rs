//! Requests to a workload's `generate`, one for each case.

use bakeoff_domain::report::CaseLabel;
use bakeoff_domain::texts::{SizedTexts, TextKind};
use serde::{Deserialize, Serialize};

/// Inputs of one size, each made from a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeRequest {
    /// The size.
    pub size: u32,
    /// The kind of all texts; `None` where it is drawn like all else.
    pub texts: Option<TextKind>,
}

impl SizeRequest {
    /// Returns the seed that is passed to `generate` for the input of this seed.
    pub fn seed(&self, seed: u64) -> u64 {
        self.texts.map_or(seed, |texts| texts.seed(seed))
    }

    fn label(&self) -> CaseLabel {
        match self.texts {
            Some(texts) => CaseLabel::texts(self.size, texts),
            None => CaseLabel::Size(self.size),
        }
    }
}

/// Requests to a workload's `generate`, one for each case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Requests {
    /// Inputs of these sizes, each made from a seed.
    Sizes(Vec<SizeRequest>),
    /// Fixed inputs of these names.
    Instances(Vec<String>),
}

impl Requests {
    /// Returns requests for inputs of these sizes, and then for those of these sizes whose texts are of one kind.
    pub fn of_sizes(sizes: &[u32], texts: &[SizedTexts]) -> Self {
        let sizes = sizes.iter().map(|size| SizeRequest {
            size: *size,
            texts: None,
        });
        let texts = texts.iter().map(|one| SizeRequest {
            size: one.size,
            texts: Some(one.texts),
        });
        Self::Sizes(sizes.chain(texts).collect())
    }

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
            Self::Sizes(sizes) => sizes.iter().map(SizeRequest::label).collect(),
            Self::Instances(names) => names.iter().map(CaseLabel::instance).collect(),
        }
    }
}
