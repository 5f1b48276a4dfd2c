//! The export of the documented views, row by row.

use super::error::StoreError;
use super::export_cell::{push_csv, push_json};
use super::open::Store;
use super::runs::RunId;
use rusqlite::types::ValueRef;
use rusqlite::{Params, Statement};
use serde_json::Value;
use std::io::Write;
use std::path::Path;

/// One of the documented views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportTable {
    /// All runs.
    Runs,
    /// Variants with their status.
    Variants,
    /// Iterations of variants.
    Iterations,
    /// Results with what they depend on.
    Results,
    /// Calls that the oracle judged.
    Trials,
    /// Replicas with their surroundings.
    Replicas,
    /// Timed samples.
    Samples,
    /// The first call of each variant in each replica.
    FirstCalls,
    /// Times of the parts of calls, by variant and case in each replica.
    Parts,
    /// Verdicts by pair and case.
    Verdicts,
    /// Events.
    Events,
}

impl ExportTable {
    /// Every table.
    pub const ALL: [ExportTable; 11] = [
        ExportTable::Runs,
        ExportTable::Variants,
        ExportTable::Iterations,
        ExportTable::Results,
        ExportTable::Trials,
        ExportTable::Replicas,
        ExportTable::Samples,
        ExportTable::FirstCalls,
        ExportTable::Parts,
        ExportTable::Verdicts,
        ExportTable::Events,
    ];

    /// The name that the command line uses: `trials`.
    pub fn name(self) -> &'static str {
        self.view().trim_start_matches("v_")
    }

    /// The name of its view: `v_trials`.
    pub fn view(self) -> &'static str {
        match self {
            Self::Runs => "v_runs",
            Self::Variants => "v_variants",
            Self::Iterations => "v_iterations",
            Self::Results => "v_results",
            Self::Trials => "v_trials",
            Self::Replicas => "v_replicas",
            Self::Samples => "v_samples",
            Self::FirstCalls => "v_first_calls",
            Self::Parts => "v_parts",
            Self::Verdicts => "v_verdicts",
            Self::Events => "v_events",
        }
    }

    /// The order within the rows that are read at once.
    fn order(self) -> &'static str {
        match self {
            Self::Runs => "run",
            Self::Variants => "variant",
            Self::Iterations => "variant, iteration",
            Self::Results => "kind, variant, iteration",
            Self::Trials => "variant, iteration, trial",
            Self::Replicas => "race, replica",
            Self::Samples => "race, sample",
            Self::FirstCalls => "race, variant",
            Self::Parts => "race, variant, \"case\"",
            Self::Verdicts => "a, b, \"case\"",
            Self::Events => "sequence",
        }
    }

    /// The rows that are read, and sorted, at once.
    fn at_once(self) -> AtOnce {
        match self {
            Self::Events => AtOnce::All,
            Self::Samples | Self::FirstCalls | Self::Parts => AtOnce::Replica,
            _ => AtOnce::Run,
        }
    }
}

/// The format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// One JSON object a line.
    Jsonl,
    /// Comma-separated values with a header; text that a spreadsheet would take for a formula gets
    /// an apostrophe in front, and control characters are replaced.
    Csv,
}

/// The rows of a view that are read at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AtOnce {
    /// All rows: they need no sorting.
    All,
    /// Rows of one run.
    Run,
    /// Rows of one replica of a run, by the replica's number.
    Replica,
}

impl Store {
    /// Writes a table row by row, of one run or of all, and returns the number of rows. Memory does
    /// not grow with the table. Results from elsewhere take no more steps and bytes than their size
    /// accounts for.
    ///
    /// # Errors
    /// [`StoreError::ExportTooLarge`] for results from elsewhere; any error of reading the database;
    /// [`StoreError::Io`] if `out` fails.
    pub fn export(
        &self,
        run: Option<RunId>,
        table: ExportTable,
        format: ExportFormat,
        out: &mut dyn Write,
    ) -> Result<u64, StoreError> {
        let Some(bounds) = &self.bounds else {
            return self.export_rows(run, table, format, out);
        };
        let exported = bounds.hold(out, |out| self.export_rows(run, table, format, out));
        exported.unwrap_or_else(|| {
            Err(StoreError::ExportTooLarge {
                file: self.file.clone(),
                table: table.name(),
            })
        })
    }

