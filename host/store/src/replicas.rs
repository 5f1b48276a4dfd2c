//! Replicas with their raw samples, from which every verdict can be computed again.

use super::error::StoreError;
use super::key::Key;
use super::open::Store;
use super::results::{Owner, find, insert, link_result};
use super::runs::{RunId, to_json};
use bakeoff_domain::measurement::{Baseline, PartTimes, Replica, Sample, Surroundings};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The kind of a result that is a race.
const RACE: &str = "race";
/// Largest number of samples of one replica.
const SAMPLES_MAX: usize = 1 << 22;

/// The variants and cases of a race; the indexes of a sample refer to these lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RaceLists {
    /// Ids of the variants.
    pub variants: Vec<String>,
    /// Labels of the cases.
    pub cases: Vec<String>,
}

/// The id of a stored race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RaceId(i64);

impl Store {
    /// Opens the race of these inputs, new or with the replicas that it has already, and links it to the active run.
    ///
    /// # Errors
    /// [`StoreError::NoActiveRun`]; any error of writing the database.
    pub fn open_race(&mut self, key: &Key, race: &RaceLists) -> Result<RaceId, StoreError> {
        let active = self.active()?;
        let now = self.now();
        let value = to_json(race, RACE)?;
        let inputs = to_json(&key.inputs(), "the inputs")?;
        self.write(|db| {
            let id = match find(db, active.root, RACE, key)? {
                Some((id, _)) => id,
                None => {
                    let id = insert(db, active, RACE, key, &[&now, &inputs, &value])?;
                    insert_lists(db, id, race)?;
                    id
                }
            };
            link_result(db, active, RACE, Owner::RUN, id)?;
            Ok(RaceId(id))
        })
    }

