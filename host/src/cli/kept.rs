//! The report of a stored run: finding and validating it, since the file may have come from another
//! person.

use super::Status;
use super::failure::Failure;
use super::show::Sources;
use crate::library::{self, results_folder};
use bakeoff_config::DeclaredExperiment;
use bakeoff_domain::report::{Report, SCHEMA_VERSION};
use bakeoff_files::{Folder, parse_json, read_bounded};
use bakeoff_render::clipped;
use bakeoff_render::escape::Plain;
use bakeoff_run::audit::{self, Figure, Outcome, PastRun, Recomputed};
use bakeoff_store::{Mode, Origin, ReportFile, ResultsPlace, RunId, Store, StoreError};
use serde::Deserialize;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The most bytes of a report: 64 variants on 256 cases have about 110 MiB of verdicts.
const REPORT_BYTES_MAX: u64 = 128 << 20;

/// The most differences that are listed.
const DIFFERENCES_MAX: usize = 20;

/// A report that is to be displayed.
pub(super) struct DisplayedReport {
    /// The report.
    pub(super) report: Report,
    /// The run in the database that the report belongs to, if it was found there.
    pub(super) run: Option<RunId>,
    /// `true` if the stored report differs from the recomputed one, or none can be recomputed though one should follow.
    pub(super) differs: bool,
    /// `true` if the report is shown as it was kept, though it should follow from the samples.
    is_unfounded: bool,
    /// Sentences about the origin of the report that were written to stderr.
    pub(super) warnings: Vec<String>,
}

impl DisplayedReport {
    fn as_kept(report: Report) -> Self {
        Self {
            report,
            run: None,
            differs: false,
            is_unfounded: false,
            warnings: Vec::new(),
        }
    }

    /// Returns true if nothing in the report follows from samples, though it should.
    pub(super) fn is_unfounded(&self) -> bool {
        self.is_unfounded
    }

    /// Writes a warning to stderr, and keeps it for those who read the report elsewhere.
    fn warn(&mut self, text: String) {
        anstream::eprintln!("{text}");
        self.warnings.push(text);
    }

    /// Returns the report with the warnings as its first notes, for readers who do not see stderr.
    pub(super) fn with_warnings(&self) -> Report {
        let mut report = self.report.clone();
        report.notes.splice(0..0, self.warnings.iter().cloned());
        report
    }

    fn say_differences(&mut self, source: &str, differences: &[Figure]) {
        if differences.is_empty() {
            return;
        }
        self.warn(format!(
            "{source} is not what follows from the samples, and what follows from them is shown"
        ));
        for figure in differences.iter().take(DIFFERENCES_MAX) {
            if let Outcome::Differs { kept, here } = &figure.outcome {
                anstream::eprintln!(
                    "  {}, {}: it says {}, and the samples say {}",
                    quoted(&figure.about),
                    quoted(&figure.figure),
                    quoted(kept),
                    quoted(here)
                );
            }
        }
        let more = differences.len().saturating_sub(DIFFERENCES_MAX);
        if more > 0 {
            anstream::eprintln!("  and {more} more: `bakeoff verify` names all of them");
        }
    }

    /// Returns the exit status of a command that displays the report.
    pub(super) fn status(&self, otherwise: Status) -> Status {
        match self.differs {
            true => Status::NoAnswer,
            false => otherwise,
        }
    }
}

/// Place of a report: a folder of results or a file, and the experiment that it belongs to.
#[derive(Debug)]
pub(super) struct ReportPlace {
    /// The report's file.
    file: PathBuf,
    /// The folder of results, unless the user named the file of the report.
    results: Option<ResultsPlace>,
    /// The folder of results, open, if it exists.
    folder: Option<Folder>,
    /// The experiment, if it was found.
    pub(super) experiment: Option<DeclaredExperiment>,
}

