//! Sentences about opinions of a model, each of which says that it is one.

use super::numbers;
use super::view::{NAMES_MAX, capitalised, listed, name, shortened};
use crate::report::{CriterionSummary, Report, VariantReport};
use crate::wording;

/// The largest number of variants whose opinions a sentence has.
const VARIANTS_MAX: usize = 6;

/// The heading of a column of opinions, behind the name of its criterion.
pub const OPINION: &str = "opinion";

/// Returns the name of a criterion as it stands above a column: `ease (opinion)`, `memory`.
pub fn column_name(criterion: &CriterionSummary) -> String {
    if criterion.is_opinion() {
        format!("{} ({OPINION})", criterion.name)
    } else {
        criterion.name.clone()
    }
}

/// Returns the criteria that are opinions, count, and have an opinion of each of these variants.
fn counting<'a>(
    report: &'a Report,
    variants: &'a [&'a VariantReport],
) -> impl Iterator<Item = &'a CriterionSummary> {
    let is_known = |criterion: &&CriterionSummary| {
        let mut variants = variants.iter();
        variants.all(|one| one.scores.contains_key(&criterion.name))
    };
    let criteria = report.criteria.iter();
    criteria
        .filter(|one| one.is_opinion() && one.weight > 0.0)
        .filter(is_known)
}

/// Returns the variants with their opinions, the best first, each with its number in words.
fn best_first<'a>(
    criterion: &CriterionSummary,
    variants: &[&'a VariantReport],
) -> Vec<(&'a VariantReport, f64, String)> {
    let score = |one: &VariantReport| one.scores.get(&criterion.name).map_or(0.0, |s| s.value);
    let mut sorted: Vec<&VariantReport> = variants.to_vec();
    sorted.sort_by(|a, b| score(b).total_cmp(&score(a)));
    let shown = sorted.into_iter().filter_map(|one| {
        let reading = one.readings.get(&criterion.source)?;
        Some((one, reading.value, number(criterion, reading.value)))
    });
    shown.collect()
}

/// Returns an opinion in words: `8.3`, `120 $/month`.
pub fn number(criterion: &CriterionSummary, value: f64) -> String {
    if criterion.unit.is_empty() {
        numbers::decimals(1, value)
    } else {
        numbers::reading(value, &criterion.unit)
    }
}

/// Returns what a model is of the opinion of some variants, as the end of a sentence: `in the model's opinion: ease 8.3
/// for heap against 6.1 for sort`; `None` without opinions that count.
pub(super) fn phrase(report: &Report, ids: &[String]) -> Option<String> {
    let variants = report.variants.iter();
    let variants: Vec<&VariantReport> = variants.filter(|one| ids.contains(&one.id)).collect();
    if variants.len() < 2 {
        return None;
    }
    let part = |criterion: &CriterionSummary| {
        let called = shortened(&criterion.name);
        let sorted = best_first(criterion, &variants);
        let ((best, value, shown), (next, other, after)) = (sorted.first()?, sorted.get(1)?);
        if value == other {
            let alike = sorted.iter().filter(|(_, one, _)| one == value);
            let names = alike.map(|(one, ..)| name(report, &one.id)).collect();
            return Some(format!("{called} {shown} for {}", listed(names, NAMES_MAX)));
        }
        let (best, next) = (name(report, &best.id), name(report, &next.id));
        Some(format!(
            "{called} {shown} for {best} against {after} for {next}"
        ))
    };
    let parts: Vec<String> = counting(report, &variants).filter_map(part).collect();
    (!parts.is_empty()).then(|| format!("in the model's opinion: {}", parts.join("; ")))
}

/// Returns the opinions on a criterion, of all that have one: `ease, in the model's opinion: heap 8.3, sort 6.1; none of
/// it was measured.`
pub(super) fn sentence(
    report: &Report,
    criterion: &CriterionSummary,
    variants: &[&VariantReport],
) -> Option<String> {
    let known = variants.iter().copied();
    let known: Vec<&VariantReport> = known
        .filter(|one| one.scores.contains_key(&criterion.name))
        .collect();
    let shown = best_first(criterion, &known).into_iter();
    let shown = shown.map(|(one, _, shown)| format!("{} {shown}", name(report, &one.id)));
    let mut shown: Vec<String> = shown.collect();
    if shown.len() < 2 {
        return None;
    }
    let more = shown.len().saturating_sub(VARIANTS_MAX);
    shown.truncate(VARIANTS_MAX);
    if more > 0 {
        shown.push(format!("{more} others less"));
    }
    Some(format!(
        "{}, in the model's opinion: {}; none of it was measured.",
        shortened(&criterion.name),
        shown.join(", ")
    ))
}

/// Returns the advice of a criterion that is an opinion: `If ease matters most: in the model's opinion heap (8.3).`
pub(super) fn advice(
    report: &Report,
    criterion: &CriterionSummary,
    variants: &[&VariantReport],
) -> String {
    let called = shortened(&criterion.name);
    let known = variants.iter().copied();
    let known: Vec<&VariantReport> = known
        .filter(|one| one.scores.contains_key(&criterion.name))
        .collect();
    let sorted = best_first(criterion, &known);
    let Some((_, best, shown)) = sorted.first() else {
        return format!("There is no opinion on {called}.");
    };
    let first = sorted.iter().filter(|(_, value, _)| value == best);
    let names: Vec<String> = first.map(|(one, ..)| name(report, &one.id)).collect();
    format!(
        "If {called} matters most: in the model's opinion {} ({shown}), which nobody measured.",
        listed(names, NAMES_MAX)
    )
}

