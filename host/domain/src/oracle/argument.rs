//! What is known of the arguments of a call.

use serde::{Deserialize, Serialize};

/// What an argument looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentForm {
    /// An empty list or string.
    Empty,
    /// A list of two elements or more, all of which are equal.
    AllEqual,
    /// Anything else.
    Varied,
}

/// What is known of an argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgumentFacts {
    /// Its digest.
    pub digest: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// What it looks like.
    pub form: ArgumentForm,
}
