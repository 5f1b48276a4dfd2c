//! The reasons why workers elsewhere cannot be had.

/// Error of the way to workers on other machines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkersError {
    /// An address is none of a server.
    #[error(
        "{address} is no address of a server: {reason}; write nats://HOST:PORT or nats://HOST:PORT/TEAM"
    )]
    Address {
        /// The address.
        address: String,
        /// The reason.
        reason: String,
    },
    /// The server cannot be reached.
    #[error(
        "no server of workers answers at {address}: {reason}; start one (docs/workers.md), or leave the option out"
    )]
    Unreachable {
        /// The address of the server.
        address: String,
        /// The reason.
        reason: String,
    },
    /// The connection cannot be encrypted as it must be.
    #[error(
        "the connection to {address} is not what it must be: {reason}; {advice} (docs/workers.md)"
    )]
    Tls {
        /// The address of the server.
        address: String,
        /// The reason.
        reason: String,
        /// The next step.
        advice: &'static str,
    },
    /// The user of the server may not do what its side must.
    #[error(
        "the server at {address} does not let this user do what it must: {reason}; name the file of credentials of this side, for a worker \
         also the machine that they are for (`--name`), and let a run, or `bakeoff doctor --workers`, make the streams first (docs/workers.md)"
    )]
    Forbidden {
        /// The address of the server.
        address: String,
        /// The reason.
        reason: String,
    },
    /// The server refused the credentials.
    #[error(
        "the server at {address} refuses these credentials: {reason}; name the file that belongs to it"
    )]
    Refused {
        /// The address of the server.
        address: String,
        /// The reason.
        reason: String,
    },
    /// A file of credentials or certificates cannot be used.
    #[error("cannot use {file}: {reason}")]
    File {
        /// The file.
        file: String,
        /// The reason.
        reason: String,
    },
    /// The server does not keep what workers need.
    #[error(
        "the server at {address} cannot keep tasks: {reason}; start it with JetStream, and room for it (docs/workers.md)"
    )]
    NoStore {
        /// The address of the server.
        address: String,
        /// The reason.
        reason: String,
    },
    /// The server has no room for a message or a content.
    #[error(
        "the store of the server is full: {0}; make room there, or give its streams more (docs/workers.md)"
    )]
    Full(String),
    /// A message was not taken or a content was not found.
    #[error("{0}")]
    Wire(String),
    /// Another worker has the name of this one.
    #[error("a worker of the name {0} is there already; give this one another by --name")]
    NameTaken(String),
    /// This bakeoff was built without what speaks to servers.
    #[error(
        "this bakeoff was built without workers elsewhere, so it cannot ask {0}: build it with the feature `nats`"
    )]
    NotBuiltIn(String),
}
