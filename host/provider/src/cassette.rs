//! Exchanges with a model, kept as lines of JSON: to be replayed, and never to be paid for twice.

use super::error::{Amount, AskError, OpenError};
use super::excerpt::excerpt;
use super::read_file::read_file;
use super::record_seal::{is_id, without_seal};
use super::reply::Ending;
use super::request::{Purpose, Request};
use super::spending::AskedQuestion;
use super::usage::Usage;
use bakeoff_files::parse_json_of;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// The largest cassette.
pub(super) const FILE_BYTES_MAX: u64 = 256 << 20;

/// The most values of one line.
const LINE_VALUES_MAX: usize = 1 << 17;

/// The most values in the replies of a cassette: each takes a hundred bytes of memory, and two in the file.
const VALUES_MAX: usize = 1 << 21;

/// One exchange.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exchange {
    pub(super) purpose: Purpose,
    #[serde(default)]
    pub(super) subject: String,
    /// Digest of the request ([`Request::digest`]); a line that was written by hand may lack it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) request_digest: Option<String>,
    /// The provider and its model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) provider: Option<String>,
    /// Outcome of the exchange.
    #[serde(default)]
    pub(super) outcome: ExchangeOutcome,
    /// The reply: an object as it is, everything else as text.
    #[serde(default)]
    pub(super) reply: Value,
    /// Detail of an outcome without a usable reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) detail: Option<Detail>,
    #[serde(default)]
    pub(super) usage: Usage,
    /// Duration of the exchange, in seconds.
    #[serde(default)]
    pub(super) seconds: f64,
}

/// Outcome of an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ExchangeOutcome {
    #[default]
    Complete,
    Refused,
    TooLong,
    Malformed,
    Cut,
    TimedOut,
    Unavailable,
    BudgetExhausted,
}

impl ExchangeOutcome {
    /// Returns true if all of the reply was received, so that there is nothing to ask again.
    fn is_final(self) -> bool {
        matches!(
            self,
            Self::Complete | Self::Refused | Self::TooLong | Self::Malformed
        )
    }

    /// Returns true if the call was, or may have been, paid for.
    fn is_paid(self) -> bool {
        !matches!(self, Self::Unavailable | Self::BudgetExhausted)
    }
}

/// Detail of an outcome: a reason as text, or the budget that refused the call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Detail {
    Text(String),
    Budget {
        unit: BudgetUnit,
        limit: u64,
        spent: u64,
        reserved: u64,
        needed: u64,
    },
}

/// Unit of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum BudgetUnit {
    Tokens,
    Microdollars,
}

impl Exchange {
    /// Returns true if the exchange was, or may have been, paid for.
    pub(super) fn is_paid(&self) -> bool {
        self.outcome.is_paid()
    }

    /// Returns the exchange of a reply.
    pub(super) fn of_reply(
        request: &Request,
        provider: &str,
        ending: &Ending,
        usage: Usage,
        seconds: f64,
    ) -> Self {
        let (outcome, reply, detail) = match ending {
            Ending::Complete(text) => (ExchangeOutcome::Complete, reply_value(text), None),
            Ending::Refused(words) => (ExchangeOutcome::Refused, Value::from(words.as_str()), None),
            Ending::TooLong(limit) => (ExchangeOutcome::TooLong, Value::Null, Some(limit.as_str())),
            Ending::Cut(reason) => (ExchangeOutcome::Cut, Value::Null, Some(reason.as_str())),
            Ending::TimedOut(during) => (ExchangeOutcome::TimedOut, Value::Null, Some(*during)),
            Ending::Malformed {
                problem,
                reply_excerpt,
            } => (
                ExchangeOutcome::Malformed,
                Value::from(reply_excerpt.as_str()),
                Some(problem.as_str()),
            ),
        };
        Self {
            detail: detail.map(|detail| Detail::Text(detail.to_owned())),
            ..Self::new(request, provider, outcome, reply, usage, seconds)
        }
    }

