//! The versions of the database, and the migration from each to the next.

use rusqlite::{Connection, TransactionBehavior};

/// The application id of our SQLite files (`bkof`): another program's file is never taken for one.
pub(super) const APPLICATION_ID: i64 = 0x626b_6f66;

/// The steps from each version to the next: step 0 makes version 1 of an empty file.
pub(super) const STEPS: &[&str] = &[
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
    include_str!("schema/6.sql"),
    include_str!("schema/7.sql"),
    include_str!("schema/8.sql"),
    include_str!("schema/9.sql"),
    include_str!("schema/10.sql"),
    include_str!("schema/11.sql"),
];

/// The documented views, over the tables of the newest version.
pub(super) const VIEWS: &str = include_str!("schema/views.sql");

/// The header of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DatabaseHeader {
    /// Id of the program that it belongs to; 0 if there is none.
    pub application: i64,
    /// Version of its tables; 0 if there are none.
    pub version: i64,
    /// Number of its tables, views and indexes.
    pub objects: i64,
}

impl DatabaseHeader {
    /// Reads the header through SQLite.
    pub(super) fn read(db: &Connection) -> rusqlite::Result<Self> {
        let number = |sql| db.query_row(sql, [], |row| row.get(0));
        Ok(Self {
            application: number("PRAGMA application_id")?,
            version: number("PRAGMA user_version")?,
            objects: number("SELECT count(*) FROM sqlite_master")?,
        })
    }

    /// Returns true if the database may be migrated: it is ours, or it is empty.
    pub(super) fn is_ours(self) -> bool {
        let empty = self.application == 0 && self.version == 0 && self.objects == 0;
        empty || self.application == APPLICATION_ID
    }
}

/// Migrates a database from the version it has to the last of `steps`, in one transaction. All
/// views are created again, since a view may name tables or columns that a step changes.
pub(super) fn migrate(db: &mut Connection, steps: &[&str], views: &str) -> rusqlite::Result<()> {
    let newest = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    let version: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version >= newest {
        return Ok(());
    }
    let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let old_views: Vec<String> = transaction
        .prepare("SELECT name FROM sqlite_master WHERE type = 'view'")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for view in old_views {
        transaction.execute_batch(&format!("DROP VIEW \"{}\"", view.replace('"', "\"\"")))?;
    }
    for step in steps.iter().skip(usize::try_from(version).unwrap_or(0)) {
        transaction.execute_batch(step)?;
    }
    transaction.execute_batch(views)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", newest)?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEXT: &str = "ALTER TABLE run ADD COLUMN note TEXT NOT NULL DEFAULT 'old';";
    const NEXT_VIEWS: &str = "CREATE VIEW v_notes AS SELECT id AS run, note FROM run;";
    const RUN: &str = "INSERT INTO run (root, name, experiment_id, seed, bakeoff, started, updated,
        status, environment, settings) VALUES (1, 'n', 'e', '1', 'b', 's', 'u', 'running', '{}', '{}')";

    #[test]
    fn an_empty_database_gets_every_table_and_view() {
        let mut db = Connection::open_in_memory().unwrap();
        assert!(DatabaseHeader::read(&db).unwrap().is_ours());
        migrate(&mut db, STEPS, VIEWS).unwrap();
        let header = DatabaseHeader::read(&db).unwrap();
        assert_eq!(header.version, STEPS.len() as i64);
        assert_eq!(header.application, APPLICATION_ID);
        for view in ["v_runs", "v_trials", "v_samples", "v_verdicts"] {
            db.prepare(&format!("SELECT * FROM {view}")).unwrap();
        }
    }

    #[test]
    fn every_earlier_version_is_migrated_with_its_rows() {
        let mut steps = STEPS.to_vec();
        steps.push(NEXT);
        for earlier in 1..steps.len() {
            let mut db = Connection::open_in_memory().unwrap();
            migrate(&mut db, &steps[..earlier], VIEWS).unwrap();
            db.execute_batch(RUN).unwrap();
            migrate(&mut db, &steps, NEXT_VIEWS).unwrap();
            let note: String = db
                .query_row("SELECT note FROM v_notes WHERE run = 1", [], |row| {
                    row.get(0)
                })
                .unwrap();
            assert_eq!(note, "old");
            assert_eq!(
                DatabaseHeader::read(&db).unwrap().version,
                steps.len() as i64
            );
            assert!(db.prepare("SELECT * FROM v_runs").is_err(), "an old view");
        }
    }

    #[test]
    fn a_failed_step_leaves_the_old_version_whole() {
        let mut db = Connection::open_in_memory().unwrap();
        migrate(&mut db, STEPS, VIEWS).unwrap();
        db.execute_batch(RUN).unwrap();
        let mut steps = STEPS.to_vec();
        steps.extend([NEXT, "ALTER TABLE nothing ADD COLUMN x TEXT;"]);
        migrate(&mut db, &steps, NEXT_VIEWS).unwrap_err();
        assert_eq!(
            DatabaseHeader::read(&db).unwrap().version,
            STEPS.len() as i64
        );
        let runs: i64 = db
            .query_row("SELECT count(*) FROM v_runs", [], |row| row.get(0))
            .unwrap();
        assert_eq!(runs, 1);
    }
}
