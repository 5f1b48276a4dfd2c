//! Progress of a question that is under way.

use super::request::Purpose;
use std::time::Duration;

/// News of a question that is under way.
#[derive(Clone, Debug, PartialEq)]
pub struct QuestionProgress {
    /// Purpose of the question.
    pub purpose: Purpose,
    /// Subject of the question.
    pub subject: String,
    /// Step that the question has reached.
    pub step: ProgressStep,
}

/// Step of a question.
#[derive(Clone, Debug, PartialEq)]
pub enum ProgressStep {
    /// The question is sent.
    Sent,
    /// The reply is coming in.
    Receiving {
        /// Bytes of text and thoughts so far.
        bytes: usize,
    },
    /// The question will be sent again.
    Waiting {
        /// Reason why there was no reply.
        reason: String,
        /// Time until the question is sent again.
        wait: Duration,
    },
    /// The reply did not match the schema, so another one is asked for.
    Repairing {
        /// Problem of the reply.
        problem: String,
    },
    /// The reply is there.
    Received {
        /// True if the reply was received before, and cost nothing now.
        is_recorded: bool,
    },
}
