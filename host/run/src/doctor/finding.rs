//! A fact about the machine, with its meaning and advice.

use serde::Serialize;

/// State of a finding's topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingState {
    /// The topic is as it should be.
    Good,
    /// The topic works, and could be better.
    Limited,
    /// The topic does not work.
    Bad,
}

/// A fact about the machine, with its meaning and advice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MachineFinding {
    /// Topic of the finding: `confinement`, `noise`, …
    pub topic: &'static str,
    /// State of the topic.
    pub state: FindingState,
    /// The fact.
    pub found: String,
    /// The meaning of the fact for runs.
    pub means: String,
    /// Advice; `None` if there is nothing to do.
    pub next: Option<String>,
}

impl MachineFinding {
    pub(super) fn good(topic: &'static str, found: impl Into<String>) -> Self {
        Self::new(topic, FindingState::Good, found)
    }

    pub(super) fn limited(topic: &'static str, found: impl Into<String>) -> Self {
        Self::new(topic, FindingState::Limited, found)
    }

    pub(super) fn bad(topic: &'static str, found: impl Into<String>) -> Self {
        Self::new(topic, FindingState::Bad, found)
    }

    fn new(topic: &'static str, state: FindingState, found: impl Into<String>) -> Self {
        Self {
            topic,
            state,
            found: found.into(),
            means: String::new(),
            next: None,
        }
    }

    pub(super) fn means(self, means: impl Into<String>) -> Self {
        Self {
            means: means.into(),
            ..self
        }
    }

    pub(super) fn next(self, next: impl Into<String>) -> Self {
        Self {
            next: Some(next.into()),
            ..self
        }
    }
}
