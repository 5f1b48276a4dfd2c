//! The address of an API, and whether it may have a key.

use super::environment::Environment;
use super::error::OpenError;
use super::secret::Secret;
use reqwest::Url;
use std::net::IpAddr;

/// Address of an API, and the environment variables that concern it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ApiAddress {
    /// Official address of the API.
    pub(super) official: &'static str,
    /// The variable of the environment with another address that the user trusts with the key.
    pub(super) address_variable: &'static str,
    /// The variable with the key.
    pub(super) key_variable: &'static str,
}

/// An address with all that is needed to use it.
#[derive(Clone, Debug)]
pub(super) struct Endpoint {
    /// The address, without a slash at its end.
    pub(super) base: String,
    /// True if the address is on this machine.
    pub(super) is_loopback: bool,
    /// The key, if there is one and this address may have it.
    pub(super) key: Option<Secret>,
    /// Reason why no key is sent; empty if one is.
    pub(super) no_key: String,
}

impl Endpoint {
    /// Chooses the address: the experiment's, that of the user's environment, or the API's own. The key goes to
    /// the latter two only: an experiment that came from elsewhere must not choose who gets it.
    ///
    /// # Errors
    /// The address is not one of `https`, or of this machine; or it holds a password.
    pub(super) fn choose(
        base_url: Option<&str>,
        api: ApiAddress,
        environment: Environment<'_>,
    ) -> Result<Self, OpenError> {
        let of_user = environment.text(api.address_variable);
        let of_user = of_user
            .map(|address| parse(&address, api.address_variable))
            .transpose()?;
        let official = parse(api.official, "the API's own address")?;
        let named = base_url
            .map(|address| parse(address, "base_url"))
            .transpose()?;
        let url = named
            .or_else(|| of_user.clone())
            .unwrap_or_else(|| official.clone());
        let is_trusted = |trusted: &Url| trusted.origin() == url.origin();
        let may_have_key = is_trusted(&official) || of_user.as_ref().is_some_and(is_trusted);
        let key = environment.key(api.key_variable);
        let no_key = match (&key, may_have_key) {
            (Some(_), true) => String::new(),
            (None, _) => format!("no key was sent, as {} is not set", api.key_variable),
            (Some(_), false) => format!(
                "no key was sent, as the experiment names this address: set {} to it if it may have the key",
                api.address_variable
            ),
        };
        Ok(Self {
            base: url.as_str().trim_end_matches('/').to_owned(),
            is_loopback: is_loopback(&url),
            key: key.filter(|_| may_have_key),
            no_key,
        })
    }
}

/// Parses an address. Messages do not repeat it: it may hold a password.
fn parse(address: &str, name: &str) -> Result<Url, OpenError> {
    let refused = |reason: &str| OpenError::Options(format!("{name} {reason}"));
    let url =
        Url::parse(address.trim()).map_err(|error| refused(&format!("is not a URL: {error}")))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refused(
            "holds a user name or password: put the key into its environment variable",
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(refused("has a `?` or `#`: give the address without it"));
    }
    match url.scheme() {
        "https" if url.host().is_some() => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        "http" => Err(refused(
            "is `http`, which is for addresses of this machine: use `https`",
        )),
        _ => Err(refused("has to begin with `https://`")),
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || host
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    const API: ApiAddress = ApiAddress {
        official: "https://api.example.com",
        address_variable: "EXAMPLE_BASE_URL",
        key_variable: "EXAMPLE_API_KEY",
    };

    fn choose(base_url: Option<&str>, trusted: &str) -> Result<Endpoint, OpenError> {
        let lookup = |name: &str| match name {
            "EXAMPLE_API_KEY" => Some(" sk-secret\n".into()),
            "EXAMPLE_BASE_URL" => Some(trusted.into()),
            _ => None,
        };
        Endpoint::choose(base_url, API, Environment::new(&lookup))
    }

    #[test]
    fn a_key_goes_only_where_the_user_or_the_api_says() {
        let key = |base_url, trusted| {
            let endpoint = choose(base_url, trusted).unwrap();
            (endpoint.base, endpoint.key.is_some())
        };
        let of = |base: &str, has_key| (base.to_owned(), has_key);
        assert_eq!(key(None, ""), of("https://api.example.com", true));
        assert_eq!(
            key(Some("https://api.example.com/v1/"), ""),
            of("https://api.example.com/v1", true)
        );
        for other in [
            "https://api.example.com.evil.net",
            "https://api.example.com:444",
            "http://127.0.0.1:8080/v1",
        ] {
            assert_eq!(key(Some(other), ""), of(other, false));
            assert_eq!(key(Some(other), other), of(other, true));
            assert_eq!(key(None, other), of(other, true));
        }
        let endpoint = choose(Some("https://evil.net"), "").unwrap();
        assert!(
            endpoint.no_key.contains("EXAMPLE_BASE_URL"),
            "{}",
            endpoint.no_key
        );
        assert!(!format!("{endpoint:?}").contains("sk-secret"));
    }

    #[test]
    fn only_https_or_this_machine_without_a_password() {
        for (address, reason) in [
            ("http://example.com", "https"),
            ("http://127.0.0.1.example.com", "https"),
            ("http://10.0.0.1/v1", "https"),
            ("file:///etc/passwd", "https://"),
            ("https://user:hunter2@example.com", "password"),
            ("https://hunter2@example.com", "password"),
            ("https://example.com?key=hunter2", "`?`"),
            ("hunter2", "not a URL"),
        ] {
            let error = choose(Some(address), "").unwrap_err().to_string();
            assert!(
                error.contains(reason) && !error.contains("hunter2"),
                "{error}"
            );
        }
        for address in [
            "http://localhost:1",
            "http://[::1]:2/v1",
            "http://127.0.0.9",
        ] {
            assert!(choose(Some(address), "").unwrap().is_loopback, "{address}");
        }
    }
}
