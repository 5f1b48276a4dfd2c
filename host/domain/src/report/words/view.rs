//! Look-ups in a report.

use crate::report::{
    CaseLabel, CriterionSummary, Interval, ReadingVerdict, Report, VariantReport, VariantStatus,
    VerdictRow,
};
use crate::score;
use crate::texts::SizedTexts;
use crate::variant::Variant;
use crate::verdict::{RatioInterval, Verdict};
use std::cmp::Ordering;
use std::collections::HashMap;

/// The largest number of characters of a name in a sentence.
const NAME_CHARS_MAX: usize = 48;

/// The name of a variant in sentences and tables: shortened, and with its id if several have the same
/// name.
pub fn name(report: &Report, id: &str) -> String {
    let Some(variant) = report.variants.iter().find(|variant| variant.id == id) else {
        return shortened(id);
    };
    let namesakes = report.variants.iter().filter(|v| v.name == variant.name);
    variant_name(&variant.name, id, namesakes.count() > 1)
}

/// The name of a variant in sentences and tables, by its own name, its id, and whether others have that name.
pub fn variant_name(name: &str, id: &str, has_namesakes: bool) -> String {
    if has_namesakes {
        return format!("{} ({})", shortened(name), shortened(id));
    }
    shortened(name)
}

/// The names of variants in sentences and tables, by id.
pub fn variant_names<'a>(
    variants: impl Iterator<Item = &'a Variant> + Clone,
) -> HashMap<&'a str, String> {
    let mut namesakes: HashMap<&str, usize> = HashMap::new();
    for variant in variants.clone() {
        *namesakes.entry(&variant.name).or_default() += 1;
    }
    let named = variants.map(|variant| {
        let (name, id) = (variant.name.as_str(), variant.id.as_str());
        (id, variant_name(name, id, namesakes[name] > 1))
    });
    named.collect()
}

/// The text, cut with `…` if it is longer than a name may be.
pub(super) fn shortened(text: &str) -> String {
    cut(text, NAME_CHARS_MAX)
}

/// The text, cut with `…` if it has more characters.
pub(super) fn cut(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(chars_max - 1).collect();
    short.push('…');
    short
}

/// The text with a capital letter at its beginning.
pub fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(characters).collect()
}

/// A case in sentences: its size, or its call, shortened.
pub(super) fn case(case: &CaseLabel) -> String {
    match case {
        CaseLabel::Size(size) => super::numbers::count(u64::from(*size)),
        CaseLabel::Call(call) | CaseLabel::Instance { instance: call } => shortened(call),
        CaseLabel::Texts(SizedTexts { size, texts }) => {
            let size = super::numbers::count(u64::from(*size));
            format!("{size} ({})", texts.words())
        }
    }
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
    row_among(rows_of(report, criterion), a, b, None)
}

/// The verdicts by the clock of a criterion.
fn rows_of<'a>(report: &'a Report, criterion: &CriterionSummary) -> &'a [VerdictRow] {
    match criterion.source.as_str() {
        "wall" => &report.wall_verdicts,
        _ => &report.verdicts,
    }
}

/// All pairs with a verdict on a criterion over all cases that calls one of them better, in either
/// order. Empty for criteria whose readings are exact.
pub(super) fn sure_pairs<'a>(
    report: &'a Report,
    criterion: &CriterionSummary,
) -> Vec<(&'a str, &'a str)> {
    let is_sure = |verdict: Verdict| matches!(verdict, Verdict::Beats | Verdict::Beaten);
    if criterion.is_timed() {
        let rows = rows_of(report, criterion).iter();
        let sure = rows.filter(|row| row.case.is_none() && is_sure(row.verdict));
        return sure.map(|row| (row.a.as_str(), row.b.as_str())).collect();
    }
    let rows = report.reading_verdicts.get(&criterion.source);
    let sure = rows
        .into_iter()
        .flatten()
        .filter(|row| is_sure(row.verdict));
    sure.map(|row| (row.a.as_str(), row.b.as_str())).collect()
}

