//! The address of a server, with the team whose tasks are done there, and the credentials for it.

use super::error::WorkersError;
use super::facts::is_token;
use std::fmt;
use std::path::PathBuf;

/// The team of an address that names none.
const TEAM: &str = "bakeoff";

/// The port of an address that names none.
const PORT: u16 = 4_222;

/// The address of a server: `nats://HOST:PORT/TEAM`, or `tls://…` where the connection must be encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerAddress {
    /// True if the connection must be encrypted.
    pub tls: bool,
    /// Host and port.
    pub host: String,
    /// The team: tasks and workers of one team never meet those of another.
    pub team: String,
}

impl ServerAddress {
    /// Parses an address.
    ///
    /// # Errors
    /// It is none, or names a user: credentials belong into a file.
    pub fn parse(text: &str) -> Result<Self, WorkersError> {
        let wrong = |reason: &str| WorkersError::Address {
            // What stands before an `@` may be a password.
            address: text.rsplit('@').next().unwrap_or_default().to_owned(),
            reason: reason.to_owned(),
        };
        let (tls, rest) = match text.split_once("://") {
            Some(("nats", rest)) => (false, rest),
            Some(("tls", rest)) => (true, rest),
            _ => return Err(wrong("it begins with neither nats:// nor tls://")),
        };
        let (host, team) = rest.split_once('/').unwrap_or((rest, TEAM));
        if host.contains('@') {
            return Err(wrong("it names a user, and credentials belong into a file"));
        }
        let team = if team.is_empty() { TEAM } else { team };
        if !is_token(team) {
            return Err(wrong("a team has letters, digits, `-` and `_`"));
        }
        let is_host = |host: &str| {
            !host.is_empty()
                && host
                    .bytes()
                    .all(|one| one.is_ascii_alphanumeric() || b".-_:[]".contains(&one))
        };
        if !is_host(host) {
            return Err(wrong("it names no host"));
        }
        let is_bare_ipv6 = host.starts_with('[') && host.ends_with(']');
        let port = host.rsplit_once(':').filter(|_| !is_bare_ipv6);
        if port.is_some_and(|(_, port)| !port.parse::<u16>().is_ok_and(|port| port > 0)) {
            return Err(wrong("its port is not between 1 and 65535"));
        }
        let host = if port.is_some() {
            host.to_owned()
        } else {
            format!("{host}:{PORT}")
        };
        Ok(Self {
            tls,
            host,
            team: team.to_owned(),
        })
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "tls" } else { "nats" };
        write!(f, "{scheme}://{}/{}", self.host, self.team)
    }
}

/// Files that a server wants or that prove that it is the right one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerCredentials {
    /// A file with one line: a user's name, a colon and the password; or a token.
    pub file: Option<PathBuf>,
    /// Certificates of authorities, in PEM, in place of those of the system.
    pub authorities: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_port_and_a_team_also_where_it_names_none() {
        let parsed = |text: &str| ServerAddress::parse(text).unwrap().to_string();
        assert_eq!(parsed("nats://build-1"), "nats://build-1:4222/bakeoff");
        assert_eq!(parsed("nats://[::1]/a"), "nats://[::1]:4222/a");
        assert_eq!(
            parsed("tls://10.0.0.7:4444/graphics"),
            "tls://10.0.0.7:4444/graphics"
        );
        for (text, reason) in [
            ("build-1:4222", "begins with"),
            ("http://build-1", "begins with"),
            ("nats://", "no host"),
            ("nats://a b", "no host"),
            ("nats://host:99999", "port"),
            ("nats://host:0/a", "port"),
            ("nats://host:", "port"),
            ("nats://host/a.b", "a team has"),
            ("nats://host/*", "a team has"),
        ] {
            let error = ServerAddress::parse(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
        let error = ServerAddress::parse("nats://ann:secret@host").unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains("file") && !error.contains("secret"),
            "{error}"
        );
    }
}
