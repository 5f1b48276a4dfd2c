//! What a proposer is told, and what it answers.

use super::completion::CompletionQuestion;
use serde::{Deserialize, Serialize};

/// A file: its name, and its text.
pub(super) type NamedText = (String, String);

/// A parameter: its name, and the values that are tried.
pub(super) type NamedValues = (String, Vec<String>);

/// All that a proposer is told.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProposerTask {
    /// The problem.
    pub problem: KnownProblem,
    /// The approaches that there are.
    pub approaches: Vec<KnownApproach>,
    /// What the last run said of their variants.
    pub outcomes: Vec<KnownOutcome>,
    /// How many approaches are wanted.
    pub count: u32,
}

/// The problem, as a proposer is told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownProblem {
    /// The question.
    pub statement: String,
    /// The function that is called.
    pub call: String,
    /// The same in Rust.
    pub signature: String,
    /// The files of the interface.
    pub wit: Vec<NamedText>,
    /// The workload, if it is a source.
    pub workload: Option<NamedText>,
    /// The labels of the cases.
    pub cases: Vec<String>,
}

/// An approach that there is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownApproach {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Its files.
    pub files: Vec<NamedText>,
    /// Its parameters.
    pub parameters: Vec<NamedValues>,
}

/// What a run said of a variant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KnownOutcome {
    /// The name of its approach.
    pub approach: String,
    /// The values of its parameters.
    pub parameters: Vec<(String, String)>,
    /// Why it has no result.
    pub failure: Option<String>,
    /// Its rank.
    pub rank: Option<u32>,
    /// Its total.
    pub total: Option<f64>,
    /// Its readings: source, value and unit.
    pub readings: Vec<(String, f64, String)>,
}

/// What a proposer answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProposerReply {
    /// It proposes these.
    Proposals(Vec<GivenProposal>),
    /// It proposes nothing, and why.
    Nothing(String),
    /// It asks for a completion first.
    Asks(CompletionQuestion),
}

/// An approach as a proposer gives it. Nothing about it was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenProposal {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Its parameters.
    pub parameters: Vec<NamedValues>,
    /// Its files.
    pub files: Vec<NamedText>,
}
