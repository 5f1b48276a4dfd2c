//! Steps of approaches that are written, for whoever shows them.

use super::idea::Idea;
use super::proposal::ProposalOutcome;
use std::fmt;
use std::sync::Arc;

/// Step of an approach that is written.
#[derive(Clone, Debug, PartialEq)]
pub enum WritingStep {
    /// Its idea stands.
    Idea {
        /// Name of the approach.
        name: String,
        /// The idea, in a sentence.
        description: String,
    },
    /// Its writing begins.
    Begun {
        /// Name of the approach.
        name: String,
    },
    /// A source of it was built and called.
    Tried {
        /// Name of the approach.
        name: String,
        /// Number of the attempt, from 1.
        attempt: u32,
        /// Class of its failure; `None` if it passed.
        failure: Option<&'static str>,
    },
    /// It is written, or given up.
    Ended {
        /// Name of the approach.
        name: String,
        /// Result of the approach.
        outcome: ProposalOutcome,
    },
}

type Receiver = dyn Fn(&WritingStep) + Send + Sync;

/// Receiver of the steps of approaches that are written; by default nobody. It is called by whoever writes, so it should
/// not take long.
#[derive(Clone, Default)]
pub struct OnStep(Option<Arc<Receiver>>);

impl OnStep {
    /// Makes a receiver of a function.
    pub fn new(receiver: impl Fn(&WritingStep) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(receiver)))
    }

    pub(super) fn tell(&self, step: impl FnOnce() -> WritingStep) {
        if let Self(Some(receiver)) = self {
            receiver(&step());
        }
    }

    /// Tells of an idea that stands.
    pub(super) fn idea(&self, idea: &Idea) {
        self.tell(|| WritingStep::Idea {
            name: idea.name.clone(),
            description: idea.description.clone(),
        });
    }

    /// Tells of an approach that is written, or given up.
    pub(super) fn ended(&self, idea: &Idea, outcome: &ProposalOutcome) {
        self.tell(|| WritingStep::Ended {
            name: idea.name.clone(),
            outcome: outcome.clone(),
        });
    }
}

impl fmt::Debug for OnStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OnStep").field(&self.0.is_some()).finish()
    }
}
