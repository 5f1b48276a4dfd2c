//! The header `WWW-Authenticate`, by which a registry says how to authenticate.

/// The longest header that is looked at, in bytes.
const HEADER_BYTES_MAX: usize = 4096;

/// The way to authenticate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Challenge {
    /// User and password with each request.
    Basic,
    /// A token, which is given at another address.
    Bearer {
        /// The address.
        realm: String,
        /// The name under which the registry is known there.
        service: Option<String>,
    },
}

impl Challenge {
    /// Parses a header; `None` if it says no way that is known here.
    pub(super) fn parse(header: &str) -> Option<Self> {
        if header.len() > HEADER_BYTES_MAX {
            return None;
        }
        let (scheme, rest) = match header.trim().split_once(' ') {
            Some((scheme, rest)) => (scheme, rest),
            None => (header.trim(), ""),
        };
        if scheme.eq_ignore_ascii_case("basic") {
            return Some(Self::Basic);
        }
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let (mut realm, mut service) = (None, None);
        for (key, value) in parameters(rest)? {
            match key.to_ascii_lowercase().as_str() {
                "realm" if realm.is_none() => realm = Some(value),
                "service" if service.is_none() => service = Some(value),
                "realm" | "service" => return None,
                // What may be done is asked for by its own words, and not by the registry's.
                _ => {}
            }
        }
        Some(Self::Bearer {
            realm: realm?,
            service,
        })
    }
}

/// Returns true if a text is a header that is known here; for tests of the parser.
#[doc(hidden)]
pub fn parses_challenge(header: &str) -> bool {
    Challenge::parse(header).is_some()
}

/// Reads `key="value"` and `key=value`, between commas.
fn parameters(text: &str) -> Option<Vec<(String, String)>> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (key, after) = rest.split_once('=')?;
        let (key, after) = (key.trim(), after.trim_start());
        let is_word = |one: char| one.is_ascii_alphanumeric() || matches!(one, '-' | '_');
        if key.is_empty() || !key.chars().all(is_word) {
            return None;
        }
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => until_quote(quoted)?,
            None => match after.split_once(',') {
                Some((value, _)) => (value.trim().to_owned(), &after[value.len()..]),
                None => (after.trim().to_owned(), ""),
            },
        };
        all.push((key.to_owned(), value));
        let after = after.trim_start();
        rest = match after.strip_prefix(',') {
            Some(after) => after.trim_start(),
            None if after.is_empty() => after,
            None => return None,
        };
    }
    Some(all)
}

/// Reads a text up to its closing quote, and returns what follows.
fn until_quote(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, one)) = chars.next() {
        match one {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => value.push(chars.next()?.1),
            one => value.push(one),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bearer(realm: &str, service: Option<&str>) -> Option<Challenge> {
        Some(Challenge::Bearer {
            realm: realm.to_owned(),
            service: service.map(str::to_owned),
        })
    }

    #[test]
    fn the_ways_that_registries_have_are_read() {
        assert_eq!(
            Challenge::parse("Basic realm=\"x\""),
            Some(Challenge::Basic)
        );
        assert_eq!(Challenge::parse("basic"), Some(Challenge::Basic));
        assert_eq!(
            Challenge::parse(
                "Bearer realm=\"https://auth.docker.io/token\",service=\"registry.docker.io\",\
                 scope=\"repository:a/b:pull,push\""
            ),
            bearer("https://auth.docker.io/token", Some("registry.docker.io"))
        );
        assert_eq!(
            Challenge::parse("bearer  Realm = \"x\\\"y\" , error=invalid_token"),
            bearer("x\"y", None)
        );
        assert_eq!(
            Challenge::parse("Bearer realm=a, service=b"),
            bearer("a", Some("b"))
        );
    }

    #[test]
    fn what_is_none_is_refused() {
        for header in [
            "",
            "Negotiate abc",
            "Bearer",
            "Bearer service=\"x\"",
            "Bearer realm=\"x",
            "Bearer realm=\"x\\",
            "Bearer realm=\"a\",realm=\"b\"",
            "Bearer realm=\"a\"service=\"b\"",
            "Bearer =\"a\"",
            "Bearer a b=\"c\"",
            "Bearer é=\"c\"",
        ] {
            assert_eq!(Challenge::parse(header), None, "{header:?}");
        }
        let long = format!("Bearer realm=\"{}\"", "a".repeat(HEADER_BYTES_MAX));
        assert_eq!(Challenge::parse(&long), None);
    }
}
