//! The parts of a call as shares of its time: `prepare`, `run` and `output` of a resource.

use super::table::{Align, Table};
use bakeoff_domain::report::words;
use bakeoff_domain::report::{Report, VariantReport};

/// The parts and the sources of their readings, in their order.
const PARTS: [(&str, &str); 3] = [
    ("prepare", "prepare-time"),
    ("run", "run-time"),
    ("output", "output-time"),
];

/// Returns the shares of the parts, the mean over the cases; `None` if no variant has parts.
pub(super) fn table(report: &Report) -> Option<Table> {
    let mut table = Table::new(match report.experiment.cases.len() {
        0 | 1 => "Parts of a call, of its time",
        _ => "Parts of a call, of its time in the mean over the cases",
    });
    for (title, _) in PARTS {
        table.column(title, Align::Right);
    }
    for variant in &report.variants {
        if let Some(shares) = shares(variant) {
            let mut row = vec![words::name(report, &variant.id)];
            row.extend(shares.map(percent));
            table.row(row);
        }
    }
    table.if_any()
}

/// Returns a share in whole percent: its decimals change from run to run.
fn percent(share: f64) -> String {
    match (share * 100.0).round() {
        0.0 if share > 0.0 => "< 1 %".to_owned(),
        percent => format!("{percent} %"),
    }
}

fn shares(variant: &VariantReport) -> Option<[f64; 3]> {
    let readings = PARTS.map(|(_, source)| variant.readings.get(source));
    let [Some(prepare), Some(run), Some(output)] = readings else {
        return None;
    };
    let readings = [prepare, run, output];
    let cases = readings.map(|one| one.by_case.len()).into_iter().min()?;
    let rows: Vec<[f64; 3]> = match cases {
        0 => vec![readings.map(|one| one.value)],
        _ => {
            let row = |case: usize| {
                let [a, b, c] = readings.map(|one| one.by_case[case]);
                Some([a?, b?, c?])
            };
            (0..cases).filter_map(row).collect()
        }
    };
    let mut means = [0.0; 3];
    for row in &rows {
        let all: f64 = row.iter().sum();
        for (mean, part) in means.iter_mut().zip(row) {
            *mean += part / all.max(1.0) / rows.len() as f64;
        }
    }
    (!rows.is_empty()).then_some(means)
}

#[cfg(test)]
mod tests {
    use super::super::tables::tests::named;
    use super::*;
    use bakeoff_domain::report::Reading;

    fn with(by_case: &[[Option<f64>; 2]]) -> Report {
        let mut report = named("x");
        for ((_, source), by_case) in PARTS.iter().zip(by_case) {
            let reading = Reading {
                value: 1.0,
                low: None,
                high: None,
                unit: "ns".to_owned(),
                by_case: by_case.to_vec(),
                note: None,
            };
            let readings = &mut report.variants[0].readings;
            readings.insert((*source).to_owned(), reading);
        }
        report
    }

    #[test]
    fn shares_are_means_over_the_cases() {
        let parts = [
            [Some(50.0), Some(700.0)],
            [Some(30.0), Some(200.0)],
            [Some(20.0), Some(100.0)],
        ];
        let table = table(&with(&parts)).unwrap();
        assert_eq!(table.rows, [["x", "60 %", "25 %", "15 %"]]);
    }

    #[test]
    fn what_has_no_parts_has_no_shares() {
        assert_eq!(table(&named("x")), None);
        assert_eq!(table(&with(&[[Some(1.0), Some(1.0)]])), None);
        // A case that was not timed is left out.
        let parts = [[Some(1.0), None], [Some(1.0), Some(5.0)], [Some(2.0), None]];
        let table = table(&with(&parts)).unwrap();
        assert_eq!(table.rows, [["x", "25 %", "25 %", "50 %"]]);
    }
}
