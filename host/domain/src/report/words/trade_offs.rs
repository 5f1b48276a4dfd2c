//! Sentences about criteria: the best and the worst variant on each.

use super::numbers::{reading_digits, reading_with};
use super::opinions;
use super::speed;
use super::view::{Relation, listed, name, ranked, relation, row_for, shortened};
use crate::report::{Claim, CriterionSummary, Reading, Report, VariantReport, VariantStatus};

/// The largest number of leaders that are named.
const LEADERS_MAX: usize = 4;

/// A sentence for each criterion on which at least two are ranked.
pub(super) fn sentences(report: &Report) -> Vec<String> {
    let variants = ranked(report);
    if variants.len() < 2 {
        return Vec::new();
    }
    let criteria = report.criteria.iter();
    let mut sentences: Vec<String> = criteria
        .filter_map(|criterion| sentence(report, criterion, &variants))
        .collect();
    if !sentences.is_empty() {
        sentences.extend(eliminated(report));
    }
    sentences
}

/// Names those that no criterion is told of here, since they fail a gate.
fn eliminated(report: &Report) -> Option<String> {
    let all = report.variants.iter();
    let all = all.filter(|variant| variant.status == VariantStatus::Eliminated);
    let names: Vec<String> = all.map(|variant| name(report, &variant.id)).collect();
    let verb = match names.len() {
        0 => return None,
        1 => "is",
        _ => "are",
    };
    let names = listed(names, LEADERS_MAX);
    Some(format!("Without {names}, which {verb} eliminated."))
}

fn sentence(
    report: &Report,
    criterion: &CriterionSummary,
    all: &[&VariantReport],
) -> Option<String> {
    if criterion.is_opinion() {
        return opinions::sentence(report, criterion, all);
    }
    let value =
        |variant: &VariantReport| variant.scores.get(&criterion.name).map(|score| score.value);
    let mut variants: Vec<&VariantReport> =
        all.iter().copied().filter(|v| value(v).is_some()).collect();
    variants.sort_by(|a, b| {
        let (a, b) = (value(a).unwrap_or(0.0), value(b).unwrap_or(0.0));
        b.total_cmp(&a)
    });
    let has = |of: &VariantReport, sure: Relation| {
        let mut others = variants.iter().filter(|other| other.id != of.id);
        others.any(|other| relation(report, criterion, of, other) == sure)
    };
    let (behind, unbeaten): (Vec<&VariantReport>, Vec<&VariantReport>) = variants
        .iter()
        .partition(|variant| has(variant, Relation::Worse));
    let beating_none: Vec<&VariantReport> = variants
        .iter()
        .copied()
        .filter(|variant| !has(variant, Relation::Better))
        .collect();
    // Who may be the best, or the last one. That one is better on most inputs than another says nothing of a
    // third, so there it is also whoever is not surely behind the best, or ahead of the last one, itself.
    let also = |ends: &[&VariantReport], relation_to: Relation| -> Vec<&VariantReport> {
        let chains = !is_about_most_inputs(report, criterion);
        let surely = |one: &VariantReport, end: &VariantReport| {
            one.id == end.id || relation(report, criterion, one, end) == relation_to
        };
        let may_be = |one: &&VariantReport| {
            let is_end = ends.iter().any(|end| end.id == one.id);
            is_end || !(chains || ends.iter().all(|end| surely(one, end)))
        };
        variants.iter().copied().filter(may_be).collect()
    };
    let leaders = also(&unbeaten, Relation::Worse);
    let last = also(&beating_none, Relation::Better);
    let called = shortened(&criterion.name);
    let digits = digits(criterion, leaders.first()?, last.first());
    if behind.is_empty() {
        let reading = if criterion.is_timed() {
            format!(", {}", speed::tie(&report.protocol))
        } else {
            shown(criterion, leaders.first()?, digits).unwrap_or_default()
        };
        return Some(if are_equal(report, criterion, &leaders) {
            match apart(criterion, &leaders) {
                Some(ends) => format!("{called}: no difference that counts, {ends}."),
                None => format!("{called}: all alike{reading}."),
            }
        } else {
            format!("{called}: no difference is sure.")
        });
    }
    let lead = leading(report, criterion, &leaders, digits)?;
    let is_last = |one: &&VariantReport| last.iter().any(|last| last.id == one.id);
    let is_first = |one: &&VariantReport| leaders.iter().any(|first| first.id == one.id);
    let between = variants
        .iter()
        .filter(|one| !is_last(one) && !is_first(one));
    let trail = trailing(
        report,
        criterion,
        (&last, between.count()),
        leaders.first()?,
        digits,
    );
    Some(format!("{called}: {lead}{trail}."))
}

/// Returns true if verdicts on the criterion say which variant is better on most inputs.
fn is_about_most_inputs(report: &Report, criterion: &CriterionSummary) -> bool {
    let rows = report.reading_verdicts.get(&criterion.source);
    rows.is_some_and(|rows| rows.iter().any(|row| row.claim == Claim::MoreInputs))
}

