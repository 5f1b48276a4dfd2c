//! Verdicts by readings other than time, in words.

use super::numbers::{count, reading, with_ends};
use super::view::reading_row;
use crate::direction_words;
use crate::report::{Claim, CriterionSummary, Report, VariantReport};
use crate::verdict::RatioInterval;

/// Claim of a verdict by a reading about the better one, `a`, as the end of a sentence: `, 1.3 × (1.2–1.4)`, `, 4 %
/// (3–5 %)`, `, by 3.2 bins (1.1–5.6) in the mean of 256 inputs`, `, by 2 bins in the mean of 12 instances`. Empty where
/// other readings are exact, or there is no verdict.
pub(super) fn claim(
    report: &Report,
    criterion: &CriterionSummary,
    a: &VariantReport,
    b: &VariantReport,
) -> String {
    let Some(row) = reading_row(report, criterion, &a.id, &b.id) else {
        return String::new();
    };
    let Some(value) = row.value else {
        return String::new();
    };
    let inputs = count(u64::from(row.count));
    match row.claim {
        // The answers to a set of instances; of everything else that is exact the numbers are shown.
        Claim::Exact if row.count > 0 && value != 0.0 => {
            let apart = reading(value.abs(), &criterion.unit);
            format!(", by {apart} in the mean of {inputs} instances")
        }
        Claim::Exact => String::new(),
        Claim::Ratio => {
            let ratio = RatioInterval {
                ratio: Some(value),
                low: row.low,
                high: row.high,
            };
            let Some((apart, ends)) = direction_words::apart(ratio, value < 1.0) else {
                return String::new();
            };
            let ends = ends.map(|ends| format!(" ({ends})")).unwrap_or_default();
            format!(", {apart}{ends}")
        }
        Claim::MeanDifference => {
            let (low, high) = if value < 0.0 {
                (row.high.map(|end| -end), row.low.map(|end| -end))
            } else {
                (row.low, row.high)
            };
            let (_, ends) = with_ends(value.abs(), low, high);
            let ends = ends.map(|ends| format!(" ({ends})")).unwrap_or_default();
            let apart = reading(value.abs(), &criterion.unit);
            format!(", by {apart}{ends} in the mean of {inputs} rounds of inputs")
        }
        Claim::MoreInputs => {
            let apart = reading(value.abs(), &criterion.unit);
            format!(
                ", better in more of {inputs} rounds of inputs than worse, by {apart} in the median"
            )
        }
    }
}