/// All pairs of which a verdict by the clock of a criterion, over all cases, calls the first faster than the second.
pub(super) fn beaten_pairs<'a>(
    report: &'a Report,
    criterion: &CriterionSummary,
) -> impl Iterator<Item = (&'a str, &'a str)> {
    let rows = rows_of(report, criterion).iter();
    rows.filter(|row| row.case.is_none())
        .filter_map(|row| match row.verdict {
            Verdict::Beats => Some((row.a.as_str(), row.b.as_str())),
            Verdict::Beaten => Some((row.b.as_str(), row.a.as_str())),
            Verdict::Tie | Verdict::NoCall => None,
        })
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
    if criterion.is_timed() {
        row_for(report, criterion, a, b).map(|row| row.verdict)
    } else {
        reading_row(report, criterion, a, b).map(|row| row.verdict)
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

/// The verdicts by time on single cases, by pair: for functions that go through all pairs, of which a report may have
/// 2,000, with 66,000 verdicts.
pub(super) struct RowsByPair<'a>(HashMap<(&'a str, &'a str), Vec<&'a VerdictRow>>);

impl<'a> RowsByPair<'a> {
    pub(super) fn new(report: &'a Report) -> Self {
        let mut rows: HashMap<(&str, &str), Vec<&VerdictRow>> = HashMap::new();
        for row in report.verdicts.iter().filter(|row| row.case.is_some()) {
            let (a, b) = (row.a.as_str(), row.b.as_str());
            rows.entry((a.min(b), a.max(b))).or_default().push(row);
        }
        Self(rows)
    }

    /// The verdicts about `a` against `b`, in the report's order.
    pub(super) fn about(&self, a: &str, b: &str) -> Vec<VerdictRow> {
        let rows = self.0.get(&(a.min(b), a.max(b))).into_iter().flatten();
        rows.map(|row| about_first(row, a)).collect()
    }
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

fn involves(row: &VerdictRow, id: &str) -> bool {
    row.a == id || row.b == id
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
        typical: row.typical.map(|ratio| 1.0 / ratio),
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
/// the one that is faster than most. [`ShownStanding`] says whether it is surely the fastest. `None` if no
/// time was measured.
pub fn reference(report: &Report) -> Option<&VariantReport> {
    let rows = |variant: &VariantReport| {
        let id = variant.id.clone();
        let rows = report.verdicts.iter().filter(|row| row.case.is_none());
        rows.filter(move |row| involves(row, &id))
    };
    let is_measured = |row: &VerdictRow| row.ratio.is_some() || row.verdict == Verdict::Tie;
    let timed =
        |variant: &&VariantReport| variant.failure.is_none() && rows(variant).any(is_measured);
    let defeats = |variant: &&VariantReport| {
        let rows: Vec<VerdictRow> = rows(variant)
            .map(|row| about_first(row, &variant.id))
            .collect();
        let beaten = rows.iter().filter(|row| row.verdict == Verdict::Beaten);
        let slower = rows.iter().filter(|row| row.ratio.is_none_or(|r| r > 1.0));
        (beaten.count(), slower.count())
    };
    report.variants.iter().filter(timed).min_by_key(defeats)
}

/// Standing of the variant that times are shown against, by the verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownStanding {
    /// The variant beats every other.
    Fastest,
    /// The variant beats or ties with every other.
    TiedForFastest,
    /// Another variant may be faster: verdicts do not say.
    Open,
}

impl ShownStanding {
    /// Returns the standing of the variant with this id, by the verdicts over all cases.
    pub fn of(report: &Report, id: &str) -> Self {
        let rows = report.verdicts.iter();
        let rows = rows.filter(|row| row.case.is_none() && involves(row, id));
        Self::by(rows.map(|row| about_first(row, id).verdict))
    }

    /// Returns the standing of a variant that has these verdicts against all others.
    pub fn by(verdicts: impl IntoIterator<Item = Verdict>) -> Self {
        verdicts
            .into_iter()
            .fold(Self::Fastest, |standing, verdict| {
                match (standing, verdict) {
                    (standing, Verdict::Beats) => standing,
                    (Self::Fastest | Self::TiedForFastest, Verdict::Tie) => Self::TiedForFastest,
                    _ => Self::Open,
                }
            })
    }

    /// The standing in a word or two.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fastest => "the fastest",
            Self::TiedForFastest => "a tie for the fastest",
            Self::Open => "the reference",
        }
    }
}

