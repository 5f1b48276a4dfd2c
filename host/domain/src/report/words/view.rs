//! Look-ups in a report.

use crate::report::{
    CaseLabel, CriterionSummary, ReadingVerdict, Report, VariantReport, VariantStatus, VerdictRow,
};
use crate::verdict::{RatioInterval, SignInversion, Verdict};

/// The largest number of characters of a name in a sentence.
const NAME_CHARS_MAX: usize = 48;

/// The name of a variant in sentences and tables: shortened, and with its id if several have the same
/// name.
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

/// The text, cut with `…` if it is too long.
pub(super) fn shortened(text: &str) -> String {
    if text.chars().count() <= NAME_CHARS_MAX {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(NAME_CHARS_MAX - 1).collect();
    short.push('…');
    short
}

/// The ranked variants, best first.
pub(super) fn ranked(report: &Report) -> Vec<&VariantReport> {
    let ranked = |variant: &&VariantReport| variant.status == VariantStatus::Ranked;
    report.variants.iter().filter(ranked).collect()
}

/// The verdict by time about `a` against `b`, mirrored if the report has it about `b` against `a`.
pub fn ordered_row(
    report: &Report,
    a: &str,
    b: &str,
    case: Option<&CaseLabel>,
) -> Option<VerdictRow> {
    row_among(&report.verdicts, a, b, case)
}

/// The verdict by the clock of a criterion, over all cases.
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

/// The verdict by a criterion's reading about `a` against `b`, for criteria that are not about the
/// time of calls; mirrored if the report has it about `b` against `a`.
pub(super) fn reading_row(
    report: &Report,
    criterion: &CriterionSummary,
    a: &str,
    b: &str,
) -> Option<ReadingVerdict<String>> {
    let rows = report.reading_verdicts.get(&criterion.source)?;
    let about =
        |row: &&ReadingVerdict<String>| (row.a == a && row.b == b) || (row.a == b && row.b == a);
    let row = rows.iter().find(about)?.clone();
    Some(if row.a == a { row } else { row.mirrored() })
}

/// The verdict about `a` against `b` on a criterion whose differences come from verdicts.
pub(super) fn verdict_on(
    report: &Report,
    criterion: &CriterionSummary,
    a: &str,
    b: &str,
) -> Option<Verdict> {
    match criterion.is_timed() {
        true => row_for(report, criterion, a, b).map(|row| row.verdict),
        false => reading_row(report, criterion, a, b).map(|row| row.verdict),
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
    Some(about_first(row, a))
}

/// The verdicts by time about `a` against `b` on single cases, in the report's order.
pub(super) fn rows_by_case(report: &Report, a: &str, b: &str) -> Vec<VerdictRow> {
    let rows = report.verdicts.iter();
    rows.filter(|row| row.case.is_some() && is_about(row, a, b))
        .map(|row| about_first(row, a))
        .collect()
}

fn is_about(row: &VerdictRow, a: &str, b: &str) -> bool {
    (row.a == a && row.b == b) || (row.a == b && row.b == a)
}

/// The row about `a`, which is one of its two variants.
pub fn about_first(row: &VerdictRow, a: &str) -> VerdictRow {
    let row = row.clone();
    if row.a == a {
        return row;
    }
    let RatioInterval { ratio, low, high } = row.interval().inverse();
    VerdictRow {
        a: row.b,
        b: row.a,
        verdict: row.verdict.mirrored(),
        ratio,
        low,
        high,
        sign_inversion: row.sign_inversion.map(SignInversion::mirrored),
        ..row
    }
}

/// The criterion about time with the largest weight, if one counts.
pub(super) fn time_criterion(report: &Report) -> Option<&CriterionSummary> {
    let counting = |c: &&CriterionSummary| c.is_timed() && c.weight > 0.0;
    let paired = report.criteria.iter().filter(counting);
    paired.max_by(|a, b| a.weight.total_cmp(&b.weight))
}

/// The variant that times are shown against: that which the fewest verdicts call slower; of several,
/// the one that is faster than most.
pub fn fastest(report: &Report) -> Option<&VariantReport> {
    let timed = |variant: &&VariantReport| {
        let mut rows = report.verdicts.iter().filter(|row| row.case.is_none());
        variant.failure.is_none() && rows.any(|row| row.a == variant.id || row.b == variant.id)
    };
    let defeats = |variant: &&VariantReport| {
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
    report.variants.iter().filter(timed).min_by_key(defeats)
}

/// How one variant surely compares with another on a criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// Surely better.
    Better,
    /// No different, or not by more than the practical threshold.
    Equal,
    /// Surely worse.
    Worse,
    /// Not sure.
    Open,
}

/// Scores closer than this are equal in a table with one decimal: on a ratio scale of base 10, a
/// difference of about one per cent.
const SAME_POINTS: f64 = 0.05;

/// Compares by verdict where there is one, and else by the intervals of the scores.
pub(super) fn relation(
    report: &Report,
    criterion: &CriterionSummary,
    a: &VariantReport,
    b: &VariantReport,
) -> Relation {
    if criterion.is_paired() {
        return match verdict_on(report, criterion, &a.id, &b.id) {
            Some(Verdict::Beats) => Relation::Better,
            Some(Verdict::Beaten) => Relation::Worse,
            Some(Verdict::Tie) => Relation::Equal,
            Some(Verdict::NoCall) | None => Relation::Open,
        };
    }
    let score = |variant: &VariantReport| variant.scores.get(&criterion.name).copied();
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

/// A list of names: `a`, `a and b`, `a, b and c`.
pub(super) fn joined(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
