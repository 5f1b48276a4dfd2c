//! Charts of a report as SVG, without scripts, fonts or requests. The same image is part of the HTML
//! page and a file beside a Markdown report. Each chart has a title, a description and the table of
//! its numbers. Colours follow the reader's colour scheme, and shape or position shows all that
//! colour shows.

mod added;
mod archive;
mod axis;
mod canvas;
mod chart;
mod history;
mod parameters;
mod pareto;
mod ratio_plot;
mod ratios;
mod replicas;
mod scores;
mod search;
mod sizes;

use bakeoff_domain::report::{Report, presented};
use bakeoff_run::audit::PastRun;

pub(super) use added::chart as added;
pub(super) use archive::chart as archive;
pub(super) use canvas::STYLE;
pub use chart::Chart;
pub(super) use history::chart as history;
pub(super) use parameters::charts as parameters;
pub(super) use pareto::chart as pareto;
pub(super) use ratios::{chart as ratios, of as ratio_chart};
pub(super) use replicas::chart as replicas;
pub(super) use scores::chart as scores;
pub(super) use search::charts as search;
pub(super) use sizes::chart as sizes;

/// Returns the charts that there is data for, of a report and of the last runs of the same question.
pub fn charts(whole: &Report, runs: &[PastRun]) -> Vec<Chart> {
    let shown = presented(whole);
    let shown = shown.report.as_ref();
    let own = [ratios, replicas, sizes, pareto, scores].map(|chart| chart(shown));
    own.into_iter()
        .flatten()
        .chain(parameters(whole))
        .chain(search(whole))
        .chain(archive(whole))
        .chain(history(shown, runs))
        .chain(added::charts(whole))
        .collect()
}
