//! Doubts about the report of a kept run, in sentences.

use bakeoff_render::clipped;
use bakeoff_render::escape::Plain;
use bakeoff_run::audit::ReportStanding;
use bakeoff_store::RunId;
use std::path::Path;

/// The longest text of results that a sentence quotes, in characters.
const QUOTED_CHARS_MAX: usize = 1_000;

/// Returns a text of results as a sentence may quote it.
pub(crate) fn quoted(text: &str) -> String {
    Plain(&clipped(text, QUOTED_CHARS_MAX)).to_string()
}

/// Returns the doubt about results that come from elsewhere.
pub(crate) fn from_elsewhere(results: &Path) -> String {
    format!(
        "the results in {} come from elsewhere: they are shown as they were found, and may have \
         been written by anybody",
        Plain(&results.display().to_string())
    )
}

/// Returns the doubt about a report that follows from results, if what is stored says otherwise, or the run has not ended.
pub(crate) fn of_standing(run: RunId, standing: &ReportStanding) -> Option<String> {
    match standing {
        ReportStanding::Same => None,
        ReportStanding::Differs(_) => Some(
            "the report in the database is not what follows from the samples, and what follows from them is shown"
                .to_owned(),
        ),
        ReportStanding::OtherVersion { made_by } => Some(format!(
            "bakeoff {} made run {}, and by the rules of this one, {}, its report comes out otherwise: that one \
             is shown",
            quoted(made_by),
            run.0,
            env!("CARGO_PKG_VERSION")
        )),
        ReportStanding::Unfinished(status) => Some(format!(
            "run {} went on after this report was made, and has not ended: it is {}",
            run.0,
            status.name()
        )),
    }
}
