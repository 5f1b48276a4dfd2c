//! One call over HTTP: its request, and the stream of its reply.

use super::endpoint::Endpoint;
use super::environment::Environment;
use super::error::OpenError;
use super::excerpt::excerpt;
use super::options::{ModelOptions, ProviderKind};
use super::reply::{CallResult, Count, Ending, NoReply, Reply};
use super::request::Request;
use super::retry_after::retry_after;
use super::secret::Secret;
use super::stream::{OnEvent, ReplyStream};
use super::{anthropic, openai};
use reqwest::header::{
    AUTHORIZATION, CONTENT_TYPE, DATE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER,
};
use reqwest::{Client, Response, StatusCode};
use serde_json::Value;
use std::error::Error as _;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// The longest that a connection may take to be made.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(20);

/// The longest pause within a reply.
const IDLE_TIME_MAX: Duration = Duration::from_secs(120);

/// The most bytes that are read of an error's description.
const ERROR_BYTES_MAX: usize = 16 << 10;

/// The API that is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Api {
    Anthropic,
    /// OpenAI's, of OpenAI or another server.
    OpenAi(openai::Server),
}

/// A model behind an API.
#[derive(Debug)]
pub(super) struct HttpModel {
    client: Client,
    api: Api,
    url: String,
    model: String,
    headers: HeaderMap,
    no_key: String,
    timeout: Duration,
}

impl HttpModel {
    /// Opens a model of the options.
    ///
    /// # Errors
    /// The model is not named, or the address or the key cannot be used.
    pub(super) fn open(
        options: &ModelOptions,
        environment: Environment<'_>,
    ) -> Result<(Self, Option<Secret>), OpenError> {
        let address = match options.provider {
            ProviderKind::Anthropic => anthropic::ADDRESS,
            ProviderKind::Ollama => openai::OLLAMA,
            _ => openai::ADDRESS,
        };
        let Some(model) = options.model.clone().filter(|model| !model.is_empty()) else {
            return Err(OpenError::Options(
                "no model is named: set `model` to the provider's name for it".to_owned(),
            ));
        };
        let endpoint = Endpoint::choose(options.base_url.as_deref(), address, environment)?;
        let official = endpoint.base == address.official;
        let (api, url) = match options.provider {
            ProviderKind::Anthropic => (Api::Anthropic, anthropic::url(&endpoint.base)),
            provider => {
                let server = match provider {
                    ProviderKind::OpenAi if official => openai::Server::OpenAi,
                    ProviderKind::Ollama => openai::Server::Enforcing,
                    _ if endpoint.is_loopback => openai::Server::Enforcing,
                    _ => openai::Server::Other,
                };
                (Api::OpenAi(server), openai::url(&endpoint.base))
            }
        };
        if official && endpoint.key.is_none() && options.provider != ProviderKind::Ollama {
            let name = address.key_variable;
            return Err(OpenError::Options(format!(
                "there is no key: set the environment variable {name}"
            )));
        }
        let opened = Self {
            client: client(&endpoint)?,
            api,
            url,
            model,
            headers: headers(api, &endpoint, address.key_variable)?,
            no_key: endpoint.no_key,
            timeout: options.timeout,
        };
        Ok((opened, endpoint.key))
    }

    /// Returns the body of a request.
    pub(super) fn body(&self, request: &Request) -> String {
        let body = match self.api {
            Api::Anthropic => anthropic::body(&self.model, request),
            Api::OpenAi(server) => openai::body(&self.model, request, server),
        };
        body.to_string()
    }

    /// Sends a body, and reads the reply to its end or to a limit. `on_bytes` is told how many bytes of the reply have
    /// come.
    pub(super) async fn call(
        &self,
        body: String,
        output_tokens_max: u32,
        on_bytes: &(dyn Fn(usize) + Send + Sync),
    ) -> CallResult {
        let deadline = Instant::now() + self.timeout;
        let request = self.client.post(&self.url).headers(self.headers.clone());
        let response = match timeout_at(deadline, request.body(body).send()).await {
            Err(_) => return Ok(uncounted(Ending::TimedOut("no reply began"))),
            Ok(Err(error)) => return before_reply(error),
            Ok(Ok(response)) => response,
        };
        if response.status() != StatusCode::OK {
            let failed = timeout_at(deadline, self.failure(response)).await;
            return Err(failed.unwrap_or_else(|_| NoReply::Busy {
                reason: "an error was reported, and its description took too long".to_owned(),
                retry_after: None,
            }));
        }
        self.read(response, output_tokens_max, deadline, on_bytes)
            .await
    }

