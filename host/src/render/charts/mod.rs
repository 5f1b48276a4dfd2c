//! Charts of a report, drawn as SVG: no script, no font, no request. The same picture stands in the
//! HTML page and in files beside a Markdown report. Each has a title, a description of what it
//! shows, and the table behind it; colours follow the reader's scheme, and shape or position says
//! all that colour says.

mod canvas;
mod pareto;
mod ratios;
mod scores;
mod sizes;

use super::tables::Table;
use bakeoff_domain::report::Report;

/// Variants that a chart shows, at most; the table behind it has all.
const VARIANTS_MAX: usize = 12;

/// One picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// Safe as a file name: `ratios`, `sizes`, `pareto`, `scores`.
    pub name: &'static str,
    /// What it shows, in a few words.
    pub title: String,
    /// What is to be seen, in a sentence.
    pub description: String,
    /// The picture: a whole SVG document, which may also stand inside an HTML page.
    pub svg: String,
    /// The numbers behind it.
    pub(super) table: Table,
}

/// The charts that the report has data for.
pub fn charts(report: &Report) -> Vec<Chart> {
    [
        ratios::chart(report),
        sizes::chart(report),
        pareto::chart(report),
        scores::chart(report),
    ]
    .into_iter()
    .flatten()
    .collect()
}
