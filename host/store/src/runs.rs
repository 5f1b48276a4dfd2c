//! The beginning, resumption and end of runs.

use super::error::StoreError;
use super::open::{ActiveRun, Store};
use crate::events::RunStatus;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::{Environment, Report};
use bakeoff_domain::spec::Experiment;
use rusqlite::{Connection, OptionalExtension, params};

/// The number of a run in its folder, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub i64);

impl std::fmt::Display for RunId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The description of a run, known before it begins.
#[derive(Clone, Debug)]
pub struct RunMeta<'a> {
    /// Name of the experiment.
    pub name: &'a str,
    /// Digest of all that decides the result. While it is the same, the last run is resumed;
    /// otherwise a new run begins, which reuses the results that the change does not affect.
    pub experiment_id: &'a str,
    /// The seed that all inputs and orders are derived from.
    pub seed: RunSeed,
    /// The experiment, with every default filled in.
    pub experiment: &'a Experiment,
    /// The environment that it is measured in.
    pub environment: &'a Environment,
    /// Version of bakeoff.
    pub bakeoff: &'a str,
}

/// Choice between reusing earlier results and ignoring them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Earlier results are reused: what is finished and unchanged is not done again.
    Resume,
    /// Earlier results are ignored; they stay in the database (`--fresh`).
    Fresh,
}

/// A run that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartedRun {
    /// Number of the run.
    pub id: RunId,
    /// Run whose results can be reused: the same run if it is resumed, an earlier one if the experiment changed since;
    /// `None` if there is none.
    pub continues: Option<RunId>,
    /// Number of results and replicas that can be reused.
    pub kept: u64,
}

/// The last run, with what the next one depends on.
struct LastRun {
    id: i64,
    root: i64,
    experiment_id: String,
    spent_ms: i64,
}

/// The texts that are stored when a run begins.
struct RunTexts {
    now: String,
    environment: String,
    settings: String,
}

impl Store {
    /// Begins a run, or resumes the last one. Results that are stored from now on belong to it.
    ///
    /// # Errors
    /// [`StoreError::NoActiveRun`] if the store was opened for reading; any error of writing the database.
    pub fn begin_run(
        &mut self,
        meta: &RunMeta<'_>,
        start: Start,
    ) -> Result<StartedRun, StoreError> {
        let texts = RunTexts {
            now: self.now(),
            environment: to_json(meta.environment, "the environment")?,
            settings: to_json(meta.experiment, "the experiment")?,
        };
        let (active, spent_ms, begun) = self.write(|db| {
            // This process holds the lock, so no other run is going on.
            db.execute(
                "UPDATE run SET status = 'interrupted' WHERE status = 'running'",
                [],
            )?;
            let last = last_run(db)?.filter(|_| start == Start::Resume);
            let same = last
                .as_ref()
                .filter(|last| last.experiment_id == meta.experiment_id);
            let active = match same {
                Some(last) => resume_run(db, last, meta, &texts)?,
                None => insert_run(db, last.as_ref(), meta, &texts)?,
            };
            let begun = StartedRun {
                id: RunId(active.run),
                continues: last.as_ref().map(|last| RunId(last.id)),
                kept: reusable_results(db, active.root)?,
            };
            Ok((active, same.map_or(0, |last| last.spent_ms), begun))
        })?;
        self.active = Some(active);
        if let Some(journal) = &mut self.journal {
            let spent_ms = u64::try_from(spent_ms).unwrap_or(0);
            journal.stamper.enter(active.run, spent_ms);
        }
        Ok(begun)
    }

    /// Time spent on the run so far, over all its sessions, in seconds. Monotonic.
    pub fn spent_seconds(&self) -> f64 {
        let journal = self.journal.as_ref();
        journal.map_or(0.0, |journal| journal.stamper.spent_ms() as f64 / 1_000.0)
    }

