//! Charts of a report as SVG, without scripts, fonts or requests. The same image is part of the HTML
//! page and a file beside a Markdown report. Each chart has a title, a description and the table of
//! its numbers. Colours follow the reader's colour scheme, and shape or position shows all that
//! colour shows.

mod canvas;
mod chart;
mod pareto;
mod ratios;
mod scores;
mod sizes;

use bakeoff_domain::report::Report;

pub use chart::Chart;

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