    /// The race that a run uses, with its lists.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] if the lists cannot be understood; any error of reading the database.
    pub fn race_of(&self, run: RunId) -> Result<Option<(RaceId, RaceLists)>, StoreError> {
        let found: Option<(i64, String)> = self
            .db
            .query_row(
                "SELECT id, value FROM reliance JOIN result ON id = result
                 WHERE reliance.run = ?1 AND reliance.kind = ?2",
                params![run.0, RACE],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()
            .map_err(|error| self.sqlite_error(error))?;
        let Some((id, value)) = found else {
            return Ok(None);
        };
        Ok(Some((RaceId(id), self.parse_json(&value, "a race")?)))
    }

    /// Stores a complete replica, as one commit.
    ///
    /// # Errors
    /// [`StoreError::NoActiveRun`], [`StoreError::Value`] if it has too many samples; any error of
    /// writing the database, also if there is a replica of this index already.
    pub fn put_replica(&mut self, race: RaceId, replica: &Replica) -> Result<(), StoreError> {
        let active = self.active()?;
        let now = self.now();
        if replica.samples.len() > SAMPLES_MAX {
            return Err(StoreError::Value {
                what: format!("replica {}", replica.index),
                reason: format!(
                    "{} samples are more than {SAMPLES_MAX}",
                    replica.samples.len()
                ),
            });
        }
        self.write(|db| {
            let id = insert_replica(db, race, replica, active.run, &now)?;
            insert_samples(db, id, &replica.samples)?;
            insert_baselines(db, id, replica)?;
            insert_cold(db, id, &replica.cold_ns)
        })
    }

    /// The number of replicas of a race.
    ///
    /// # Errors
    /// Any error of reading the database.
    pub fn replica_count(&self, race: RaceId) -> Result<u32, StoreError> {
        let sql = "SELECT count(*) FROM replica WHERE race = ?1";
        let count = self.db.query_row(sql, [race.0], |row| row.get(0));
        count.map_err(|error| self.sqlite_error(error))
    }

    /// Returns all replicas of a race, in the order of their index, exactly as they were stored.
    ///
    /// # Errors
    /// Any error of reading the database.
    pub fn replicas(&self, race: RaceId) -> Result<Vec<Replica>, StoreError> {
        self.replicas_until(race, RunId(i64::MAX))
    }

    /// The replicas that a race had at the end of a run: a later run of the same race may have added
    /// others.
    ///
    /// # Errors
    /// Any error of reading the database.
    pub fn replicas_until(&self, race: RaceId, run: RunId) -> Result<Vec<Replica>, StoreError> {
        let read = || {
            let mut statement = self.db.prepare_cached(
                "SELECT id, number, solo, core, started_s, seconds, preemptions, steal_ticks, load,
                        contention_probe_ns, parts, core_contention
                 FROM replica WHERE race = ?1 AND run <= ?2 ORDER BY number",
            )?;
            let of = params![race.0, run.0];
            let rows = statement.query_map(of, |row| Ok((row.get(0)?, replica(row)?)))?;
            rows.map(|row| with_lists(&self.db, row?))
                .collect::<Result<Vec<_>, _>>()
        };
        read().map_err(|error| self.sqlite_error(error))
    }
}

fn insert_lists(db: &Connection, race: i64, lists: &RaceLists) -> rusqlite::Result<()> {
    let mut entrant =
        db.prepare_cached("INSERT INTO entrant (race, position, variant) VALUES (?1, ?2, ?3)")?;
    for (position, variant) in (0_i64..).zip(&lists.variants) {
        entrant.execute(params![race, position, variant])?;
    }
    let mut case =
        db.prepare_cached("INSERT INTO race_case (race, position, label) VALUES (?1, ?2, ?3)")?;
    for (position, label) in (0_i64..).zip(&lists.cases) {
        case.execute(params![race, position, label])?;
    }
    Ok(())
}

fn insert_replica(
    db: &Connection,
    race: RaceId,
    replica: &Replica,
    run: i64,
    now: &str,
) -> rusqlite::Result<i64> {
    let surroundings = &replica.surroundings;
    let parts = match replica.parts.as_slice() {
        [] => None,
        parts => serde_json::to_string(parts).ok(),
    };
    db.prepare_cached(
        "INSERT INTO replica (race, number, solo, run, at, core, started_s, seconds, preemptions,
                              steal_ticks, load, contention_probe_ns, parts, core_contention)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    )?
    .insert(params![
        race.0,
        replica.index,
        replica.solo,
        run,
        now,
        surroundings.core,
        surroundings.started_s,
        surroundings.seconds,
        surroundings.preemptions.cast_signed(),
        surroundings.steal_ticks.map(u64::cast_signed),
        surroundings.load,
        surroundings.contention_probe_ns,
        parts,
        surroundings.core_contention,
    ])
}

fn insert_samples(db: &Connection, replica: i64, samples: &[Sample]) -> rusqlite::Result<()> {
    let mut statement = db.prepare_cached(
        "INSERT INTO sample (replica, number, entrant, race_case, block, position, calls, cpu_ns, wall_ns)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    for (number, sample) in (0_i64..).zip(samples) {
        statement.execute(params![
            replica,
            number,
            signed(sample.variant),
            signed(sample.case),
            sample.block,
            sample.position,
            sample.calls,
            sample.cpu_ns.cast_signed(),
            sample.wall_ns.cast_signed(),
        ])?;
    }
    Ok(())
}

/// Inserts the baselines of a replica. Of thousands of instances a replica draws a few: the baselines of cases without
/// samples are 0, and left out but for the last, which says how many cases there are.
fn insert_baselines(db: &Connection, id: i64, replica: &Replica) -> rusqlite::Result<()> {
    let drawn: BTreeSet<usize> = replica.samples.iter().map(|sample| sample.case).collect();
    let last = replica.baselines.len().saturating_sub(1);
    let mut statement = db.prepare_cached(
        "INSERT INTO baseline (replica, race_case, cpu_ns, wall_ns) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for (case, baseline) in replica.baselines.iter().enumerate() {
        let nothing = *baseline == Baseline::default() && !drawn.contains(&case);
        if !nothing || case == last {
            statement.execute(params![id, case as i64, baseline.cpu_ns, baseline.wall_ns])?;
        }
    }
    Ok(())
}