impl ReportPlace {
    /// Finds the results that a user means by an experiment's folder or file, a folder of results,
    /// or a `report.json`.
    pub(super) fn find(named: &Path) -> Result<Self, Failure> {
        if is_experiment(named) {
            let declared = bakeoff_config::declared(named)?;
            let results = results_folder(&declared.dir, &declared.experiment)?;
            return Ok(Self {
                file: report_in(&results.path()),
                folder: results.open_folder().ok(),
                results: Some(results),
                experiment: Some(declared),
            });
        }
        let (file, results) = match named.extension().is_some_and(|end| end == "json") {
            true => (named.to_owned(), None),
            false => {
                let results = ResultsPlace::Named(named.to_owned());
                (report_in(named), Some(results))
            }
        };
        let experiment = owner(&file);
        Ok(Self {
            file,
            folder: results
                .as_ref()
                .and_then(|results| results.open_folder().ok()),
            results,
            experiment,
        })
    }

    /// Returns the report recomputed from the database, and writes to stderr how its file or the
    /// stored report differ. If nothing can be recomputed, returns the stored report: that of the
    /// file, or that of the database if the file is missing, cannot be read, or is of another run
    /// than the last one that has a report. A report that fails validation is an error.
    pub(super) fn report(&self) -> Result<DisplayedReport, Failure> {
        let shown = self.found()?;
        sound(&shown.report, &self.file)?;
        Ok(shown)
    }

    fn found(&self) -> Result<DisplayedReport, Failure> {
        let in_file = self.in_file();
        let Some(results) = &self.results else {
            return in_file.map(DisplayedReport::as_kept);
        };
        let alone = |file: Result<Report, Failure>, why: &str| {
            let mut shown = file.map(DisplayedReport::as_kept)?;
            shown.warn(self.nothing_behind(why));
            Ok(shown)
        };
        let store = match results.open(Mode::Read) {
            Err(error) if error.is_missing() => {
                return alone(in_file, "there are no results beside it");
            }
            store => store,
        };
        let recomputed = match store.and_then(|store| {
            let recomputed = audit::recompute(&store, None)?;
            Ok(recomputed.map(|recomputed| (store, recomputed)))
        }) {
            Ok(Some(recomputed)) => recomputed,
            Ok(None) => return alone(in_file, "there are no results beside it"),
            // An error of the database is fatal only where there is no file of a report either.
            Err(error) if in_file.is_err() && !self.has_file() => return Err(error.into()),
            Err(error) => return alone(in_file, &error.to_string()),
        };
        let (store, recomputed) = recomputed;
        let mut warnings = Vec::new();
        let mut is_foreign = false;
        if store.origin() == Origin::Elsewhere {
            warnings.push(from_elsewhere(&results.path()));
        }
        let file = match in_file {
            Ok(file) if are_of_one_run(&file, &recomputed.kept) => Some(file),
            Ok(file) => {
                is_foreign = !is_of_earlier_run(&store, &file)?;
                if is_foreign {
                    warnings.push(
                        "report.json beside these results is of no run that they have, and is not shown"
                            .to_owned(),
                    );
                }
                None
            }
            Err(_) if !self.has_file() => None,
            Err(_) => {
                is_foreign = true;
                warnings.push(
                    "report.json beside these results cannot be read as a report, and is not shown"
                        .to_owned(),
                );
                None
            }
        };
        for warning in &warnings {
            anstream::eprintln!("{warning}");
        }
        let mut shown = shown(recomputed, file);
        shown.differs |= is_foreign;
        shown.warnings.splice(0..0, warnings);
        Ok(shown)
    }

    /// Returns the warning that a report cannot be held against any results.
    fn nothing_behind(&self, why: &str) -> String {
        format!(
            "nothing stands behind {}: it is shown as it says, nothing was worked out again from \
             samples, and it may have been written by anybody: {}",
            Plain(&self.file.display().to_string()),
            quoted(why)
        )
    }

    /// Writes to stderr that there is nothing but the report's file, if the user named that.
    pub(super) fn say_if_alone(&self) {
        if self.results.is_none() {
            let why = "name its folder of results to work it out from them";
            anstream::eprintln!("{}", self.nothing_behind(why));
        }
    }

