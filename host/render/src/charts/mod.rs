//! Charts of a report as SVG, without scripts, fonts or requests. The same image is part of the HTML
//! page and a file beside a Markdown report. Each chart has a title, a description and the table of
//! its numbers. Colours follow the reader's colour scheme, and shape or position shows all that
//! colour shows.

mod canvas;
mod chart;
mod history;
mod parameters;
mod pareto;
mod ratios;
mod replicas;
mod scores;
mod sizes;

use bakeoff_domain::report::{Report, presented};

pub(super) use canvas::STYLE;
pub use chart::Chart;
pub(super) use history::chart as history;

/// Returns the charts that the report has data for.
pub fn charts(report: &Report) -> Vec<Chart> {
    let shown = presented(report);
    let shown = shown.report.as_ref();
    let own = [
        ratios::chart(shown),
        replicas::chart(shown),
        sizes::chart(shown),
        pareto::chart(shown),
        scores::chart(shown),
    ];
    own.into_iter()
        .flatten()
        .chain(parameters::charts(report))
        .collect()
}
