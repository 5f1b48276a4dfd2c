//! References to components in registries.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// The scheme, by which a reference begins.
pub const REFERENCE_SCHEME: &str = "oci://";

/// The longest reference, in bytes.
pub const REFERENCE_BYTES_MAX: usize = 512;

/// The longest name of a repository, in bytes.
const REPOSITORY_BYTES_MAX: usize = 255;

/// The longest tag, in bytes.
const TAG_BYTES_MAX: usize = 128;

/// The algorithm, by whose name a digest begins.
const SHA256: &str = "sha256:";

/// A reference to a component in a registry: `oci://registry/name:tag@sha256:…`, with a tag, a digest or both.
///
/// Whatever stands in it is a part of an address as it is: no part is empty, `.` or `..`, or has to be escaped.
///
/// ```
/// use bakeoff_domain::reference::ComponentReference;
///
/// let heap = ComponentReference::parse("oci://localhost:5000/team/heap:1").unwrap();
/// assert_eq!((heap.registry(), heap.repository()), ("localhost:5000", "team/heap"));
/// assert_eq!((heap.tag(), heap.digest()), (Some("1"), None));
/// assert!(ComponentReference::parse("oci://localhost:5000/../heap:1").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ComponentReference {
    text: String,
    registry: String,
    repository: String,
    tag: Option<String>,
    digest: Option<String>,
}

/// The reason why a text is no reference to a component, as a phrase to follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ReferenceError(&'static str);

impl ComponentReference {
    /// Returns true if a text is meant as a reference: it begins with `oci://`.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with(REFERENCE_SCHEME)
    }

    /// Parses a reference.
    ///
    /// # Errors
    /// The text is none, or names a part by what no registry has.
    pub fn parse(text: &str) -> Result<Self, ReferenceError> {
        let refused = |why| Err(ReferenceError(why));
        if text.len() > REFERENCE_BYTES_MAX {
            return refused("is longer than 512 bytes");
        }
        let Some(rest) = text.strip_prefix(REFERENCE_SCHEME) else {
            return refused("does not begin with `oci://`");
        };
        let Some((registry, rest)) = rest.split_once('/') else {
            return refused("names no repository: `oci://registry/name:tag`");
        };
        let (rest, digest) = match rest.split_once('@') {
            Some((rest, digest)) => (rest, Some(digest)),
            None => (rest, None),
        };
        let (repository, tag) = match rest.split_once(':') {
            Some((repository, tag)) => (repository, Some(tag)),
            None => (rest, None),
        };
        if registry.contains('@') {
            return refused(
                "has a user's name or password, which never stand there (docs/plugging-in.md)",
            );
        }
        if !is_registry(registry) {
            return refused(
                "names a registry by what is no host: letters, digits, `.` and `-`, and perhaps a port",
            );
        }
        if !is_repository(repository) {
            return refused(
                "names a repository by what is no name: parts of a-z and 0-9, with single `.`, `_` or `-` within, \
                 between `/`",
            );
        }
        if !tag.is_none_or(is_tag) {
            return refused(
                "has a tag that is none: 1 to 128 letters, digits, `_`, `.` and `-`, not beginning with `.` or `-`",
            );
        }
        if !digest.is_none_or(is_digest) {
            return refused("has a digest that is not `sha256:` and 64 of 0-9 and a-f");
        }
        if tag.is_none() && digest.is_none() {
            return refused("has neither a tag nor a digest: `oci://registry/name:tag`");
        }
        Ok(Self {
            text: text.to_owned(),
            registry: registry.to_owned(),
            repository: repository.to_owned(),
            tag: tag.map(str::to_owned),
            digest: digest.map(str::to_owned),
        })
    }

    /// Returns the reference with a digest in the place of its own.
    ///
    /// # Errors
    /// The digest is none, or the text becomes too long.
    pub fn pinned(&self, digest: &str) -> Result<Self, ReferenceError> {
        let before = self.text.split('@').next().unwrap_or_default();
        Self::parse(&format!("{before}@{digest}"))
    }

    /// Returns the host of the registry, with its port if one is named.
    pub fn registry(&self) -> &str {
        &self.registry
    }

    /// Returns the name of the repository within the registry.
    pub fn repository(&self) -> &str {
        &self.repository
    }

    /// Returns the tag, if one is named.
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// Returns the digest of the manifest, `sha256:…`, if one is named.
    pub fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// Returns the whole reference.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the reference where a file's path stands, for messages. There is no such file.
    pub fn shown_path(&self) -> &Path {
        Path::new(&self.text)
    }
}