/// The best and the worst reading of variants that count as equal, if they are not the same:
/// `1 branches to 5 branches`.
fn apart(criterion: &CriterionSummary, variants: &[&VariantReport]) -> Option<String> {
    let (best, worst) = (variants.first()?, variants.last()?);
    let of = |variant: &VariantReport| Some(variant.readings.get(&criterion.source)?.value);
    let is_same = of(best)? == of(worst)?;
    if is_same || criterion.is_paired() || criterion.is_timed() {
        return None;
    }
    let digits = digits(criterion, best, Some(worst));
    let text = |variant: &VariantReport| {
        let text = shown(criterion, variant, digits)?;
        Some(text.trim_start_matches(", ").to_owned())
    };
    Some(format!("{} to {}", text(best)?, text(worst)?))
}

/// The digits with which the best and the worst reading look different.
fn digits(
    criterion: &CriterionSummary,
    best: &VariantReport,
    last: Option<&&VariantReport>,
) -> usize {
    let readings = [Some(best), last.copied()].into_iter().flatten();
    let readings = readings.filter_map(|variant| variant.readings.get(&criterion.source));
    let readings: Vec<&Reading> = readings.collect();
    let values: Vec<f64> = readings.iter().map(|reading| reading.value).collect();
    let unit = readings
        .first()
        .map_or("", |reading| unit(criterion, reading));
    reading_digits(&values, unit, |_, _| true)
}

/// Returns true if every two of the variants are known to be equal, or to tie.
fn are_equal(report: &Report, criterion: &CriterionSummary, variants: &[&VariantReport]) -> bool {
    let mut pairs = variants
        .iter()
        .enumerate()
        .flat_map(|(place, a)| variants[place + 1..].iter().map(move |b| (a, b)));
    pairs.all(|(a, b)| relation(report, criterion, a, b) == Relation::Equal)
}

/// `best: heap, 4 KiB`; `fastest: heap and sort, a tie within 1 %`.
fn leading(
    report: &Report,
    criterion: &CriterionSummary,
    leaders: &[&VariantReport],
    digits: usize,
) -> Option<String> {
    let first = leaders.first()?;
    let reading = shown(criterion, first, digits).unwrap_or_default();
    let best = if criterion.is_timed() {
        "fastest"
    } else {
        "best"
    };
    let names = leaders.iter().map(|v| name(report, &v.id)).collect();
    let names = listed(names, LEADERS_MAX);
    let equal = are_equal(report, criterion, leaders);
    let why = if criterion.is_paired() {
        "no call among them"
    } else {
        "their intervals overlap"
    };
    Some(match (leaders.len(), equal, criterion.is_timed()) {
        (1, ..) | (_, true, false) => format!("{best}: {names}{reading}"),
        (_, true, true) => format!("{best}: {names}, {}", speed::tie(&report.protocol)),
        (_, false, _) => format!("{best}: one of {names} ({why})"),
    })
}

/// The distance of the last ones from the best: `; slowest: sort, 12 × slower than heap, 11–13 (2 others between)`,
/// `; worst: sort, 12 MiB`.
fn trailing(
    report: &Report,
    criterion: &CriterionSummary,
    (last, between): (&[&VariantReport], usize),
    best: &VariantReport,
    digits: usize,
) -> String {
    let Some(first) = last.first() else {
        return String::new();
    };
    let between = match between {
        0 => String::new(),
        1 => " (1 other between)".to_owned(),
        more => format!(" ({more} others between)"),
    };
    let how = if criterion.is_timed() {
        "slowest"
    } else {
        "worst"
    };
    let names = last.iter().map(|v| name(report, &v.id)).collect();
    let names = listed(names, LEADERS_MAX);
    if !are_equal(report, criterion, last) {
        return format!("; {how}: one of {names}{between}");
    }
    let distance = distance(report, criterion, first, best, digits);
    format!("; {how}: {names}{distance}{between}")
}

/// `, 12 × slower than heap, 11–13`, `, 4 % more time than heap, 3–5 %`, `, 12 MiB`.
fn distance(
    report: &Report,
    criterion: &CriterionSummary,
    last: &VariantReport,
    best: &VariantReport,
    digits: usize,
) -> String {
    if criterion.is_timed() {
        let row = row_for(report, criterion, &last.id, &best.id);
        if let Some((row, ratio)) = row.and_then(|row| row.ratio.map(|ratio| (row, ratio))) {
            let (difference, ends) = speed::difference(row.interval(), ratio < 1.0);
            let ends = ends.map(|ends| format!(", {ends}")).unwrap_or_default();
            return format!(", {difference} than {}{ends}", name(report, &best.id));
        }
    }
    shown(criterion, last, digits).unwrap_or_default()
}

/// `, 4 KiB`
fn shown(criterion: &CriterionSummary, variant: &VariantReport, digits: usize) -> Option<String> {
    if criterion.is_timed() {
        return None;
    }
    let read = variant.readings.get(&criterion.source)?;
    let text = reading_with(digits, read.value, unit(criterion, read));
    Some(format!(", {}", shortened(&text)))
}

/// The unit of a reading: its own, else the criterion's.
fn unit<'a>(criterion: &'a CriterionSummary, reading: &'a Reading) -> &'a str {
    if reading.unit.is_empty() {
        &criterion.unit
    } else {
        &reading.unit
    }
}
