//! Sentences about a question in words: a recommendation that is no more than an opinion, and what could be measured.

use super::numbers;
use super::view::{NAMES_MAX, listed, name, ranked, shortened};
use super::{advice, digits, opinions};
use crate::report::{InWords, MeasurableCriterion, Report, VariantReport};
use crate::spec::{MeasuredBy, RecommendationStyle};

/// The heading of what could be measured.
pub const MEASURABLE: &str = "What could be measured";

/// Sentence for a question in words without opinions.
const NOT_ASKED: &str = "`bakeoff run --judge` asks the model of [judge] for them.";

/// Returns the recommendation, worded as the opinion that it is, or the way to get one; `None` if a model was asked and
/// gave none.
pub(super) fn recommended(
    report: &Report,
    words: &InWords,
    style: RecommendationStyle,
) -> Option<String> {
    let order = by_total(report);
    if order.is_empty() && words.model.is_empty() {
        return Some(format!("{} {NOT_ASKED}", words.notice));
    }
    if order.is_empty() {
        return None;
    }
    let model = shortened(&words.model);
    let end = "Nothing was run, so nobody is surely ahead.";
    if style == RecommendationStyle::Conditional {
        return Some(format!("{} {end}", advice::conditional(report)));
    }
    let decimals = digits::total_decimals(report);
    let shown = |one: &VariantReport| {
        let total = one.total.map_or(0.0, |total| total.value);
        (name(report, &one.id), numbers::decimals(decimals, total))
    };
    let mut places: Vec<(Vec<String>, String)> = Vec::new();
    for (name, total) in order.iter().map(|one| shown(one)) {
        match places.last_mut() {
            Some((names, same)) if *same == total => names.push(name),
            _ => places.push((vec![name], total)),
        }
    }
    let more = places.len().saturating_sub(NAMES_MAX);
    let place =
        |(names, total): (Vec<String>, String)| format!("{} ({total})", listed(names, NAMES_MAX));
    let mut places: Vec<String> = places.into_iter().take(NAMES_MAX).map(place).collect();
    if more > 0 {
        places.push(format!("{more} more"));
    }
    Some(format!(
        "In the opinion of {model}, by total: {}. {end}",
        places.join(", then ")
    ))
}

/// Returns the ranked variants, the one with the highest total first.
fn by_total(report: &Report) -> Vec<&VariantReport> {
    let mut variants = ranked(report);
    let total = |one: &VariantReport| one.total.map_or(0.0, |total| total.value);
    variants.sort_by(|a, b| total(b).total_cmp(&total(a)));
    variants
}

/// Returns a sentence for each criterion that counts: whom to take if it matters most.
pub(super) fn alternatives(report: &Report) -> Vec<String> {
    let variants = ranked(report);
    if variants.len() < 2 {
        return Vec::new();
    }
    let counting = report.criteria.iter().filter(|one| one.weight > 0.0);
    counting
        .map(|criterion| opinions::advice(report, criterion, &variants))
        .collect()
}

/// Returns a sentence for each criterion that could be measured, with the command, and one for the others.
pub fn measurable(words: &InWords) -> Vec<String> {
    let sentence = |one: &MeasurableCriterion| {
        let how = match one.by {
            MeasuredBy::Explore => "a model writes a function for it, and ways to solve it",
            MeasuredBy::Time => "with a command for each approach",
            MeasuredBy::Judge => "of values that you measure",
        };
        let called = shortened(&one.criterion);
        match one.by {
            MeasuredBy::Explore => format!("{called}, {how}: {}", one.command),
            MeasuredBy::Time | MeasuredBy::Judge => {
                format!("{called}, {how}: {} ({})", one.command, one.what)
            }
        }
    };
    let mut sentences: Vec<String> = words.measurable.iter().map(sentence).collect();
    if !words.not_measurable.is_empty() {
        let names = words.not_measurable.iter().map(|one| shortened(one));
        sentences.push(format!(
            "By opinion alone: {}.",
            listed(names.collect(), NAMES_MAX)
        ));
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::super::fixture::report;
    use super::super::{headline, narrative};
    use super::*;
    use crate::report::rescore;
    use serde_json::json;
    use std::collections::BTreeMap;

    /// A report of three texts with these opinions of their cost, or none.
    fn asked(cost: Option<[f64; 3]>) -> Report {
        let criteria = json!([{
            "name": "cost", "weight": 1.0, "source": "judge:cost", "direction": "higher-is-better",
            "opinion": "How little does it cost?", "scale": { "linear": { "low": 0.0, "high": 10.0 } },
        }]);
        let mut report = report(json!({ "criteria": criteria }));
        report.verdicts.clear();
        for (place, variant) in report.variants.iter_mut().enumerate() {
            variant.readings.clear();
            let why = "no model was asked; `bakeoff run --judge` lets it be";
            variant.missing_readings = [("judge:cost".to_owned(), why.to_owned())].into();
            if let Some(cost) = cost {
                let read = json!({ "value": cost[place], "low": null, "high": null, "unit": "" });
                let read = serde_json::from_value(read).unwrap();
                variant.missing_readings.clear();
                variant.readings.insert("judge:cost".to_owned(), read);
            }
        }
        report.in_words = Some(InWords {
            model: "the model".to_owned(),
            ..InWords::default()
        });
        rescore(&report, &BTreeMap::new()).unwrap()
    }

    #[test]
    fn the_highest_total_is_an_opinion_and_no_winner() {
        let report = asked(Some([4.0, 9.0, 9.0]));
        assert_eq!(report.recommendation.winner, None);
        let said = headline(&report);
        assert!(
            said.starts_with("In the opinion of the model, by total: new and old (0.9"),
            "{said}"
        );
        assert!(said.contains(", then best (0.4"), "{said}");
        assert!(said.ends_with("nobody is surely ahead."), "{said}");
        for word in ["Take ", "Tie", "tie", "Measured"] {
            assert!(!said.contains(word), "{said}");
        }
        let sections = narrative(&report).into_iter();
        let sentences: Vec<String> = sections.flat_map(|one| one.sentences).collect();
        assert!(
            sentences[0].contains("in the model's opinion") && sentences[0].contains("old"),
            "{sentences:?}"
        );
    }

    #[test]
    fn without_an_opinion_the_reason_is_what_to_do() {
        let mut report = asked(None);
        let words = report.in_words.as_mut().unwrap();
        words.model.clear();
        words.notice = "Nobody was asked.".to_owned();
        let said = headline(&report);
        assert_eq!(said, format!("Nobody was asked. {NOT_ASKED}"));
        let report = asked(None);
        let said = headline(&report);
        assert!(said.contains("bakeoff run --judge"), "{said}");
        assert!(report.variants.iter().all(|one| one.rank.is_none()));
    }

    #[test]
    fn what_could_be_measured_comes_with_its_command() {
        let words = InWords {
            measurable: vec![MeasurableCriterion {
                criterion: "speed".to_owned(),
                by: MeasuredBy::Time,
                what: "requests through each".to_owned(),
                command: "bakeoff time A B".to_owned(),
            }],
            not_measurable: vec!["ease".to_owned()],
            ..InWords::default()
        };
        assert_eq!(
            measurable(&words),
            [
                "speed, with a command for each approach: bakeoff time A B (requests through each)",
                "By opinion alone: ease.",
            ]
        );
    }
}
