//! Labels of cases in reports.

use crate::texts::{SizedTexts, TextKind};
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
    /// The size passed to the workload's `generate`, where all texts are of one kind.
    Texts(SizedTexts),
}

impl CaseLabel {
    /// The label of an instance.
    pub fn instance(name: impl Into<String>) -> Self {
        Self::Instance {
            instance: name.into(),
        }
    }

    /// The label of inputs of one size whose texts are of one kind.
    pub fn texts(size: u32, texts: TextKind) -> Self {
        Self::Texts(SizedTexts { size, texts })
    }

    /// Returns the size and the seed that are passed to `generate` for the input of this seed; `None` if none are.
    pub fn generated_from(&self, seed: u64) -> Option<(u32, u64)> {
        match self {
            Self::Size(size) => Some((*size, seed)),
            Self::Texts(SizedTexts { size, texts }) => Some((*size, texts.seed(seed))),
            Self::Call(_) | Self::Instance { .. } => None,
        }
    }
}

impl std::fmt::Display for CaseLabel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Size(size) => write!(f, "{size}"),
            Self::Call(call) => f.write_str(call),
            Self::Instance { instance } => f.write_str(instance),
            Self::Texts(SizedTexts { size, texts }) => write!(f, "{size} ({})", texts.words()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_comes_back_from_its_json_as_what_it_was() {
        for (label, written) in [
            (CaseLabel::Size(10), "10"),
            (CaseLabel::Call("f(1)".to_owned()), "\"f(1)\""),
            (CaseLabel::instance("a"), "{\"instance\":\"a\"}"),
            (
                CaseLabel::texts(10, TextKind::Scripts),
                "{\"size\":10,\"texts\":\"scripts\"}",
            ),
        ] {
            assert_eq!(serde_json::to_string(&label).unwrap(), written);
            assert_eq!(serde_json::from_str::<CaseLabel>(written).unwrap(), label);
        }
        assert!(serde_json::from_str::<CaseLabel>("{\"size\":10,\"texts\":\"other\"}").is_err());
    }

    #[test]
    fn the_seed_of_an_input_says_the_kind_of_its_texts() {
        let label = CaseLabel::texts(10, TextKind::Scripts);
        assert_eq!(label.generated_from(17), Some((10, 20)));
        assert_eq!(CaseLabel::Size(10).generated_from(17), Some((10, 17)));
        assert_eq!(CaseLabel::instance("a").generated_from(17), None);
    }
}
