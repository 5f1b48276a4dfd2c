//! Sentences about a report, from its values only.

use super::Report;

/// The answer, in a sentence or two.
pub fn headline(report: &Report) -> String {
    report.recommendation.winner.clone().unwrap_or_default()
}
