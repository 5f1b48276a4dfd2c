//! All that a finished run rests on: what was asked, what every stage found out, and the raw
//! samples. It comes from a store or from a bundle, and is looked at in the same way.

use super::builds::BuildRecord;
use crate::measure::{Dropout, GateRecord, Pilot};
use crate::store::{self, Kind, Race, RunId, RunStatus, Store, StoreError, Stored};
use bakeoff_domain::measurement::Replica;
use bakeoff_domain::report::{Environment, Report};
use bakeoff_domain::spec::Experiment;
use serde::{Deserialize, Serialize};

/// All that a finished run rests on.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// What was asked and found out.
    pub record: Record,
    /// The report that came of it.
    pub report: Report,
    /// The raw samples.
    pub replicas: Vec<Replica>,
}

/// What was asked, and what every stage found out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Number of the run where it was made.
    pub run: i64,
    /// What was asked, with every default filled in.
    pub experiment: Experiment,
    /// Where it was measured.
    pub environment: Environment,
    pub(super) builds: Vec<Stored<BuildRecord>>,
    pub(super) gates: Vec<Stored<GateRecord>>,
    pub(super) race: Option<RaceRecord>,
}

/// What is kept of a race beside its replicas.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RaceRecord {
    /// Who raced on what.
    pub(super) lists: Race,
    /// How it was measured.
    pub(super) pilot: Pilot,
    /// Who failed on the way.
    pub(super) dropouts: Vec<Dropout>,
    /// The seed that inputs and orders followed from.
    #[serde(default)]
    pub(super) seed: Option<String>,
}

/// Why a run cannot be looked at again.
#[derive(Debug, thiserror::Error)]
pub enum EvidenceError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No run has a report.
    #[error("no run in {folder} has a report yet: let `bakeoff run` finish one")]
    NothingFinished {
        /// The folder of results.
        folder: String,
    },
    /// The run has no report.
    #[error("run {run} has no report: it is {status}; list the runs with `bakeoff runs`")]
    Unfinished {
        /// What was asked for.
        run: i64,
        /// What became of it.
        status: &'static str,
    },
}

impl Evidence {
    /// Reads all about a run, or about the last one that is finished.
    ///
    /// # Errors
    /// The run is not there or has no report; the store cannot be read.
    pub fn read(store: &Store, run: Option<RunId>) -> Result<Self, EvidenceError> {
        let run = find(store, run)?;
        let unfinished = || EvidenceError::Unfinished {
            run: run.0,
            status: RunStatus::Interrupted.name(),
        };
        let report = store.report(Some(run))?.ok_or_else(unfinished)?;
        Ok(Self::of(store, run, report)?)
    }

    /// Reads what the report of a run rests on.
    pub(super) fn of(store: &Store, run: RunId, report: Report) -> Result<Self, StoreError> {
        let (experiment, environment) = store.settings(run)?;
        let (race, replicas) = race(store, run)?;
        let record = Record {
            run: run.0,
            experiment,
            environment,
            builds: store.results(run, Kind::Build)?,
            gates: store.results(run, Kind::Gate)?,
            race,
        };
        Ok(Self {
            record,
            report,
            replicas,
        })
    }
}

impl Record {
    pub(super) fn build(&self, variant: &str) -> Option<&Stored<BuildRecord>> {
        self.builds.iter().find(|build| build.variant == variant)
    }

    pub(super) fn gate(&self, variant: &str) -> Option<&Stored<GateRecord>> {
        self.gates.iter().find(|gate| gate.variant == variant)
    }
}

fn find(store: &Store, run: Option<RunId>) -> Result<RunId, EvidenceError> {
    let runs = store.runs()?;
    let finished = |status: RunStatus| status == RunStatus::Finished;
    let Some(wanted) = run else {
        let last = runs.iter().rev().find(|run| finished(run.status));
        return last.map(|run| run.id).ok_or_else(|| {
            let folder = store.files().folder().display().to_string();
            EvidenceError::NothingFinished { folder }
        });
    };
    match runs.iter().find(|run| run.id == wanted) {
        Some(run) if finished(run.status) => Ok(run.id),
        Some(run) => Err(EvidenceError::Unfinished {
            run: run.id.0,
            status: run.status.name(),
        }),
        // The store has the words for a run that is not there.
        None => store
            .report(Some(wanted))
            .map(|_| wanted)
            .map_err(Into::into),
    }
}

fn race(store: &Store, run: RunId) -> Result<(Option<RaceRecord>, Vec<Replica>), StoreError> {
    let Some((race, lists)) = store.race_of(run)? else {
        return Ok((None, Vec::new()));
    };
    let pilots: Vec<Stored<Pilot>> = store.results(run, Kind::Pilot)?;
    let Some(pilot) = pilots.into_iter().next() else {
        return Ok((None, Vec::new()));
    };
    // What an earlier race of the same run left behind has another key.
    let dropouts: Vec<Stored<Dropout>> = store.results(run, Kind::Dropout)?;
    let dropouts = dropouts.into_iter().filter(|found| found.key == pilot.key);
    let record = RaceRecord {
        lists,
        seed: store::input(&pilot.inputs, "seed").map(str::to_owned),
        dropouts: dropouts.map(|found| found.value).collect(),
        pilot: pilot.value,
    };
    Ok((Some(record), store.replicas_until(race, run)?))
}
