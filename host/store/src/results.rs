//! Results of builds, gates and pilots, looked up by what they depend on.

use super::error::StoreError;
use super::key::Key;
use super::open::{ActiveRun, Store};
use super::runs::{RunId, to_json};
use bakeoff_domain::variant::Variant;
use rusqlite::{Connection, OptionalExtension, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Largest number of trials of one result.
const TRIALS_MAX: usize = 1 << 20;

/// The kind of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultKind {
    /// A build: digest and sizes of the component, or why there is none. The component itself is in
    /// the build cache.
    Build,
    /// A gate: every case run once and judged by the oracle; with its trials.
    Gate,
    /// A pilot: the size of a replica, determined before the first one.
    Pilot,
    /// A coarse race: the times by which a large sweep is screened.
    CoarseRace,
    /// A dropout: a variant that failed while it was timed.
    Dropout,
    /// An overrun: a sample that took far longer than was predicted.
    Overrun,
    /// The end of a race that never had a pilot.
    Unpiloted,
    /// An assessment: what the workload says of a variant's answers to many inputs.
    Assessment,
    /// An evaluation: what an evaluator says of a variant. The iteration is the place of the evaluator.
    Evaluation,
    /// An aggregation: what an aggregator says of the report. The iteration is the place of the aggregator.
    Aggregation,
    /// A coverage: the code of a variant that the checked inputs reach.
    Coverage,
    /// A vote of a model on the sources. The iteration tells the votes of all criteria apart.
    Opinion,
    /// A round of builds for their time. The rounds of a run are told apart by the iteration.
    BuildRound,
    /// The race of the same variants on a machine of another kind, with its samples. The iteration tells kinds apart.
    MachineRace,
    /// The run of a run's sources as programs of this machine, in a folder of its results.
    Natively,
    /// The tasks that each core did for a run, over all its sessions.
    Work,
}

impl ResultKind {
    /// The kind as it is stored: `build`, `gate`, `pilot`, `coarse-race`, `dropout`, `overrun`,
    /// `unpiloted`, `assessment`, `evaluation`, `aggregation`, `coverage`, `opinion`, `build-round`,
    /// `machine-race`, `natively`, `work`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Build => "build",
            Self::Gate => "gate",
            Self::Pilot => "pilot",
            Self::CoarseRace => "coarse-race",
            Self::Dropout => "dropout",
            Self::Overrun => "overrun",
            Self::Unpiloted => "unpiloted",
            Self::Assessment => "assessment",
            Self::Evaluation => "evaluation",
            Self::Aggregation => "aggregation",
            Self::Coverage => "coverage",
            Self::Opinion => "opinion",
            Self::BuildRound => "build-round",
            Self::MachineRace => "machine-race",
            Self::Natively => "natively",
            Self::Work => "work",
        }
    }
}

/// The variant and iteration that a result belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner<'a> {
    /// Id of the variant; empty for the run as a whole.
    pub variant: &'a str,
    /// Number of the iteration, from 1; 0 for the run as a whole.
    pub iteration: u32,
}

impl<'a> Owner<'a> {
    /// The current iteration of a variant.
    pub fn of(variant: &'a Variant) -> Self {
        Self {
            variant: variant.id.as_str(),
            iteration: variant.iteration.number,
        }
    }

    /// The run as a whole.
    pub const RUN: Owner<'static> = Owner {
        variant: "",
        iteration: 0,
    };
}

/// A call that the oracle judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trial {
    /// Index of the case among the experiment's.
    pub case_index: u32,
    /// Label of the case.
    pub case_label: String,
    /// `ok`, or the class of the failure.
    pub outcome: String,
    /// Fuel that the call used.
    pub fuel: Option<u64>,
    /// Peak of memories and tables, in bytes.
    pub peak_bytes: Option<u64>,
    /// Digest of the answer.
    pub answer: Option<String>,
    /// Message of the oracle or the trap.
    pub detail: Option<String>,
}

/// A result as it is stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredResult<T> {
    /// Id of the variant; empty for the run as a whole.
    pub variant: String,
    /// Number of the iteration; 0 for the run as a whole.
    pub iteration: u32,
    /// Digest of the inputs.
    pub key: String,
    /// The inputs it depends on, by name.
    pub inputs: Vec<(String, String)>,
    /// The result.
    pub value: T,
}

