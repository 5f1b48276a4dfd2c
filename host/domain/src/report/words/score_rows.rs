//! The rows of the comparison matrix.

use super::{name, score_decimals, total_decimals};
use crate::report::{Interval, Report, VariantReport, VariantStatus};

/// The content of a cell without a value.
pub const NO_VALUE: &str = "–";

/// The rank in texts: `1`; `2=` if it is shared; the status of a variant without a rank.
pub fn rank(report: &Report, variant: &VariantReport) -> String {
    match (variant.status, variant.rank) {
        (VariantStatus::Ranked, Some(rank)) => {
            let of_rank = report.variants.iter().filter(|v| v.rank == Some(rank));
            let sign = if of_rank.count() > 1 { "=" } else { "" };
            format!("{rank}{sign}")
        }
        (status, _) => status.name().to_owned(),
    }
}

/// Rows of the comparison matrix, by variant: its name, the score on each criterion, its total and its rank. A column
/// has as many decimals as it takes to see the differences that are sure; `show` writes a value with this number of
/// decimals.
pub fn score_rows(report: &Report, show: impl Fn(&Interval, usize) -> String) -> Vec<Vec<String>> {
    let decimals = |criterion| score_decimals(report, criterion);
    let decimals: Vec<usize> = report.criteria.iter().map(decimals).collect();
    let total_decimals = total_decimals(report);
    let cell = |value: Option<&Interval>, decimals: usize| {
        value.map_or(NO_VALUE.to_owned(), |value| show(value, decimals))
    };
    let row = |variant: &VariantReport| {
        let mut row = vec![name(report, &variant.id)];
        let columns = report.criteria.iter().zip(&decimals);
        row.extend(
            columns
                .map(|(criterion, decimals)| cell(variant.scores.get(&criterion.name), *decimals)),
        );
        row.push(cell(variant.total.as_ref(), total_decimals));
        row.push(rank(report, variant));
        row
    };
    report.variants.iter().map(row).collect()
}
