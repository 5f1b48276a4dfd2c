//! Errors: a question without an answer, and models that cannot be opened.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The error of a question without an answer. Each is one failure of what was asked for; texts of a model in it are
/// short and harmless.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The call was not made, since it could pass a budget.
    #[error(
        "the budget of {limit} could be passed: {spent} are spent, {reserved} are held for calls that are \
         under way, and this one can take up to {needed}; raise the budget to go on"
    )]
    BudgetExhausted {
        /// The budget.
        limit: Amount,
        /// Amount that finished calls took.
        spent: Amount,
        /// The most that calls under way can take.
        reserved: Amount,
        /// The most that this call can take.
        needed: Amount,
    },
    /// The model cannot be reached, or does not accept requests.
    #[error("{provider} gives no answer: {reason}")]
    Unavailable {
        /// The provider and its model.
        provider: String,
        /// The reason, and the next step where there is one.
        reason: String,
    },
    /// The model declined to answer.
    #[error("the model refused to answer: {reply_excerpt}")]
    Refused {
        /// The beginning of what it wrote instead.
        reply_excerpt: String,
    },
    /// The reply is not JSON, or not of the schema, also after it was asked for again.
    #[error("the reply is invalid: {problem}; it begins with: {reply_excerpt}")]
    Invalid {
        /// Problem of the last reply.
        problem: String,
        /// The beginning of the last reply.
        reply_excerpt: String,
    },
    /// The reply reached its limit before it ended.
    #[error("the reply is longer than {limit}")]
    TooLong {
        /// The limit: "4096 tokens".
        limit: String,
    },
    /// The connection ended before the reply did, each time it was asked for.
    #[error("the reply was cut off: {reason}")]
    Cut {
        /// Reason why the connection ended.
        reason: String,
    },
    /// The reply took too long.
    #[error("the reply took longer than {}: {during}", seconds(*.limit))]
    TimedOut {
        /// The time limit.
        limit: Duration,
        /// State of the reply when the time was over: "no reply began".
        during: &'static str,
    },
    /// The question was given out as a task, which has no answer yet.
    #[error("the task {task} waits for an answer")]
    NotAnswered {
        /// The id of the task.
        task: String,
    },
    /// The run is being interrupted.
    #[error("the run was interrupted")]
    Interrupted,
}

impl AskError {
    /// Returns the class of the failure, as reports name it.
    pub fn class(&self) -> &'static str {
        match self {
            Self::BudgetExhausted { .. } => "budget-exhausted",
            Self::Unavailable { .. } => "model-unavailable",
            Self::Refused { .. } => "model-refused",
            Self::Invalid { .. } => "invalid-reply",
            Self::TooLong { .. } => "reply-too-long",
            Self::Cut { .. } => "reply-cut",
            Self::TimedOut { .. } => "model-timeout",
            Self::NotAnswered { .. } => "not-answered",
            Self::Interrupted => "interrupted",
        }
    }
}

fn seconds(limit: Duration) -> String {
    format!("{} s", limit.as_secs_f64())
}

/// An amount of what a budget limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// A number of tokens.
    Tokens(u64),
    /// Millionths of a US dollar.
    Microdollars(u64),
}

impl Amount {
    /// Returns the number without its unit.
    pub fn number(&self) -> u64 {
        match self {
            Self::Tokens(number) | Self::Microdollars(number) => *number,
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tokens(tokens) => write!(f, "{tokens} tokens"),
            Self::Microdollars(amount) => {
                write!(f, "${}.{:06}", amount / 1_000_000, amount % 1_000_000)
            }
        }
    }
}

/// The error of models that cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// An option is missing, or does not fit the others.
    #[error("{0}")]
    Options(String),
    /// A file cannot be read or written.
    #[error("cannot {action} `{}`: {reason}", path.display())]
    File {
        /// Operation that failed: "read".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system, or what is wrong with the content and where.
        reason: String,
    },
    /// The machine lacks something.
    #[error("cannot make connections: {0}")]
    Connections(String),
}

impl OpenError {
    /// Returns the error of a file that cannot be read, or whose content is wrong.
    pub(super) fn unreadable(path: &Path, reason: String) -> Self {
        Self::File {
            action: "read",
            path: path.to_owned(),
            reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_amounts_and_limits() {
        let error = AskError::BudgetExhausted {
            limit: Amount::Microdollars(2_000_000),
            spent: Amount::Microdollars(1_250_001),
            reserved: Amount::Microdollars(0),
            needed: Amount::Microdollars(750_000),
        };
        let text = error.to_string();
        assert!(
            text.contains("$2.000000") && text.contains("$1.250001"),
            "{text}"
        );
        let error = AskError::TimedOut {
            limit: Duration::from_millis(1500),
            during: "nothing came",
        };
        assert_eq!(
            error.to_string(),
            "the reply took longer than 1.5 s: nothing came"
        );
    }
}