impl Store {
    /// Looks a result up by its key, and links it to the active run. A value of a shape that is no
    /// longer understood counts as absent, so that the result is made again.
    ///
    /// # Errors
    /// [`StoreError::NoActiveRun`]; any error of reading or writing the database.
    pub fn get<T: DeserializeOwned>(
        &mut self,
        kind: ResultKind,
        key: &Key,
        owner: Owner<'_>,
    ) -> Result<Option<T>, StoreError> {
        let active = self.active()?;
        let found = find(&self.db, active.root, kind.name(), key)
            .map_err(|error| self.sqlite_error(error))?;
        let Some((id, text)) = found else {
            return Ok(None);
        };
        let Ok(value) = serde_json::from_str(&text) else {
            return Ok(None);
        };
        self.write(|db| link_result(db, active, kind.name(), owner, id))?;
        Ok(Some(value))
    }

    /// Stores a result. One of the same kind and key is replaced.
    ///
    /// # Errors
    /// [`StoreError::NoActiveRun`], [`StoreError::Value`] if it is too large; any error of writing the database.
    pub fn put<T: Serialize>(
        &mut self,
        kind: ResultKind,
        key: &Key,
        owner: Owner<'_>,
        value: &T,
    ) -> Result<(), StoreError> {
        self.put_with_trials(kind, key, owner, value, &[])
    }

    /// Stores a result together with its trials, as one commit.
    ///
    /// # Errors
    /// As for [`Store::put`].
    pub fn put_with_trials<T: Serialize>(
        &mut self,
        kind: ResultKind,
        key: &Key,
        owner: Owner<'_>,
        value: &T,
        trials: &[Trial],
    ) -> Result<(), StoreError> {
        let active = self.active()?;
        let now = self.now();
        let value = to_json(value, kind.name())?;
        let inputs = to_json(&key.inputs(), "the inputs")?;
        if trials.len() > TRIALS_MAX {
            return Err(StoreError::Value {
                what: format!("the trials of a {}", kind.name()),
                reason: format!("{} are more than {TRIALS_MAX}", trials.len()),
            });
        }
        self.write(|db| {
            let id = insert(db, active, kind.name(), key, &[&now, &inputs, &value])?;
            db.prepare_cached("DELETE FROM trial WHERE result = ?1")?
                .execute([id])?;
            for (number, trial) in trials.iter().enumerate() {
                insert_trial(db, id, number, trial)?;
            }
            link_result(db, active, kind.name(), owner, id)
        })
    }

    /// Removes the results of these kinds that the active run found, also in earlier sessions: they are to be found anew.
    ///
    /// # Errors
    /// [`StoreError::NoActiveRun`]; any error of writing the database.
    pub fn forget(&mut self, kinds: &[ResultKind]) -> Result<(), StoreError> {
        let run = self.active()?.run;
        self.write(|db| {
            for kind in kinds {
                let of = params![run, kind.name()];
                for statement in [
                    "DELETE FROM trial WHERE result IN (SELECT id FROM result WHERE run = ?1 AND kind = ?2)",
                    "DELETE FROM reliance WHERE result IN (SELECT id FROM result WHERE run = ?1 AND kind = ?2)",
                    "DELETE FROM result WHERE run = ?1 AND kind = ?2",
                ] {
                    db.execute(statement, of)?;
                }
            }
            Ok(())
        })
    }

    /// Returns the names of the inputs that changed since this owner last had a result of this kind: `source`,
    /// `limits`. Empty if none did, or if there is a result for these inputs all the same; `None` if there was no
    /// result of this kind in this chain of runs.
    ///
    /// # Errors
    /// [`StoreError::NoActiveRun`]; any error of reading the database.
    pub fn changes(
        &self,
        kind: ResultKind,
        key: &Key,
        owner: Owner<'_>,
    ) -> Result<Option<Vec<String>>, StoreError> {
        let active = self.active()?;
        let same = find(&self.db, active.root, kind.name(), key);
        if same.map_err(|error| self.sqlite_error(error))?.is_some() {
            return Ok(Some(Vec::new()));
        }
        let inputs: Option<String> = self
            .db
            .query_row(
                "SELECT inputs FROM reliance JOIN result ON result.id = reliance.result
                 WHERE root = ?1 AND reliance.kind = ?2 AND variant = ?3 AND iteration = ?4
                 ORDER BY reliance.run DESC LIMIT 1",
                params![active.root, kind.name(), owner.variant, owner.iteration],
                |row| row.get(0),
            )
            .optional()
            .map_err(|error| self.sqlite_error(error))?;
        let Some(inputs) = inputs else {
            return Ok(None);
        };
        let earlier: Vec<(String, String)> = self.parse_json(&inputs, "a list of inputs")?;
        Ok(Some(key.changed_since(&earlier)))
    }

