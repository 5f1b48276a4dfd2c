//! Task of a proposer, and its reply.

use super::completion::CompletionQuestion;
use serde::{Deserialize, Serialize};

/// A file: its name, and its text.
pub(super) type NamedText = (String, String);

/// A parameter: its name, and the values that are tried.
pub(super) type NamedValues = (String, Vec<String>);

/// Input of a proposer: the problem, and the results so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProposerTask {
    /// The problem.
    pub problem: KnownProblem,
    /// The approaches that the experiment has.
    pub approaches: Vec<KnownApproach>,
    /// Results of their variants in the last run; empty if there was none.
    pub outcomes: Vec<KnownOutcome>,
    /// The number of approaches that are wanted.
    pub count: u32,
}

/// The problem, as it is described to a proposer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownProblem {
    /// The question, in the user's words.
    pub statement: String,
    /// The name of the function that is called.
    pub call: String,
    /// The function's signature in Rust.
    pub signature: String,
    /// The files of the interface.
    pub wit: Vec<NamedText>,
    /// The workload, if it is a source.
    pub workload: Option<NamedText>,
    /// The labels of the cases.
    pub cases: Vec<String>,
}

/// An approach that the experiment has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownApproach {
    /// Name of the approach.
    pub name: String,
    /// Description of the approach; may be empty.
    pub description: String,
    /// Source files of the approach; none for a component that the user brought.
    pub files: Vec<NamedText>,
    /// Parameters of the approach.
    pub parameters: Vec<NamedValues>,
}

/// Result of a variant in an earlier run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KnownOutcome {
    /// The name of the variant's approach.
    pub approach: String,
    /// The values of the variant's parameters, by name.
    pub parameters: Vec<(String, String)>,
    /// The class and message of the failure; `None` if the variant has a result.
    pub failure: Option<String>,
    /// Rank of the variant; 1 is best.
    pub rank: Option<u32>,
    /// Weighted mean of the variant's scores, from 0 to 1.
    pub total: Option<f64>,
    /// Readings of the variant: source, value and unit.
    pub readings: Vec<(String, f64, String)>,
}

/// Reply of a proposer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProposerReply {
    /// The approaches that it proposes.
    Proposals(Vec<GivenProposal>),
    /// The reason why it proposes nothing.
    Nothing(String),
    /// A question to a model that must be answered before the proposer is called again.
    Asks(CompletionQuestion),
}

/// An approach as a proposer gives it. Nothing about it was checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenProposal {
    /// Name of the approach, as the proposer writes it.
    pub name: String,
    /// Description of the approach.
    pub description: String,
    /// Parameters of the approach, each with the values that are tried.
    pub parameters: Vec<NamedValues>,
    /// Source files of the prototype.
    pub files: Vec<NamedText>,
}
