//! Tokens, which a registry has given out elsewhere.

use super::address::Address;
use reqwest::Url;
use reqwest::header::HeaderValue;
use serde::Deserialize;

/// The most bytes of the answer with a token.
pub(super) const BYTES_MAX: usize = 64 << 10;

#[derive(Deserialize)]
struct TokenAnswer {
    token: Option<String>,
    access_token: Option<String>,
}

/// The requests that a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Fetching.
    Pull,
    /// Fetching and publishing.
    PullAndPush,
}

/// Returns the address where a token is asked for: the registry's word, with TLS unless the registry has none, and for this
/// repository alone. `asked` is the realm, and the name of the registry there.
///
/// # Errors
/// The realm is no address, or none where something may be asked; the text says so.
pub(super) fn address(
    registry: &Address,
    asked: (&str, Option<&str>),
    repository: &str,
    access: Access,
) -> Result<Url, &'static str> {
    let (realm, service) = asked;
    let mut url = Url::parse(realm).map_err(|_| "where it gives tokens is no address")?;
    if !registry.may_lead_to(&url) {
        return Err(
            "where it gives tokens is no address with TLS, or has a password in it; nothing is sent there",
        );
    }
    let actions = match access {
        Access::Pull => "pull",
        Access::PullAndPush => "pull,push",
    };
    let scope = format!("repository:{repository}:{actions}");
    {
        let mut query = url.query_pairs_mut();
        if let Some(service) = service {
            query.append_pair("service", service);
        }
        query.append_pair("scope", &scope);
    }
    Ok(url)
}

/// Returns the header that a token is sent by; `None` if the answer has none.
pub(super) fn header(answer: &[u8]) -> Option<HeaderValue> {
    let answer: TokenAnswer = bakeoff_files::parse_json_of(answer, 1000).ok()?;
    let token = answer.token.or(answer.access_token)?;
    let is_plain = token.bytes().all(|byte| byte.is_ascii_graphic());
    if token.is_empty() || !is_plain {
        return None;
    }
    let mut value = HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_token_becomes_a_header() {
        let header = |answer: &str| header(answer.as_bytes()).is_some();
        assert!(header(r#"{"token": "a.b-c_d", "expires_in": 60}"#));
        assert!(header(r#"{"access_token": "abc"}"#));
        for answer in [
            "{}",
            r#"{"token": ""}"#,
            r#"{"token": "a\r\nX: y"}"#,
            r#"{"token": 1}"#,
            "x",
        ] {
            assert!(!header(answer), "{answer}");
        }
    }
}
