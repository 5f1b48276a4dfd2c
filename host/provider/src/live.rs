//! The provider of a run that asks a model, one call at a time.

use super::budget::{MoneyNeed, Need};
use super::command::CommandModel;
use super::environment::Environment;
use super::error::OpenError;
use super::excerpt::excerpt;
use super::http::HttpModel;
use super::options::{ModelOptions, ProviderKind};
use super::prices::{self, Price, PriceList};
use super::reply::{CallResult, Count, TokensMax};
use super::request::Request;
use super::secret::Secrets;
use super::usage::Usage;
use bakeoff_files::SearchPath;

/// Largest number of tokens that a provider may add to a prompt.
const PROMPT_TOKENS_ADDED: u64 = 4096;

/// The longest name of a model.
const MODEL_BYTES_MAX: usize = 200;

/// Returns true for a name that can be shown and sent as it is; also for none.
fn is_model_name(name: &str) -> bool {
    name.len() <= MODEL_BYTES_MAX && name.bytes().all(|byte| byte.is_ascii_graphic())
}

/// A provider, its model and its price.
#[derive(Debug)]
pub(super) struct Provider {
    transport: Transport,
    /// The provider and its model: "anthropic claude-…".
    pub(super) name: String,
    price: Option<Price>,
    concurrency: u32,
    has_money_budget: bool,
}

#[derive(Debug)]
enum Transport {
    Http(HttpModel),
    Command(CommandModel),
}

/// Body of a request, with the most that its call can take.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) body: String,
    pub(super) need: Need,
}

impl Provider {
    /// Opens the provider of the options, and returns its keys too.
    ///
    /// # Errors
    /// An option is missing, or does not fit the others.
    pub(super) fn open(
        options: &ModelOptions,
        environment: Environment<'_>,
        path: &SearchPath,
    ) -> Result<(Self, Secrets), OpenError> {
        let (kind, list) = match options.provider {
            ProviderKind::Anthropic => ("anthropic", Some(PriceList::Anthropic)),
            ProviderKind::OpenAi => ("openai", Some(PriceList::OpenAi)),
            ProviderKind::Ollama => ("ollama", None),
            ProviderKind::Command | ProviderKind::Replay => ("command", None),
        };
        let model = options.model.as_deref().unwrap_or_default();
        if !is_model_name(model) {
            return Err(OpenError::Options(format!(
                "`{}` cannot be the name of a model: it has up to {MODEL_BYTES_MAX} letters, digits and signs",
                excerpt(model)
            )));
        }
        let (transport, name, secrets) = if options.provider == ProviderKind::Command {
            let (command, secrets) = CommandModel::open(options, environment, path)?;
            let name = command.name();
            (Transport::Command(command), name, secrets)
        } else {
            let (http, key) = HttpModel::open(options, environment)?;
            let mut secrets = Secrets::default();
            if let Some(key) = key {
                secrets.add(&key);
            }
            (Transport::Http(http), model.to_owned(), secrets)
        };
        let price = match (list, options.provider) {
            (Some(list), _) => prices::look_up(list, model, options.prices.as_deref())?,
            (None, ProviderKind::Ollama) => Some(Price::default()),
            (None, _) => None,
        };
        let is_command = options.provider == ProviderKind::Command;
        if options.microdollars_max.is_some() && price.is_none() && !is_command {
            let known = list.map(prices::known).unwrap_or_default();
            let known = if known.is_empty() {
                String::new()
            } else {
                format!(". Prices are known of {}", known.join(", "))
            };
            return Err(OpenError::Options(format!(
                "the price of `{model}` is not known, so a budget of money cannot be kept: give it in a file, `--prices \
                 FILE` (a section [anthropic] or [openai] with `\"{model}\" = {{ input = 3, output = 15 }}`, dollars for \
                 a million tokens), or set a budget of tokens, `--tokens N`{known}"
            )));
        }
        let opened = Self {
            transport,
            name: format!("{kind} {name}").trim_end().to_owned(),
            price,
            concurrency: options.concurrency.max(1),
            has_money_budget: options.microdollars_max.is_some(),
        };
        Ok((opened, secrets))
    }

