//! The aggregator that `bakeoff init --aggregator` writes, on a report that is known beforehand.

/// The module that an aggregator's file uses.
pub mod bakeoff {
    pub use bakeoff_guest::aggregator::*;
    pub use bakeoff_guest::json::Json;
}

/// The aggregator that `bakeoff init --aggregator` writes.
#[path = "../../host/src/cli/template/aggregator.rs"]
pub mod template;

#[test]
fn the_best_by_each_criterion_is_named_and_what_failed_has_no_score() {
    let report = r#"{
        "criteria": [{"name": "performance"}, {"name": "nothing"}],
        "recommendation": {"flip_distance": 0.25},
        "variants": [
            {"name": "heap", "scores": {"performance": {"value": 9.96}}},
            {"name": "sort", "scores": {"performance": {"value": 3}}},
            {"name": "broken", "scores": {}}
        ]
    }"#;
    let sections = template::aggregate(report).unwrap();
    let table = sections[0].table.as_ref().unwrap();
    assert_eq!(table.rows, [["performance", "heap", "10.0"]]);
    assert!(sections[0].paragraphs[0].contains("by 0.25 in all"));
    assert!(template::aggregate("no report").is_err());
}