    fn export_rows(
        &self,
        run: Option<RunId>,
        table: ExportTable,
        format: ExportFormat,
        out: &mut dyn Write,
    ) -> Result<u64, StoreError> {
        let in_db = |error| self.sqlite_error(error);
        let (view, order) = (table.view(), table.order());
        let wanted = match table.at_once() {
            AtOnce::All => "?1 IS NULL OR run = ?1",
            AtOnce::Run => "run = ?1",
            AtOnce::Replica => "run = ?1 AND replica = ?2",
        };
        let sql = format!("SELECT * FROM {view} WHERE {wanted} ORDER BY {order}");
        let mut statement = self.db.prepare(&sql).map_err(in_db)?;
        let mut writer = TableWriter::begin(&statement, format, out)?;
        let run = run.map(|run| run.0);
        if table.at_once() == AtOnce::All {
            writer
                .write(&mut statement, [run])
                .map_err(|error| error.of(self))?;
            return writer.end();
        }
        let runs = match run {
            Some(run) => vec![run],
            None => self.numbers("SELECT id FROM run ORDER BY id", &[])?,
        };
        for run in runs {
            if table.at_once() == AtOnce::Run {
                writer
                    .write(&mut statement, [run])
                    .map_err(|error| error.of(self))?;
                continue;
            }
            let replicas =
                "SELECT DISTINCT p.number FROM reliance u JOIN replica p ON p.race = u.result
                 WHERE u.kind = 'race' AND u.run = ?1 ORDER BY p.number";
            for replica in self.numbers(replicas, &[run])? {
                writer
                    .write(&mut statement, [run, replica])
                    .map_err(|error| error.of(self))?;
            }
        }
        writer.end()
    }

    /// The numbers that a query returns.
    fn numbers(&self, sql: &str, of: &[i64]) -> Result<Vec<i64>, StoreError> {
        let read = || {
            let mut statement = self.db.prepare_cached(sql)?;
            let rows = statement.query_map(rusqlite::params_from_iter(of), |row| row.get(0))?;
            rows.collect::<rusqlite::Result<_>>()
        };
        read().map_err(|error| self.sqlite_error(error))
    }
}

/// A failure to read a row, or to write it.
enum RowError {
    Read(rusqlite::Error),
    Write(std::io::Error),
}

impl RowError {
    fn of(self, store: &Store) -> StoreError {
        match self {
            Self::Read(error) => store.sqlite_error(error),
            Self::Write(error) => to_out(error),
        }
    }
}

fn to_out(error: std::io::Error) -> StoreError {
    StoreError::from_io("write", Path::new("the export"), error)
}

/// A table that is being written.
struct TableWriter<'a> {
    out: &'a mut dyn Write,
    format: ExportFormat,
    names: Vec<String>,
    line: String,
    rows: u64,
}

impl<'a> TableWriter<'a> {
    /// Writes what comes before the rows.
    fn begin(
        statement: &Statement<'_>,
        format: ExportFormat,
        out: &'a mut dyn Write,
    ) -> Result<Self, StoreError> {
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        if format == ExportFormat::Csv {
            let header = names.join(",") + "\n";
            out.write_all(header.as_bytes()).map_err(to_out)?;
        }
        Ok(Self {
            out,
            format,
            names,
            line: String::new(),
            rows: 0,
        })
    }

    /// Writes the rows of a query.
    fn write(&mut self, from: &mut Statement<'_>, of: impl Params) -> Result<(), RowError> {
        let mut rows = from.query(of).map_err(RowError::Read)?;
        while let Some(row) = rows.next().map_err(RowError::Read)? {
            self.line.clear();
            let mut cells = RowWriter {
                line: &mut self.line,
                format: self.format,
                column: 0,
            };
            for (column, name) in self.names.iter().enumerate() {
                cells.push(name, row.get_ref(column).map_err(RowError::Read)?);
            }
            cells.end();
            let written = self.out.write_all(self.line.as_bytes());
            written.map_err(RowError::Write)?;
            self.rows += 1;
        }
        Ok(())
    }

    /// Returns the number of rows.
    fn end(self) -> Result<u64, StoreError> {
        self.out.flush().map_err(to_out)?;
        Ok(self.rows)
    }
}

/// A row that is being written.
struct RowWriter<'a> {
    line: &'a mut String,
    format: ExportFormat,
    column: usize,
}

