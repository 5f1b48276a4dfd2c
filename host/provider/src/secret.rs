//! Keys, which nothing but a request's header may see.

use std::fmt;

/// Text that takes the place of a removed key.
const REMOVED: &str = "[key removed]";

/// The shortest text that is taken for a key: anything shorter would be found in innocent text.
const KEY_CHARS_MIN: usize = 6;

/// A key. Neither `Debug` nor anything else but [`Secret::expose`] shows it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Secret(String);

impl Secret {
    pub(super) fn new(key: String) -> Self {
        Self(key)
    }

    /// Returns the key itself, for the header of a request.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REMOVED)
    }
}

/// The keys of a run, to be removed from every text that comes from outside: a server or a command may
/// send back what it was given.
#[derive(Clone, Debug, Default)]
pub(super) struct Secrets(Vec<Secret>);

impl Secrets {
    pub(super) fn add(&mut self, secret: &Secret) {
        if secret.0.len() >= KEY_CHARS_MIN {
            self.0.push(secret.clone());
        }
    }

    pub(super) fn extend(&mut self, more: Self) {
        self.0.extend(more.0);
    }

    /// Returns the text without any key, neither as it is nor with escapes of JSON: what is cleaned here is often JSON
    /// that is read afterwards.
    pub(super) fn remove_from(&self, text: String) -> String {
        self.0
            .iter()
            .fold(text, |text, secret| removed(&text, &secret.0))
    }
}

/// Returns the text with each place at which the key stands replaced.
fn removed(text: &str, key: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(after) = after_key(rest, key) {
            cleaned.push_str(REMOVED);
            rest = after;
        } else {
            cleaned.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    cleaned
}

/// Returns what follows the key, if the text begins with it.
fn after_key<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    key.chars().try_fold(text, after_letter)
}

/// Returns what follows a letter, if the text begins with it: as it is, behind backslashes, or by its number
/// (`\u0041`), also where JSON stands in a text of JSON, which doubles the backslashes.
fn after_letter(text: &str, letter: char) -> Option<&str> {
    if let Some(after) = text.strip_prefix(letter) {
        return Some(after);
    }
    let escaped = text.strip_prefix('\\')?.trim_start_matches('\\');
    // A `u` is the letter itself only where it does not begin a number that is one.
    after_number(escaped, letter).or_else(|| escaped.strip_prefix(letter))
}

/// Returns what follows `u0041`, the number of a letter, if the text begins with it.
fn after_number(text: &str, letter: char) -> Option<&str> {
    let (digits, after) = text.strip_prefix('u')?.split_at_checked(4)?;
    let number = u32::from_str_radix(digits, 16).ok()?;
    (char::from_u32(number) == Some(letter)).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_removed_and_never_shown() {
        let secret = Secret::new("sk-secret-1".to_owned());
        let mut secrets = Secrets::default();
        secrets.add(&secret);
        secrets.add(&Secret::new("abc".to_owned()));
        assert_eq!(
            secrets.remove_from("abc sk-secret-1, sk-secret-1".to_owned()),
            "abc [key removed], [key removed]"
        );
        assert_eq!(
            secrets.remove_from(
                r#"{"a": "\u0073k\u002Dsecret\u002d1", "b": "{\"c\": \"\\u0073k-\\/secret-1\"}", "d": "é\u00e9\u"}"#
                    .to_owned()
            ),
            r#"{"a": "[key removed]", "b": "{\"c\": \"\\u0073k-\\/secret-1\"}", "d": "é\u00e9\u"}"#
        );
        assert_eq!(
            secrets.remove_from(r#""{\"c\": \"\\u0073k-secret\\u002d1\"}""#.to_owned()),
            r#""{\"c\": \"[key removed]\"}""#
        );
        let mut of_user = Secrets::default();
        of_user.add(&Secret::new("sk-user-u".to_owned()));
        for escaped in [r"sk-\u0075ser-u", r"sk-user-\\u0075", r"sk-\user-\u0075"] {
            assert_eq!(of_user.remove_from(escaped.to_owned()), REMOVED);
        }
        assert_eq!(
            secrets.remove_from(r"\u0073k-secret-2 \u00".to_owned()),
            r"\u0073k-secret-2 \u00"
        );
        assert!(!format!("{secret:?} {secrets:?}").contains("secret-1"));
        assert_eq!(secret.expose(), "sk-secret-1");
    }
}
