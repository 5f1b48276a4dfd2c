//! A wire over NATS JetStream: tasks are kept until the machine that they are for takes them, answers until their run has read
//! them, contents by their digests for a while. Announcements are kept nowhere.

mod complaints;
mod run;
mod secret;
mod streams;
mod worker;

pub(super) use run::connect_run;
pub(super) use worker::connect_worker;

use super::address::{ServerAddress, ServerCredentials};
use super::error::WorkersError;
use async_nats::{Client, ConnectErrorKind, ConnectOptions, Event};
use complaints::Complaints;
use futures_core::Stream;
use secret::Secret;
use std::pin::{Pin, pin};
use std::time::Duration;
use tokio::io::AsyncReadExt as _;

/// The time in which a server must answer.
const CONNECT_MAX: Duration = Duration::from_secs(5);

/// Time between two questions whether the server is still there: where two have no answer, the connection is made anew. A cable
/// that was pulled is noticed by nothing else.
const ALIVE_EVERY: Duration = Duration::from_secs(10);

/// The prefix of the subjects on which a server answers, as its clients have it where nobody says otherwise.
const INBOX: &str = "_INBOX";

/// The most bytes of a file of credentials.
const CREDENTIALS_BYTES_MAX: u64 = 64 << 10;

/// Connects to a server, with a prefix of the subjects on which answers of the server arrive. A connection that is lost later
/// comes back by itself.
async fn connect(
    address: &ServerAddress,
    credentials: &ServerCredentials,
    inbox: &str,
) -> Result<(Client, Complaints), WorkersError> {
    let unusable = |file: &std::path::Path, reason: String| WorkersError::File {
        file: file.display().to_string(),
        reason,
    };
    let complaints = Complaints::default();
    let complained = complaints.clone();
    let mut options = ConnectOptions::new()
        .name("bakeoff")
        .custom_inbox_prefix(inbox)
        .connection_timeout(CONNECT_MAX)
        .ping_interval(ALIVE_EVERY)
        .require_tls(address.tls)
        .event_callback(move |event| {
            if let Event::ServerError(complaint) = event {
                complained.keep(&complaint.to_string());
            }
            std::future::ready(())
        });
    if let Some(file) = &credentials.file {
        let text = read_small(file)
            .await
            .map_err(|error| unusable(file, error.to_string()))?;
        options = match Secret::parse(&text) {
            Ok(Secret::User { name, password }) => options.user_and_password(name, password),
            Ok(Secret::Token(token)) => options.token(token),
            Err(reason) => return Err(unusable(file, reason.to_owned())),
        };
    }
    if let Some(file) = &credentials.authorities {
        if !file.is_file() {
            return Err(unusable(file, "it is no file".to_owned()));
        }
        options = options.add_root_certificates(file.clone());
    }
    let connected = options.connect(url(address)).await.map_err(|error| {
        let address = address.to_string();
        let reason = with_causes(&error);
        match error.kind() {
            ConnectErrorKind::Authentication | ConnectErrorKind::AuthorizationViolation => {
                WorkersError::Refused { address, reason }
            }
            _ => match tls_advice(&reason) {
                Some(advice) => WorkersError::Tls {
                    address,
                    reason,
                    advice,
                },
                None => WorkersError::Unreachable { address, reason },
            },
        }
    });
    Ok((connected?, complaints))
}

/// Returns the next step where a server is there and its connection cannot be encrypted, by the words of what encrypts it.
fn tls_advice(reason: &str) -> Option<&'static str> {
    if reason.contains("InvalidContentType") {
        Some(
            "the server has no TLS: give it a certificate, or write nats:// for a connection that anybody can read",
        )
    } else if reason.contains("certificate") {
        Some(
            "name the certificate of the authority that vouches for the server: `--ca` of a worker, `--workers-ca` of a run",
        )
    } else {
        None
    }
}

/// Returns an address without the team, as the client of the server wants it.
fn url(address: &ServerAddress) -> String {
    let scheme = if address.tls { "tls" } else { "nats" };
    format!("{scheme}://{}", address.host)
}

/// Reads a file of credentials.
async fn read_small(file: &std::path::Path) -> std::io::Result<String> {
    let mut text = String::new();
    let file = tokio::fs::File::open(file).await?;
    file.take(CREDENTIALS_BYTES_MAX)
        .read_to_string(&mut text)
        .await?;
    Ok(text)
}

/// Returns an error as text, with what caused it.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

/// Returns an error of the wire.
fn on_wire(error: &(dyn std::error::Error + 'static)) -> WorkersError {
    WorkersError::Wire(with_causes(error))
}

/// Waits for the next item of a stream.
async fn next<S: Stream + Unpin>(stream: &mut S) -> Option<S::Item> {
    std::future::poll_fn(|context| Pin::new(&mut *stream).poll_next(context)).await
}

/// Waits for the next item of a stream that may not be moved.
async fn next_of<S: Stream>(stream: S) -> Option<S::Item> {
    let mut stream = pin!(stream);
    std::future::poll_fn(|context| stream.as_mut().poll_next(context)).await
}
