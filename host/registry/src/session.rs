//! Requests to one repository of a registry.

use super::address::Address;
use super::challenge::Challenge;
use super::credentials::Login;
use super::error::RegistryError;
use super::options::RegistryOptions;
use super::token::{self, Access};
use bakeoff_domain::is_active;
use bakeoff_domain::reference::ComponentReference;
use reqwest::header::{
    AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, LOCATION, WWW_AUTHENTICATE,
};
use reqwest::{Client, Method, Response, StatusCode, Url};
use std::error::Error as _;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// The longest that a connection may take to be made.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(20);

/// The longest pause within an answer.
const IDLE_TIME_MAX: Duration = Duration::from_secs(60);

/// The longest that all requests about one component may take.
const TIME_MAX: Duration = Duration::from_secs(600);

/// The most redirects of one request.
const REDIRECTS_MAX: usize = 4;

/// The most bytes that are read of the description of an error.
const ERROR_BYTES_MAX: usize = 16 << 10;

/// A request.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Request {
    pub(super) fn new(method: Method, url: Url) -> Self {
        Self {
            method,
            url,
            headers: HeaderMap::new(),
            body: Vec::new(),
        }
    }

    #[must_use]
    pub(super) fn with(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.insert(name, HeaderValue::from_static(value));
        self
    }
}

/// The requests about one component.
#[derive(Debug)]
pub(super) struct Session<'a> {
    pub(super) reference: &'a ComponentReference,
    pub(super) address: Address,
    client: Client,
    access: Access,
    options: &'a RegistryOptions,
    authorization: Option<HeaderValue>,
    deadline: Instant,
}

impl<'a> Session<'a> {
    pub(super) fn open(
        reference: &'a ComponentReference,
        access: Access,
        options: &'a RegistryOptions,
    ) -> Result<Self, RegistryError> {
        let address = Address::of(reference, &options.plain_http)?;
        Ok(Self {
            client: client(&address).map_err(|error| RegistryError::Unreachable {
                registry: reference.registry().to_owned(),
                reason: reason(error),
            })?,
            reference,
            address,
            access,
            options,
            authorization: None,
            deadline: Instant::now() + TIME_MAX,
        })
    }

    /// Returns the error of an answer that cannot be used.
    pub(super) fn unusable(&self, reason: impl Into<String>) -> RegistryError {
        RegistryError::Answer {
            registry: self.reference.registry().to_owned(),
            reason: reason.into(),
        }
    }

    /// Sends a request, with credentials if the registry wants some and the user has some for it, and returns the answer
    /// whatever its status is, but for a refusal.
    pub(super) async fn send(&mut self, request: &Request) -> Result<Response, RegistryError> {
        let response = self.follow(request).await?;
        if response.status() != StatusCode::UNAUTHORIZED
            || !self.address.is_own(response.url())
            || self.authorization.is_some()
        {
            return self.unless_refused(response).await;
        }
        let challenge = response.headers().get(WWW_AUTHENTICATE);
        let challenge = challenge.and_then(|value| value.to_str().ok());
        let challenge = challenge.and_then(Challenge::parse);
        let challenge = challenge.ok_or_else(|| {
            self.unusable("it wants credentials in a way that is not known here, neither a password nor a token")
        })?;
        self.authorization = Some(self.authorize(&challenge).await?);
        let response = self.follow(request).await?;
        self.unless_refused(response).await
    }

