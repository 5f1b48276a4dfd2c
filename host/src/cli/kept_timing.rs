//! Comparisons of commands that are kept in a folder, as the user refers to them.

use super::Status;
use super::failure::Failure;
use super::options::Output;
use super::regression::Unsure;
use super::report_source;
use super::series_output::{self, Test};
use crate::library::from_elsewhere;
use bakeoff_domain::series::SeriesReport;
use bakeoff_files::{Folder, UserKey};
use bakeoff_programs::{KEPT_FILE, KeptError, KeptOrigin, KeptTiming};
use bakeoff_render::escape::Plain;
use bakeoff_store::DATABASE;
use std::path::Path;

/// A comparison of commands with its report, which was concluded anew from its runs.
pub(super) struct ReportedTiming {
    pub(super) kept: KeptTiming,
    pub(super) report: SeriesReport,
}

/// Opens the folder in which a comparison is to be kept, and makes it where it is missing.
///
/// # Errors
/// Something is kept there already, or it cannot be made.
pub(super) fn folder_for(out: &Path) -> Result<Folder, Failure> {
    let named = Plain(&out.display().to_string()).to_string();
    let folder = Folder::made_by_user(out)
        .map_err(|error| Failure::infrastructure(format!("cannot use {named}: {error}")))?;
    // Said before anything is measured.
    if let Err(reason) = UserKey::of_results() {
        return Err(Failure::infrastructure(format!(
            "--out {named}: there is no key to seal it with: {reason}"
        )));
    }
    let taken = [
        (KEPT_FILE, "a comparison of commands"),
        (DATABASE, "results of runs"),
    ];
    match taken.into_iter().find(|(file, _)| folder.has(file)) {
        Some((file, what)) => Err(Failure::usage(format!(
            "--out {named}: {what} is kept there ({file}): name another folder, or remove that file"
        ))),
        None => Ok(folder),
    }
}

/// Returns the comparison of commands that is kept in a folder; `None` if nothing is, or results of runs are.
///
/// # Errors
/// What is kept there is damaged.
pub(super) fn find(named: &Path) -> Result<Option<ReportedTiming>, Failure> {
    let Ok(folder) = Folder::named_by_user(named) else {
        return Ok(None);
    };
    if folder.has(DATABASE) || report_source::is_experiment(named) {
        return Ok(None);
    }
    let failed = |error: KeptError| {
        let file = named.join(KEPT_FILE).display().to_string();
        Failure::usage(format!("{file}: {error}"))
    };
    let Some((kept, origin)) = KeptTiming::read(&folder).map_err(failed)? else {
        return Ok(None);
    };
    let mut report = kept.report().map_err(failed)?;
    if origin == KeptOrigin::Elsewhere {
        report.warnings.insert(0, from_elsewhere(named));
    }
    Ok(Some(ReportedTiming { kept, report }))
}

/// Writes the report again, with the answer to the test that was asked for.
pub(super) fn show(timing: &ReportedTiming, output: &Output) -> Result<Status, Failure> {
    series_output::has_format(output)?;
    let options = &timing.kept.options;
    let test = options.margin.map(|allowed| Test {
        allowed,
        unsure: if options.passes_if_unsure {
            Unsure::Pass
        } else {
            Unsure::Fail
        },
    });
    series_output::print(&timing.report, test, output)
}
