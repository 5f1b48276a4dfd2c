//! Interface to whoever gives opinions on the sources of a run, with the questions.

use bakeoff_config::LoadedExperiment;
use bakeoff_domain::report::OpinionVote;
use bakeoff_domain::spec::{Criterion, Scale};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

/// The judge of a run, as its store has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunJudge {
    /// All that decides who is asked, as a text.
    pub identity: String,
    /// The number of votes on each criterion.
    pub votes: u32,
}

impl RunJudge {
    /// Returns the judge of an experiment, if it names one.
    pub(super) fn of(loaded: &LoadedExperiment) -> Option<Self> {
        let judge = loaded.judge.as_ref()?;
        Some(Self {
            identity: judge.identity(),
            votes: judge.votes,
        })
    }
}

/// A vote that is being asked for.
pub type PendingVote = Pin<Box<dyn Future<Output = OpinionVote> + Send>>;

/// Somebody who gives opinions on sources: a model, if the user lets it be asked.
pub trait Judge: fmt::Debug + Send + Sync {
    /// Returns the vote on a question. A vote without a reply says why.
    fn vote(self: Arc<Self>, question: JudgeQuestion) -> PendingVote;
}

/// A question about sources, without a word on whose they are or how fast.
#[derive(Clone, Debug)]
pub struct JudgeQuestion {
    /// The problem that the sources solve.
    pub problem: String,
    /// The kind of the sources.
    pub kind: JudgedKind,
    /// The place of the criterion in the experiment, from 1.
    pub criterion: u32,
    /// The number of the vote, from 1.
    pub vote: u32,
    /// The question, in the user's words.
    pub question: String,
    /// The number that is asked for.
    pub number: JudgedNumber,
    /// The sources, in the order in which they are shown.
    pub sources: Vec<JudgedSource>,
}

/// Kind of what is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgedKind {
    /// Sources of programs that passed their checks.
    Sources,
    /// Texts that say how the problem could be solved; nothing of them was run.
    Texts,
}

/// The number that is asked for of each source.
#[derive(Clone, Debug, PartialEq)]
pub enum JudgedNumber {
    /// A score from 0 to 10.
    Score,
    /// A number in a unit. A ratio scale needs one above zero.
    InUnit {
        /// The unit.
        unit: String,
        /// True if it must be above zero.
        is_positive: bool,
    },
}

/// A source that is judged.
#[derive(Clone, Debug)]
pub struct JudgedSource {
    /// Its content address.
    pub address: String,
    /// Its text.
    pub text: String,
}

impl JudgedNumber {
    /// Returns the number that a criterion asks for.
    pub(super) fn of(criterion: &Criterion) -> Self {
        if criterion.unit.is_empty() {
            Self::Score
        } else {
            Self::InUnit {
                unit: criterion.unit.clone(),
                is_positive: matches!(criterion.scale, Scale::Ratio { .. }),
            }
        }
    }
}
