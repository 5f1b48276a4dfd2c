//! Failures that a report has, lacks, or tells otherwise than they were kept.

use super::{figures, verify};
use crate::finished::NO_ORACLE;
use rusqlite::Connection;

#[test]
fn an_altered_failure_differs_by_name() {
    let finished = NO_ORACLE.copy();
    let (said, verification) = verify(finished.dir());
    assert_eq!(said.status, 0, "{}", said.stdout);
    let reproduced = figures(&verification, "reproduced");
    for id in ["forgets-negatives", "answers-by-call-count", "sort"] {
        let figure = format!("{id}: failure");
        assert!(
            reproduced.contains(&figure),
            "no {figure} in {reproduced:#?}"
        );
    }
    let results = finished.path(".bakeoff/planted-no-oracle");
    let db = Connection::open(results.join("bakeoff.db")).unwrap();
    let text: String = db
        .query_row("SELECT report FROM run", [], |row| row.get(0))
        .unwrap();
    let of = |id: &str| {
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut variants = report["variants"].as_array().unwrap().iter();
        let place = variants.position(|variant| variant["id"] == id).unwrap();
        format!("$.variants[{place}].failure")
    };
    let (disagrees, unsteady, right) = (
        of("forgets-negatives"),
        of("answers-by-call-count"),
        of("sort"),
    );
    let added = "{\"class\":\"trap\",\"message\":\"m\",\"phase\":\"check\",\"limit\":null}";
    for (id, at, value) in [
        (
            "forgets-negatives",
            format!("{disagrees}.message"),
            "\"another\"",
        ),
        ("forgets-negatives", disagrees.clone(), "null"),
        (
            "answers-by-call-count",
            format!("{unsteady}.class"),
            "\"trap\"",
        ),
        (
            "answers-by-call-count",
            format!("{unsteady}.limit"),
            "\"fuel = 7\"",
        ),
        (
            "answers-by-call-count",
            format!("{unsteady}.phase"),
            "\"measure\"",
        ),
        ("answers-by-call-count", unsteady, "null"),
        ("sort", right, added),
    ] {
        let sql = "UPDATE run SET report = json_set(?1, ?2, json(?3))";
        assert_eq!(db.execute(sql, [text.as_str(), &at, value]).unwrap(), 1);
        let (said, verification) = verify(finished.dir());
        let differ = figures(&verification, "differs");
        assert_eq!(said.status, 1, "{at} = {value}");
        assert_eq!(differ, [format!("{id}: failure")], "{at} = {value}");
    }
}
