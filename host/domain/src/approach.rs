//! Approaches: ways to solve the problem of an experiment.

use crate::code::Code;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// An approach: one way to solve the problem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approach {
    /// The name that reports show. It may be any text, so every renderer must escape it.
    pub name: String,
    /// The idea of the approach, in a sentence.
    pub description: Option<String>,
    /// The code of its prototype.
    pub code: Code,
    /// The folders that the prototype may read; for components only.
    #[serde(default)]
    pub grants: Vec<Grant>,
    /// Parameters of the approach, each with the values that are tried; every combination is a variant. In the order of
    /// their names, and empty for an approach of one variant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sweep: Vec<Parameter>,
    /// Words of its author.
    #[serde(default, skip_serializing_if = "AuthorWords::is_empty")]
    pub words: AuthorWords,
}

impl Approach {
    /// Returns the number of its variants: the product of the numbers of values.
    pub fn variants(&self) -> usize {
        let counts = self.sweep.iter().map(|parameter| parameter.values.len());
        counts.fold(1, usize::saturating_mul)
    }
}

/// A parameter of an approach.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Name of the parameter, by which a prototype asks for its value.
    pub name: String,
    /// The values that are tried, as a prototype gets them: distinct, at least one.
    pub values: Vec<String>,
}

/// A folder of files that a component may read, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// The path at which the component sees it.
    pub at: String,
    /// The path of the folder: relative to the experiment's, or absolute where the host's policy
    /// allows it.
    pub folder: PathBuf,
}

/// Words of the author of an approach, a person or a model: claims that nobody tried. Every renderer marks them as the
/// author's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AuthorWords {
    /// Sentence on when it is the better choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rationale: Option<String>,
    /// Features that tell it from other approaches, in a few words each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub characteristics: Vec<String>,
    /// Sentences that speak for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pros: Vec<String>,
    /// Sentences that speak against it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cons: Vec<String>,
}

impl AuthorWords {
    /// Returns true if its author says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
