//! Judgements of an oracle on the answers of approaches, and on changed copies of them.

use super::argument::ArgumentFacts;
use crate::measurement::CaseIndex;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Kind of change that was made to an answer.
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
    /// A number is larger: by one, or a fraction by about its own size. A test from before it was told from the next kind
    /// has both as this one.
    #[serde(alias = "off-by-one")]
    Larger,
    /// A number is smaller by as much.
    Smaller,
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
            Self::Larger => "a number made larger",
            Self::Smaller => "a number made smaller",
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

/// Judgement of an oracle on an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum JudgedAs {
    /// The answer is right.
    Accepted,
    /// The answer is wrong, for this reason.
    Refused(String),
    /// The oracle failed on the answer, in this way.
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

/// A changed answer with the oracle's judgement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedChange {
    /// Kind of the change.
    pub change: Change,
    /// Judgement on the changed answer.
    pub judged: JudgedAs,
    /// The changed answer as text, of a long one the part around the change.
    pub answer: String,
    /// The same part of the answer before the change.
    pub original: String,
}

/// The answer of an approach to one input, with the oracle's judgement.
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
    /// Reason why the call failed, with the class of the failure; `None` if it did not fail.
    pub failure: Option<String>,
    /// Judgement on the answer on a fresh instance; `None` if the call failed.
    pub judged: Option<JudgedAs>,
    /// Two different judgements on the same answer, or on a changed one, in words; `None` if the
    /// oracle judged alike when it was asked again.
    pub contradiction: Option<String>,
    /// Changed copies of the answer, if it was accepted.
    pub changes: Vec<JudgedChange>,
}

/// The answers of one approach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApproachAnswers {
    /// Name of the approach.
    pub name: String,
    /// Answers of the approach, or the reason why it could not be called.
    pub answers: Result<Vec<TestedAnswer>, String>,
}
