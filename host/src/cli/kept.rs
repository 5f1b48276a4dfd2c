//! The report that a run left behind: finding it, and reading it with the care that a file wants
//! which may have been sent by somebody.

use super::failure::Failure;
use super::run::results_folder;
use crate::config::{self, Loaded, Policy};
use crate::coordinate::Record;
use crate::render::inert::Plain;
use crate::store::{Files, Mode, ReportFile, Store, StoreError};
use bakeoff_domain::report::{Report, SCHEMA_VERSION};
use serde::Deserialize;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// Bytes a report has at most: 64 variants on 32 cases have about 14 MiB of verdicts.
const REPORT_BYTES_MAX: u64 = 64 << 20;

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

    /// Reads the report: from its file, or from the database where the file is not there, cannot be
    /// read, or is of another run than the last one that has a report.
    pub(super) fn report(&self) -> Result<Report, Failure> {
        let in_file = self.in_file();
        let Some(results) = &self.results else {
            return in_file;
        };
        match (in_file, in_database(results)) {
            (Ok(shown), Ok(Some(kept))) if !are_of_one_run(&shown, &kept) => Ok(kept),
            (Err(_), Ok(Some(kept))) => Ok(kept),
            // What is wrong with the database matters where there is nothing else.
            (Err(_), Err(error)) if !self.file.exists() => Err(error.into()),
            (in_file, _) => in_file,
        }
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
        serde_json::from_slice(&bytes).map_err(|error| unusable(error.to_string()))
    }
}

/// The report of the last run in a folder of results that has one, if this bakeoff knows its format.
fn in_database(results: &Path) -> Result<Option<Report>, StoreError> {
    let report = match Store::open(results, Mode::Read) {
        Err(error) if error.is_missing() => return Ok(None),
        store => store?.report(None)?,
    };
    Ok(report.filter(|report| report.schema_version <= SCHEMA_VERSION))
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
