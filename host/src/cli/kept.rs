//! The report that a run left behind: finding it, and reading it with the care that a file wants
//! which may have been sent by somebody.

use super::Status;
use super::failure::Failure;
use super::run::results_folder;
use crate::config::{self, Loaded, Policy};
use crate::coordinate::{self, Figure, Outcome, Recomputed, Record};
use crate::render::inert::Plain;
use crate::store::{Files, Mode, ReportFile, RunId, Store, StoreError};
use bakeoff_domain::report::{Report, SCHEMA_VERSION};
use serde::Deserialize;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// Bytes a report has at most: 64 variants on 256 cases have about 110 MiB of verdicts.
const REPORT_BYTES_MAX: u64 = 128 << 20;

/// Differences that are listed.
const DIFFERENCES_MAX: usize = 20;

/// A report to be shown.
pub(super) struct Shown {
    /// The report.
    pub(super) report: Report,
    /// Whether what is kept as the report says otherwise.
    pub(super) differs: bool,
}

impl Shown {
    fn as_kept(report: Report) -> Self {
        Self {
            report,
            differs: false,
        }
    }

    /// How a command ends that shows it.
    pub(super) fn status(&self, otherwise: Status) -> Status {
        match self.differs {
            true => Status::NoAnswer,
            false => otherwise,
        }
    }
}

/// A folder of results, and the experiment they belong to.
#[derive(Debug)]
pub(super) struct Kept {
    /// The report as a file.
    file: PathBuf,
    /// The folder of results, unless the user named the file itself.
    results: Option<PathBuf>,
    /// The experiment, if it was found: code comes from its folder and nowhere else.
    pub(super) experiment: Option<Loaded>,
}

impl Kept {
    /// Finds the results that a user means by an experiment's folder or file, a folder of results,
    /// or a `report.json`.
    pub(super) fn find(named: &Path) -> Result<Self, Failure> {
        if is_experiment(named) {
            let loaded = config::load(named)?;
            let results = results_folder(&loaded);
            return Ok(Self {
                file: report_in(&results),
                results: Some(results),
                experiment: Some(loaded),
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

    /// The report that follows from what is kept in the database. What its file or the database says
    /// otherwise is said on stderr. Where nothing can be worked out, the report as it is kept: in its
    /// file, or in the database if the file is not there, cannot be read, or is of another run than the
    /// last one that has a report. One that cannot be that of a run is refused.
    pub(super) fn report(&self) -> Result<Shown, Failure> {
        let shown = self.found()?;
        sound(&shown.report, &self.file)?;
        Ok(shown)
    }

    fn found(&self) -> Result<Shown, Failure> {
        let in_file = self.in_file();
        let Some(results) = &self.results else {
            return in_file.map(Shown::as_kept);
        };
        let recomputed = match in_database(results) {
            Ok(Some(recomputed)) => recomputed,
            Ok(None) => return in_file.map(Shown::as_kept),
            // What is wrong with the database matters where there is nothing else.
            Err(error) if in_file.is_err() && !self.file.exists() => return Err(error.into()),
            Err(error) => {
                let shown = in_file.map(Shown::as_kept)?;
                not_worked_out(&error.to_string());
                return Ok(shown);
            }
        };
        let file = in_file.ok();
        let file = file.filter(|report| are_of_one_run(report, &recomputed.kept));
        Ok(shown(recomputed, file))
    }

    /// Whether the user named a report itself: there are no samples to work it out from.
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
        let version: Version =
            serde_json::from_slice(&bytes).map_err(|error| unusable(error.to_string()))?;
        if version.schema_version > SCHEMA_VERSION {
            return Err(Failure::usage(format!(
                "{shown} has format version {}, and this bakeoff knows versions up to \
                 {SCHEMA_VERSION}: use a newer bakeoff",
                version.schema_version
            )));
        }
        let report: Report =
            serde_json::from_slice(&bytes).map_err(|error| unusable(error.to_string()))?;
        sound(&report, &self.file)?;
        Ok(report)
    }
}

/// Refuses a report that cannot be that of a run.
pub(super) fn sound(report: &Report, from: &Path) -> Result<(), Failure> {
    coordinate::check_report(report).map_err(|why| {
        let shown = from.display().to_string();
        Failure::usage(format!(
            "{} cannot be the report of a run: {why}",
            Plain(&shown)
        ))
    })
}

/// The report of the last run in a folder of results that has one, if this bakeoff knows its format.
fn in_database(results: &Path) -> Result<Option<Recomputed>, StoreError> {
    match Store::open(results, Mode::Read) {
        Err(error) if error.is_missing() => Ok(None),
        store => coordinate::recompute(&store?, None),
    }
}

/// The report of a run in a store, as [`Kept::report`] gives it; `None` if it has none.
pub(super) fn of_run(store: &Store, run: Option<RunId>) -> Result<Option<Shown>, StoreError> {
    let recomputed = coordinate::recompute(store, run)?;
    Ok(recomputed.map(|recomputed| shown(recomputed, None)))
}

/// Decides what is shown, and says what it is not. `file` is the same report as a file has it.
fn shown(recomputed: Recomputed, file: Option<Report>) -> Shown {
    let Recomputed { kept, again } = recomputed;
    let report = match again {
        Ok(report) => report,
        Err(why) => {
            not_worked_out(&why);
            return Shown::as_kept(file.unwrap_or(kept));
        }
    };
    let in_file = file.map(|file| coordinate::differences(&file, &report));
    let in_database = coordinate::differences(&kept, &report);
    let in_file = in_file.unwrap_or_default();
    let differs = !in_file.is_empty() || !in_database.is_empty();
    say_differences("report.json", &in_file);
    say_differences("the report in the database", &in_database);
    Shown { report, differs }
}

fn not_worked_out(why: &str) {
    anstream::eprintln!(
        "the report is shown as it was kept, not worked out again from the samples: {}",
        Plain(why)
    );
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
                Plain(&figure.about),
                Plain(&figure.figure),
                Plain(kept),
                Plain(here)
            );
        }
    }
    let more = differences.len().saturating_sub(DIFFERENCES_MAX);
    if more > 0 {
        anstream::eprintln!("  and {more} more: `bakeoff verify` names all of them");
    }
}