    async fn authorize(&self, challenge: &Challenge) -> Result<HeaderValue, RegistryError> {
        let login = self.login();
        match (challenge, login) {
            (Challenge::Basic, Some(login)) => Ok(login.header()),
            (Challenge::Basic, None) => Err(self.refused(String::new())),
            (Challenge::Bearer { realm, service }, login) => {
                let repository = self.reference.repository();
                let asked = (realm.as_str(), service.as_deref());
                let url = token::address(&self.address, asked, repository, self.access);
                let url = url.map_err(|why| self.unusable(why))?;
                let mut request = Request::new(Method::GET, url);
                if let Some(login) = login {
                    request.headers.insert(AUTHORIZATION, login.header());
                }
                let response = self.once(&request).await?;
                let status = response.status();
                match status {
                    StatusCode::OK => {}
                    StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                        return Err(self.refused(format!("it gives no token ({status})")));
                    }
                    _ => {
                        let why = format!("where it gives tokens, the status is {status}");
                        return Err(self.unusable(why));
                    }
                }
                let bytes = self.read(response, token::BYTES_MAX, "a token").await?;
                token::header(&bytes).ok_or_else(|| self.unusable("its token is none"))
            }
        }
    }

    fn login(&self) -> Option<&Login> {
        self.options.credentials.of(self.reference.registry())
    }

    /// Sends a request, and follows redirects of what is fetched. Only the registry itself sees what authorizes it.
    async fn follow(&self, request: &Request) -> Result<Response, RegistryError> {
        let mut request = request.clone();
        for _ in 0..=REDIRECTS_MAX {
            request.headers.remove(AUTHORIZATION);
            if let Some(value) = &self.authorization
                && self.address.is_own(&request.url)
            {
                request.headers.insert(AUTHORIZATION, value.clone());
            }
            let response = self.once(&request).await?;
            if !response.status().is_redirection() || request.method != Method::GET {
                return Ok(response);
            }
            request.url = self.location(&response)?;
        }
        Err(self.unusable(format!("it redirects more than {REDIRECTS_MAX} times")))
    }

    /// Returns the address that an answer leads to.
    pub(super) fn location(&self, response: &Response) -> Result<Url, RegistryError> {
        let named = response.headers().get(LOCATION);
        let named = named.and_then(|value| value.to_str().ok());
        let url = named.and_then(|named| response.url().join(named).ok());
        let url = url.ok_or_else(|| self.unusable("it leads elsewhere, and does not say where"))?;
        if self.address.may_lead_to(&url) {
            Ok(url)
        } else {
            let origin = excerpt(&url.origin().ascii_serialization());
            Err(self.unusable(format!(
                "it leads to {origin}, which is no address with TLS, or has a password in it; it is not followed"
            )))
        }
    }

    /// Sends one request, and returns its answer before the body.
    async fn once(&self, request: &Request) -> Result<Response, RegistryError> {
        let sent = self
            .client
            .request(request.method.clone(), request.url.clone())
            .headers(request.headers.clone());
        let sent = match request.method {
            Method::GET | Method::HEAD => sent,
            // With its length also where there is none.
            _ => sent.body(request.body.clone()),
        };
        let idle = Instant::now() + IDLE_TIME_MAX;
        let until = match request.method {
            Method::GET | Method::HEAD => self.deadline.min(idle),
            // What is published is sent meanwhile.
            _ => self.deadline,
        };
        match timeout_at(until, sent.send()).await {
            Err(_) => Err(self.unreachable("no answer came in time".to_owned())),
            Ok(Err(error)) => Err(self.unreachable(reason(error))),
            Ok(Ok(response)) => Ok(response),
        }
    }

    /// Reads the body of an answer, which has at most so many bytes.
    pub(super) async fn read(
        &self,
        mut response: Response,
        bytes_max: usize,
        what: &str,
    ) -> Result<Vec<u8>, RegistryError> {
        let too_large = || {
            self.unusable(format!(
                "it sends more than {bytes_max} bytes for {what}; nothing of it is kept"
            ))
        };
        if response
            .content_length()
            .is_some_and(|length| length > bytes_max as u64)
        {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        loop {
            let idle = Instant::now() + IDLE_TIME_MAX;
            let chunk = match timeout_at(self.deadline.min(idle), response.chunk()).await {
                Err(_) => return Err(self.unreachable("its answer does not end".to_owned())),
                Ok(Err(error)) => return Err(self.unreachable(reason(error))),
                Ok(Ok(chunk)) => chunk,
            };
            let Some(chunk) = chunk else {
                return Ok(bytes);
            };
            if bytes.len() + chunk.len() > bytes_max {
                return Err(too_large());
            }
            bytes.extend_from_slice(&chunk);
        }
    }

    async fn unless_refused(&self, response: Response) -> Result<Response, RegistryError> {
        let status = response.status();
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                let own = self.address.is_own(response.url());
                let said = self.error_of(response).await;
                if own {
                    Err(self.refused(said))
                } else {
                    Err(self.unusable(format!(
                        "it leads to another host, which refuses ({said}); no credentials are sent there"
                    )))
                }
            }
            StatusCode::TOO_MANY_REQUESTS => {
                Err(self.unreachable("it wants no more requests now; try again later".to_owned()))
            }
            status if status.is_server_error() => {
                Err(self.unreachable(format!("it says {}", self.error_of(response).await)))
            }
            _ => Ok(response),
        }
    }

    /// Returns the error of an answer that nothing is known to do with.
    pub(super) async fn unexpected(&self, doing: &str, response: Response) -> RegistryError {
        let said = self.error_of(response).await;
        self.unusable(format!("{doing}, it says {said}"))
    }

    fn refused(&self, said: String) -> RegistryError {
        let registry = self.reference.registry();
        let next = match self.login() {
            Some(_) => "the credentials for it are wrong, or do not reach this far".to_owned(),
            None => self.options.credentials.how_to_have(registry),
        };
        let reason = if said.is_empty() {
            next
        } else {
            format!("{said}; {next}")
        };
        RegistryError::Refused {
            registry: registry.to_owned(),
            reason,
        }
    }

    fn unreachable(&self, reason: String) -> RegistryError {
        RegistryError::Unreachable {
            registry: self.reference.registry().to_owned(),
            reason,
        }
    }

    /// Returns the status of an answer, with the codes of the distribution specification that it has. Other words of its are
    /// not shown: they may be what it was sent.
    async fn error_of(&self, response: Response) -> String {
        const CODES: [&str; 14] = [
            "BLOB_UNKNOWN",
            "BLOB_UPLOAD_INVALID",
            "BLOB_UPLOAD_UNKNOWN",
            "DENIED",
            "DIGEST_INVALID",
            "MANIFEST_BLOB_UNKNOWN",
            "MANIFEST_INVALID",
            "MANIFEST_UNKNOWN",
            "NAME_INVALID",
            "NAME_UNKNOWN",
            "SIZE_INVALID",
            "TOOMANYREQUESTS",
            "UNAUTHORIZED",
            "UNSUPPORTED",
        ];
        let status = response.status();
        let body = self.read(response, ERROR_BYTES_MAX, "an error").await;
        let body: serde_json::Value = body
            .ok()
            .and_then(|body| bakeoff_files::parse_json_of(&body, 1000).ok())
            .unwrap_or_default();
        let said = body["errors"].as_array().into_iter().flatten();
        let said = said.filter_map(|error| error["code"].as_str());
        let said: Vec<&str> = said.filter(|code| CODES.contains(code)).take(3).collect();
        if said.is_empty() {
            status.to_string()
        } else {
            format!("{status}: {}", said.join(", "))
        }
    }
}