    /// Returns the exchange of a question without a reply; `None` if there is nothing to replay.
    pub(super) fn of_error(request: &Request, provider: &str, error: &AskError) -> Option<Self> {
        let (outcome, detail) = match error {
            AskError::Unavailable { reason, .. } => {
                (ExchangeOutcome::Unavailable, Detail::Text(reason.clone()))
            }
            AskError::BudgetExhausted {
                limit,
                spent,
                reserved,
                needed,
            } => {
                let unit = match limit {
                    Amount::Tokens(_) => BudgetUnit::Tokens,
                    Amount::Microdollars(_) => BudgetUnit::Microdollars,
                };
                let [limit, spent, reserved, needed] =
                    [limit, spent, reserved, needed].map(|amount| amount.number());
                let detail = Detail::Budget {
                    unit,
                    limit,
                    spent,
                    reserved,
                    needed,
                };
                (ExchangeOutcome::BudgetExhausted, detail)
            }
            _ => return None,
        };
        Some(Self {
            detail: Some(detail),
            ..Self::new(
                request,
                provider,
                outcome,
                Value::Null,
                Usage::default(),
                0.0,
            )
        })
    }

    fn new(
        request: &Request,
        provider: &str,
        outcome: ExchangeOutcome,
        reply: Value,
        usage: Usage,
        seconds: f64,
    ) -> Self {
        Self {
            purpose: request.purpose,
            subject: request.subject.clone(),
            request_digest: Some(request.digest()),
            provider: Some(provider.to_owned()),
            outcome,
            reply,
            detail: None,
            usage,
            seconds,
        }
    }

    /// Returns the question: its purpose and its subject.
    pub(super) fn question(&self) -> AskedQuestion {
        AskedQuestion {
            purpose: self.purpose,
            subject: self.subject.clone(),
        }
    }

    /// Returns how the reply ended, or the error that there was instead.
    pub(super) fn ending(&self) -> Result<Ending, AskError> {
        let detail = || match &self.detail {
            Some(Detail::Text(text)) => text.clone(),
            _ => String::new(),
        };
        let text = match &self.reply {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            value => value.to_string(),
        };
        Ok(match self.outcome {
            ExchangeOutcome::Complete => Ending::Complete(text),
            ExchangeOutcome::Refused => Ending::Refused(text),
            ExchangeOutcome::TooLong => Ending::TooLong(detail()),
            ExchangeOutcome::Cut => Ending::Cut(detail()),
            ExchangeOutcome::TimedOut => Ending::TimedOut("it did not end"),
            ExchangeOutcome::Malformed => Ending::Malformed {
                problem: detail(),
                reply_excerpt: text,
            },
            ExchangeOutcome::Unavailable | ExchangeOutcome::BudgetExhausted => {
                return Err(self.error(detail()));
            }
        })
    }

    fn error(&self, reason: String) -> AskError {
        match self.detail {
            Some(Detail::Budget {
                unit,
                limit,
                spent,
                reserved,
                needed,
            }) => {
                let amount = |number| match unit {
                    BudgetUnit::Tokens => Amount::Tokens(number),
                    BudgetUnit::Microdollars => Amount::Microdollars(number),
                };
                AskError::BudgetExhausted {
                    limit: amount(limit),
                    spent: amount(spent),
                    reserved: amount(reserved),
                    needed: amount(needed),
                }
            }
            _ => AskError::Unavailable {
                provider: self.provider.clone().unwrap_or_default(),
                reason,
            },
        }
    }
}

/// Returns a reply as JSON: an object as it is, so that a person can read it; anything else, and what a parser would
/// change, as text.
fn reply_value(text: &str) -> Value {
    match parse_json_of::<Value>(text.as_bytes(), LINE_VALUES_MAX) {
        Ok(value) if value.is_object() => value,
        _ => Value::from(text),
    }
}

/// Returns the number of values in a value, itself included. Its depth has the bound of the parser.
fn values_in(value: &Value) -> usize {
    let within: usize = match value {
        Value::Array(items) => items.iter().map(values_in).sum(),
        Value::Object(entries) => entries.values().map(values_in).sum(),
        _ => 0,
    };
    within + 1
}

/// The exchanges of a file, each of which answers once.
#[derive(Debug, Default)]
pub(super) struct Cassette {
    exchanges: Vec<Exchange>,
    is_used: Vec<bool>,
    /// Places of the exchanges for each purpose and subject, in their order.
    places: HashMap<(Purpose, String), Vec<usize>>,
}

