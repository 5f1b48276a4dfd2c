//! Variants of which a sample of calls was ended before it had an end of its own.

use super::race_outcome::RaceOutcome;
use bakeoff_domain::measurement::VariantIndex;
use bakeoff_domain::numbers;
use bakeoff_domain::race::Analysis;
use bakeoff_domain::report::VariantReport;
use bakeoff_domain::verdict::Verdict;

/// The readings that rest on the times of samples.
const TIMES: [&str; 2] = ["time", "wall"];

/// The fewest other variants with times: between two alone, no call is the answer.
const OTHERS_MIN: usize = 2;

/// Lets the times of each variant rank nobody that had an overrun and leaves open who is the first: how long its sample
/// would have gone on is not known, so that this would be open for as long as the budget lasts, whoever else is surely
/// ahead of all the others. It has no rank then, with the reason.
pub(super) fn unrank(variants: &mut [VariantReport], outcome: Option<&RaceOutcome>) {
    let Some((outcome, analysis)) =
        outcome.and_then(|outcome| Some((outcome, outcome.raced.analysis.as_ref()?)))
    else {
        return;
    };
    let overruns = &analysis.settings.overruns;
    let overran = |id: &str| {
        overruns.iter().find(|one| {
            let overran = outcome.variants.get(one.variant);
            overran.is_some_and(|overran| overran.as_str() == id)
        })
    };
    let has_ended = |variant: &&VariantReport| {
        variant.readings.contains_key(TIMES[0]) && overran(&variant.id).is_none()
    };
    if variants.iter().filter(has_ended).count() < OTHERS_MIN {
        return;
    }
    for variant in variants {
        let Some(overrun) =
            overran(&variant.id).filter(|one| leaves_first_open(analysis, one.variant))
        else {
            continue;
        };
        let why = format!(
            "a sample of its calls took more than {}, far longer than was predicted, and was ended; a larger --budget may tell \
             how long they take",
            numbers::reading(overrun.wall_ns as f64, "ns")
        );
        let known = TIMES
            .into_iter()
            .filter(|source| variant.readings.contains_key(*source));
        let missing = known.map(|source| (source.to_owned(), why.clone()));
        variant.missing_readings.extend(missing);
    }
}

/// Returns true if an unbeaten variant is neither told apart from another unbeaten one, which has no overrun, nor tied with
/// it.
fn leaves_first_open(analysis: &Analysis, variant: VariantIndex) -> bool {
    let is_unbeaten = |variant: VariantIndex| analysis.unbeaten.contains(&variant);
    let overruns = &analysis.settings.overruns;
    let has_overrun = |variant| overruns.iter().any(|overrun| overrun.variant == variant);
    let is_open = |other: VariantIndex| {
        let mut pairs = analysis.overall.iter();
        pairs.any(|pair| {
            pair.verdict == Verdict::NoCall
                && [(variant, other), (other, variant)].contains(&(pair.a, pair.b))
        })
    };
    let mut others = analysis.unbeaten.iter().copied();
    is_unbeaten(variant) && others.any(|other| !has_overrun(other) && is_open(other))
}
