//! View of a report under other weights, as its page shows it.

use super::{RankingOutcome, Report, VariantReport, presented, rescore, words};
use crate::is_active;
use crate::score::{WeightError, parse_weight};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The largest number of weights in a question.
const WEIGHTS_MAX: usize = 1_000;

/// The largest number of characters of a sentence.
const SENTENCE_CHARS_MAX: usize = 2_000;

/// Question of a report's page: weights, and the order and choice of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Question {
    /// Weights as on the command line: `memory=2`. Criteria that are not named keep theirs.
    pub weights: Vec<String>,
    /// The column by which rows are sorted, from 0: names, scores, the total, the rank. `None`: as ranked.
    pub column: Option<usize>,
    /// True if the largest comes first.
    pub descending: bool,
    /// The part of a name that the rows have, in any case; empty for all of them.
    pub filter: String,
}

/// View of a report that answers a question. Its active characters ([`is_active`]) are made visible.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportView {
    /// The recommendation in words; empty if none was asked for.
    pub answer: String,
    /// The outcome at the first place.
    pub outcome: RankingOutcome,
    /// The weight of each criterion in the shortest form that reads back as the same number.
    pub weights: Vec<String>,
    /// Totals of the variants, in the order of rank.
    pub totals: Vec<Option<f64>>,
    /// The rows of the comparison matrix.
    pub rows: Vec<Vec<String>>,
    /// The sentences below it.
    pub sections: Vec<ExploredSection>,
}

/// A heading with its sentences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExploredSection {
    /// The heading.
    pub title: String,
    /// The sentences.
    pub sentences: Vec<String>,
}

/// Answers a question of the page, from a report alone.
///
/// # Errors
/// A weight cannot be read, is out of bounds or for a criterion that does not exist, or all are zero.
pub fn explore(report: &Report, question: &Question) -> Result<ReportView, WeightError> {
    let texts = question.weights.iter().take(WEIGHTS_MAX);
    let weights: BTreeMap<String, f64> = texts
        .map(|text| parse_weight(text))
        .collect::<Result<_, _>>()?;
    let whole = rescore(report, &weights)?;
    let shown = presented(&whole);
    let report = shown.report.as_ref();
    let section = |section: words::Section| ExploredSection {
        title: section.title.to_owned(),
        sentences: section.sentences.iter().map(|one| visible(one)).collect(),
    };
    Ok(ReportView {
        answer: visible(&report.recommendation.text),
        outcome: report.recommendation.outcome,
        weights: report
            .criteria
            .iter()
            .map(|criterion| criterion.weight.to_string())
            .collect(),
        totals: report
            .variants
            .iter()
            .map(|variant| variant.total.map(|total| total.value))
            .collect(),
        rows: rows(report, question),
        sections: words::narrative(report).into_iter().map(section).collect(),
    })
}

fn rows(report: &Report, question: &Question) -> Vec<Vec<String>> {
    let show = |value: &super::Interval, decimals| words::numbers::decimals(decimals, value.value);
    let filter = question.filter.trim().to_lowercase();
    let rows = words::score_rows(report, show);
    let mut rows: Vec<(&VariantReport, Vec<String>)> = report
        .variants
        .iter()
        .zip(rows)
        .filter(|(_, row)| row[0].to_lowercase().contains(&filter))
        .collect();
    if let Some(column) = question.column {
        rows.sort_by(|(a, row_a), (b, row_b)| match column {
            0 => {
                let order = row_a[0].to_lowercase().cmp(&row_b[0].to_lowercase());
                turned(order, question.descending)
            }
            _ => compare(
                value(report, a, column),
                value(report, b, column),
                question.descending,
            ),
        });
    }
    let visible = |row: Vec<String>| row.iter().map(|cell| visible(cell)).collect();
    rows.into_iter().map(|(_, row)| visible(row)).collect()
}

/// The number behind a cell, if it has one.
fn value(report: &Report, variant: &VariantReport, column: usize) -> Option<f64> {
    let criteria = report.criteria.len();
    match report.criteria.get(column - 1) {
        Some(criterion) => Some(variant.scores.get(&criterion.name)?.value),
        None if column == criteria + 1 => Some(variant.total?.value),
        None => variant.rank.map(f64::from),
    }
}

/// Compares two values of a column. A missing value comes last, whichever way the others are sorted.
fn compare(a: Option<f64>, b: Option<f64>, descending: bool) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => turned(a.total_cmp(&b), descending),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

fn turned(order: Ordering, descending: bool) -> Ordering {
    if descending { order.reverse() } else { order }
}

/// A text with its active characters made visible, cut if it is too long.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for (index, c) in text.chars().enumerate() {
        match c {
            _ if index == SENTENCE_CHARS_MAX => {
                shown.push('…');
                break;
            }
            '\n' => shown.push(c),
            '\t' => shown.push_str("    "),
            '\r' => {}
            c if is_active(c) => shown += &format!("\\u{{{:x}}}", c as u32),
            c => shown.push(c),
        }
    }
    shown
}
