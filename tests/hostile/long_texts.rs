//! Results from elsewhere with texts of a megabyte: what is shown of them stays short.

use crate::finished::{CASES, FinishedRun};
use crate::support::run_bakeoff;
use rusqlite::Connection;
use serde_json::{Value, json};

/// The most that a command may write about a run of three variants, in bytes.
const SHOWN_MAX: usize = 100 << 10;

const FORMATS: [&str; 3] = ["html", "csv", "json"];

fn long() -> Value {
    json!("y".repeat(1 << 20))
}

/// Changes JSON in a column of the last run.
fn change(finished: &FinishedRun, column: &str, pointer: &str) {
    let results = finished.results("planted-cases");
    let db = Connection::open(results.join("bakeoff.db")).unwrap();
    let text: String = db
        .query_row(&format!("SELECT {column} FROM run"), [], |row| row.get(0))
        .unwrap();
    let mut value: Value = serde_json::from_str(&text).unwrap();
    *value.pointer_mut(pointer).unwrap() = long();
    let changed = format!("UPDATE run SET {column} = ?1");
    db.execute(&changed, [value.to_string()]).unwrap();
}

#[test]
fn case_112_long_texts_in_results_from_elsewhere() {
    for (column, pointer) in [
        ("settings", "/measure/workers"),
        ("settings", "/name"),
        ("settings", "/problem"),
        ("settings", "/criteria/0/name"),
        ("settings", "/criteria/0/source"),
        ("environment", "/engine"),
        ("environment", "/fences/0"),
        ("report", "/verdicts/0/a"),
        ("report", "/verdicts/0/verdict"),
        ("report", "/environment/cpu"),
        ("report", "/recommendation/text"),
    ] {
        let finished = CASES.copy();
        change(&finished, column, pointer);
        for format in FORMATS {
            let said = run_bakeoff(&["report", finished.dir(), "--format", format]);
            let bytes = said.stdout.len() + said.stderr.len();
            let about = format!("{column} {pointer} {format}");
            assert!(bytes > 0 && bytes <= SHOWN_MAX, "{about}: {bytes} bytes");
        }
    }
}
