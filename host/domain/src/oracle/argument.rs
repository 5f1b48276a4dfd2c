//! Facts about the arguments of a call, by which uninformative inputs are found.

use serde::{Deserialize, Serialize};

/// Form of an argument.
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

/// Facts about one argument of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgumentFacts {
    /// Digest of the argument.
    pub digest: String,
    /// Size of the argument in bytes.
    pub bytes: u64,
    /// Form of the argument.
    pub form: ArgumentForm,
}