impl Login {
    /// Returns the header by which a user and a password are sent.
    fn header(&self) -> HeaderValue {
        use base64::Engine as _;
        let pair = format!("{}:{}", self.user, self.password);
        let encoded = base64::prelude::BASE64_STANDARD.encode(pair);
        let value = HeaderValue::from_str(&format!("Basic {encoded}"));
        let mut value = value.expect("base64 has plain characters alone");
        value.set_sensitive(true);
        value
    }
}

/// Builds the client. It follows no redirect by itself, uses no proxy where there is no TLS, and keeps no connection.
fn client(address: &Address) -> reqwest::Result<Client> {
    // Fails if it is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .https_only(!address.is_plain)
        .connect_timeout(CONNECT_TIME_MAX)
        .pool_max_idle_per_host(0)
        .user_agent(concat!("bakeoff/", env!("CARGO_PKG_VERSION")));
    let builder = if address.is_plain {
        builder.no_proxy()
    } else {
        builder
    };
    builder.build()
}

/// Returns the messages of an error and its causes, without the address, which may hold a token.
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

/// Returns the beginning of a text, without characters that a terminal would act on.
fn excerpt(text: &str) -> String {
    let harmless = |one: char| if is_active(one) { '\u{fffd}' } else { one };
    text.chars().take(300).map(harmless).collect()
}
