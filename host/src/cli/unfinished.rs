//! How far a run is that has no report yet.

use bakeoff_render::escape::Plain;
use bakeoff_store::events::{Envelope, Progress, Stage, VariantState};
use bakeoff_store::{Store, StoreError};

/// Number of events that are read at once.
const EVENTS_AT_ONCE: u32 = 10_000;
/// The most failed variants that are named.
const NAMED_MAX: usize = 4;

/// Returns the progress of the last run, from its events.
pub(super) fn progress(store: &Store) -> Result<Progress, StoreError> {
    let mut progress = Progress::default();
    let mut sequence = 0;
    loop {
        let lines = store.events_after(sequence, EVENTS_AT_ONCE)?;
        let known = lines
            .iter()
            .filter_map(|line| serde_json::from_str(line).ok());
        let before = sequence;
        for envelope in known {
            let envelope: Envelope = envelope;
            sequence = sequence.max(envelope.sequence);
            progress.apply(&envelope);
        }
        // Events of later versions are not known, and change nothing here.
        if lines.len() < EVENTS_AT_ONCE as usize || sequence == before {
            return Ok(progress);
        }
    }
}

/// Returns how far the last run is, in a sentence: `2 of 4 variants passed the check, 1 failed (heap: trap); 3 replicas
/// of the race are done`. `None` if no run has begun.
pub(super) fn how_far(store: &Store) -> Option<String> {
    let progress = progress(store).ok()?;
    (progress.run > 0).then(|| in_words(&progress))
}

fn in_words(progress: &Progress) -> String {
    let all = progress.variants.len();
    let states = || progress.variants.values().map(|variant| variant.state);
    let passed =
        states().filter(|state| matches!(state, VariantState::Racing | VariantState::Complete));
    let failed = progress
        .variants
        .iter()
        .filter(|(_, one)| one.state == VariantState::Failed);
    let failed: Vec<String> = failed
        .map(|(id, one)| match &one.reason {
            Some(reason) => format!("{}: {reason}", Plain(id)),
            None => Plain(id).to_string(),
        })
        .collect();
    let mut text = format!("{} of {all} variants passed the check", passed.count());
    if !failed.is_empty() {
        let more = match failed.len().saturating_sub(NAMED_MAX) {
            0 => String::new(),
            more => format!("; {more} more"),
        };
        let shown = failed
            .iter()
            .take(NAMED_MAX)
            .cloned()
            .collect::<Vec<_>>()
            .join("; ");
        text += &format!(", {} failed ({shown}{more})", failed.len());
    }
    match progress
        .stages
        .get(&Stage::Measure)
        .map_or(0, |stage| stage.done)
    {
        0 => text,
        1 => text + "; 1 replica of the race is done",
        done => text + &format!("; {done} replicas of the race are done"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_store::events::{StageProgress, VariantProgress};

    #[test]
    fn what_passed_failed_and_was_timed_is_counted() {
        let variant = |state, reason: Option<&str>| VariantProgress {
            state,
            reason: reason.map(str::to_owned),
        };
        let variants = [
            ("a".to_owned(), variant(VariantState::Racing, None)),
            ("b".to_owned(), variant(VariantState::Failed, Some("trap"))),
            ("c".to_owned(), variant(VariantState::Building, None)),
        ];
        let mut progress = Progress {
            variants: variants.into(),
            ..Progress::default()
        };
        assert_eq!(
            in_words(&progress),
            "1 of 3 variants passed the check, 1 failed (b: trap)"
        );
        let three = StageProgress { done: 3, steps: 96 };
        progress.stages.insert(Stage::Measure, three);
        assert!(in_words(&progress).ends_with("; 3 replicas of the race are done"));
    }
}
