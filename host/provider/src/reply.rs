//! What one call to a provider ends with.

use super::prices::Tokens;
use std::time::Duration;

/// How a reply ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The model wrote all that it wanted to.
    Complete(String),
    /// The model declined, with these words.
    Refused(String),
    /// It reached this limit.
    TooLong(String),
    /// The connection or the program ended before it did.
    Cut(String),
    /// It took longer than it may: what was waited for.
    TimedOut(&'static str),
    /// What came cannot be read: the problem, and how it begins.
    Malformed {
        problem: String,
        reply_excerpt: String,
    },
}

/// What is known of the tokens of a reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// Tokens as the provider counted them, as far as it told.
    pub(super) tokens: Tokens,
    /// True if the count of the prompt is there.
    pub(super) has_prompt: bool,
    /// True if the count of what was written is there, and final.
    pub(super) has_output: bool,
    /// The cost in millionths of a dollar, if the provider itself tells it.
    pub(super) microdollars: Option<u64>,
    /// The bytes of text and thoughts that came.
    pub(super) reply_bytes: u64,
}

/// The most bytes that are taken for one token, of text.
pub(super) const TEXT_BYTES_PER_TOKEN: usize = 64;

/// The most bytes of text that a token stands for on average, where a count is believed. Tokens of prose and code have
/// 3 to 5.
const BELIEVED_BYTES_PER_TOKEN: u64 = 16;

impl Count {
    /// Leaves out what cannot be true: no tokens for a text, or fewer than its bytes allow. Whoever told that may have
    /// told nothing that is true, so its cost is left out too.
    pub(super) fn believable(mut self, prompt_bytes: u64) -> Self {
        let least = |bytes: u64| match bytes {
            0 => 0,
            bytes => (bytes / BELIEVED_BYTES_PER_TOKEN).max(1),
        };
        let is_prompt = self.tokens.prompt() >= least(prompt_bytes);
        let is_output = self.tokens.output >= least(self.reply_bytes);
        if !(is_prompt && is_output) {
            self.microdollars = None;
        }
        self.has_prompt &= is_prompt;
        self.has_output &= is_output;
        self
    }
}

/// A reply that was, or may have been, paid for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) ending: Ending,
    pub(super) count: Count,
}

/// A call that was not paid for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoReply {
    /// It may go better later.
    Busy {
        reason: String,
        /// When the provider asks to be asked again.
        retry_after: Option<Duration>,
    },
    /// It would go the same way again.
    Failed { reason: String },
}

/// What one call ends with.
pub(super) type CallResult = Result<Reply, NoReply>;
