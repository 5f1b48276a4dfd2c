//! The tables as bakeoff makes them, which a database from elsewhere must have to the letter.

use super::schema::SCHEMA;
use rusqlite::Connection;

/// The table that authenticates the others.
pub(super) const SEAL: &str = "seal";

/// A table of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// Name of the table.
    pub(super) name: String,
    /// Statement that made the table, as the database keeps it.
    sql: String,
    /// Names of the columns, in their order.
    pub(super) columns: Vec<String>,
}

/// Returns all tables, in the order in which rows refer to each other, as a database has them.
pub(super) fn ours() -> rusqlite::Result<Vec<Table>> {
    let db = Connection::open_in_memory()?;
    db.execute_batch(SCHEMA)?;
    let mut statement = db.prepare(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
         ORDER BY rowid",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.map(|row| {
        let (name, sql): (String, String) = row?;
        let mut columns = db.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?;
        let columns = columns.query_map([&name], |row| row.get(0))?;
        Ok(Table {
            columns: columns.collect::<Result<_, _>>()?,
            name,
            sql,
        })
    })
    .collect()
}

/// Returns the first of these tables that a database does not have to the letter: a column that is
/// computed, or a check or a default of another's making, would be run by any program that reads or
/// writes its rows. Other tables, views and triggers are of no matter, as nothing names them.
pub(super) fn first_other<'a>(
    db: &Connection,
    tables: &'a [Table],
) -> rusqlite::Result<Option<&'a str>> {
    // SQLite reads a table's name out of its statement: no two statements make one of that name.
    let mut same =
        db.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND sql = ?1")?;
    for table in tables {
        let count: i64 = same.query_row([&table.sql], |row| row.get(0))?;
        if count != 1 {
            return Ok(Some(&table.name));
        }
    }
    Ok(None)
}

/// Returns a list of names as SQL has it; `before` stands before each, such as `NEW.`.
pub(super) fn list(names: &[String], before: &str) -> String {
    let quoted: Vec<String> = names
        .iter()
        .map(|name| format!("{before}\"{name}\""))
        .collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::create;

    #[test]
    fn a_new_database_has_our_tables_to_the_letter() {
        let mut db = Connection::open_in_memory().unwrap();
        create(&mut db).unwrap();
        let tables = ours().unwrap();
        assert_eq!(tables[0].name, "run");
        assert_eq!(first_other(&db, &tables).unwrap(), None);
    }

    #[test]
    fn a_table_with_anything_else_in_it_is_named() {
        for other in [
            "ALTER TABLE trial ADD COLUMN more TEXT AS (upper(detail))",
            "ALTER TABLE trial ADD COLUMN more TEXT DEFAULT 'x'",
            "DROP VIEW v_trials; DROP TABLE trial",
            "DROP VIEW v_trials; DROP TABLE trial; CREATE VIEW trial AS SELECT 1",
            "DROP VIEW v_trials; DROP TABLE trial; CREATE TABLE trial (result, number)",
        ] {
            let mut db = Connection::open_in_memory().unwrap();
            create(&mut db).unwrap();
            db.execute_batch(other).unwrap();
            let tables = ours().unwrap();
            assert_eq!(first_other(&db, &tables).unwrap(), Some("trial"), "{other}");
        }
    }
}
