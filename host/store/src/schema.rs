//! The tables and views of the database, and their version.

use rusqlite::{Connection, TransactionBehavior};

/// The application id of our SQLite files (`bkof`): another program's file is never taken for one.
pub(super) const APPLICATION_ID: i64 = 0x626b_6f66;

/// The version of the tables and views, which a database has in its header.
pub(super) const VERSION: i64 = 12;

/// The statements that make all tables and views.
pub(super) const SCHEMA: &str = include_str!("schema.sql");

/// The header of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DatabaseHeader {
    /// Id of the program that it belongs to; 0 if there is none.
    pub application: i64,
    /// Version of its tables; 0 if there are none.
    pub version: i64,
}

impl DatabaseHeader {
    /// Reads the header through SQLite.
    pub(super) fn read(db: &Connection) -> rusqlite::Result<Self> {
        let number = |sql| db.query_row(sql, [], |row| row.get(0));
        Ok(Self {
            application: number("PRAGMA application_id")?,
            version: number("PRAGMA user_version")?,
        })
    }
}

/// Makes all tables and views in an empty database, in one transaction.
pub(super) fn create(db: &mut Connection) -> rusqlite::Result<()> {
    let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(SCHEMA)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_database_gets_every_table_and_view() {
        let mut db = Connection::open_in_memory().unwrap();
        create(&mut db).unwrap();
        let header = DatabaseHeader::read(&db).unwrap();
        assert_eq!(header.version, VERSION);
        assert_eq!(header.application, APPLICATION_ID);
        for view in ["v_runs", "v_trials", "v_samples", "v_verdicts"] {
            db.prepare(&format!("SELECT * FROM {view}")).unwrap();
        }
    }
}
