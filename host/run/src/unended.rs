//! Variants of which a sample of calls was ended before it had an end of its own.

use super::race_outcome::RaceOutcome;
use bakeoff_domain::numbers;
use bakeoff_domain::report::{VariantReport, VerdictRow};
use bakeoff_domain::verdict::Verdict;

/// The readings that rest on the times of samples.
const TIMES: [&str; 2] = ["time", "wall"];

/// The fewest other variants with times: between two alone, no call is the answer.
const OTHERS_MIN: usize = 2;

/// Lets the times of each variant rank nobody that had an overrun and leaves open who is the first: how long its sample would have
/// gone on is not known, so that this would be open for as long as the budget lasts, whoever else is surely ahead of all
/// the others. It has no rank then, with the reason.
pub(super) fn unrank(
    variants: &mut [VariantReport],
    verdicts: &[VerdictRow],
    outcome: Option<&RaceOutcome>,
) {
    let Some(analysis) = outcome.and_then(|outcome| outcome.raced.analysis.as_ref()) else {
        return;
    };
    let overruns = analysis.settings.overruns.iter();
    let overruns: Vec<(&str, u64)> = overruns
        .filter_map(|overrun| {
            let id = outcome?.variants.get(overrun.variant)?;
            Some((id.as_str(), overrun.wall_ns))
        })
        .collect();
    let has_ended = |variant: &&VariantReport| {
        variant.readings.contains_key(TIMES[0]) && overruns.iter().all(|(id, _)| *id != variant.id)
    };
    if variants.iter().filter(has_ended).count() < OTHERS_MIN {
        return;
    }
    for variant in variants {
        let overrun = overruns.iter().find(|(id, _)| *id == variant.id);
        let Some((_, wall_ns)) =
            overrun.filter(|_| leaves_first_open(verdicts, &overruns, &variant.id))
        else {
            continue;
        };
        let why = format!(
            "a sample of its calls took more than {}, far longer than was predicted, and was ended; a larger --budget may tell \
             how long they take",
            numbers::reading(*wall_ns as f64, "ns")
        );
        for source in TIMES {
            if variant.readings.contains_key(source) {
                variant
                    .missing_readings
                    .insert(source.to_owned(), why.clone());
            }
        }
    }
}

/// Returns true if a variant that no other one beats is neither told apart from another such variant, which has no
/// overrun, nor tied with it.
fn leaves_first_open(verdicts: &[VerdictRow], overruns: &[(&str, u64)], id: &str) -> bool {
    let overall = || verdicts.iter().filter(|row| row.case.is_none());
    let is_beaten = |id: &str| {
        overall().any(|row| match row.verdict {
            Verdict::Beaten => row.a == id,
            Verdict::Beats => row.b == id,
            Verdict::Tie | Verdict::NoCall => false,
        })
    };
    let contender = |other: &str| {
        other != id && !is_beaten(other) && overruns.iter().all(|(overran, _)| *overran != other)
    };
    let is_open_with_one = |row: &VerdictRow| {
        row.verdict == Verdict::NoCall
            && [&*row.a, &*row.b].contains(&id)
            && [&*row.a, &*row.b].into_iter().any(contender)
    };
    !is_beaten(id) && overall().any(is_open_with_one)
}
