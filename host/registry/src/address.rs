//! Addresses of registries, and with whom TLS is not needed.

use super::error::RegistryError;
use bakeoff_domain::reference::ComponentReference;
use reqwest::Url;
use std::net::IpAddr;

/// The registry that everybody calls `docker.io`, and where it answers.
const DOCKER_HUB: (&str, &str) = ("docker.io", "registry-1.docker.io");

/// The registries that the user allows to be spoken to without TLS, by host and port as references name them.
#[derive(Clone, Debug, Default)]
pub struct PlainHttp(Vec<String>);

impl PlainHttp {
    /// Returns the registries of this list.
    pub fn of(registries: impl IntoIterator<Item = String>) -> Self {
        Self(registries.into_iter().collect())
    }

    fn has(&self, registry: &str) -> bool {
        self.0.iter().any(|one| one == registry)
    }
}

/// Address at which a registry answers.
#[derive(Clone, Debug)]
pub(super) struct Address {
    /// The address before `/v2/`.
    pub(super) base: Url,
    /// True if there is no TLS: the registry is on this machine, or the user said so.
    pub(super) is_plain: bool,
}

impl Address {
    pub(super) fn of(
        reference: &ComponentReference,
        plain_http: &PlainHttp,
    ) -> Result<Self, RegistryError> {
        let registry = reference.registry();
        let host = match registry {
            name if name == DOCKER_HUB.0 => DOCKER_HUB.1,
            name => name,
        };
        let is_here = Url::parse(&format!("http://{host}/")).is_ok_and(|url| is_loopback(&url));
        let is_plain = is_here || plain_http.has(registry);
        let scheme = if is_plain { "http" } else { "https" };
        let base = Url::parse(&format!("{scheme}://{host}/"));
        let base = base.map_err(|error| RegistryError::Answer {
            registry: registry.to_owned(),
            reason: format!("its name is none of a host: {error}"),
        })?;
        Ok(Self { base, is_plain })
    }

    /// Returns the address of a part of a repository. All parts are such that none has to be escaped.
    pub(super) fn of_part(&self, reference: &ComponentReference, part: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("/v2/{}/{part}", reference.repository()));
        url
    }

    /// Returns true if an address is that of the registry itself: scheme, host and port.
    pub(super) fn is_own(&self, url: &Url) -> bool {
        url.origin() == self.base.origin()
    }

    /// Returns true if something may be asked of an address that the registry names: it has TLS; or the registry has none,
    /// and it is on the same host, or on this machine as the registry is.
    pub(super) fn may_lead_to(&self, url: &Url) -> bool {
        let has_login = !url.username().is_empty() || url.password().is_some();
        let is_near =
            url.host() == self.base.host() || (is_loopback(url) && is_loopback(&self.base));
        match url.scheme() {
            _ if has_login || !url.has_host() => false,
            "https" => true,
            "http" => self.is_plain && is_near,
            _ => false,
        }
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let address = host.parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(reference: &str, plain: &[&str]) -> Address {
        let plain = PlainHttp::of(plain.iter().map(|one| (*one).to_owned()));
        Address::of(&ComponentReference::parse(reference).unwrap(), &plain).unwrap()
    }

    #[test]
    fn there_is_tls_but_on_this_machine_or_where_the_user_says_otherwise() {
        let base = |reference: &str, plain: &[&str]| address(reference, plain).base.to_string();
        assert_eq!(base("oci://ghcr.io/a:1", &[]), "https://ghcr.io/");
        assert_eq!(
            base("oci://ghcr.io/a:1", &["ghcr.io:80"]),
            "https://ghcr.io/"
        );
        assert_eq!(
            base("oci://docker.io/a/b:1", &[]),
            "https://registry-1.docker.io/"
        );
        assert_eq!(
            base("oci://10.0.0.1:5000/a:1", &[]),
            "https://10.0.0.1:5000/"
        );
        for here in ["localhost:5000", "127.0.0.1:5000", "127.9.9.9:1"] {
            assert_eq!(
                base(&format!("oci://{here}/a:1"), &[]),
                format!("http://{here}/")
            );
        }
        assert_eq!(
            base("oci://10.0.0.1:5000/a:1", &["10.0.0.1:5000"]),
            "http://10.0.0.1:5000/"
        );
        assert!(!address("oci://127.0.0.1.example.com/a:1", &[]).is_plain);
        assert!(!address("oci://localhost.example.com/a:1", &[]).is_plain);
    }

    #[test]
    fn no_address_without_tls_follows_from_one_with_it() {
        let leads = |from: &Address, to: &str| from.may_lead_to(&Url::parse(to).unwrap());
        let outside = address("oci://ghcr.io/a:1", &[]);
        assert!(leads(&outside, "https://auth.example.com/token"));
        for refused in [
            "http://ghcr.io/token",
            "http://127.0.0.1:1/",
            "https://user:secret@example.com/",
            "file:///etc/passwd",
            "ftp://ghcr.io/",
        ] {
            assert!(!leads(&outside, refused), "{refused}");
        }
        let here = address("oci://127.0.0.1:5000/a:1", &[]);
        assert!(leads(&here, "http://localhost:5001/token"));
        assert!(!leads(&here, "http://10.0.0.1/token"));
        let plain = address("oci://10.0.0.1:5000/a:1", &["10.0.0.1:5000"]);
        assert!(leads(&plain, "http://10.0.0.1:5001/token"));
        assert!(!leads(&plain, "http://127.0.0.1:5001/token"));
        assert!(!leads(&plain, "http://10.0.0.2/token"));
    }
}
