//! The result of one call to a provider: a reply with its ending and its tokens, or none.

use super::prices::Tokens;
use std::time::Duration;

/// Ending of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The model wrote all that it wanted to.
    Complete(String),
    /// The model declined, with these words.
    Refused(String),
    /// The reply reached this limit.
    TooLong(String),
    /// The connection or the program ended before the reply did, for this reason.
    Cut(String),
    /// The reply took longer than it may; its state at that moment, such as "no reply began".
    TimedOut(&'static str),
    /// The reply cannot be read: the problem, and the beginning of the reply.
    Malformed {
        problem: String,
        reply_excerpt: String,
    },
}

/// Tokens of a reply, as far as they are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// Tokens as the provider counted them, as far as it told.
    pub(super) tokens: Tokens,
    /// True if the provider told the count of the prompt.
    pub(super) has_prompt: bool,
    /// True if the provider told the final count of what was written.
    pub(super) has_output: bool,
    /// Cost in millionths of a dollar, if the provider itself tells it.
    pub(super) microdollars: Option<u64>,
    /// The bytes of text and thoughts that came.
    pub(super) reply_bytes: u64,
}

/// The most bytes that are taken for one token, of text.
pub(super) const TEXT_BYTES_PER_TOKEN: usize = 64;

/// The most bytes of text that a token stands for on average, where a count is believed. Tokens of prose and code have
/// 3 to 5.
const BELIEVED_BYTES_PER_TOKEN: u64 = 16;

/// Factor by which a count may exceed the most that was asked for, or that fits into what was sent: servers add
/// instructions of their own, and some write a little more than they may.
const BELIEVED_EXCESS: u64 = 2;

/// Tokens that a count may have besides, for replies that may have few only.
const BELIEVED_BESIDE: u64 = 1_024;

/// The most tokens of a call to a provider that answers by itself: the prompt, and the reply that was asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokensMax {
    pub(super) prompt: u64,
    pub(super) output: u64,
}

impl Count {
    /// Drops counts that cannot be true: no tokens for a text, fewer than its bytes allow, or far more than `most`,
    /// where that is known. A provider that tells such counts may have told nothing that is true, so its cost is
    /// dropped too.
    pub(super) fn believable(mut self, prompt_bytes: u64, most: Option<TokensMax>) -> Self {
        let least = |bytes: u64| match bytes {
            0 => 0,
            bytes => (bytes / BELIEVED_BYTES_PER_TOKEN).max(1),
        };
        let exceeds = |told: u64, most: Option<u64>| {
            let believed = |most: u64| most.saturating_mul(BELIEVED_EXCESS);
            most.is_some_and(|most| told > believed(most).saturating_add(BELIEVED_BESIDE))
        };
        let is_prompt = self.tokens.prompt() >= least(prompt_bytes)
            && !exceeds(self.tokens.prompt(), most.map(|most| most.prompt));
        let is_excess = exceeds(self.tokens.output, most.map(|most| most.output));
        let is_output = self.tokens.output >= least(self.reply_bytes) && !is_excess;
        if is_excess {
            self.tokens.output = 0;
        }
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
    /// Temporary: the same call may succeed later.
    Busy {
        reason: String,
        /// Wait that the provider asks for before the next call.
        retry_after: Option<Duration>,
    },
    /// Permanent: a retry fails as well.
    Failed { reason: String },
}

/// Result of one call: a reply that was, or may have been, paid for, or a failure that was not.
pub(super) type CallResult = Result<Reply, NoReply>;
