//! A reply while it comes in, with its limits.

use super::excerpt::excerpt;
use super::reply::{Count, Ending, Reply, TEXT_BYTES_PER_TOKEN};
use super::sse::{SseError, SseReader};
use serde_json::Value;

/// The most bytes that are taken for one token, with all that surrounds it in a stream.
const STREAM_BYTES_PER_TOKEN: usize = 1024;

/// Bytes that a stream may have besides those for its tokens.
const STREAM_BYTES_MIN: usize = 256 << 10;

/// The most bytes of text and of a stream, whatever the number of tokens.
const TEXT_BYTES_MAX: usize = 4 << 20;
const STREAM_BYTES_MAX: usize = 64 << 20;

/// Reason why a model stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    Ended,
    Limit,
    Refused,
}

/// State of a message after the events of its stream so far.
#[derive(Debug, Default)]
pub(super) struct Message {
    pub(super) text: String,
    pub(super) refusal: String,
    pub(super) count: Count,
    pub(super) stop: Option<Stop>,
    /// True after the last event.
    pub(super) is_done: bool,
    /// Bytes of thoughts, which are not kept.
    pub(super) thought_bytes: usize,
    /// Pieces of text or thoughts: each is at least about a token.
    pub(super) pieces: usize,
}

/// Function that takes an event of an API. Its error is an error that the provider reports in the
/// stream.
pub(super) type OnEvent = fn(&mut Message, &Value) -> Result<(), String>;

/// Puts a reply together from the bytes of a stream.
#[derive(Debug)]
pub(super) struct ReplyStream {
    message: Message,
    sse: SseReader,
    on_event: OnEvent,
    bytes: usize,
    /// The bytes of the reply when it was complete.
    completed: usize,
    output_tokens_max: usize,
}

impl ReplyStream {
    pub(super) fn new(on_event: OnEvent, output_tokens_max: u32) -> Self {
        Self {
            message: Message::default(),
            sse: SseReader::default(),
            on_event,
            bytes: 0,
            completed: 0,
            output_tokens_max: output_tokens_max as usize,
        }
    }

    /// The bytes of text and thoughts that came so far.
    pub(super) fn reply_bytes(&self) -> usize {
        self.message.text.len() + self.message.thought_bytes
    }

    /// Takes the next bytes. Returns the ending of the reply, once it has one.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Option<Ending> {
        self.bytes += bytes.len();
        let mut events = Vec::new();
        let read = self.sse.push(bytes, &mut events);
        for event in events {
            if event == "[DONE]" {
                self.message.is_done = true;
            } else {
                match serde_json::from_str(&event) {
                    Ok(value) => {
                        if let Err(reason) = (self.on_event)(&mut self.message, &value) {
                            return Some(Ending::Cut(excerpt(&reason)));
                        }
                    }
                    Err(error) => return Some(self.malformed(&error.to_string(), &event)),
                }
            }
            if self.message.is_done {
                return Some(self.complete());
            }
        }
        match read {
            Err(SseError::NotText) => Some(self.malformed("it is not UTF-8", "")),
            Err(SseError::TooLong) => Some(self.too_long("1 MiB in one event")),
            Ok(()) => self.beyond_limits(),
        }
    }

    /// Returns the ending of a reply whose stream has ended.
    pub(super) fn end(&mut self) -> Ending {
        match self.message.stop {
            Some(_) => self.complete(),
            None => Ending::Cut("the connection ended before the reply did".to_owned()),
        }
    }

    /// Returns the ending of a reply whose connection broke. A reply that had ended before is
    /// whole.
    pub(super) fn broken(&mut self, reason: &str) -> Ending {
        match self.message.stop {
            Some(_) => self.complete(),
            None => Ending::Cut(reason.to_owned()),
        }
    }

    /// Returns the reply with the count of its tokens and bytes.
    pub(super) fn into_reply(self, ending: Ending) -> Reply {
        let bytes = self.completed.max(self.received());
        Reply {
            ending,
            count: Count {
                reply_bytes: bytes as u64,
                ..self.message.count
            },
        }
    }

    /// The bytes of all that the model wrote and is kept so far, words of a refusal among them.
    fn received(&self) -> usize {
        self.reply_bytes() + self.message.refusal.len()
    }

    fn complete(&mut self) -> Ending {
        self.completed = self.received();
        let message = &mut self.message;
        match message.stop {
            Some(Stop::Limit) => Ending::TooLong(format!("{} tokens", self.output_tokens_max)),
            _ if message.stop == Some(Stop::Refused) || !message.refusal.is_empty() => {
                let words = if message.refusal.is_empty() {
                    &message.text
                } else {
                    &message.refusal
                };
                Ending::Refused(excerpt(words))
            }
            _ => Ending::Complete(std::mem::take(&mut message.text)),
        }
    }

    fn malformed(&self, problem: &str, event: &str) -> Ending {
        let begins = if self.message.text.is_empty() {
            event
        } else {
            &self.message.text
        };
        Ending::Malformed {
            problem: excerpt(&format!("the stream cannot be read: {problem}")),
            reply_excerpt: excerpt(begins),
        }
    }

    fn too_long(&self, limit: &str) -> Ending {
        Ending::TooLong(limit.to_owned())
    }

    fn beyond_limits(&self) -> Option<Ending> {
        let per_token = |bytes: usize| self.output_tokens_max.saturating_mul(bytes);
        let text_max = per_token(TEXT_BYTES_PER_TOKEN).min(TEXT_BYTES_MAX);
        let stream_max = per_token(STREAM_BYTES_PER_TOKEN)
            .saturating_add(STREAM_BYTES_MIN)
            .min(STREAM_BYTES_MAX);
        // Some providers send a token in two pieces, none in more on the whole.
        let pieces_max = per_token(2).saturating_add(64);
        if self.reply_bytes() > text_max
            || self.message.refusal.len() > text_max
            || self.bytes > stream_max
            || self.message.pieces > pieces_max
        {
            Some(self.too_long(&format!(
                "{} tokens, without an end",
                self.output_tokens_max
            )))
        } else {
            None
        }
    }
}
