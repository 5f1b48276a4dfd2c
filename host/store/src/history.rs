//! Earlier runs: their list, reports and settings.

use super::error::StoreError;
use super::holder::LockHolder;
use super::lock::Lock;
use super::open::Store;
use super::runs::RunId;
use crate::events::RunStatus;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::{Environment, Report};
use bakeoff_domain::spec::Experiment;
use rusqlite::{OptionalExtension, Row};

/// A line in the list of runs.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSummary {
    /// Number of the run.
    pub id: RunId,
    /// Name of the experiment.
    pub name: String,
    /// Digest of all that decided the result.
    pub experiment_id: String,
    /// Status of the run.
    pub status: RunStatus,
    /// Time at which the run began, as RFC 3339 in UTC.
    pub started: String,
    /// Time at which the run last stored an event, as RFC 3339 in UTC.
    pub updated: String,
    /// Time spent on the run, over all its sessions, in seconds.
    pub seconds: f64,
    /// Id of the recommended variant, if there is one.
    pub winner: Option<String>,
    /// Version of the bakeoff that wrote the run.
    pub bakeoff: String,
}

impl Store {
    /// Returns all runs, oldest first.
    ///
    /// # Errors
    /// Any error of reading the database.
    pub fn runs(&self) -> Result<Vec<RunSummary>, StoreError> {
        let read = || {
            let mut statement = self.db.prepare(
                "SELECT run, name, experiment_id, status, started, updated, seconds, winner,
                        bakeoff_version
                 FROM v_runs ORDER BY run",
            )?;
            statement
                .query_map([], summary)?
                .collect::<Result<Vec<_>, _>>()
        };
        let mut runs = read().map_err(|error| self.sqlite_error(error))?;
        let ours = self.active.map(|active| active.run);
        let held = self.holder().is_some();
        for run in &mut runs {
            // A run that was killed is still marked as running.
            if run.status == RunStatus::Running && ours != Some(run.id.0) && !held {
                run.status = RunStatus::Interrupted;
            }
        }
        Ok(runs)
    }

    /// Returns the process that works on the runs in this folder, with 0 as its number if it is not known which; `None`
    /// if there is none.
    pub fn holder(&self) -> Option<LockHolder> {
        Lock::holder(self.files.open_folder())
    }

    /// The seed of the last run; `None` if there is none yet.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if it is no seed; any error of reading the database.
    pub fn last_seed(&self) -> Result<Option<RunSeed>, StoreError> {
        let sql = "SELECT seed FROM run ORDER BY id DESC LIMIT 1";
        let text: Option<String> = self
            .db
            .query_row(sql, [], |row| row.get(0))
            .optional()
            .map_err(|error| self.sqlite_error(error))?;
        text.map(|text| self.parse_seed(&text)).transpose()
    }

    /// The last run that has a report; `None` if there is none yet.
    ///
    /// # Errors
    /// Any error of reading the database.
    pub fn last_reported(&self) -> Result<Option<RunId>, StoreError> {
        let sql = "SELECT max(id) FROM run WHERE report IS NOT NULL";
        let last: Option<i64> = self
            .db
            .query_row(sql, [], |row| row.get(0))
            .map_err(|error| self.sqlite_error(error))?;
        Ok(last.map(RunId))
    }

    /// The report of a run, or of the last run that has one; `None` if there is none yet.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`]; [`StoreError::Corrupt`] if the report cannot be understood;
    /// any error of reading the database.
    pub fn report(&self, run: Option<RunId>) -> Result<Option<Report>, StoreError> {
        let found = match run {
            Some(RunId(id)) => self
                .db
                .query_row("SELECT report FROM run WHERE id = ?1", [id], |row| {
                    row.get(0)
                })
                .optional()
                .map_err(|error| self.sqlite_error(error))?
                .ok_or_else(|| StoreError::NoSuchRun {
                    run: id,
                    file: self.file.clone(),
                })?,
            None => self
                .db
                .query_row(
                    "SELECT report FROM run WHERE report IS NOT NULL ORDER BY id DESC LIMIT 1",
                    [],
                    |row| row.get(0),
                )
                .optional()
                .map_err(|error| self.sqlite_error(error))?
                .flatten(),
        };
        let text: Option<String> = found;
        text.map(|text| self.parse_json(&text, "a report"))
            .transpose()
    }

    /// The experiment and the environment of a run.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`]; [`StoreError::Corrupt`] if it cannot be understood; any error of
    /// reading the database.
    pub fn settings(&self, run: RunId) -> Result<(Experiment, Environment), StoreError> {
        let sql = "SELECT settings, environment FROM run WHERE id = ?1";
        let row: Option<(String, String)> = self
            .db
            .query_row(sql, [run.0], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()
            .map_err(|error| self.sqlite_error(error))?;
        let (settings, environment) = row.ok_or_else(|| StoreError::NoSuchRun {
            run: run.0,
            file: self.file.clone(),
        })?;
        Ok((
            self.parse_json(&settings, "an experiment")?,
            self.parse_json(&environment, "an environment")?,
        ))
    }

    /// Reads the seed of a run.
    pub(super) fn parse_seed(&self, text: &str) -> Result<RunSeed, StoreError> {
        text.parse().map_err(|error| StoreError::Corrupt {
            file: self.file.clone(),
            reason: format!("a seed in it cannot be understood ({error})"),
        })
    }

    /// Returns the error that the database is damaged.
    pub fn corrupt(&self, reason: &str) -> StoreError {
        StoreError::Corrupt {
            file: self.file.clone(),
            reason: reason.to_owned(),
        }
    }

    /// Reads a value that the store wrote as JSON.
    pub(super) fn parse_json<T: serde::de::DeserializeOwned>(
        &self,
        text: &str,
        what: &str,
    ) -> Result<T, StoreError> {
        bakeoff_files::parse_json(text.as_bytes()).map_err(|error| StoreError::Corrupt {
            file: self.file.clone(),
            reason: format!("{what} in it cannot be understood ({error})"),
        })
    }
}

fn summary(row: &Row<'_>) -> rusqlite::Result<RunSummary> {
    let status: String = row.get(3)?;
    Ok(RunSummary {
        id: RunId(row.get(0)?),
        name: row.get(1)?,
        experiment_id: row.get(2)?,
        status: RunStatus::from_name(&status).unwrap_or(RunStatus::Interrupted),
        started: row.get(4)?,
        updated: row.get(5)?,
        seconds: row.get(6)?,
        winner: row.get(7)?,
        bakeoff: row.get(8)?,
    })
}
