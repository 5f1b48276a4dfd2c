//! Facts about a run: its inputs, and whether it has an oracle.

use super::error::StoreError;
use super::open::Store;
use super::runs::{RunId, to_json};
use bakeoff_domain::plan::RunSeed;
use rusqlite::{OptionalExtension, params};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Facts about a run that its settings and results do not contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFacts<T> {
    /// Inputs that the run is made from; `None` until they are recorded.
    pub inputs: Option<T>,
    /// True if an oracle judges the answers; `None` until that is recorded.
    pub oracle: Option<bool>,
    /// Digest of all that decides the result.
    pub experiment_id: String,
    /// The seed that all inputs and orders follow from.
    pub seed: RunSeed,
}

impl Store {
    /// Records the facts of the active run. Earlier ones are replaced.
    ///
    /// # Errors
    /// [`StoreError::NoActiveRun`]; [`StoreError::Value`] if the inputs are too large; any error of
    /// writing the database.
    pub fn put_run_facts(
        &mut self,
        inputs: &impl Serialize,
        oracle: bool,
    ) -> Result<(), StoreError> {
        let active = self.active()?;
        let inputs = to_json(inputs, "the inputs of the run")?;
        self.write(|db| {
            db.execute(
                "UPDATE run SET inputs = ?2, oracle = ?3 WHERE id = ?1",
                params![active.run, inputs, oracle],
            )
        })?;
        Ok(())
    }

    /// The facts of a run.
    ///
    /// # Errors
    /// [`StoreError::NoSuchRun`]; [`StoreError::Corrupt`] if the inputs cannot be understood; any
    /// error of reading the database.
    pub fn run_facts<T: DeserializeOwned>(&self, run: RunId) -> Result<RunFacts<T>, StoreError> {
        let sql = "SELECT inputs, oracle, experiment_id, seed FROM run WHERE id = ?1";
        let row: Option<(Option<String>, Option<bool>, String, String)> = self
            .db
            .query_row(sql, [run.0], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .optional()
            .map_err(|error| self.sqlite_error(error))?;
        let (inputs, oracle, experiment_id, seed) = row.ok_or_else(|| StoreError::NoSuchRun {
            run: run.0,
            file: self.file.clone(),
        })?;
        let inputs = inputs
            .map(|text| self.parse_json(&text, "the inputs of a run"))
            .transpose()?;
        Ok(RunFacts {
            inputs,
            oracle,
            experiment_id,
            seed: self.parse_seed(&seed)?,
        })
    }
}