    /// Returns all results of a kind that a run uses, by variant and iteration.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if a value cannot be understood; any error of reading the database.
    pub fn results<T: DeserializeOwned>(
        &self,
        run: RunId,
        kind: ResultKind,
    ) -> Result<Vec<StoredResult<T>>, StoreError> {
        let read = || {
            let mut statement = self.db.prepare_cached(
                "SELECT variant, iteration, key, inputs, value
                 FROM reliance JOIN result ON result.id = reliance.result
                 WHERE reliance.run = ?1 AND reliance.kind = ?2 ORDER BY variant, iteration",
            )?;
            let rows = statement.query_map(params![run.0, kind.name()], |row| {
                Ok((
                    row.get(0)?,
                    row.get(1)?,
                    row.get(2)?,
                    row.get(3)?,
                    row.get(4)?,
                ))
            })?;
            rows.collect::<Result<Vec<(String, u32, String, String, String)>, _>>()
        };
        let rows = read().map_err(|error| self.sqlite_error(error))?;
        let stored = |(variant, iteration, key, inputs, value): (_, _, _, String, String)| {
            Ok(StoredResult {
                variant,
                iteration,
                key,
                inputs: self.parse_json(&inputs, "a list of inputs")?,
                value: self.parse_json(&value, kind.name())?,
            })
        };
        rows.into_iter().map(stored).collect()
    }

    /// The trials of the result of this kind that a run uses, in their order.
    ///
    /// # Errors
    /// Any error of reading the database.
    pub fn trials(
        &self,
        run: RunId,
        kind: ResultKind,
        owner: Owner<'_>,
    ) -> Result<Vec<Trial>, StoreError> {
        let read = || {
            let mut statement = self.db.prepare_cached(
                "SELECT case_index, case_label, outcome, fuel, peak_bytes, answer, detail
                 FROM reliance JOIN trial ON trial.result = reliance.result
                 WHERE run = ?1 AND kind = ?2 AND variant = ?3 AND iteration = ?4 ORDER BY number",
            )?;
            let of = params![run.0, kind.name(), owner.variant, owner.iteration];
            let rows = statement.query_map(of, |row| {
                let count = |at| {
                    row.get::<_, Option<i64>>(at)
                        .map(|n| n.map(i64::cast_unsigned))
                };
                Ok(Trial {
                    case_index: row.get(0)?,
                    case_label: row.get(1)?,
                    outcome: row.get(2)?,
                    fuel: count(3)?,
                    peak_bytes: count(4)?,
                    answer: row.get(5)?,
                    detail: row.get(6)?,
                })
            })?;
            rows.collect::<Result<Vec<_>, _>>()
        };
        read().map_err(|error| self.sqlite_error(error))
    }
}

/// Returns id and value of the result of a kind and key in a chain of runs.
pub(super) fn find(
    db: &Connection,
    root: i64,
    kind: &str,
    key: &Key,
) -> rusqlite::Result<Option<(i64, String)>> {
    db.prepare_cached("SELECT id, value FROM result WHERE root = ?1 AND kind = ?2 AND key = ?3")?
        .query_row(params![root, kind, key.digest()], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()
}

/// Inserts or replaces a result of `[at, inputs, value]`, and returns its id.
pub(super) fn insert(
    db: &Connection,
    active: ActiveRun,
    kind: &str,
    key: &Key,
    [at, inputs, value]: &[&str; 3],
) -> rusqlite::Result<i64> {
    db.prepare_cached(
        "INSERT INTO result (root, kind, key, inputs, run, at, value)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (root, kind, key) DO UPDATE SET inputs = ?4, run = ?5, at = ?6, value = ?7
         RETURNING id",
    )?
    .query_row(
        params![
            active.root,
            kind,
            key.digest(),
            inputs,
            active.run,
            at,
            value
        ],
        |row| row.get(0),
    )
}

/// Records that the active run uses a result.
pub(super) fn link_result(
    db: &Connection,
    active: ActiveRun,
    kind: &str,
    owner: Owner<'_>,
    result: i64,
) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT INTO reliance (run, kind, variant, iteration, result) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET result = ?5",
    )?
    .execute(params![
        active.run,
        kind,
        owner.variant,
        owner.iteration,
        result
    ])?;
    Ok(())
}

fn insert_trial(
    db: &Connection,
    result: i64,
    number: usize,
    trial: &Trial,
) -> rusqlite::Result<()> {
    // Counts above 2^63 are stored by their bits: SQLite's integers are signed.
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    db.prepare_cached(
        "INSERT INTO trial (result, number, case_index, case_label, outcome, fuel, peak_bytes,
                            answer, detail)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        result,
        number,
        trial.case_index,
        trial.case_label,
        trial.outcome,
        trial.fuel.map(u64::cast_signed),
        trial.peak_bytes.map(u64::cast_signed),
        trial.answer,
        trial.detail,
    ])?;
    Ok(())
}
