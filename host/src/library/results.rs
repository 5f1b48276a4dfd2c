//! Folder of an experiment's results, and the files that a finished run leaves there for people.

use bakeoff_domain::ids;
use bakeoff_domain::report::Report;
use bakeoff_domain::spec::Experiment;
use bakeoff_run::audit::runs_shown;
use bakeoff_store::{ReportFile, ResultsPlace, SafeId, Store, StoreError};
use std::collections::BTreeMap;
use std::path::Path;

/// The folder of the charts that `report.md` refers to, beside it.
const CHARTS: &str = "charts";

/// The folder of everything that is kept of an experiment, in the experiment's folder.
const KEPT: &str = ".bakeoff";

/// Returns the folder in which the results of an experiment are kept, whether it exists or not. The folder may have
/// come with the experiment: a link on the way to it is refused, also for commands that only read.
///
/// # Errors
/// There is such a link.
pub(crate) fn results_folder(
    dir: &Path,
    experiment: &Experiment,
) -> Result<ResultsPlace, StoreError> {
    let place = ResultsPlace::InExperiment {
        dir: dir.to_owned(),
        below: Path::new(KEPT).join(ids::slug(&experiment.name)),
    };
    place.refuse_links()?;
    Ok(place)
}

/// Writes the report beside the results, in every format that people open.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn write_files(
    store: &Store,
    report: &Report,
    sources: &BTreeMap<String, String>,
) -> Result<(), StoreError> {
    let files = store.files();
    let options = bakeoff_render::Options {
        charts: Some(CHARTS.to_owned()),
        sources: sources.clone(),
        runs: runs_shown(store, report)?,
        ..bakeoff_render::Options::default()
    };
    for chart in bakeoff_render::charts::charts(report, &options.runs) {
        files.write_chart(&SafeId::new(&chart.name)?, &chart.svg)?;
    }
    files.write_summary(&bakeoff_render::summary(report))?;
    files.write_report(ReportFile::Json, bakeoff_render::json(report).as_bytes())?;
    files.write_report(
        ReportFile::Markdown,
        bakeoff_render::markdown(report, &options).as_bytes(),
    )?;
    files.write_report(
        ReportFile::Html,
        bakeoff_render::html(report, &options).as_bytes(),
    )
}
