//! The report as JSON: `report.json`, version 1.

use super::escape::Json;
use super::outcome::ComparisonOutcome;
use bakeoff_domain::report::Report;
use serde::Serialize;

/// Returns the report as indented JSON with a line break at its end, with its outcome before everything else, unless
/// nothing was run or the run has not ended. Control and formatting characters are escaped, so that printing it on a terminal is safe.
pub fn json(report: &Report) -> String {
    if report.in_words.is_some() || report.unfinished.is_some() {
        return written(report);
    }
    json_of_comparison(report, ComparisonOutcome::of(report))
}

/// Returns the report of a comparison as JSON: the same, with the outcome of what was asked.
pub fn json_of_comparison(report: &Report, outcome: ComparisonOutcome) -> String {
    #[derive(Serialize)]
    struct Comparison<'a> {
        outcome: ComparisonOutcome,
        #[serde(flatten)]
        report: &'a Report,
    }
    written(&Comparison { outcome, report })
}

/// Returns a value as indented JSON with a line break at its end.
pub fn written(value: &impl Serialize) -> String {
    // Maps with string keys and plain values: serialising them does not fail.
    let text = serde_json::to_string_pretty(value)
        .unwrap_or_else(|error| serde_json::json!({ "error": error.to_string() }).to_string());
    format!("{}\n", Json(&text))
}

#[cfg(test)]
mod tests {
    #[test]
    fn escapes_are_read_back_as_the_same_characters() {
        let name = "a\u{1b}[31m\u{202e}\u{9b}\u{e0041}\u{7f}";
        let report = crate::tables::tests::named(name);
        let text = super::json(&report);
        assert!(
            !text
                .chars()
                .any(|c| c != '\n' && bakeoff_domain::is_active(c))
        );
        let back: bakeoff_domain::report::Report = serde_json::from_str(&text).unwrap();
        assert_eq!(back.variants[0].name, name);
    }

    #[test]
    fn a_comparison_is_a_report_with_its_outcome() {
        let report = crate::tables::tests::named("heap");
        let text = super::json_of_comparison(&report, super::ComparisonOutcome::NotSlower);
        assert!(
            text.starts_with("{\n  \"outcome\": \"not-slower\",\n"),
            "{text}"
        );
        let back: bakeoff_domain::report::Report = serde_json::from_str(&text).unwrap();
        assert_eq!(super::json(&back), super::json(&report));
        assert!(super::json(&report).starts_with("{\n  \"outcome\": \""));
    }
}
