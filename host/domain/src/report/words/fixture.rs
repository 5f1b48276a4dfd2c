//! Reports for the tests of sentences.

use crate::report::{Report, VerdictRow};
use serde_json::{Value, json};

/// A report of the variants `best`, `new` and `old` on the sizes 10, 100 and 1000, with one criterion,
/// from time, measured with a budget of 20 s that ended. The fields of `change` replace those of it.
pub(in crate::report) fn report(change: Value) -> Report {
    let variant = |name: &str| {
        json!({
            "id": name, "name": name, "approach": name, "iteration": 1, "parameters": {},
            "status": "ranked", "rank": 1, "total": { "value": 1.0, "low": 1.0, "high": 1.0 },
            "scores": {}, "readings": {}, "failure": null,
        })
    };
    let variants = ["best", "new", "old"].map(variant);
    let mut report = json!({
        "schema_version": 1,
        "experiment": {
            "id": "", "name": "", "problem": "", "seed": 1, "cases": [10, 100, 1000],
        },
        "environment": {
            "engine": "", "compiler": "", "cpu": "", "cores": 2, "system": "", "confinement": "",
        },
        "criteria": [{
            "name": "speed", "weight": 1.0, "source": "time", "direction": "lower-is-better",
        }],
        "variants": variants,
        "verdicts": [],
        "recommendation": {
            "winner": null, "tied": [], "alternatives": [], "flip_distance": null, "text": "",
        },
        "pareto": [],
        "cost": {
            "seconds": 0, "trials": 0, "tokens": 0, "usd": 0, "workers": [], "success_rate": 1,
            "files": 0, "source_lines": 0,
        },
        "protocol": {
            "confidence": 0.95, "practical": 0.01, "budget_seconds": 20.0, "replicas": 9,
            "ended": "budget",
        },
    });
    merge(&mut report, change);
    serde_json::from_value(report).unwrap()
}

fn merge(into: &mut Value, change: Value) {
    match (into, change) {
        (Value::Object(into), Value::Object(change)) => {
            for (key, value) in change {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, change) => *into = change,
    }
}

/// A row over all cases without a verdict, and with these fields.
pub(in crate::report) fn row(a: &str, b: &str, change: &Value) -> VerdictRow {
    let mut row = json!({
        "a": a, "b": b, "case": null, "verdict": "no-call", "below_threshold": false,
        "ratio": null, "low": null, "high": null,
    });
    merge(&mut row, change.clone());
    serde_json::from_value(row).unwrap()
}