/// Returns true if a text is a digest as references and manifests have it: `sha256:` and 64 hexadecimal digits.
pub fn is_digest(text: &str) -> bool {
    let digits = text.strip_prefix(SHA256);
    digits.is_some_and(|digits| {
        digits.len() == 64
            && digits
                .bytes()
                .all(|one| matches!(one, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Returns true for a host with letters or digits in every label, and a port that there can be.
fn is_registry(text: &str) -> bool {
    let (host, port) = match text.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (text, None),
    };
    let is_label = |label: &str| {
        let inner = |one: u8| one.is_ascii_alphanumeric() || one == b'-';
        label.bytes().all(inner)
            && label.starts_with(|one: char| one.is_ascii_alphanumeric())
            && label.ends_with(|one: char| one.is_ascii_alphanumeric())
    };
    let is_port = |port: &str| {
        let digits = port.bytes().all(|one| one.is_ascii_digit());
        digits && !port.starts_with('0') && port.parse::<u16>().is_ok()
    };
    host.len() <= 253 && host.split('.').all(is_label) && port.is_none_or(is_port)
}

/// Returns true for a name as the distribution specification has it: parts of letters and digits, with a separator between
/// two of them, which is `.`, `_`, `__` or any number of `-`.
fn is_repository(text: &str) -> bool {
    let is_plain = |one: u8| one.is_ascii_lowercase() || one.is_ascii_digit();
    let is_part = |part: &str| {
        let bytes = part.as_bytes();
        let ends = bytes.first().zip(bytes.last());
        let mut separators = bytes.split(|one| is_plain(*one));
        ends.is_some_and(|(first, last)| is_plain(*first) && is_plain(*last))
            && separators.all(|one| {
                matches!(one, b"" | b"." | b"_" | b"__") || one.iter().all(|byte| *byte == b'-')
            })
    };
    text.len() <= REPOSITORY_BYTES_MAX && text.split('/').all(is_part)
}

fn is_tag(text: &str) -> bool {
    let inner = |one: u8| one.is_ascii_alphanumeric() || matches!(one, b'_' | b'.' | b'-');
    (1..=TAG_BYTES_MAX).contains(&text.len())
        && !text.starts_with(['.', '-'])
        && text.bytes().all(inner)
}

impl fmt::Display for ComponentReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl TryFrom<String> for ComponentReference {
    type Error = ReferenceError;

    fn try_from(text: String) -> Result<Self, ReferenceError> {
        Self::parse(&text)
    }
}

impl From<ComponentReference> for String {
    fn from(reference: ComponentReference) -> Self {
        reference.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn a_reference_has_its_parts() {
        let whole = format!("oci://ghcr.io/team/a-b_c.d__e:v1.0@{DIGEST}");
        let read = ComponentReference::parse(&whole).unwrap();
        assert_eq!(read.registry(), "ghcr.io");
        assert_eq!(read.repository(), "team/a-b_c.d__e");
        assert_eq!((read.tag(), read.digest()), (Some("v1.0"), Some(DIGEST)));
        let kept = serde_json::to_string(&read).unwrap();
        assert_eq!(kept, format!("\"{whole}\""));
        assert_eq!(
            serde_json::from_str::<ComponentReference>(&kept).unwrap(),
            read
        );
        let only_digest = ComponentReference::parse(&format!("oci://localhost:5000/a@{DIGEST}"));
        assert_eq!(only_digest.unwrap().tag(), None);
    }

    #[test]
    fn a_tag_is_pinned_to_a_digest() {
        let tag = ComponentReference::parse("oci://localhost/a:1").unwrap();
        let pinned = tag.pinned(DIGEST).unwrap();
        assert_eq!(pinned.as_str(), format!("oci://localhost/a:1@{DIGEST}"));
        assert_eq!(pinned.pinned(DIGEST).unwrap(), pinned);
        assert!(tag.pinned("sha256:12").is_err());
    }

    #[test]
    fn what_would_be_another_address_is_refused() {
        for text in [
            "",
            "oci://",
            "oci:///a:1",
            "oci://host",
            "oci://host/",
            "oci://host/a",
            "oci://host/a:",
            "oci://host/a@",
            "https://host/a:1",
            "OCI://host/a:1",
            "oci://host/../a:1",
            "oci://host/a/../b:1",
            "oci://host/a/./b:1",
            "oci://host/a//b:1",
            "oci://host//a:1",
            "oci://host/a:..",
            "oci://host/a:1/../2",
            "oci://host/a:1?x=y",
            "oci://host/a:1#x",
            "oci://host/a%2e:1",
            "oci://host/a.-b:1",
            "oci://host/A:1",
            "oci://host\\evil/a:1",
            "oci://user:secret@host/a:1",
            "oci://user@host/a:1",
            "oci://..:1/a:1",
            "oci://host:/a:1",
            "oci://host:00001/a:1",
            "oci://host:99999/a:1",
            "oci://host..name/a:1",
            "oci://-host/a:1",
            "oci://hóst/a:1",
            "oci://host/a:1@sha512:00",
            "oci://host/a:1@sha256:0123",
            "oci://host/a:1 ",
            "oci://host/a:1\n",
        ] {
            assert!(ComponentReference::parse(text).is_err(), "{text:?}");
            let kept = serde_json::to_string(text).unwrap();
            assert!(serde_json::from_str::<ComponentReference>(&kept).is_err());
        }
        let upper = DIGEST.to_uppercase().replace("SHA256", "sha256");
        assert!(ComponentReference::parse(&format!("oci://host/a@{upper}")).is_err());
        let long = format!("oci://host/{}:1", "a".repeat(256));
        assert!(ComponentReference::parse(&long).is_err());
    }
}
