//! Opinions of a model: what it says of each source, set off from all that was measured. All of it is text from outside.

use super::document::Entry;
use bakeoff_domain::numbers;
use bakeoff_domain::report::words;
use bakeoff_domain::report::{CriterionOpinions, Report, VariantOpinion};
use bakeoff_domain::wording;

/// The most opinions that are shown.
const ENTRIES_MAX: usize = 48;

/// The most characters of a question.
const QUESTION_CHARS_MAX: usize = 300;

/// The most characters of the name of a model, and of a criterion.
const NAME_CHARS_MAX: usize = 60;

/// Returns the heading of the section; `None` if there are no opinions.
pub(super) fn heading(report: &Report) -> Option<String> {
    let opinions = report.opinions.as_ref()?;
    let given = opinions.criteria.iter().any(|one| !one.variants.is_empty());
    given.then(|| {
        let model = super::clipped(&opinions.model, NAME_CHARS_MAX);
        format!("Opinions of {model}: none of this was measured")
    })
}

/// Returns the questions, each with the number of votes.
pub(super) fn questions(report: &Report) -> Vec<String> {
    let what = match report.in_words {
        Some(_) => "text",
        None => "source",
    };
    let criteria = report.opinions.iter().flat_map(|one| &one.criteria);
    let asked = criteria.filter(|one| !one.variants.is_empty());
    asked
        .map(|one| {
            let votes = one.variants.iter().map(|of| of.votes).max().unwrap_or(0);
            let votes = wording::counted(votes, "vote");
            format!(
                "{}: {} ({votes} on each {what})",
                super::clipped(&one.criterion, NAME_CHARS_MAX),
                super::clipped(&one.question, QUESTION_CHARS_MAX)
            )
        })
        .collect()
}

/// Returns each opinion with its spread and a reason, by variant in the order of the report.
pub(super) fn entries(report: &Report) -> Vec<Entry> {
    let criteria = || report.opinions.iter().flat_map(|one| &one.criteria);
    let of_variant = report.variants.iter().flat_map(|variant| {
        criteria().filter_map(|on| {
            let mut variants = on.variants.iter();
            let opinion = variants.find(|one| one.variant == variant.id)?;
            Some(Entry {
                name: words::name(report, &variant.id),
                status: status(report, on, opinion),
                text: opinion.reason.clone(),
                note: None,
            })
        })
    });
    of_variant.take(ENTRIES_MAX).collect()
}

/// Returns a mean with the spread of the votes: `ease 8.3 (7.0 to 9.0)`.
fn status(report: &Report, on: &CriterionOpinions, opinion: &VariantOpinion) -> String {
    let name = super::clipped(&on.criterion, NAME_CHARS_MAX);
    let number = |value: f64| number(report, on, value);
    let mean = number(opinion.mean);
    if opinion.deviation.is_none() || opinion.lowest == opinion.highest {
        return format!("{name} {mean}");
    }
    let (low, high) = (number(opinion.lowest), number(opinion.highest));
    format!("{name} {mean} ({low} to {high})")
}

/// Returns an opinion in words, in the unit of its criterion.
fn number(report: &Report, on: &CriterionOpinions, value: f64) -> String {
    let mut criteria = report.criteria.iter();
    match criteria.find(|one| one.name == on.criterion) {
        Some(criterion) => words::opinion_number(criterion, value),
        None => numbers::decimals(1, value),
    }
}

/// Returns the opinions on each criterion as one line: `ease, in the opinion of MODEL: heap 8.3 (7.0 to 9.0)`.
pub(super) fn lines(report: &Report) -> Vec<String> {
    let Some(opinions) = &report.opinions else {
        return Vec::new();
    };
    let given = opinions
        .criteria
        .iter()
        .filter(|one| !one.variants.is_empty());
    given
        .map(|on| {
            let of = |one: &VariantOpinion| {
                let status = status(report, on, one);
                let number = status.strip_prefix(&on.criterion).unwrap_or(&status);
                format!("{}{number}", words::name(report, &one.variant))
            };
            let all: Vec<String> = on.variants.iter().take(ENTRIES_MAX).map(of).collect();
            format!(
                "{}, in the opinion of {}: {}",
                on.criterion,
                opinions.model,
                all.join("; ")
            )
        })
        .collect()
}
