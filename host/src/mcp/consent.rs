//! Leave to ask a model: given by the user where the server is started, and never by an agent.
//!
//! The money is that of the server as a whole. A call holds what is left, or less, and gives back what it has not spent:
//! its command keeps a ledger in the folder of the call, which says the most that can have been spent also if the command
//! is killed.

use super::error::ToolError;
use bakeoff_provider::Ledger;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Millionths of a US dollar in one.
const MICRODOLLARS: f64 = 1e6;

/// Leave to ask one model, within bounds.
#[derive(Debug)]
pub struct Consent {
    /// The options that name the model, each in one word with its value.
    pub words: Vec<OsString>,
    /// The environment variable with the key of the model, which its commands get.
    pub key: Option<&'static str>,
    /// Files that the options name, which its commands read.
    pub files: Vec<PathBuf>,
    /// The most tokens of all calls.
    pub tokens: Option<u64>,
    /// The most millionths of a US dollar of all calls.
    pub microdollars: Option<u64>,
}

/// Tokens and money, each `None` where there is no bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Amounts {
    tokens: Option<u64>,
    microdollars: Option<u64>,
}

/// A model that agents may have asked, and what is left for it.
#[derive(Debug)]
pub(super) struct ModelAllowance {
    pub(super) consent: Consent,
    left: Mutex<Amounts>,
}

impl ModelAllowance {
    pub(super) fn new(consent: Consent) -> Self {
        let left = Amounts {
            tokens: consent.tokens,
            microdollars: consent.microdollars,
        };
        Self {
            consent,
            left: Mutex::new(left),
        }
    }

    /// Takes what is left, but no more than so many US dollars, for a command.
    ///
    /// # Errors
    /// Nothing is left.
    pub(super) fn hold(&self, usd_max: Option<f64>) -> Result<Amounts, ToolError> {
        let mut left = self.left();
        let most = usd_max.map(|usd| (usd * MICRODOLLARS) as u64);
        let held = Amounts {
            tokens: left.tokens,
            microdollars: match (left.microdollars, most) {
                (Some(left), Some(most)) => Some(left.min(most)),
                (left, most) => left.or(most),
            },
        };
        if held.tokens == Some(0) || held.microdollars == Some(0) {
            return Err(ToolError::new(
                "what the user allowed for questions to a model is spent: ask the user to start the server with more, \
                 or use `develop`, which asks no model",
            ));
        }
        let less = |left: &mut Option<u64>, held: Option<u64>| {
            *left = left.map(|left| left.saturating_sub(held.unwrap_or(0)));
        };
        less(&mut left.tokens, held.tokens);
        less(&mut left.microdollars, held.microdollars);
        Ok(held)
    }

    /// Gives back what a command that ended has not spent, by its ledger. A ledger that cannot be read says nothing, and
    /// nothing is given back.
    pub(super) fn settle(&self, held: Amounts, ledger: &Path) {
        let Ok(spent) = Ledger::read(ledger) else {
            return;
        };
        let spent = spent.unwrap_or_default();
        let mut left = self.left();
        let back = |left: &mut Option<u64>, held: Option<u64>, spent: u64| {
            *left = left.map(|left| left + held.unwrap_or(0).saturating_sub(spent));
        };
        back(&mut left.tokens, held.tokens, spent.tokens);
        back(
            &mut left.microdollars,
            held.microdollars,
            spent.microdollars,
        );
    }

    fn left(&self) -> MutexGuard<'_, Amounts> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Amounts {
    /// Returns the options that bound a command by these amounts, beside what was spent before it.
    pub(super) fn words(self, ledger: &Path) -> Vec<OsString> {
        let mut at = OsString::from("--ledger=");
        at.push(ledger);
        let usd = self.microdollars.map(|most| most as f64 / MICRODOLLARS);
        let tokens = self.tokens.map(|most| format!("--tokens={most}").into());
        let usd = usd.map(|most| format!("--usd={most:.6}").into());
        let bounds = tokens.into_iter().chain(usd);
        [at, "--from-now".into()]
            .into_iter()
            .chain(bounds)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn asking(microdollars: u64) -> ModelAllowance {
        ModelAllowance::new(Consent {
            words: Vec::new(),
            key: None,
            files: Vec::new(),
            tokens: None,
            microdollars: Some(microdollars),
        })
    }

    #[test]
    fn a_call_holds_what_is_left_and_gives_back_what_it_did_not_spend() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = folder.path().join("ledger.json");
        let asking = asking(1_000_000);
        let held = asking.hold(None).unwrap();
        assert_eq!(held.words(&ledger)[2], "--usd=1.000000");
        // Nothing is left while it runs.
        assert!(asking.hold(None).is_err());
        fs::write(&ledger, r#"{"tokens": 9, "microdollars": 400000}"#).unwrap();
        asking.settle(held, &ledger);
        let held = asking.hold(Some(0.25)).unwrap();
        assert_eq!(held.words(&ledger)[2], "--usd=0.250000");
        // It asked nothing.
        fs::remove_file(&ledger).unwrap();
        asking.settle(held, &ledger);
        let held = asking.hold(Some(7.0)).unwrap();
        assert_eq!(held.words(&ledger)[2], "--usd=0.600000");
        // Nobody knows what it spent.
        fs::write(&ledger, "{").unwrap();
        asking.settle(held, &ledger);
        assert!(asking.hold(None).is_err());
    }
}