    /// Stores the report of the active run, which finishes it, and waits until it is on the disk.
    ///
    /// # Errors
    /// [`StoreError::Value`] if the report could not be read back: JSON has no number that is not
    /// finite. Any error of writing the database.
    pub fn finish_run(&mut self, report: &Report) -> Result<(), StoreError> {
        let active = self.active()?;
        let report = to_json(report, "the report")?;
        if let Err(error) = serde_json::from_str::<Report>(&report) {
            return Err(StoreError::Value {
                what: "the report".to_owned(),
                reason: format!("a number in it is not finite ({error})"),
            });
        }
        let now = self.now();
        self.write(|db| {
            db.execute(
                "UPDATE run SET report = ?2, status = 'finished', updated = ?3 WHERE id = ?1",
                params![active.run, report, now],
            )
        })?;
        self.flush()
    }

    /// Marks the active run as stopped without a report: interrupted or failed.
    ///
    /// # Errors
    /// Any error of writing the database.
    pub fn stop_run(&mut self, status: RunStatus) -> Result<(), StoreError> {
        let active = self.active()?;
        let now = self.now();
        self.write(|db| {
            db.execute(
                "UPDATE run SET status = ?2, updated = ?3 WHERE id = ?1",
                params![active.run, status.name(), now],
            )
        })?;
        self.flush()
    }
}

/// Largest value that is stored as JSON, in bytes.
const VALUE_BYTES_MAX: usize = 64 << 20;

/// Returns a value as JSON.
///
/// # Errors
/// [`StoreError::Value`] if it is larger than [`VALUE_BYTES_MAX`], or cannot be JSON.
pub(super) fn to_json(value: &impl serde::Serialize, what: &str) -> Result<String, StoreError> {
    let refused = |reason| StoreError::Value {
        what: what.to_owned(),
        reason,
    };
    let text = serde_json::to_string(value).map_err(|error| refused(error.to_string()))?;
    if text.len() > VALUE_BYTES_MAX {
        let size = text.len();
        return Err(refused(format!(
            "its {size} bytes are more than {VALUE_BYTES_MAX}"
        )));
    }
    Ok(text)
}

fn last_run(db: &Connection) -> rusqlite::Result<Option<LastRun>> {
    let sql = "SELECT id, root, experiment_id, spent_ms FROM run ORDER BY id DESC LIMIT 1";
    db.query_row(sql, [], |row| {
        Ok(LastRun {
            id: row.get(0)?,
            root: row.get(1)?,
            experiment_id: row.get(2)?,
            spent_ms: row.get(3)?,
        })
    })
    .optional()
}

/// Resumes the last run.
fn resume_run(
    db: &Connection,
    last: &LastRun,
    meta: &RunMeta<'_>,
    texts: &RunTexts,
) -> rusqlite::Result<ActiveRun> {
    db.execute(
        "UPDATE run SET status = 'running', updated = ?2, environment = ?3, settings = ?4,
                        bakeoff = ?5 WHERE id = ?1",
        params![
            last.id,
            texts.now,
            texts.environment,
            texts.settings,
            meta.bakeoff
        ],
    )?;
    Ok(ActiveRun {
        run: last.id,
        root: last.root,
    })
}

/// Begins a run in the chain of the last one, or a chain of its own.
fn insert_run(
    db: &Connection,
    last: Option<&LastRun>,
    meta: &RunMeta<'_>,
    texts: &RunTexts,
) -> rusqlite::Result<ActiveRun> {
    let run = db
        .prepare(
            "INSERT INTO run (root, name, experiment_id, seed, bakeoff, started, updated, status,
                              environment, settings)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, 'running', ?7, ?8)",
        )?
        .insert(params![
            last.map_or(0, |last| last.root),
            meta.name,
            meta.experiment_id,
            meta.seed.to_string(),
            meta.bakeoff,
            texts.now,
            texts.environment,
            texts.settings,
        ])?;
    db.execute("UPDATE run SET root = id WHERE id = ?1 AND root = 0", [run])?;
    Ok(ActiveRun {
        run,
        root: last.map_or(run, |last| last.root),
    })
}

/// Returns the number of results and replicas in a chain of runs.
fn reusable_results(db: &Connection, root: i64) -> rusqlite::Result<u64> {
    let count: i64 = db.query_row(
        "SELECT (SELECT count(*) FROM result WHERE root = ?1 AND kind NOT IN ('race', 'work'))
              + (SELECT count(*) FROM replica JOIN result ON result.id = race WHERE root = ?1)",
        [root],
        |row| row.get(0),
    )?;
    Ok(u64::try_from(count).unwrap_or(0))
}
