//! Candidates of a search: programs, where they came from, and what became of them.

use super::space::Values;
use bakeoff_domain::function_fuel::FuelByFunction;
use bakeoff_domain::report::Against;
use bakeoff_run::CoarseVerdict;
use bakeoff_source::digest_of_parts;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A program that a search may look at: an approach with values of its parameters, or another source in its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Name of the approach that the search began with, and from which the program descends.
    pub origin: String,
    /// Values of the parameters.
    #[serde(default)]
    pub values: Values,
    /// Source in Rust; `None` where it is the approach's own code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Arc<str>>,
}

impl Program {
    /// Returns the source of the program, if it has one; `own` are the sources of approaches, by name.
    pub(crate) fn source_among(&self, own: &BTreeMap<String, Arc<str>>) -> Option<Arc<str>> {
        self.source
            .as_ref()
            .or_else(|| own.get(&self.origin))
            .cloned()
    }

    /// Returns a digest of everything that makes the program.
    pub(crate) fn key(&self) -> String {
        let values = self
            .values
            .iter()
            .flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]);
        let source = self.source.as_deref().unwrap_or_default();
        let own = if self.source.is_some() {
            "source"
        } else {
            "own"
        };
        // A source is the same program whichever approach it descends from.
        let origin = if self.source.is_some() {
            ""
        } else {
            &self.origin
        };
        let head = [own.as_bytes(), origin.as_bytes(), source.as_bytes()];
        digest_of_parts(head.into_iter().chain(values))
    }
}

/// Result of a candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CandidateOutcome {
    /// It passed its checks, and the gates of the criteria as far as they are known without a race.
    Passed,
    /// It passed its checks, and fails a gate of a criterion.
    Gated,
    /// It is the same component with the same values as an earlier candidate, of this name.
    Same(String),
    /// It failed: the class, and the message.
    Failed(String, String),
}

/// Returns the verdict of a short race on a candidate, whose ratio is that of the candidate's time over the reference's.
pub(crate) fn against(verdict: &CoarseVerdict) -> Against {
    let inverse = verdict.mirrored().ratio;
    Against {
        verdict: verdict.verdict,
        low: inverse.low,
        high: inverse.high,
    }
}

/// A candidate of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Name of the candidate; that of an approach, for those that the search began with.
    pub name: String,
    /// The round in which it was made, from 1; 0 for those that the search began with.
    pub round: u32,
    /// Index of the candidate that it was made from; `None` for those that the search began with.
    pub parent: Option<usize>,
    /// Maker of it: the word of a way.
    pub by: String,
    /// The wish that a model was asked to fulfil by it, in a word of `mix`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wish: Option<String>,
    /// Difference from its parent, in words.
    pub change: String,
    /// The program.
    pub program: Program,
    /// Result of the candidate.
    pub outcome: CandidateOutcome,
    /// The time of a call of the reference over that of this one, in the last look that timed both.
    pub ratio: Option<f64>,
    /// Verdict on it against the reference in that look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against_reference: Option<Against>,
    /// Total in the look at it, from 0 to 1.
    pub total: Option<f64>,
    /// Values of its readings, by source.
    #[serde(default)]
    pub readings: BTreeMap<String, f64>,
    /// Its fuel by the functions of its source, once somebody was to be told; empty if it is not known where fuel goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel_by_function: Option<FuelByFunction>,
    /// True if it was the best when its round was over.
    #[serde(default)]
    pub best: bool,
    /// True if it was drawn without regard to any result.
    #[serde(default)]
    pub control: bool,
    /// The number of the island that it was made on, from 1; `None` where there is one island, and for approaches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub island: Option<u32>,
}

impl Candidate {
    /// Makes a candidate that a search begins with. It was not looked at yet.
    pub(crate) fn first(name: String, program: Program) -> Self {
        Self {
            name,
            round: 0,
            parent: None,
            by: String::new(),
            wish: None,
            change: String::new(),
            program,
            outcome: CandidateOutcome::Passed,
            ratio: None,
            against_reference: None,
            total: None,
            readings: BTreeMap::new(),
            fuel_by_function: None,
            best: false,
            control: false,
            island: None,
        }
    }

    /// Returns true if others may be made from it.
    pub(crate) fn is_alive(&self) -> bool {
        matches!(
            self.outcome,
            CandidateOutcome::Passed | CandidateOutcome::Gated
        )
    }

    /// Returns true if it failed.
    pub(crate) fn is_failed(&self) -> bool {
        matches!(self.outcome, CandidateOutcome::Failed(..))
    }
}

/// A candidate that was made and not looked at yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewCandidate {
    /// Index of the candidate that it was made from.
    pub parent: usize,
    /// Maker of it: the word of a way.
    pub by: Cow<'static, str>,
    /// Difference from its parent, in words.
    pub change: String,
    /// The wish that a model was asked to fulfil by it, in a word of `mix`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wish: Option<String>,
    /// The program.
    pub program: Program,
    /// True if it was drawn without regard to any result.
    pub control: bool,
}

/// A candidate that was made, with the number of its island, if there are several.
#[derive(Debug)]
pub(crate) struct MadeOnIsland {
    pub(crate) made: NewCandidate,
    pub(crate) island: Option<u32>,
}

/// Candidates of a round that others named.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct NamedCandidates {
    pub(crate) made: Vec<NewCandidate>,
    /// The reason why a model will name no more, if there is one.
    pub(crate) silent: Option<String>,
    /// The reason why somebody named none this time, in words.
    #[serde(default)]
    pub(crate) nothing: Option<String>,
}
