//! The export of the documented views, row by row.

use super::error::StoreError;
use super::open::Store;
use super::runs::RunId;
use crate::files::parse_json;
use rusqlite::types::ValueRef;
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
    /// Verdicts by pair and case.
    Verdicts,
    /// Events.
    Events,
}

impl ExportTable {
    /// Every table.
    pub const ALL: [ExportTable; 10] = [
        ExportTable::Runs,
        ExportTable::Variants,
        ExportTable::Iterations,
        ExportTable::Results,
        ExportTable::Trials,
        ExportTable::Replicas,
        ExportTable::Samples,
        ExportTable::FirstCalls,
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
            Self::Verdicts => "v_verdicts",
            Self::Events => "v_events",
        }
    }

    fn order(self) -> &'static str {
        match self {
            Self::Runs => "run",
            Self::Variants => "run, variant",
            Self::Iterations => "run, variant, iteration",
            Self::Results => "run, kind, variant, iteration",
            Self::Trials => "run, variant, iteration, trial",
            Self::Replicas => "run, race, replica",
            Self::Samples => "run, race, replica, sample",
            Self::FirstCalls => "run, race, replica, variant",
            Self::Verdicts => "run, a, b, \"case\"",
            Self::Events => "sequence",
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

/// Columns that hold JSON: objects in JSON lines, text in CSV.
const JSON_COLUMNS: [&str; 4] = ["parameters", "inputs", "value", "data"];

impl Store {
    /// Writes a table row by row, of one run or of all, and returns the number of rows. Memory does
    /// not grow with the table.
    ///
    /// # Errors
    /// Any error of reading the database; [`StoreError::Io`] if `out` fails.
    pub fn export(
        &self,
        run: Option<RunId>,
        table: ExportTable,
        format: ExportFormat,
        out: &mut dyn Write,
    ) -> Result<u64, StoreError> {
        let in_db = |error| self.sqlite_error(error);
        let to_out = |error| StoreError::from_io("write", Path::new("the export"), error);
        let sql = format!(
            "SELECT * FROM {} WHERE ?1 IS NULL OR run = ?1 ORDER BY {}",
            table.view(),
            table.order()
        );
        let mut statement = self.db.prepare(&sql).map_err(in_db)?;
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut line = String::new();
        if format == ExportFormat::Csv {
            line = names.join(",") + "\n";
            out.write_all(line.as_bytes()).map_err(to_out)?;
        }
        let mut rows = statement.query([run.map(|run| run.0)]).map_err(in_db)?;
        let mut count = 0;
        while let Some(row) = rows.next().map_err(in_db)? {
            line.clear();
            let mut cells = RowWriter {
                line: &mut line,
                format,
                column: 0,
            };
            for (column, name) in names.iter().enumerate() {
                cells.push(name, row.get_ref(column).map_err(in_db)?);
            }
            cells.end();
            out.write_all(line.as_bytes()).map_err(to_out)?;
            count += 1;
        }
        out.flush().map_err(to_out)?;
        Ok(count)
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
                self.line.push_str(&json(name, value).to_string());
            }
            ExportFormat::Csv => {
                if self.column > 0 {
                    self.line.push(',');
                }
                csv(self.line, value);
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

fn json(name: &str, value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            let text = String::from_utf8_lossy(text);
            let parsed = JSON_COLUMNS
                .contains(&name)
                .then(|| parse_json(text.as_bytes()));
            match parsed {
                Some(Ok(value)) => value,
                _ => Value::String(text.into_owned()),
            }
        }
    }
}

fn csv(line: &mut String, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => {}
        ValueRef::Integer(number) => line.push_str(&number.to_string()),
        ValueRef::Real(number) => line.push_str(&number.to_string()),
        ValueRef::Text(text) | ValueRef::Blob(text) => {
            let text = spreadsheet_safe(&String::from_utf8_lossy(text));
            let quoted = text.contains([',', '"', '\n', ' ', '\'']);
            if quoted {
                line.push('"');
                line.push_str(&text.replace('"', "\"\""));
                line.push('"');
            } else {
                line.push_str(&text);
            }
        }
    }
}

/// A text that neither a spreadsheet takes for a formula nor a terminal for a control sequence.
fn spreadsheet_safe(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| match c {
            '\n' => '\n',
            '\t' => ' ',
            c if c.is_control() => '\u{fffd}',
            // Marks and overrides that turn the direction of writing.
            '\u{061c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => '\u{fffd}',
            c => c,
        })
        .collect();
    if plain
        .trim_start()
        .starts_with(['=', '+', '-', '@', '|', '%'])
    {
        return format!("'{plain}");
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str) -> String {
        let mut line = String::new();
        csv(&mut line, ValueRef::Text(text.as_bytes()));
        line
    }

    #[test]
    fn a_cell_is_neither_a_formula_nor_a_control_sequence() {
        assert_eq!(cell("heap"), "heap");
        assert_eq!(cell("a,b"), "\"a,b\"");
        assert_eq!(cell("say \"hi\""), "\"say \"\"hi\"\"\"");
        assert_eq!(cell("=1+2"), "\"'=1+2\"");
        assert_eq!(cell("\t@SUM(A1)"), "\"' @SUM(A1)\"");
        assert_eq!(cell("-x"), "\"'-x\"");
        assert_eq!(cell("\u{1b}[31mred"), "\u{fffd}[31mred");
        assert_eq!(cell("a\u{202e}b"), "a\u{fffd}b");
        let mut line = String::new();
        csv(&mut line, ValueRef::Integer(-5));
        assert_eq!(line, "-5", "a number is no formula");
    }
}
