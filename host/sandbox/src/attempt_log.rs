//! The refused attempts of all instances of one component.

use bakeoff_domain::attempt::{Attempt, AttemptKind, EXAMPLE_CHARS_MAX};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Counts attempts by kind, and keeps the first example of each kind.
#[derive(Clone, Debug, Default)]
pub(super) struct AttemptLog(Arc<Mutex<BTreeMap<AttemptKind, Entry>>>);

#[derive(Debug, Default)]
struct Entry {
    times: u64,
    example: Option<String>,
}

impl AttemptLog {
    /// Records one attempt.
    pub(super) fn record(&self, what: AttemptKind, example: Option<&str>) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = log.entry(what).or_default();
        entry.times += 1;
        if entry.times == 1 {
            entry.example = example.map(|text| text.chars().take(EXAMPLE_CHARS_MAX).collect());
        }
    }

    /// Returns the refused attempts of each kind, in the order of kinds.
    pub(super) fn all(&self) -> Vec<Attempt> {
        let log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let attempt = |(what, entry): (&AttemptKind, &Entry)| Attempt {
            what: *what,
            times: entry.times,
            example: entry.example.clone(),
        };
        log.iter().map(attempt).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_counted_and_the_first_example_is_kept_short() {
        let log = AttemptLog::default();
        for number in 0..1000 {
            log.record(
                AttemptKind::OpenOutside,
                Some(&format!("{number}{}", "x".repeat(500))),
            );
        }
        log.record(AttemptKind::Exit, None);
        let all = log.all();
        assert_eq!((all.len(), all[0].times), (2, 1000));
        let example = all[0].example.as_ref().unwrap();
        assert!(example.starts_with("0x"));
        assert_eq!(example.chars().count(), EXAMPLE_CHARS_MAX);
    }
}