    /// Returns the body that is sent for a request, and the most that the call can take. A token has at least one byte.
    pub(super) fn prepare(&self, request: &Request) -> Prepared {
        let body = match &self.transport {
            Transport::Http(http) => http.body(request),
            Transport::Command(command) => command.input(request),
        };
        let prompt_tokens = body.len() as u64 + PROMPT_TOKENS_ADDED;
        let output_tokens = u64::from(request.output_tokens_max);
        let money = match (&self.transport, self.price) {
            (Transport::Command(command), _)
                if command.has_money_limit() && self.has_money_budget =>
            {
                MoneyNeed::Share(self.concurrency)
            }
            (_, Some(price)) => {
                MoneyNeed::UpTo(price.microdollars_max(prompt_tokens, output_tokens))
            }
            (_, None) => MoneyNeed::Unknown,
        };
        Prepared {
            body,
            need: Need {
                prompt_tokens,
                output_tokens,
                money,
            },
        }
    }

    /// Returns the cost of a call with these numbers of tokens, in millionths of a dollar; `None` if the price is not
    /// known.
    pub(super) fn expected_microdollars(&self, input: u64, output: u64) -> Option<u64> {
        let tokens = prices::Tokens {
            input,
            output,
            ..prices::Tokens::default()
        };
        self.price.map(|price| price.microdollars(&tokens))
    }

    /// Makes one call, which may spend up to `microdollars_max`.
    pub(super) async fn call(
        &self,
        request: &Request,
        body: String,
        microdollars_max: u64,
        on_bytes: &(dyn Fn(usize) + Send + Sync),
    ) -> CallResult {
        match &self.transport {
            Transport::Http(http) => http.call(body, request.output_tokens_max, on_bytes).await,
            Transport::Command(command) => {
                command
                    .call(body, request, microdollars_max, on_bytes)
                    .await
            }
        }
    }

    /// Returns true if a reply that was cut off is asked for again. An agent may have done a lot until
    /// then, and would do it all again.
    pub(super) fn asks_again(&self) -> bool {
        matches!(self.transport, Transport::Http(_))
    }

    /// Returns the usage of a call: as the provider counted it, and where it did not, the most that it can have been. A
    /// count that cannot be true is none: what was written then counts by its bytes, of which a token has at least one.
    pub(super) fn usage(
        &self,
        told: &Count,
        need: &Need,
        prompt_bytes: u64,
        microdollars_held: u64,
    ) -> Usage {
        // An agent may read and write as often as it likes before it answers.
        let most = match &self.transport {
            Transport::Http(_) => Some(TokensMax {
                prompt: need.prompt_tokens,
                output: need.output_tokens,
            }),
            Transport::Command(_) => None,
        };
        let count = told.believable(prompt_bytes, most);
        let mut tokens = count.tokens;
        if !count.has_prompt {
            (tokens.input, tokens.cache_read, tokens.cache_write) = (need.prompt_tokens, 0, 0);
        }
        if !count.has_output {
            tokens.output = if told.has_output {
                told.reply_bytes.max(tokens.output)
            } else {
                need.output_tokens.max(tokens.output)
            };
        }
        let is_counted = count.has_prompt && count.has_output;
        let by_price = self.price.map(|price| {
            if count.has_prompt {
                price.microdollars(&tokens)
            } else {
                price.microdollars_max(tokens.input, tokens.output)
            }
        });
        let held = (microdollars_held > 0).then_some(microdollars_held);
        let money = count.microdollars.or(by_price).or(held);
        let is_told = count.microdollars.is_some() || by_price.is_some();
        Usage {
            input_tokens: tokens.input,
            output_tokens: tokens.output,
            cache_read_tokens: tokens.cache_read,
            cache_write_tokens: tokens.cache_write,
            microdollars: money.unwrap_or(0),
            upper_bound: !is_counted || (!is_told && held.is_some()),
            unpriced: money.is_none(),
        }
    }
}
