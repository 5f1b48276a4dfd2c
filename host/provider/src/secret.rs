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

    /// Returns the text without any key.
    pub(super) fn remove_from(&self, text: String) -> String {
        self.0
            .iter()
            .fold(text, |text, secret| match text.contains(&secret.0) {
                true => text.replace(&secret.0, REMOVED),
                false => text,
            })
    }
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
        assert!(!format!("{secret:?} {secrets:?}").contains("secret-1"));
        assert_eq!(secret.expose(), "sk-secret-1");
    }
}
