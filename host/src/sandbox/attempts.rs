//! What guests tried and were refused, over all instances of one component.

use bakeoff_domain::attempt::{Attempt, AttemptKind, EXAMPLE_CHARS_MAX};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Counts attempts by kind; of each kind the first example is kept, so that it never grows.
#[derive(Clone, Debug, Default)]
pub(super) struct AttemptLog(Arc<Mutex<BTreeMap<AttemptKind, Noted>>>);

#[derive(Debug, Default)]
struct Noted {
    times: u64,
    example: Option<String>,
}

impl AttemptLog {
    /// Notes one attempt.
    pub(super) fn note(&self, what: AttemptKind, example: Option<&str>) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let noted = log.entry(what).or_default();
        noted.times += 1;
        if noted.times == 1 {
            noted.example = example.map(|text| text.chars().take(EXAMPLE_CHARS_MAX).collect());
        }
    }

    /// All that was noted, in the order of kinds.
    pub(super) fn all(&self) -> Vec<Attempt> {
        let log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let attempt = |(what, noted): (&AttemptKind, &Noted)| Attempt {
            what: *what,
            times: noted.times,
            example: noted.example.clone(),
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
            log.note(
                AttemptKind::OpenOutside,
                Some(&format!("{number}{}", "x".repeat(500))),
            );
        }
        log.note(AttemptKind::Exit, None);
        let all = log.all();
        assert_eq!((all.len(), all[0].times), (2, 1000));
        let example = all[0].example.as_ref().unwrap();
        assert!(example.starts_with("0x"));
        assert_eq!(example.chars().count(), EXAMPLE_CHARS_MAX);
    }
}
