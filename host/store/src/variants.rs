//! The variants of a run and their iterations, as they were declared.

use super::error::StoreError;
use super::open::Store;
use super::runs::{RunId, to_json};
use rusqlite::params;
use std::collections::BTreeMap;

/// A variant as it was declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredVariant {
    /// Id of the variant.
    pub id: String,
    /// Name of the variant, as the user wrote it.
    pub name: String,
    /// Approach that the variant belongs to.
    pub approach: String,
    /// Parameter values, by name.
    pub parameters: BTreeMap<String, String>,
    /// Iterations of the variant, by number.
    pub iterations: Vec<StoredIteration>,
}

/// A revision of a variant as it was declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredIteration {
    /// Number of the iteration, from 1.
    pub number: u32,
    /// Number of the iteration that this one was made from; `None` for a first one.
    pub parent: Option<u32>,
    /// Digest of the source of the iteration.
    pub source_digest: String,
}

impl Store {
    /// Declares a variant of the active run, as the user wrote it.
    ///
    /// # Errors
    /// [`StoreError::NoActiveRun`]; any error of writing the database.
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
                "INSERT INTO variant (run, id, name, approach, parameters, position)
                 VALUES (?1, ?2, ?3, ?4, ?5,
                         (SELECT coalesce(max(position) + 1, 0) FROM variant WHERE run = ?1))
                 ON CONFLICT DO UPDATE SET name = ?3, approach = ?4, parameters = ?5",
            )?
            .execute(params![active.run, id, name, approach, parameters])
        })?;
        Ok(())
    }

    /// Declares an iteration of a declared variant, by the digest of its source. Numbers count
    /// from 1; `parent` is the iteration it was made from.
    ///
    /// # Errors
    /// [`StoreError::NoActiveRun`]; any error of writing the database.
    pub fn declare_iteration(
        &mut self,
        variant: &str,
        number: u32,
        parent: Option<u32>,
        source_digest: &str,
    ) -> Result<(), StoreError> {
        let active = self.active()?;
        let now = self.now();
        self.write(|db| {
            db.prepare_cached(
                "INSERT INTO iteration (run, variant, number, parent, source, started)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT DO UPDATE SET parent = ?4, source = ?5",
            )?
            .execute(params![
                active.run,
                variant,
                number,
                parent,
                source_digest,
                now
            ])
        })?;
        Ok(())
    }

    /// The variants of a run with their iterations, in the order in which they were declared.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if parameters cannot be understood; any error of reading the
    /// database.
    pub fn variants(&self, run: RunId) -> Result<Vec<StoredVariant>, StoreError> {
        let read_variants = || {
            let mut statement = self.db.prepare_cached(
                "SELECT id, name, approach, parameters FROM variant
                 WHERE run = ?1 ORDER BY position",
            )?;
            let rows = statement.query_map([run.0], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })?;
            rows.collect::<Result<Vec<(String, String, String, String)>, _>>()
        };
        let rows = read_variants().map_err(|error| self.sqlite_error(error))?;
        let stored = |(id, name, approach, parameters): (String, _, _, String)| {
            let iterations = self.iterations(run, &id);
            Ok(StoredVariant {
                parameters: self.parse_json(&parameters, "a list of parameters")?,
                iterations: iterations.map_err(|error| self.sqlite_error(error))?,
                id,
                name,
                approach,
            })
        };
        rows.into_iter().map(stored).collect()
    }

    fn iterations(&self, run: RunId, variant: &str) -> rusqlite::Result<Vec<StoredIteration>> {
        let mut statement = self.db.prepare_cached(
            "SELECT number, parent, source FROM iteration
             WHERE run = ?1 AND variant = ?2 ORDER BY number",
        )?;
        let rows = statement.query_map(params![run.0, variant], |row| {
            Ok(StoredIteration {
                number: row.get(0)?,
                parent: row.get(1)?,
                source_digest: row.get(2)?,
            })
        })?;
        rows.collect()
    }
}
