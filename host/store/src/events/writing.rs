//! Progress of the approaches that a model writes, computed from events.

use super::envelope::Envelope;
use super::event::Event;
use serde::Serialize;
use std::collections::BTreeMap;

/// Progress of the approaches that a model writes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WritingProgress {
    /// Number of approaches that are wanted, if it was known from the start.
    pub wanted: u32,
    /// The approaches that are known, by name.
    pub approaches: BTreeMap<String, ApproachWriting>,
    /// True once nothing more is written.
    pub has_ended: bool,
    /// False if it ended early, and the same command goes on.
    pub is_complete: bool,
}

/// Progress of one approach that is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ApproachWriting {
    /// State of the approach.
    pub state: WritingState,
    /// Number of its sources that were built and called.
    pub attempts: u32,
    /// Class of the failure of the last source, if that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// State of an approach that is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WritingState {
    /// Its idea stands, and its writing has not begun.
    #[default]
    Idea,
    /// A source of it is being written or tried.
    Writing,
    /// It passed.
    Passed,
    /// It does the same work as another, and is left out.
    Duplicate,
    /// It was given up.
    Failed,
}

impl WritingProgress {
    /// Includes an event.
    pub fn apply(&mut self, envelope: &Envelope) {
        match &envelope.event {
            Event::ExplorationStart { num_approaches, .. } => self.wanted = *num_approaches,
            Event::ApproachGenerated { approach_id, .. } => {
                self.approach(approach_id);
            }
            Event::ApproachStart { approach_id } => {
                self.approach(approach_id).state = WritingState::Writing;
            }
            Event::AttemptComplete {
                approach_id,
                attempt,
                outcome,
            } => {
                let approach = self.approach(approach_id);
                approach.attempts = *attempt;
                approach.failure = (outcome != PASSED).then(|| outcome.clone());
            }
            Event::ApproachWritten {
                approach_id,
                outcome,
            } => {
                let approach = self.approach(approach_id);
                approach.state = match outcome.as_str() {
                    PASSED => WritingState::Passed,
                    DUPLICATE => WritingState::Duplicate,
                    _ => WritingState::Failed,
                };
                approach.failure =
                    (approach.state == WritingState::Failed).then(|| outcome.clone());
            }
            Event::WritingComplete { is_complete } => {
                (self.has_ended, self.is_complete) = (true, *is_complete);
            }
            _ => {}
        }
    }

    fn approach(&mut self, name: &str) -> &mut ApproachWriting {
        self.approaches.entry(name.to_owned()).or_default()
    }
}

/// Outcome of what passed.
pub const PASSED: &str = "passed";

/// Outcome of what does the same work as another.
pub const DUPLICATE: &str = "duplicate";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Stamper;

    #[test]
    fn an_approach_goes_from_an_idea_to_its_end() {
        let stamper = Stamper::new(0);
        let mut writing = WritingProgress::default();
        let mut apply = |event| {
            writing.apply(&stamper.wrap(event));
            writing.approaches.get("heap").cloned()
        };
        let approach_id = || "heap".to_owned();
        let attempt = |attempt, outcome: &str| Event::AttemptComplete {
            approach_id: approach_id(),
            attempt,
            outcome: outcome.to_owned(),
        };
        let written = |outcome: &str| Event::ApproachWritten {
            approach_id: approach_id(),
            outcome: outcome.to_owned(),
        };
        let idea = apply(Event::ApproachGenerated {
            approach_id: approach_id(),
            description: String::new(),
        });
        assert_eq!(idea, Some(ApproachWriting::default()));
        apply(Event::ApproachStart {
            approach_id: approach_id(),
        });
        let failed = apply(attempt(1, "trap")).unwrap();
        assert_eq!(
            (failed.state, failed.attempts, failed.failure.as_deref()),
            (WritingState::Writing, 1, Some("trap"))
        );
        assert_eq!(apply(attempt(2, "passed")).unwrap().failure, None);
        for (outcome, state) in [
            ("passed", WritingState::Passed),
            ("duplicate", WritingState::Duplicate),
            ("trap", WritingState::Failed),
        ] {
            assert_eq!(apply(written(outcome)).unwrap().state, state);
        }
        apply(Event::WritingComplete { is_complete: false });
        assert!(writing.has_ended && !writing.is_complete);
    }
}
