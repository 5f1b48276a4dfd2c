//! What a question is waiting for.

use super::request::Purpose;
use std::time::Duration;

/// News of a question that is under way.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// What the question is for.
    pub purpose: Purpose,
    /// What it is about.
    pub subject: String,
    /// What happens.
    pub step: ProgressStep,
}

/// What happens to a question.
#[derive(Clone, Debug, PartialEq)]
pub enum ProgressStep {
    /// It is sent.
    Sent,
    /// The reply has so many bytes by now.
    Receiving {
        /// Bytes of text and thoughts.
        bytes: usize,
    },
    /// It will be sent again.
    Waiting {
        /// Why there was no reply.
        reason: String,
        /// The wait.
        wait: Duration,
    },
    /// The reply did not match the schema, so another one is asked for.
    Repairing {
        /// What was wrong.
        problem: String,
    },
    /// The reply is there.
    Received {
        /// True if it was received before, and cost nothing now.
        is_recorded: bool,
    },
}