fn insert_cold(db: &Connection, replica: i64, cold_ns: &[Option<u64>]) -> rusqlite::Result<()> {
    let mut statement =
        db.prepare_cached("INSERT INTO cold (replica, entrant, cpu_ns) VALUES (?1, ?2, ?3)")?;
    for (entrant, cpu_ns) in (0_i64..).zip(cold_ns) {
        statement.execute(params![replica, entrant, cpu_ns.map(u64::cast_signed)])?;
    }
    Ok(())
}

/// Reads a replica without its lists, from the columns after its id.
fn replica(row: &Row<'_>) -> rusqlite::Result<Replica> {
    Ok(Replica {
        index: row.get(1)?,
        solo: row.get(2)?,
        samples: Vec::new(),
        baselines: Vec::new(),
        cold_ns: Vec::new(),
        parts: parts(row)?,
        surroundings: Surroundings {
            core: row.get(3)?,
            started_s: real(row, 4)?,
            seconds: real(row, 5)?,
            preemptions: row.get::<_, i64>(6)?.cast_unsigned(),
            steal_ticks: row.get::<_, Option<i64>>(7)?.map(i64::cast_unsigned),
            load: row.get(8)?,
            contention_probe_ns: row.get(9)?,
            core_contention: row.get(11)?,
        },
    })
}

/// Reads the times of parts of calls, from the column after the replica's own.
fn parts(row: &Row<'_>) -> rusqlite::Result<Vec<PartTimes>> {
    const PARTS: usize = 10;
    let text: Option<String> = row.get(PARTS)?;
    let wrong = |error: serde_json::Error| {
        rusqlite::Error::FromSqlConversionFailure(PARTS, Type::Text, error.into())
    };
    text.map_or(Ok(Vec::new()), |text| {
        serde_json::from_str(&text).map_err(wrong)
    })
}

/// Adds the lists of a replica, read from their tables.
fn with_lists(db: &Connection, (id, mut replica): (i64, Replica)) -> rusqlite::Result<Replica> {
    replica.samples = db
        .prepare_cached(
            "SELECT entrant, race_case, block, position, calls, cpu_ns, wall_ns
             FROM sample WHERE replica = ?1 ORDER BY number",
        )?
        .query_map([id], sample)?
        .collect::<Result<_, _>>()?;
    let mut rows = db.prepare_cached(
        "SELECT race_case, cpu_ns, wall_ns FROM baseline WHERE replica = ?1 ORDER BY race_case",
    )?;
    let rows = rows.query_map([id], |row| {
        let baseline = Baseline {
            cpu_ns: real(row, 1)?,
            wall_ns: real(row, 2)?,
        };
        Ok((row.get::<_, u16>(0)?, baseline))
    })?;
    for row in rows {
        let (case, baseline) = row?;
        let place = usize::from(case);
        replica.baselines.resize(place + 1, Baseline::default());
        replica.baselines[place] = baseline;
    }
    replica.cold_ns = db
        .prepare_cached("SELECT cpu_ns FROM cold WHERE replica = ?1 ORDER BY entrant")?
        .query_map([id], |row| {
            Ok(row.get::<_, Option<i64>>(0)?.map(i64::cast_unsigned))
        })?
        .collect::<Result<_, _>>()?;
    Ok(replica)
}

fn sample(row: &Row<'_>) -> rusqlite::Result<Sample> {
    Ok(Sample {
        variant: row.get::<_, u32>(0)? as usize,
        case: row.get::<_, u32>(1)? as usize,
        block: row.get(2)?,
        position: row.get(3)?,
        calls: row.get(4)?,
        cpu_ns: row.get::<_, i64>(5)?.cast_unsigned(),
        wall_ns: row.get::<_, i64>(6)?.cast_unsigned(),
    })
}

/// Reads a real number; SQLite stores NaN as NULL.
fn real(row: &Row<'_>, column: usize) -> rusqlite::Result<f64> {
    Ok(row.get::<_, Option<f64>>(column)?.unwrap_or(f64::NAN))
}

fn signed(index: usize) -> i64 {
    i64::try_from(index).unwrap_or(i64::MAX)
}
