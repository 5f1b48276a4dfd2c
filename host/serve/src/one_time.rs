//! The token for the command line of a browser, which everybody on the machine can read: it counts once, for a short time,
//! and for its user's own programs.

use super::secret::is_equal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time within which the token counts: that of a browser's start on a slow machine.
const VALID_FOR: Duration = Duration::from_secs(60);

/// A token that enters once; none before it is issued, and after it was spent.
#[derive(Debug, Default)]
pub(crate) struct OneTimeToken(Mutex<Option<IssuedToken>>);

#[derive(Debug)]
struct IssuedToken {
    token: String,
    until: Instant,
}

impl OneTimeToken {
    /// Makes a token valid from now on, in the place of an earlier one.
    pub(crate) fn issue(&self, token: String, now: Instant) {
        let until = now + VALID_FOR;
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(IssuedToken { token, until });
    }

    /// Returns true if the token is valid and its sender is a program of this user, and makes it void then. What others
    /// send spends nothing: they would keep its owner out.
    pub(crate) fn spend(&self, token: &str, now: Instant, is_own: impl FnOnce() -> bool) -> bool {
        let mut issued = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if issued.as_ref().is_some_and(|issued| now >= issued.until) {
            *issued = None;
        }
        let is_valid = issued
            .as_ref()
            .is_some_and(|issued| is_equal(token, &issued.token));
        let enters = is_valid && is_own();
        if enters {
            *issued = None;
        }
        enters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_one_time_token_is_void_once_it_was_used_and_after_a_minute() {
        let (one, now) = (OneTimeToken::default(), Instant::now());
        let own = || true;
        assert!(!one.spend("", now, own), "there is none");
        one.issue("a".to_owned(), now);
        assert!(!one.spend("b", now, own));
        assert!(one.spend("a", now, own));
        assert!(!one.spend("a", now, own), "a second time");
        one.issue("a".to_owned(), now);
        assert!(!one.spend("a", now + VALID_FOR, own), "too late");
        assert!(!one.spend("a", now, own), "it does not come back");
        one.issue("a".to_owned(), now);
        one.issue("b".to_owned(), now);
        assert!(!one.spend("a", now, own), "another one is in its place");
        assert!(one.spend("b", now + VALID_FOR / 2, own));
    }

    #[test]
    fn a_program_of_another_user_neither_enters_with_it_nor_keeps_its_owner_out() {
        let (one, now) = (OneTimeToken::default(), Instant::now());
        one.issue("a".to_owned(), now);
        assert!(!one.spend("a", now, || false));
        // Whose connection it is is looked up for nobody who guesses.
        assert!(!one.spend("b", now, || panic!("looked up")));
        assert!(one.spend("a", now, || true));
    }
}