/// Whether two reports are of the same session of the same run. What they cost is no other's: it
/// includes the time.
fn are_of_one_run(one: &Report, other: &Report) -> bool {
    one.experiment == other.experiment
        && one.environment == other.environment
        && one.cost == other.cost
}

/// What every version of the format has.
#[derive(Deserialize)]
struct Version {
    schema_version: u32,
}

/// The folder of results and the experiment it belongs to.
pub(super) struct Place {
    /// The folder of results.
    pub(super) results: PathBuf,
    /// What the paths of the experiment are relative to.
    dir: PathBuf,
    /// The experiment file's text; empty if there is none.
    pub(super) text: String,
}

impl Place {
    /// Finds what a user means by an experiment's folder or file, or by a folder of results within
    /// one. With `results` named apart, the first is only where the experiment's files are.
    pub(super) fn find(named: &Path, results: Option<&Path>) -> Result<Self, Failure> {
        if is_experiment(named) {
            let loaded = config::load(named)?;
            let own = results_folder(&loaded);
            return Ok(Self {
                results: results.map_or(own, Path::to_owned),
                dir: loaded.dir,
                text: loaded.text,
            });
        }
        if let Some(results) = results {
            return Ok(Self {
                results: results.to_owned(),
                dir: named.to_owned(),
                text: String::new(),
            });
        }
        let Some(loaded) = owner(&report_in(named)) else {
            let shown = named.display().to_string();
            return Err(Failure::usage(format!(
                "the experiment that {} belongs to was not found: name the experiment's folder, \
                 and this one with --results",
                Plain(&shown)
            )));
        };
        Ok(Self {
            results: named.to_owned(),
            dir: loaded.dir,
            text: loaded.text,
        })
    }

    /// The experiment as a run of it was asked, which later changes of the file do not change. The
    /// host's policy must allow all that the run was made with.
    /// Files that it names are read from the experiment's folder, and from those of `also`.
    pub(super) fn as_run(
        &self,
        record: &Record,
        also: &[PathBuf],
        policy: &Policy,
    ) -> Result<Loaded, Failure> {
        let mut loaded = Loaded::recorded(record.experiment.clone(), self.dir.clone(), also)?;
        policy.narrow(&mut loaded)?;
        Ok(loaded)
    }
}

/// The folder of results that a user means by an experiment's folder or file, or by itself.
pub(super) fn results(named: &Path) -> Result<PathBuf, Failure> {
    match is_experiment(named) {
        true => Ok(results_folder(&config::load(named)?)),
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

/// The experiment whose `.bakeoff/NAME` holds the report. Without it a report is only shown without
/// code, so an experiment file that is broken by now is no error here.
fn owner(report: &Path) -> Option<Loaded> {
    let folder = match report.canonicalize() {
        Ok(report) => report.parent()?.to_owned(),
        // The report may be in the database only.
        Err(_) => report.parent()?.canonicalize().ok()?,
    };
    let loaded = config::load(folder.parent()?.parent()?).ok()?;
    let own = results_folder(&loaded).canonicalize().ok()?;
    (own == folder).then_some(loaded)
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
    let mut bytes = Vec::new();
    File::open(file)
        .and_then(|open| open.take(REPORT_BYTES_MAX + 1).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    if bytes.len() as u64 > REPORT_BYTES_MAX {
        return Err(Failure::usage(format!(
            "{shown} is larger than the {} MiB that a report has at most",
            REPORT_BYTES_MAX >> 20
        )));
    }
    Ok(bytes)
}