/// Returns the sentence for variants that are measured to be first, where opinions outweigh that; `None` if they do not.
pub(super) fn outweighed(report: &Report) -> Option<String> {
    let recommendation = &report.recommendation;
    let first = &recommendation.measured_first;
    if first.is_empty() {
        return None;
    }
    let named = |ids: &[String]| {
        let names = ids.iter().map(|id| name(report, id)).collect();
        listed(names, NAMES_MAX)
    };
    let verb = wording::form(first.len(), "is", "are");
    let opinions = phrase(report, &recommendation.tied)
        .map_or_else(String::new, |phrase| format!("; {phrase}"));
    Some(format!(
        "No call between {}. Measured: {} {verb} ahead{opinions}. By the weights, opinions outweigh that, and an opinion \
         decides nothing.",
        named(&recommendation.tied),
        named(first)
    ))
}

/// Returns a recommendation with what a model is of the opinion of these variants: `Take heap: … In the model's
/// opinion: ease 8.3 for heap against 6.1 for sort.`
pub(super) fn with_opinions(report: &Report, text: String, ids: &[String]) -> String {
    match phrase(report, ids) {
        Some(phrase) => format!("{text} {}.", capitalised(&phrase)),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{report, row};
    use super::super::{headline, narrative};
    use super::*;
    use crate::report::rescore;
    use crate::spec::RecommendationStyle;
    use serde_json::json;
    use std::collections::BTreeMap;

    /// A report of `best` and `new`, which were timed, with a mean opinion of each.
    fn judged(verdict: &str, ratio: f64, ease: [f64; 2], weight: f64) -> Report {
        let criteria = json!([
            { "name": "speed", "weight": 1.0, "source": "time", "direction": "lower-is-better" },
            {
                "name": "ease", "weight": weight, "source": "judge:ease",
                "direction": "higher-is-better", "opinion": "How easily could it be changed?",
                "scale": { "linear": { "low": 0.0, "high": 10.0 } },
            },
        ]);
        let mut report = report(json!({ "criteria": criteria }));
        report.variants.truncate(2);
        for (variant, ease) in report.variants.iter_mut().zip(ease) {
            let read = |value: f64, unit: &str| {
                serde_json::from_value(json!({
                    "value": value, "low": null, "high": null, "unit": unit,
                }))
                .unwrap()
            };
            let readings = [("time", read(9.0, "ns")), ("judge:ease", read(ease, ""))];
            variant.readings = readings.map(|(name, one)| (name.to_owned(), one)).into();
        }
        let ends = json!({ "verdict": verdict, "ratio": ratio, "low": ratio, "high": ratio, "replicas": 9 });
        report.verdicts = vec![row("best", "new", &ends)];
        rescore(&report, &BTreeMap::new()).unwrap()
    }

    #[test]
    fn a_measured_tie_is_one_whatever_the_opinion() {
        let said = headline(&judged("tie", 1.0, [8.3, 6.1], 5.0));
        assert_eq!(
            said,
            "Measured: tie between best and new: a tie within 1 % by time; in the model's opinion: \
             ease 8.3 for best against 6.1 for new."
        );
    }

    #[test]
    fn no_sentence_calls_an_opinion_sure() {
        for style in [
            RecommendationStyle::Decisive,
            RecommendationStyle::Options,
            RecommendationStyle::Conditional,
        ] {
            for (verdict, ratio) in [("tie", 1.0), ("beats", 0.5), ("beaten", 2.0)] {
                let mut report = judged(verdict, ratio, [8.3, 6.1], 1.0);
                report.options.recommendation = style;
                let sections = narrative(&report).into_iter();
                let more = sections.flat_map(|section| section.sentences);
                let text = headline(&report);
                assert!(
                    text.contains("in the model's opinion")
                        || text.contains("In the model's opinion"),
                    "{text}"
                );
                for sentence in more.chain([text]).filter(|one| one.contains("ease")) {
                    let is_marked = sentence.contains("opinion");
                    assert!(
                        is_marked && !sentence.contains("better on ease"),
                        "{sentence}"
                    );
                }
            }
        }
    }

    #[test]
    fn opinions_that_outweigh_a_measurement_are_named_and_decide_nothing() {
        let report = judged("beats", 0.5, [1.0, 9.0], 10.0);
        assert_eq!(report.recommendation.measured_first, ["best"]);
        assert_eq!(
            headline(&report),
            "No call between new and best. Measured: best is ahead; in the model's opinion: ease 9.0 for new against 1.0 \
             for best. By the weights, opinions outweigh that, and an opinion decides nothing."
        );
        let report = judged("beats", 0.5, [5.0, 5.0], 1.0);
        assert_eq!(report.recommendation.winner.as_deref(), Some("best"));
        assert!(headline(&report).ends_with("In the model's opinion: ease 5.0 for best and new."));
    }

    #[test]
    fn a_column_of_opinions_is_headed_so() {
        let report = judged("tie", 1.0, [8.3, 6.1], 1.0);
        let names: Vec<String> = report.criteria.iter().map(column_name).collect();
        assert_eq!(names, ["speed", "ease (opinion)"]);
    }
}
