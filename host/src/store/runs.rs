//! Runs: beginning, going on, ending.

use super::error::StoreError;
use super::open::Store;
use bakeoff_domain::report::{Environment, Report};
use bakeoff_domain::spec::Experiment;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeMap;

/// The number of a run in its folder, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub i64);

impl std::fmt::Display for RunId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// What is known of a run before it begins.
#[derive(Clone, Debug)]
pub struct RunMeta<'a> {
    /// Name of the experiment.
    pub name: &'a str,
    /// Digest of all that decides the result. A run goes on as the same run while this is the
    /// same; otherwise it becomes a new one that keeps what the change does not touch.
    pub experiment_id: &'a str,
    /// The seed all inputs and orders follow from.
    pub seed: u64,
    /// What was asked, with every default filled in.
    pub experiment: &'a Experiment,
    /// Where it is measured.
    pub environment: &'a Environment,
    /// Version of bakeoff.
    pub bakeoff: &'a str,
}

/// Whether earlier results count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// They do: what is finished and unchanged is not done again.
    Resume,
    /// They do not, and stay where they are (`--fresh`).
    Fresh,
}

/// How a run began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Its number.
    pub id: RunId,
    /// The run whose results it can use: itself if it goes on, an earlier one if the experiment
    /// changed since, nothing if it starts from nothing.
    pub continues: Option<RunId>,
    /// Results and replicas that are kept already.
    pub kept: u64,
}

/// What became of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// It is going on.
    Running,
    /// It was stopped or killed, and can go on.
    Interrupted,
    /// It could not go on, for a reason that is no variant's.
    Failed,
    /// Its report is kept.
    Finished,
}

impl RunStatus {
    /// The status as it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
            Self::Finished => "finished",
        }
    }

    pub(super) fn named(name: &str) -> Self {
        let all = [Self::Running, Self::Failed, Self::Finished];
        let found = all.into_iter().find(|status| status.name() == name);
        found.unwrap_or(Self::Interrupted)
    }
}

/// The run that results are kept for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Active {
    pub(super) run: i64,
    pub(super) root: i64,
}

/// The last run, as far as the next one must know it.
struct Last {
    id: i64,
    root: i64,
    experiment_id: String,
    spent_ms: i64,
}

/// What is written about a run that begins.
struct Texts {
    now: String,
    environment: String,
    settings: String,
}

impl Store {
    /// Begins a run, or goes on with the last one. What is kept from now on belongs to it.
    ///
    /// # Errors
    /// [`StoreError::NotBegun`] for a reader; those of writing.
    pub fn begin_run(&mut self, meta: &RunMeta<'_>, start: Start) -> Result<Begun, StoreError> {
        let texts = Texts {
            now: self.now(),
            environment: to_json(meta.environment, "the environment")?,
            settings: to_json(meta.experiment, "the experiment")?,
        };
        let (active, spent_ms, begun) = self.write(|db| {
            // Whoever holds the lock is the only one who runs.
            db.execute(
                "UPDATE run SET status = 'interrupted' WHERE status = 'running'",
                [],
            )?;
            let last = last(db)?.filter(|_| start == Start::Resume);
            let same = last
                .as_ref()
                .filter(|last| last.experiment_id == meta.experiment_id);
            let active = match same {
                Some(last) => go_on(db, last, meta, &texts)?,
                None => insert_run(db, last.as_ref(), meta, &texts)?,
            };
            let begun = Begun {
                id: RunId(active.run),
                continues: last.as_ref().map(|last| RunId(last.id)),
                kept: kept(db, active.root)?,
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

    /// Declares a variant of the run, as the user wrote it.
    ///
    /// # Errors
    /// Those of writing.
    pub fn declare_variant(
        &mut self,
        id: &str,
        name: &str,
        approach: &str,
        parameters: &BTreeMap<String, String>,
    ) -> Result<(), StoreError> {
        let active = self.active()?;
        let parameters = to_json(parameters, "the parameters")?;
        self.write(|db| {
            db.prepare_cached(
                "INSERT INTO variant (run, id, name, approach, parameters)
                 VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT DO UPDATE SET name = ?3, approach = ?4, parameters = ?5",
            )?
            .execute(params![active.run, id, name, approach, parameters])
        })?;
        Ok(())
    }

    /// Declares a revision of a declared variant, from 1, by the digest of its source.
    ///
    /// # Errors
    /// Those of writing.
    pub fn declare_iteration(
        &mut self,
        variant: &str,
        number: u32,
        source_digest: &str,
    ) -> Result<(), StoreError> {
        let active = self.active()?;
        let now = self.now();
        self.write(|db| {
            db.prepare_cached(
                "INSERT INTO iteration (run, variant, number, source, started)
                 VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT DO UPDATE SET source = ?4",
            )?
            .execute(params![active.run, variant, number, source_digest, now])
        })?;
        Ok(())
    }

    /// Keeps the report of the run, which is finished by it, and waits until it is on the disk.
    ///
    /// # Errors
    /// [`StoreError::Value`] if the report could not be read back: JSON has no number that is not
    /// finite. Those of writing.
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

    /// Says that the run stops without a report: interrupted or failed.
    ///
    /// # Errors
    /// Those of writing.
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

    /// The run that results are kept for.
    pub(super) fn active(&self) -> Result<Active, StoreError> {
        self.active.ok_or_else(|| StoreError::NotBegun {
            file: self.file.clone(),
        })
    }

    /// What the wall clock says, for people.
    pub(super) fn now(&self) -> String {
        let journal = self.journal.as_ref();
        journal.map_or_else(String::new, |journal| journal.stamper.now())
    }
}

/// Largest value that is kept as JSON.
const VALUE_BYTES_MAX: usize = 64 << 20;

/// A value as JSON, if it is not too large.
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

fn last(db: &Connection) -> rusqlite::Result<Option<Last>> {
    let sql = "SELECT id, root, experiment_id, spent_ms FROM run ORDER BY id DESC LIMIT 1";
    db.query_row(sql, [], |row| {
        Ok(Last {
            id: row.get(0)?,
            root: row.get(1)?,
            experiment_id: row.get(2)?,
            spent_ms: row.get(3)?,
        })
    })
    .optional()
}

/// Goes on with the last run.
fn go_on(
    db: &Connection,
    last: &Last,
    meta: &RunMeta<'_>,
    texts: &Texts,
) -> rusqlite::Result<Active> {
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
    Ok(Active {
        run: last.id,
        root: last.root,
    })
}

/// Begins a run in the chain of the last one, or a chain of its own.
fn insert_run(
    db: &Connection,
    last: Option<&Last>,
    meta: &RunMeta<'_>,
    texts: &Texts,
) -> rusqlite::Result<Active> {
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
    Ok(Active {
        run,
        root: last.map_or(run, |last| last.root),
    })
}

/// Results and replicas in a chain of runs.
fn kept(db: &Connection, root: i64) -> rusqlite::Result<u64> {
    let count: i64 = db.query_row(
        "SELECT (SELECT count(*) FROM result WHERE root = ?1 AND kind <> 'race')
              + (SELECT count(*) FROM replica JOIN result ON result.id = race WHERE root = ?1)",
        [root],
        |row| row.get(0),
    )?;
    Ok(u64::try_from(count).unwrap_or(0))
}
