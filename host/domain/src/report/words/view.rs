//! Looking things up in a report.

use crate::report::{CaseLabel, CriterionSummary, Report, Status, Variant, VerdictRow};
use crate::verdict::{Reversal, Verdict};

/// Characters of a name that are shown in a sentence.
const NAME_CHARS_MAX: usize = 48;

/// How a variant is called in sentences and tables: its name, shortened; with its id where several
/// share the name.
pub fn name(report: &Report, id: &str) -> String {
    let Some(variant) = report.variants.iter().find(|variant| variant.id == id) else {
        return shortened(id);
    };
    let namesakes = report.variants.iter().filter(|v| v.name == variant.name);
    if namesakes.count() > 1 {
        return format!("{} ({})", shortened(&variant.name), shortened(id));
    }
    shortened(&variant.name)
}

/// The text, or its beginning and a sign that there was more.
pub(super) fn shortened(text: &str) -> String {
    if text.chars().count() <= NAME_CHARS_MAX {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(NAME_CHARS_MAX - 1).collect();
    short.push('…');
    short
}

/// Those with a rank, best first.
pub(super) fn ranked(report: &Report) -> Vec<&Variant> {
    let ranked = |variant: &&Variant| variant.status == Status::Ranked;
    report.variants.iter().filter(ranked).collect()
}

/// The verdict by time about `a` against `b`, whichever way round the report holds it.
pub fn ordered_row(
    report: &Report,
    a: &str,
    b: &str,
    case: Option<&CaseLabel>,
) -> Option<VerdictRow> {
    row_among(&report.verdicts, a, b, case)
}

/// The verdict that counts for a criterion, over all cases.
pub(super) fn row_for(
    report: &Report,
    criterion: &CriterionSummary,
    a: &str,
    b: &str,
) -> Option<VerdictRow> {
    match criterion.source.as_str() {
        "wall" => row_among(&report.wall_verdicts, a, b, None),
        _ => ordered_row(report, a, b, None),
    }
}

fn row_among(
    rows: &[VerdictRow],
    a: &str,
    b: &str,
    case: Option<&CaseLabel>,
) -> Option<VerdictRow> {
    let same_case = |row: &&VerdictRow| row.case.as_ref() == case;
    let about = |row: &&VerdictRow| is_about(row, a, b);
    let row = rows.iter().filter(same_case).find(about)?;
    Some(spoken_of(row, a))
}

/// The verdicts by time about `a` against `b` on single cases, in the report's order.
pub(super) fn rows_by_case(report: &Report, a: &str, b: &str) -> Vec<VerdictRow> {
    let rows = report.verdicts.iter();
    rows.filter(|row| row.case.is_some() && is_about(row, a, b))
        .map(|row| spoken_of(row, a))
        .collect()
}

fn is_about(row: &VerdictRow, a: &str, b: &str) -> bool {
    (row.a == a && row.b == b) || (row.a == b && row.b == a)
}

/// The row as one that speaks of `a`, which is one of its two.
fn spoken_of(row: &VerdictRow, a: &str) -> VerdictRow {
    let row = row.clone();
    if row.a == a {
        return row;
    }
    let inverse = |x: Option<f64>| x.filter(|x| *x > 0.0).map(|x| 1.0 / x);
    VerdictRow {
        a: row.b,
        b: row.a,
        verdict: row.verdict.reversed(),
        ratio: inverse(row.ratio),
        low: inverse(row.high),
        high: inverse(row.low),
        reversal: row.reversal.map(Reversal::reversed),
        ..row
    }
}

/// The criterion that is about time and counts most, if any does.
pub(super) fn time_criterion(report: &Report) -> Option<&CriterionSummary> {
    let counting = |c: &&CriterionSummary| c.is_paired() && c.weight > 0.0;
    let paired = report.criteria.iter().filter(counting);
    paired.max_by(|a, b| a.weight.total_cmp(&b.weight))
}

/// The variant that nobody is surely faster than, and that is faster than most: what times are
/// shown against.
pub fn fastest(report: &Report) -> Option<&Variant> {
    let timed = |variant: &&Variant| {
        let mut rows = report.verdicts.iter().filter(|row| row.case.is_none());
        variant.failure.is_none() && rows.any(|row| row.a == variant.id || row.b == variant.id)
    };
    let standing = |variant: &&Variant| {
        let rows = report
            .variants
            .iter()
            .filter(|other| other.id != variant.id);
        let rows = rows.filter_map(|other| ordered_row(report, &variant.id, &other.id, None));
        let (beaten, slower): (Vec<bool>, Vec<bool>) = rows
            .map(|row| {
                (
                    row.verdict == Verdict::Beaten,
                    row.ratio.is_none_or(|r| r > 1.0),
                )
            })
            .unzip();
        let count = |flags: &[bool]| flags.iter().filter(|flag| **flag).count();
        (count(&beaten), count(&slower))
    };
    report.variants.iter().filter(timed).min_by_key(standing)
}

/// How one variant compares with another on a criterion, as far as that is sure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// Surely better.
    Better,
    /// Surely no different, or not by more than is practical.
    Equal,
    /// Surely worse.
    Worse,
    /// Not known.
    Open,
}

/// Scores closer than this read the same in a table of one decimal: on a ratio scale of base 10, a
/// difference of about one per cent. No sentence is made of it.
const SAME_POINTS: f64 = 0.05;

/// Compares by verdict where there is one, and else by the intervals of the scores.
pub(super) fn relation(
    report: &Report,
    criterion: &CriterionSummary,
    a: &Variant,
    b: &Variant,
) -> Relation {
    if criterion.is_paired() {
        return match row_for(report, criterion, &a.id, &b.id).map(|row| row.verdict) {
            Some(Verdict::Beats) => Relation::Better,
            Some(Verdict::Beaten) => Relation::Worse,
            Some(Verdict::Tie) => Relation::Equal,
            Some(Verdict::NoCall) | None => Relation::Open,
        };
    }
    let score = |variant: &Variant| variant.scores.get(&criterion.name).copied();
    let (Some(a), Some(b)) = (score(a), score(b)) else {
        return Relation::Open;
    };
    if (a.value - b.value).abs() < SAME_POINTS {
        return Relation::Equal;
    }
    let above =
        |low: Option<f64>, high: Option<f64>| matches!((low, high), (Some(l), Some(h)) if l > h);
    if above(a.low, b.high) {
        Relation::Better
    } else if above(b.low, a.high) {
        Relation::Worse
    } else {
        Relation::Open
    }
}

/// Names in a row: `a`, `a and b`, `a, b and c`.
pub(super) fn joined(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