/// Relation of one variant to another on a criterion, as far as it is sure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    /// Surely better.
    Better,
    /// No different, or by too little to matter.
    Equal,
    /// Surely worse.
    Worse,
    /// Unsure.
    Open,
}

/// Compares by verdict where there is one, and else by the readings with their intervals. Readings whose difference is
/// not worth a claim ([`score::is_worth`]) are equal.
pub(super) fn relation(
    report: &Report,
    criterion: &CriterionSummary,
    a: &VariantReport,
    b: &VariantReport,
) -> Relation {
    let exact = exact_relation(report, criterion, a, b);
    let is_sure = matches!(exact, Relation::Better | Relation::Worse);
    if is_sure && !criterion.is_paired() && !is_worth(report, criterion, a, b) {
        Relation::Equal
    } else {
        exact
    }
}

/// Compares as [`relation`] does, but readings are equal only if they are the same. Of opinions nothing is sure.
pub(super) fn exact_relation(
    report: &Report,
    criterion: &CriterionSummary,
    a: &VariantReport,
    b: &VariantReport,
) -> Relation {
    if criterion.is_opinion() {
        return Relation::Open;
    }
    if criterion.is_paired() {
        return match verdict_on(report, criterion, &a.id, &b.id) {
            Some(Verdict::Beats) => Relation::Better,
            Some(Verdict::Beaten) => Relation::Worse,
            Some(Verdict::Tie) => Relation::Equal,
            Some(Verdict::NoCall) | None => Relation::Open,
        };
    }
    let (Some(a), Some(b)) = (scored(criterion, a), scored(criterion, b)) else {
        return Relation::Open;
    };
    match score::compare_readings(a, b, criterion.direction) {
        Some(Ordering::Greater) => Relation::Better,
        Some(Ordering::Equal) => Relation::Equal,
        Some(Ordering::Less) => Relation::Worse,
        None => Relation::Open,
    }
}

/// The reading of a variant that has a score on the criterion.
fn scored(criterion: &CriterionSummary, variant: &VariantReport) -> Option<Interval> {
    variant.scores.get(&criterion.name)?;
    Some(variant.readings.get(&criterion.source)?.interval())
}

/// Returns true if the difference of two variants on a criterion is worth a recommendation, if there is one: by
/// verdict, it is not below the practical threshold; by exact readings, it is worth a claim ([`score::is_worth`]).
pub(super) fn is_worth(
    report: &Report,
    criterion: &CriterionSummary,
    a: &VariantReport,
    b: &VariantReport,
) -> bool {
    if criterion.is_timed() {
        let row = row_for(report, criterion, &a.id, &b.id);
        return row.is_some_and(|row| !row.below_threshold);
    }
    if criterion.is_paired() {
        let row = reading_row(report, criterion, &a.id, &b.id);
        return row.is_some_and(|row| !row.below_threshold);
    }
    let (Some(a), Some(b)) = (scored(criterion, a), scored(criterion, b)) else {
        return false;
    };
    score::is_worth(criterion.scale, a.value, b.value)
}

/// Returns true if a ranked variant is surely better than this one on a criterion.
pub(super) fn is_beaten(report: &Report, criterion: &CriterionSummary, of: &VariantReport) -> bool {
    let mut others = ranked(report).into_iter().filter(|other| other.id != of.id);
    others.any(|other| relation(report, criterion, other, of) == Relation::Better)
}

/// The largest number of names of approaches in a sentence.
pub(super) const NAMES_MAX: usize = 6;

/// A list of at most `names_max` names; of more, the last entry counts the others: `a, b and 3 others`.
pub fn listed(mut names: Vec<String>, names_max: usize) -> String {
    if names.len() > names_max {
        let more = names.len() - (names_max - 1);
        names.truncate(names_max - 1);
        names.push(format!("{more} others"));
    }
    joined(&names)
}

/// A list of names: `a`, `a and b`, `a, b and c`.
pub(crate) fn joined(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