    async fn read(
        &self,
        mut response: Response,
        output_tokens_max: u32,
        deadline: Instant,
        on_bytes: &(dyn Fn(usize) + Send + Sync),
    ) -> CallResult {
        let kind = text_of(response.headers(), CONTENT_TYPE);
        if !kind.is_empty() && !kind.starts_with("text/event-stream") {
            return Ok(uncounted(Ending::Malformed {
                problem: excerpt(&format!("it is `{kind}`, not a stream of events")),
                reply_excerpt: String::new(),
            }));
        }
        let on_event: OnEvent = match self.api {
            Api::Anthropic => anthropic::on_event,
            Api::OpenAi(_) => openai::on_event,
        };
        let mut stream = ReplyStream::new(on_event, output_tokens_max);
        let ending = loop {
            let idle = Instant::now() + IDLE_TIME_MAX;
            match timeout_at(deadline.min(idle), response.chunk()).await {
                Err(_) if idle < deadline => break Ending::TimedOut("nothing more came"),
                Err(_) => break Ending::TimedOut("it did not end"),
                Ok(Err(error)) => break stream.broken(&reason(error)),
                Ok(Ok(None)) => break stream.end(),
                Ok(Ok(Some(bytes))) => {
                    if let Some(ending) = stream.push(&bytes) {
                        break ending;
                    }
                    on_bytes(stream.reply_bytes());
                }
            }
        };
        Ok(stream.into_reply(ending))
    }

    /// Returns the reason why a request was not accepted.
    async fn failure(&self, mut response: Response) -> NoReply {
        let status = response.status();
        let header = |name| text_of(response.headers(), name);
        let retry_after = retry_after(&header(RETRY_AFTER), &header(DATE));
        let location = text_of(response.headers(), LOCATION);
        let mut body = Vec::new();
        while let Ok(Some(bytes)) = response.chunk().await {
            body.extend_from_slice(&bytes);
            if body.len() >= ERROR_BYTES_MAX {
                body.truncate(ERROR_BYTES_MAX);
                break;
            }
        }
        let said = description(&body);
        let reason = match status.as_u16() {
            300..=399 => format!(
                "it redirects to {location}, which is not followed with a key: set base_url to that address if it \
                 is the right one"
            ),
            401 | 403 if !self.no_key.is_empty() => format!("{status}: {said}; {}", self.no_key),
            401 | 403 => format!("{status}: {said}; check the key"),
            _ => format!("{status}: {said}"),
        };
        let reason = excerpt(&reason);
        match status.as_u16() {
            408 | 429 | 500 | 502 | 503 | 504 | 529 => NoReply::Busy {
                reason,
                retry_after,
            },
            _ => NoReply::Failed { reason },
        }
    }
}

/// Builds the client for an endpoint. No redirect is followed, no protocol but `https` is spoken to the outside, and a
/// key never passes a proxy that could read it.
fn client(endpoint: &Endpoint) -> Result<Client, OpenError> {
    // Fails if it is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .https_only(!endpoint.is_loopback)
        .connect_timeout(CONNECT_TIME_MAX)
        // A connection that is used again may be closed just then, after the request was sent.
        .pool_max_idle_per_host(0)
        .user_agent(concat!("bakeoff/", env!("CARGO_PKG_VERSION")));
    let builder = if endpoint.is_loopback {
        builder.no_proxy()
    } else {
        builder
    };
    builder
        .build()
        .map_err(|error| OpenError::Connections(reason(error)))
}

fn headers(api: Api, endpoint: &Endpoint, key_variable: &str) -> Result<HeaderMap, OpenError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if api == Api::Anthropic {
        let version = HeaderValue::from_static(anthropic::VERSION);
        headers.insert(HeaderName::from_static("anthropic-version"), version);
    }
    if let Some(key) = &endpoint.key {
        let (name, value) = match api {
            Api::Anthropic => (
                HeaderName::from_static("x-api-key"),
                key.expose().to_owned(),
            ),
            Api::OpenAi(_) => (AUTHORIZATION, format!("Bearer {}", key.expose())),
        };
        let mut value = HeaderValue::from_str(&value).map_err(|_| {
            OpenError::Options(format!("{key_variable} has characters that no key has"))
        })?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// Tells requests that never reached the provider from those that may have been paid for.
fn before_reply(error: reqwest::Error) -> CallResult {
    if error.is_connect() || error.is_builder() {
        Err(NoReply::Busy {
            reason: reason(error),
            retry_after: None,
        })
    } else {
        Ok(uncounted(Ending::Cut(reason(error))))
    }
}

fn uncounted(ending: Ending) -> Reply {
    Reply {
        ending,
        count: Count::default(),
    }
}

/// Returns the messages of an error and its causes, without the address.
fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    excerpt(&text)
}

fn text_of(headers: &HeaderMap, name: HeaderName) -> String {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    excerpt(value.unwrap_or_default())
}

/// Returns the message of an error as both APIs describe it, or the beginning of its body.
fn description(body: &[u8]) -> String {
    let value: Option<Value> = serde_json::from_slice(body).ok();
    let message = value.as_ref().and_then(|value| {
        let error = &value["error"];
        error["message"].as_str().or(error.as_str())
    });
    match message {
        Some(message) => excerpt(message),
        None => excerpt(&String::from_utf8_lossy(body)),
    }
}
