//! The report of a stored run: finding and validating it, since the file may have come from another
//! person.

use super::Status;
use super::failure::Failure;
use super::show::Sources;
use crate::audit::{self, Figure, KeptRun, Outcome, PastRun, Recomputed};
use crate::config::{self, DeclaredExperiment, LoadedExperiment, Policy};
use crate::files::{parse_json, read_bounded};
use crate::library::{self, results_folder};
use crate::render::clipped;
use crate::render::escape::Plain;
use crate::store::{Files, Mode, Origin, ReportFile, RunId, Store, StoreError};
use bakeoff_domain::report::{Report, SCHEMA_VERSION};
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
    /// `true` if the stored report differs from the recomputed one.
    pub(super) differs: bool,
}

impl DisplayedReport {
    fn as_kept(report: Report) -> Self {
        Self {
            report,
            run: None,
            differs: false,
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

/// The place of a report: a folder of results or a file, and the experiment that it belongs to.
#[derive(Debug)]
pub(super) struct ReportPlace {
    /// The report's file.
    file: PathBuf,
    /// The folder of results, unless the user named the file of the report.
    results: Option<PathBuf>,
    /// The experiment, if it was found.
    pub(super) experiment: Option<DeclaredExperiment>,
}

impl ReportPlace {
    /// Finds the results that a user means by an experiment's folder or file, a folder of results,
    /// or a `report.json`.
    pub(super) fn find(named: &Path) -> Result<Self, Failure> {
        if is_experiment(named) {
            let declared = config::declared(named)?;
            let results = results_folder(&declared.dir, &declared.experiment);
            return Ok(Self {
                file: report_in(&results),
                results: Some(results),
                experiment: Some(declared),
            });
        }
        let (file, results) = match named.extension().is_some_and(|end| end == "json") {
            true => (named.to_owned(), None),
            false => (report_in(named), Some(named.to_owned())),
        };
        let experiment = owner(&file);
        Ok(Self {
            file,
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
        let recomputed = match in_database(results) {
            Ok(Some(recomputed)) => recomputed,
            Ok(None) => {
                let shown = in_file.map(DisplayedReport::as_kept)?;
                self.nothing_behind("there are no results beside it");
                return Ok(shown);
            }
            // What is wrong with the database matters where there is nothing else.
            Err(error) if in_file.is_err() && !self.file.exists() => return Err(error.into()),
            Err(error) => {
                let shown = in_file.map(DisplayedReport::as_kept)?;
                self.nothing_behind(&error.to_string());
                return Ok(shown);
            }
        };
        let file = in_file.ok();
        let file = file.filter(|report| are_of_one_run(report, &recomputed.kept));
        Ok(shown(recomputed, file))
    }

    /// Writes to stderr that a report cannot be held against anything.
    fn nothing_behind(&self, why: &str) {
        anstream::eprintln!(
            "nothing stands behind {}: it is shown as it says, nothing was worked out again from \
             samples, and it may have been written by anybody: {}",
            Plain(&self.file.display().to_string()),
            quoted(why)
        );
    }

    /// Writes to stderr that the file of a report which the user named is all there is.
    pub(super) fn say_if_alone(&self) {
        if self.results.is_none() {
            self.nothing_behind("name its folder of results to work it out from them");
        }
    }

    /// Returns the text of the source that a run measured by variant id, where it was stored.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(super) fn sources(&self, run: Option<RunId>) -> Result<Sources, Failure> {
        match (&self.results, run) {
            (Some(results), Some(run)) => {
                let store = Store::open(results, Mode::Read)?;
                Ok(audit::sources(&store, run)?)
            }
            _ => Ok(Sources::new()),
        }
    }

    /// Returns the last runs beside one of a database, for the page of its report.
    pub(super) fn runs(&self, shown: &DisplayedReport) -> Result<Vec<PastRun>, Failure> {
        match (&self.results, shown.run) {
            (Some(results), Some(_)) => {
                let store = Store::open(results, Mode::Read)?;
                Ok(library::runs_shown(&store, &shown.report)?)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Returns the folder of results, or the folder that contains the report.
    pub(super) fn folder(&self) -> &Path {
        let beside = || self.file.parent().unwrap_or(Path::new("."));
        self.results.as_deref().unwrap_or_else(beside)
    }

    /// Returns true if the user named the file of a report: it has no samples to be recomputed
    /// from.
    pub(super) fn is_a_file_alone(&self) -> bool {
        self.results.is_none()
    }

    fn in_file(&self) -> Result<Report, Failure> {
        let shown = self.file.display().to_string();
        let shown = Plain(&shown);
        let bytes = read(&self.file)?;
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

/// Returns the report of the last run in a folder of results that has one, if this bakeoff knows
/// its format.
fn in_database(results: &Path) -> Result<Option<Recomputed>, StoreError> {
    match open(results) {
        Err(error) if error.is_missing() => Ok(None),
        store => audit::recompute(&store?, None),
    }
}

/// Opens a folder of results for reading, and writes to stderr if they come from elsewhere.
pub(super) fn open(results: &Path) -> Result<Store, StoreError> {
    let store = Store::open(results, Mode::Read)?;
    if store.origin() == Origin::Elsewhere {
        anstream::eprintln!(
            "the results in {} come from elsewhere: they are shown as they were found, and may have \
             been written by anybody",
            Plain(&results.display().to_string())
        );
    }
    Ok(store)
}

/// Returns the report of a run in a store, as [`ReportPlace::report`] does; `None` if it has none.
pub(super) fn of_run(
    store: &Store,
    run: Option<RunId>,
) -> Result<Option<DisplayedReport>, StoreError> {
    let recomputed = audit::recompute(store, run)?;
    Ok(recomputed.map(|recomputed| shown(recomputed, None)))
}

/// Chooses the report to display, and writes how the other differs. `file` is the same report as
/// read from a file.
fn shown(recomputed: Recomputed, file: Option<Report>) -> DisplayedReport {
    let Recomputed {
        run,
        kept,
        again,
        wording,
    } = recomputed;
    let report = match again {
        Ok(report) => report,
        Err(why) => {
            not_worked_out(&why);
            return DisplayedReport {
                run: Some(run),
                ..DisplayedReport::as_kept(file.unwrap_or(kept))
            };
        }
    };
    let in_file = file.map(|file| audit::differences(&file, &report, wording));
    let in_database = audit::differences(&kept, &report, wording);
    let in_file = in_file.unwrap_or_default();
    let differs = !in_file.is_empty() || !in_database.is_empty();
    say_differences("report.json", &in_file);
    say_differences("the report in the database", &in_database);
    DisplayedReport {
        report,
        run: Some(run),
        differs,
    }
}

fn not_worked_out(why: &str) {
    anstream::eprintln!(
        "the report is shown as it was kept, not worked out again from the samples: {}",
        quoted(why)
    );
}

/// The longest text of results that a message quotes, in characters.
const QUOTED_CHARS_MAX: usize = 1_000;

fn quoted(text: &str) -> String {
    Plain(&clipped(text, QUOTED_CHARS_MAX)).to_string()
}

fn say_differences(source: &str, differences: &[Figure]) {
    if differences.is_empty() {
        return;
    }
    anstream::eprintln!(
        "{source} is not what follows from the samples, and what follows from them is shown:"
    );
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

/// Returns true if two reports are of the same session of the same run. Their costs tell, since
/// they include the time.
fn are_of_one_run(one: &Report, other: &Report) -> bool {
    one.experiment == other.experiment
        && one.environment == other.environment
        && one.cost == other.cost
}

/// The part that every version of the format has.
#[derive(Deserialize)]
struct Version {
    schema_version: u32,
}

/// The folder of results, and the folder that granted folders are relative to.
pub(super) struct RunPlace {
    /// The folder of results.
    pub(super) results: PathBuf,
    /// The experiment's folder, if it was found.
    dir: Option<PathBuf>,
}

impl RunPlace {
    /// Finds the folder of results that a user means by an experiment's folder or file, or by a
    /// folder of results. If `results` is given, `named` is only the folder that grants are
    /// relative to.
    pub(super) fn find(named: &Path, results: Option<&Path>) -> Result<Self, Failure> {
        if is_experiment(named) {
            let declared = config::declared(named)?;
            let own = results_folder(&declared.dir, &declared.experiment);
            return Ok(Self {
                results: results.map_or(own, Path::to_owned),
                dir: Some(declared.dir),
            });
        }
        if let Some(results) = results {
            return Ok(Self {
                results: results.to_owned(),
                dir: Some(named.to_owned()),
            });
        }
        Ok(Self {
            results: named.to_owned(),
            dir: owner(&report_in(named)).map(|declared| declared.dir),
        })
    }

    /// Returns the experiment of a stored run as it was declared then. The host's policy must allow
    /// everything that the run was made with.
    pub(super) fn loaded(
        &self,
        kept: &KeptRun,
        policy: &Policy,
    ) -> Result<LoadedExperiment, Failure> {
        let mut approaches = kept.evidence.record.experiment.approaches.iter();
        let granted = approaches.any(|approach| !approach.grants.is_empty());
        if granted && self.dir.is_none() {
            return Err(Failure::usage(
                "the run was granted folders of its experiment, which was not found: name the \
                 experiment's folder, and this one with --results",
            ));
        }
        let dir = self.dir.clone().unwrap_or_default();
        let mut loaded = kept.loaded(&dir)?;
        policy.apply_to(&mut loaded)?;
        Ok(loaded)
    }
}

/// Returns the folder of results that a user means by an experiment's folder or file, or by the
/// folder itself.
pub(super) fn results(named: &Path) -> Result<PathBuf, Failure> {
    match is_experiment(named) {
        true => {
            let declared = config::declared(named)?;
            Ok(results_folder(&declared.dir, &declared.experiment))
        }
        false => Ok(named.to_owned()),
    }
}

fn is_experiment(named: &Path) -> bool {
    named.join(config::FILE_NAME).is_file()
        || named.is_file() && named.extension().is_some_and(|end| end == "toml")
}

fn report_in(folder: &Path) -> PathBuf {
    Files::new(folder).report(ReportFile::Json)
}

/// Returns the experiment whose `.bakeoff/NAME` contains the report. An experiment file that cannot
/// be read is no error here: without it, the report is displayed without code.
fn owner(report: &Path) -> Option<DeclaredExperiment> {
    let folder = match report.canonicalize() {
        Ok(report) => report.parent()?.to_owned(),
        // The report may be in the database only.
        Err(_) => report.parent()?.canonicalize().ok()?,
    };
    let declared = config::declared(folder.parent()?.parent()?).ok()?;
    let own = results_folder(&declared.dir, &declared.experiment);
    (own.canonicalize().ok()? == folder).then_some(declared)
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let shown = file.display().to_string();
    let shown = Plain(&shown);
    let unreadable = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Failure::usage(format!(
            "there is no report at {shown}: run the experiment first, with `bakeoff run`"
        )),
        _ => Failure::usage(format!("cannot read {shown}: {error}")),
    };
    let bytes = read_bounded(file, REPORT_BYTES_MAX).map_err(unreadable)?;
    bytes.ok_or_else(|| {
        Failure::usage(format!(
            "{shown} is larger than the {} MiB that a report has at most",
            REPORT_BYTES_MAX >> 20
        ))
    })
}
