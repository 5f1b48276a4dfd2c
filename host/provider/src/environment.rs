//! Variables of the environment, which alone may hold keys.

use super::secret::Secret;
use std::ffi::OsString;
use std::fmt;

/// Lookup of environment variables by name.
#[derive(Clone, Copy)]
pub(super) struct Environment<'a>(&'a dyn Fn(&str) -> Option<OsString>);

impl<'a> Environment<'a> {
    pub(super) fn new(lookup: &'a dyn Fn(&str) -> Option<OsString>) -> Self {
        Self(lookup)
    }

    /// Returns a variable that is set to something.
    pub(super) fn get(&self, name: &str) -> Option<OsString> {
        (self.0)(name).filter(|value| !value.is_empty())
    }

    /// Returns a variable that is text.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name)?.into_string().ok()
    }

    /// Returns a key, without the spaces and line breaks that may surround it.
    pub(super) fn key(&self, name: &str) -> Option<Secret> {
        let key = self.text(name)?.trim().to_owned();
        (!key.is_empty()).then(|| Secret::new(key))
    }
}

impl fmt::Debug for Environment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Environment")
    }
}