impl RowWriter<'_> {
    fn push(&mut self, name: &str, value: ValueRef<'_>) {
        match self.format {
            ExportFormat::Jsonl => {
                self.line.push(if self.column == 0 { '{' } else { ',' });
                self.line.push_str(&Value::from(name).to_string());
                self.line.push(':');
                push_json(self.line, name, value);
            }
            ExportFormat::Csv => {
                if self.column > 0 {
                    self.line.push(',');
                }
                push_csv(self.line, value);
            }
        }
        self.column += 1;
    }

    fn end(&mut self) {
        self.line.push_str(match self.format {
            ExportFormat::Jsonl => "}\n",
            ExportFormat::Csv => "\n",
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mode;
    use crate::schema::create;

    /// A store on an unsealed database with these rows, opened for reading.
    fn from_elsewhere(rows: &str) -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let mut db = rusqlite::Connection::open(folder.path().join("bakeoff.db")).unwrap();
        create(&mut db).unwrap();
        db.execute_batch(rows).unwrap();
        db.close().unwrap();
        let store = Store::open(folder.path(), Mode::Read).unwrap();
        (folder, store)
    }

    /// Returns SQL that inserts `runs` runs, which all rest on one race of `samples` samples.
    fn sharing(runs: u32, samples: u32) -> String {
        format!(
            "CREATE TEMP TABLE n AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c
               LIMIT 100000) SELECT n FROM c;
             INSERT INTO run SELECT n, 1, 'n', 'e', '1', 'b', 's', 'u', 'finished', 0, '{{}}', '{{}}',
               NULL, NULL, NULL FROM n WHERE n <= {runs};
             INSERT INTO result VALUES (1, 1, 'race', 'k', '[]', 1, 'a', '{{}}');
             INSERT INTO reliance SELECT n, 'race', '', 0, 1 FROM n WHERE n <= {runs};
             INSERT INTO replica (id, race, number, solo, run, at, preemptions)
               VALUES (1, 1, 0, 0, 1, 'a', 0), (2, 1, 1, 0, 2, 'a', 0), (3, 1, 3, 0, 1, 'a', 0);
             INSERT INTO entrant VALUES (1, 0, 'a');
             INSERT INTO race_case VALUES (1, 0, '1000');
             INSERT INTO baseline VALUES (1, 0, 1.0, 1.0);
             INSERT INTO sample SELECT 1, n, 0, 0, 1000000000 + n, 0, 100, 10000000 + n, 20000000 + n
               FROM n WHERE n <= {samples};"
        )
    }

    #[test]
    fn case_82_views_that_multiply() {
        let (_folder, store) = from_elsewhere(&sharing(1_000, 5_000));
        let export = |run, table| {
            let mut sink = std::io::sink();
            store.export(run, table, ExportFormat::Jsonl, &mut sink)
        };
        let error = export(None, ExportTable::Samples).unwrap_err();
        assert!(error.is_export_too_large(), "{error}");
        assert!(error.to_string().contains("--run"), "{error}");
        // What is bounded is each table, and nothing else that is read.
        assert_eq!(export(Some(RunId(7)), ExportTable::Samples).unwrap(), 5_000);
        assert_eq!(export(None, ExportTable::Runs).unwrap(), 1_000);
        assert_eq!(export(None, ExportTable::Replicas).unwrap(), 3_000);
        assert_eq!(store.runs().unwrap().len(), 1_000);
    }

    #[test]
    fn forty_runs_that_rest_on_the_same_samples_are_exported_in_order() {
        let (_folder, store) = from_elsewhere(&sharing(40, 30_000));
        let mut out = Vec::new();
        let rows = store.export(None, ExportTable::Samples, ExportFormat::Csv, &mut out);
        assert_eq!(rows.unwrap(), 40 * 30_000);
        let key = |line: &str| {
            let cells: Vec<u64> = line
                .split(',')
                .take(4)
                .map(|n| n.parse().unwrap())
                .collect();
            (cells[0], cells[2], cells[3])
        };
        let text = String::from_utf8(out).unwrap();
        assert!(text.lines().skip(1).map(key).is_sorted());
    }

    #[test]
    fn a_replica_counts_if_all_before_it_were_there_when_the_run_was_over() {
        let (_folder, store) = from_elsewhere(&sharing(2, 1));
        let sql = "SELECT group_concat(run || ':' || replica || ':' || counts, ' ')
                   FROM (SELECT * FROM v_replicas ORDER BY run, replica)";
        let counts: String = store.db.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(counts, "1:0:1 1:1:0 1:3:0 2:0:1 2:1:1 2:3:0");
    }
}
