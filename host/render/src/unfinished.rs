//! The report of a run that has not ended: what was read of each variant so far, in place of scores and ranks.

use super::table::{Align, Table};
use bakeoff_domain::report::words::{self, numbers};
use bakeoff_domain::report::{Report, VariantReport};

/// The heading of the section.
pub(super) const HEADING: &str = "Read so far";

/// Returns the readings of each variant by criterion, with its state.
pub(super) fn table(report: &Report) -> Table {
    let mut table = Table::new("Readings so far, in their own units");
    for criterion in &report.criteria {
        table.column(&words::column_name(criterion), Align::Right);
    }
    table.column("state", Align::Left);
    for variant in &report.variants {
        let mut row = vec![words::name(report, &variant.id)];
        row.extend(report.criteria.iter().map(|criterion| {
            let reading = variant.readings.get(&criterion.source);
            reading.map_or(words::NO_VALUE.to_owned(), |reading| {
                numbers::reading(reading.value, &reading.unit)
            })
        }));
        row.push(state(variant));
        table.row(row);
    }
    table
}

/// Returns the state of a variant: how far it is, or the class of its failure.
fn state(variant: &VariantReport) -> String {
    match &variant.failure {
        Some(failure) => format!("failed: {}", failure.class),
        None => variant.reason.clone().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Options, csv, html, human, json, junit, markdown, summary};
    use bakeoff_domain::report::{UnfinishedRun, UnfinishedStatus};

    fn stopped() -> Report {
        let text = include_str!("../../../tests/golden/report/report.json");
        let mut report: Report = serde_json::from_str(text).unwrap();
        report.unfinished = Some(UnfinishedRun {
            run: 1,
            status: UnfinishedStatus::Killed,
            variants: 4,
            built: 3,
            checked: 2,
            failed: 1,
            replicas: 3,
            reason: None,
            resume: "bakeoff run '<b>|x'".to_owned(),
        });
        report.author_words.clear();
        for variant in &mut report.variants {
            variant.reason = Some("checked, not ranked yet".to_owned());
        }
        bakeoff_domain::report::rescore(&report, &std::collections::BTreeMap::new()).unwrap()
    }

    #[test]
    fn every_format_says_that_the_run_is_not_finished_and_ranks_nobody() {
        let report = stopped();
        let options = Options::default();
        let formats = [
            human(&report, &options),
            markdown(&report, &options),
            html(&report, &options),
            csv(&report),
            junit(&report, &[]),
            json(&report),
            summary(&report),
            crate::answer(&report, &options),
        ];
        for text in formats {
            assert!(
                text.contains("Not finished: 2 of 4 checked, 1 failed, 3 replicas"),
                "{text}"
            );
            for claim in ["surely", "Take ", " 1= ", "faster than"] {
                assert!(!text.contains(claim), "{claim}: {text}");
            }
        }
        let shown = human(&report, &options);
        assert!(
            shown.contains("What it took") && !shown.contains("with a result"),
            "{shown}"
        );
        let page = html(&report, &options);
        assert!(
            !page.contains("Weigh it yourself") && !page.contains("<b>|x"),
            "{page}"
        );
    }

    #[test]
    fn the_matrix_has_the_readings_and_how_far_each_variant_is() {
        let report = stopped();
        let table = table(&report);
        assert_eq!(table.rows.len(), report.variants.len());
        let states = table.rows.iter().filter_map(|row| row.last());
        let states: Vec<&String> = states.collect();
        assert!(
            states.iter().any(|state| state.starts_with("failed: ")),
            "{states:?}"
        );
        assert!(
            states
                .iter()
                .any(|state| *state == "checked, not ranked yet"),
            "{states:?}"
        );
        let read = report
            .variants
            .iter()
            .position(|one| one.readings.contains_key("time"));
        let row = &table.rows[read.unwrap()];
        assert!(
            row[1..].iter().any(|cell| cell != words::NO_VALUE),
            "{row:?}"
        );
    }
}