impl Cassette {
    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read, or a line is not an exchange.
    pub(super) fn read(path: &Path, within: Option<&Path>) -> Result<Self, OpenError> {
        let bytes = read_file(path, within, FILE_BYTES_MAX)?;
        Self::parse(&bytes).map_err(|reason| OpenError::unreadable(path, reason))
    }

    /// Parses the lines of a file.
    ///
    /// # Errors
    /// A line is not an exchange.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let mut cassette = Self::default();
        let mut values = 0;
        for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            let line = without_seal(line);
            if number == 0 && is_id(&line) {
                continue;
            }
            let exchange: Exchange = parse_json_of(&line, LINE_VALUES_MAX).map_err(|error| {
                excerpt(&format!("line {} is not an exchange: {error}", number + 1))
            })?;
            values += values_in(&exchange.reply);
            if values > VALUES_MAX {
                return Err(format!(
                    "up to line {} its replies have {values} values, more than the limit of {VALUES_MAX}",
                    number + 1
                ));
            }
            cassette.add(exchange);
        }
        Ok(cassette)
    }

    pub(super) fn add(&mut self, exchange: Exchange) {
        let key = (exchange.purpose, exchange.subject.clone());
        self.places
            .entry(key)
            .or_default()
            .push(self.exchanges.len());
        self.exchanges.push(exchange);
        self.is_used.push(false);
    }

    /// Returns true if the cassette has an exchange with the same question to the same provider.
    pub(super) fn is_about(&self, exchange: &Exchange) -> bool {
        self.exchanges.iter().any(|one| {
            one.request_digest == exchange.request_digest && one.provider == exchange.provider
        })
    }

    /// Returns all exchanges that were paid for.
    pub(super) fn paid(&self) -> impl Iterator<Item = &Exchange> {
        self.exchanges.iter().filter(|exchange| exchange.is_paid())
    }

    /// Takes the next whole reply of a provider to exactly this request.
    pub(super) fn take_reply(&mut self, request: &Request, provider: &str) -> Option<Exchange> {
        let digest = request.digest();
        self.take(request, |exchange| {
            exchange.outcome.is_final()
                && exchange.request_digest.as_deref() == Some(&digest)
                && exchange.provider.as_deref() == Some(provider)
        })
    }

    /// Takes the replay of a request: the exchange that ended it, after those that were cut off and asked again.
    pub(super) fn replay(&mut self, request: &Request) -> ReplayedReply {
        let digest = request.digest();
        let mut earlier = Vec::new();
        while let Some(exchange) = self.take(request, |exchange| {
            exchange.request_digest.as_deref() == Some(&digest)
        }) {
            let is_last = exchange.outcome.is_final() || !self.has_more(request, &digest);
            if is_last {
                return ReplayedReply {
                    earlier,
                    last: Some(exchange),
                    is_by_place: false,
                };
            }
            earlier.push(exchange);
        }
        // Lines that were written by hand have no digest, and answer by purpose and subject alone.
        let last = self.take(request, |_| true);
        let is_by_place = last
            .as_ref()
            .is_some_and(|last| last.request_digest.is_some());
        ReplayedReply {
            earlier,
            last,
            is_by_place,
        }
    }

    fn has_more(&self, request: &Request, digest: &str) -> bool {
        self.unused(request)
            .any(|place| self.exchanges[place].request_digest.as_deref() == Some(digest))
    }

    fn take(&mut self, request: &Request, fits: impl Fn(&Exchange) -> bool) -> Option<Exchange> {
        let place = self
            .unused(request)
            .find(|place| fits(&self.exchanges[*place]))?;
        self.is_used[place] = true;
        Some(self.exchanges[place].clone())
    }

    fn unused(&self, request: &Request) -> impl Iterator<Item = usize> {
        let key = (request.purpose, request.subject.clone());
        let places = self.places.get(&key).map(Vec::as_slice).unwrap_or_default();
        places.iter().copied().filter(|place| !self.is_used[*place])
    }
}

/// Replay of one request.
#[derive(Debug)]
pub(super) struct ReplayedReply {
    /// Exchanges that were paid for, and asked again.
    pub(super) earlier: Vec<Exchange>,
    /// The exchange that answers; `None` if the cassette has none.
    pub(super) last: Option<Exchange>,
    /// True if another request was asked when it was recorded.
    pub(super) is_by_place: bool,
}
