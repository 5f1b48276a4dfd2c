//! Digits of numbers that stand side by side: as many as it takes to see a difference that is claimed.

use super::numbers::{SCORE_DECIMALS, TOTAL_DECIMALS, decimals, fewest, reading_digits};
use super::view::{Relation, relation, sure_pairs};
use crate::report::{CriterionSummary, Report, VariantReport};
use std::collections::BTreeSet;

/// The largest number of decimals of a score.
const SCORE_DECIMALS_MAX: usize = 4;

/// The largest number of decimals of a total.
const TOTAL_DECIMALS_MAX: usize = 6;

/// The number of decimals of the scores on a criterion: with it, two scores look different if one is
/// surely the better.
pub fn score_decimals(report: &Report, criterion: &CriterionSummary) -> usize {
    let scored = |variant: &VariantReport| variant.scores.contains_key(&criterion.name);
    let variants: Vec<&VariantReport> = report.variants.iter().filter(|v| scored(v)).collect();
    let scores: Vec<f64> = variants
        .iter()
        .filter_map(|variant| Some(variant.scores.get(&criterion.name)?.value))
        .collect();
    let offered = SCORE_DECIMALS..=SCORE_DECIMALS_MAX;
    let claims = Claims::new(report, criterion);
    fewest(&scores, offered, decimals, |a, b| {
        claims.differ(variants[a], variants[b])
    })
}

/// The number of decimals of the totals: with it, those of different ranks look different.
pub fn total_decimals(report: &Report) -> usize {
    let ranked = report.variants.iter();
    let ranked = ranked.filter_map(|variant| Some((variant.rank?, variant.total?.value)));
    let (ranks, totals): (Vec<u32>, Vec<f64>) = ranked.unzip();
    let offered = TOTAL_DECIMALS..=TOTAL_DECIMALS_MAX;
    fewest(&totals, offered, decimals, |a, b| ranks[a] != ranks[b])
}

/// Two totals, of which the first is ahead, with the decimals that show it. `None` if the first is not
/// the larger one.
pub(super) fn totals(ahead: f64, behind: f64) -> Option<(String, String)> {
    let offered = TOTAL_DECIMALS..=TOTAL_DECIMALS_MAX;
    let count = fewest(&[ahead, behind], offered, decimals, |_, _| true);
    let texts = (decimals(count, ahead), decimals(count, behind));
    (ahead > behind && texts.0 != texts.1).then_some(texts)
}

/// The number of significant digits of the readings from a source: with it, two readings look different
/// if one is surely the better on a criterion from that source. `unit` is that of all of them.
pub fn source_digits(report: &Report, source: &str, unit: &str) -> usize {
    let has = |variant: &&VariantReport| variant.readings.contains_key(source);
    let variants: Vec<&VariantReport> = report.variants.iter().filter(has).collect();
    let values: Vec<f64> = variants.iter().map(|v| v.readings[source].value).collect();
    let criterion = report.criteria.iter().find(|one| one.source == source);
    let claims = criterion.map(|criterion| Claims::new(report, criterion));
    reading_digits(&values, unit, |a, b| {
        let claims = claims.as_ref();
        claims.is_some_and(|claims| claims.differ(variants[a], variants[b]))
    })
}

/// The sure differences on a criterion, found once for all pairs.
struct Claims<'a> {
    report: &'a Report,
    criterion: &'a CriterionSummary,
    by_verdict: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> Claims<'a> {
    fn new(report: &'a Report, criterion: &'a CriterionSummary) -> Self {
        Self {
            report,
            criterion,
            by_verdict: sure_pairs(report, criterion).into_iter().collect(),
        }
    }

    fn differ(&self, a: &VariantReport, b: &VariantReport) -> bool {
        if self.criterion.is_paired() {
            let has = |a: &VariantReport, b: &VariantReport| {
                self.by_verdict.contains(&(a.id.as_str(), b.id.as_str()))
            };
            return has(a, b) || has(b, a);
        }
        let relation = relation(self.report, self.criterion, a, b);
        matches!(relation, Relation::Better | Relation::Worse)
    }
}
