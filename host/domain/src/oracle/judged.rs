//! What an oracle said of one answer, and of the answer changed.

use super::argument::ArgumentFacts;
use crate::measurement::CaseIndex;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How an answer was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// An element of a list is missing.
    Dropped,
    /// An element of a list stands there twice, or the last character of a string.
    Doubled,
    /// An element was put into an empty list or string.
    Added,
    /// Two elements have changed places.
    Moved,
    /// A number is larger or smaller by one.
    OffByOne,
    /// A number is far from what it was.
    FarOff,
    /// A list or string is empty.
    Emptied,
    /// Another case of a variant, an enum, an option or a result; another flag.
    OtherCase,
    /// A number is not a number.
    NotANumber,
    /// A `bool` is the other one.
    Flipped,
    /// A string lacks its last character, or a character is another.
    Cut,
}

impl Change {
    /// Returns the change in words, as in "answers with an element dropped".
    pub fn words(self) -> &'static str {
        match self {
            Self::Dropped => "an element dropped",
            Self::Doubled => "an element doubled",
            Self::Added => "an element added",
            Self::Moved => "two elements exchanged",
            Self::OffByOne => "a number off by one",
            Self::FarOff => "a number far off",
            Self::Emptied => "made empty",
            Self::OtherCase => "another case",
            Self::NotANumber => "a number replaced by NaN",
            Self::Flipped => "a bool flipped",
            Self::Cut => "a text cut or changed",
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// What an oracle says of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgedAs {
    /// It is right.
    Accepted,
    /// It is wrong, for this reason.
    Refused(String),
    /// The oracle failed on it, in this way.
    Failed(String),
}

impl JudgedAs {
    /// Returns true if both are of the same kind, whatever their reasons are.
    pub fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }

    /// Returns `accepted`, `refused` or `failed`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Refused(_) => "refused",
            Self::Failed(_) => "failed",
        }
    }
}

/// An answer that was changed, and what the oracle says of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedChange {
    /// How it was changed.
    pub change: Change,
    /// What the oracle says.
    pub judged: JudgedAs,
    /// The changed answer as text, shortened.
    pub answer: String,
}

/// The answer of an approach to one input, and what the oracle says of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestedAnswer {
    /// The case.
    pub case: CaseIndex,
    /// The seed of the input.
    pub seed: u64,
    /// The arguments.
    pub arguments: Vec<ArgumentFacts>,
    /// The arguments as text, shortened.
    pub shown: String,
    /// The answer as text, shortened; `None` if the call failed.
    pub answer: Option<String>,
    /// The digest of the answer; `None` if the call failed.
    pub digest: Option<String>,
    /// Why the call failed, with the class of the failure.
    pub failure: Option<String>,
    /// What the oracle says of the answer on a fresh instance; `None` if the call failed.
    pub judged: Option<JudgedAs>,
    /// What it said of the same answer, or of a changed one, when it was asked again, if that was
    /// something else.
    pub contradiction: Option<String>,
    /// The answer changed, where it was accepted.
    pub changes: Vec<JudgedChange>,
}

/// The answers of one approach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApproachAnswers {
    /// Its name.
    pub name: String,
    /// Its answers, or why it could not be called.
    pub answers: Result<Vec<TestedAnswer>, String>,
}
