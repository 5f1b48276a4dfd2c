//! Complaints of a server: it answers nothing where somebody may not do something, and says so beside.

use std::sync::{Arc, Mutex, PoisonError};

/// The longest complaint, in characters.
const CHARS_MAX: usize = 300;

/// The last complaint of a server that was not told yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Complaints(Arc<Mutex<Option<String>>>);

impl Complaints {
    /// Keeps a complaint in place of the last one.
    pub(super) fn keep(&self, complaint: &str) {
        let short = complaint.chars().take(CHARS_MAX).collect();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(short);
    }

    /// Returns a reason with the last complaint behind it. A complaint is told once.
    pub(super) fn added_to(&self, reason: String) -> String {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        match last {
            Some(complaint) => format!("{reason}; the server says: {complaint}"),
            None => reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_complaint_is_told_once_and_is_short() {
        let complaints = Complaints::default();
        let timed_out = || "timed out".to_owned();
        assert_eq!(complaints.added_to(timed_out()), "timed out");
        complaints.keep("an older one");
        complaints.keep(&"x".repeat(1_000));
        let told = complaints.added_to(timed_out());
        assert!(told.starts_with("timed out; the server says: x"), "{told}");
        assert_eq!(told.matches('x').count(), CHARS_MAX);
        assert_eq!(complaints.added_to(timed_out()), "timed out");
    }
}