    /// Returns the sources that a run measured, as texts by variant id, where they were stored.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(super) fn sources(&self, run: Option<RunId>) -> Result<Sources, Failure> {
        match (&self.results, run) {
            (Some(results), Some(run)) => {
                let store = results.open(Mode::Read)?;
                Ok(audit::sources(&store, run)?)
            }
            _ => Ok(Sources::new()),
        }
    }

    /// Returns the last runs in the same database, for the page of a report; none for a report without a database.
    pub(super) fn runs(&self, shown: &DisplayedReport) -> Result<Vec<PastRun>, Failure> {
        match (&self.results, shown.run) {
            (Some(results), Some(_)) => {
                let store = results.open(Mode::Read)?;
                Ok(library::runs_shown(&store, &shown.report)?)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Returns the folder of results, or the folder that contains the report.
    pub(super) fn folder(&self) -> ResultsPlace {
        let beside = || {
            let folder = self.file.parent().unwrap_or(Path::new("."));
            ResultsPlace::Named(folder.to_owned())
        };
        self.results.clone().unwrap_or_else(beside)
    }

    /// Returns true if the user named the file of a report: it has no samples to be recomputed from.
    pub(super) fn is_a_file_alone(&self) -> bool {
        self.results.is_none()
    }

    /// Returns true if anything is in the place of the report's file.
    fn has_file(&self) -> bool {
        let folder = self.folder.as_ref();
        folder.is_some_and(|folder| folder.has(report_name()))
    }

    /// Reads the report's file. Only a file that the user named directly may be a link.
    fn bytes(&self) -> Result<Vec<u8>, Failure> {
        let read = match (&self.results, &self.folder) {
            (None, _) => read_bounded(&self.file, REPORT_BYTES_MAX),
            (Some(_), Some(folder)) => folder.read(report_name(), REPORT_BYTES_MAX),
            (Some(_), None) => Err(ErrorKind::NotFound.into()),
        };
        read_report(&self.file, read)
    }

    fn in_file(&self) -> Result<Report, Failure> {
        let shown = self.file.display().to_string();
        let shown = Plain(&shown);
        let bytes = self.bytes()?;
        let unusable = |why: String| {
            Failure::usage(format!(
                "{shown} cannot be read as a report: {why}; run the experiment again, which \
                 writes it anew from what is kept"
            ))
        };
        // A newer format may have anything in it: its version is looked at before all else.
        let version: Version = parse_json(&bytes).map_err(|error| unusable(error.to_string()))?;
        if version.schema_version > SCHEMA_VERSION {
            return Err(Failure::usage(format!(
                "{shown} has format version {}, and this bakeoff knows versions up to \
                 {SCHEMA_VERSION}: use a newer bakeoff",
                version.schema_version
            )));
        }
        let report: Report = parse_json(&bytes).map_err(|error| unusable(error.to_string()))?;
        sound(&report, &self.file)?;
        Ok(report)
    }
}

/// Returns an error if a report cannot be that of a run.
pub(super) fn sound(report: &Report, from: &Path) -> Result<(), Failure> {
    audit::check_report(report).map_err(|why| {
        let shown = from.display().to_string();
        Failure::usage(format!(
            "{} cannot be the report of a run: {why}",
            Plain(&shown)
        ))
    })
}

/// Opens a folder of results for reading, and writes to stderr if they come from elsewhere.
pub(super) fn open(results: &ResultsPlace) -> Result<Store, StoreError> {
    let store = results.open(Mode::Read)?;
    if store.origin() == Origin::Elsewhere {
        anstream::eprintln!("{}", from_elsewhere(&results.path()));
    }
    Ok(store)
}

fn from_elsewhere(results: &Path) -> String {
    format!(
        "the results in {} come from elsewhere: they are shown as they were found, and may have \
         been written by anybody",
        Plain(&results.display().to_string())
    )
}

/// Returns true if a report is that of a run of the store. A run that was killed before it had written its files left
/// those of the run before it.
fn is_of_earlier_run(store: &Store, report: &Report) -> Result<bool, StoreError> {
    for run in store.runs()? {
        let kept = store.report(Some(run.id))?;
        if kept.is_some_and(|kept| are_of_one_run(&kept, report)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the report of a run in a store, as [`ReportPlace::report`] does; `None` if it has none.
pub(super) fn of_run(
    store: &Store,
    run: Option<RunId>,
) -> Result<Option<DisplayedReport>, StoreError> {
    let recomputed = audit::recompute(store, run)?;
    Ok(recomputed.map(|recomputed| shown(recomputed, None)))
}

/// Chooses the report to display, and writes to stderr how the others differ from it. `file` is the same report as read
/// from a file.
fn shown(recomputed: Recomputed, file: Option<Report>) -> DisplayedReport {
    let Recomputed {
        run,
        kept,
        again,
        wording,
        should_follow,
    } = recomputed;
    let report = match again {
        Ok(report) => report,
        Err(why) => {
            let mut shown = DisplayedReport {
                run: Some(run),
                differs: should_follow,
                is_unfounded: should_follow,
                ..DisplayedReport::as_kept(file.unwrap_or(kept))
            };
            shown.warn(format!(
                "the report is shown as it was kept, not worked out again from the samples: {}",
                quoted(&why)
            ));
            return shown;
        }
    };
    let in_file = file.map(|file| audit::differences(&file, &report, wording));
    let in_database = audit::differences(&kept, &report, wording);
    let in_file = in_file.unwrap_or_default();
    let mut shown = DisplayedReport {
        run: Some(run),
        differs: !in_file.is_empty() || !in_database.is_empty(),
        ..DisplayedReport::as_kept(report)
    };
    shown.say_differences("report.json", &in_file);
    shown.say_differences("the report in the database", &in_database);
    shown
}

/// The longest text of results that a message quotes, in characters.
const QUOTED_CHARS_MAX: usize = 1_000;

fn quoted(text: &str) -> String {
    Plain(&clipped(text, QUOTED_CHARS_MAX)).to_string()
}

/// Returns true if two reports are of the same session of the same run. Their costs tell sessions apart, since they
/// include the time.
fn are_of_one_run(one: &Report, other: &Report) -> bool {
    one.experiment == other.experiment
        && one.environment == other.environment
        && one.cost == other.cost
}

/// Part of a report that every version of the format has.
#[derive(Deserialize)]
struct Version {
    schema_version: u32,
}

/// Returns the folder of results that a user means by an experiment's folder or file, or by the
/// folder itself.
pub(super) fn results(named: &Path) -> Result<ResultsPlace, Failure> {
    match is_experiment(named) {
        true => {
            let declared = bakeoff_config::declared(named)?;
            Ok(results_folder(&declared.dir, &declared.experiment)?)
        }
        false => Ok(ResultsPlace::Named(named.to_owned())),
    }
}

pub(super) fn is_experiment(named: &Path) -> bool {
    // Something else in the place of the file is refused when it is read, by a message that says what it is.
    let is_there = |file: &Path| file.metadata().is_ok_and(|found| !found.is_dir());
    is_there(&named.join(bakeoff_config::FILE_NAME))
        || is_there(named) && named.extension().is_some_and(|end| end == "toml")
}

pub(super) fn report_in(folder: &Path) -> PathBuf {
    folder.join(ReportFile::Json.name())
}

/// Returns the experiment whose `.bakeoff/NAME` contains the report. An experiment file that cannot
/// be read is no error here: without it, the report is displayed without code.
pub(super) fn owner(report: &Path) -> Option<DeclaredExperiment> {
    let folder = match report.canonicalize() {
        Ok(report) => report.parent()?.to_owned(),
        // The report may be in the database only.
        Err(_) => report.parent()?.canonicalize().ok()?,
    };
    let declared = bakeoff_config::declared(folder.parent()?.parent()?).ok()?;
    let own = results_folder(&declared.dir, &declared.experiment).ok()?;
    (own.path().canonicalize().ok()? == folder).then_some(declared)
}

/// The name of the report in a folder of results.
fn report_name() -> PathBuf {
    report_in(Path::new(""))
}

/// Returns the bytes that were read from a report's file, or the reason why it cannot be used.
fn read_report(file: &Path, read: std::io::Result<Option<Vec<u8>>>) -> Result<Vec<u8>, Failure> {
    let shown = file.display().to_string();
    let shown = Plain(&shown);
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Failure::usage(format!(
            "there is no report at {shown}: run the experiment first, with `bakeoff run`"
        )),
        _ => Failure::usage(format!("cannot read {shown}: {error}")),
    };
    read.map_err(unreadable)?.ok_or_else(|| {
        Failure::usage(format!(
            "{shown} is larger than the {} MiB that a report has at most",
            REPORT_BYTES_MAX >> 20
        ))
    })
}
