//! The tables of a report.

use super::ratio_rows::ratios_to_reference;
use super::table::{Align, Table};
use bakeoff_domain::report::words::{self, numbers};
use bakeoff_domain::report::{CaseLabel, Interval, Report, VariantReport};
use bakeoff_domain::spec::{Direction, GateOn, Scale};
use bakeoff_domain::texts::SizedTexts;
use std::collections::BTreeSet;

pub(super) use words::NO_VALUE;

/// Returns the comparison matrix: a score for each criterion, the total, the rank. A column has as many decimals as it
/// takes to see the differences that are sure.
pub(super) fn matrix(report: &Report) -> Table {
    let title = "Scores from 0 to 10, higher is better; total from 0 to 1";
    scored(report, title, |value, decimals| {
        numbers::decimals(decimals, value.value)
    })
}

/// Returns the comparison matrix with intervals: the table of the chart of scores.
pub(super) fn scores(report: &Report) -> Table {
    scored(report, "Scores with their intervals", with_interval)
}

/// Returns a row for each variant, with `show` applied to each score and to the total.
fn scored(report: &Report, title: &str, show: impl Fn(&Interval, usize) -> String) -> Table {
    let mut table = Table::new(title);
    for criterion in &report.criteria {
        table.column(&words::column_name(criterion), Align::Right);
    }
    table.column("total", Align::Right);
    table.column("rank", Align::Right);
    for row in words::score_rows(report, show) {
        table.row(row);
    }
    table
}

/// Returns a value with its interval: `8.1 (7.9–8.3)`; without it if both ends are shown alike.
fn with_interval(interval: &Interval, decimals: usize) -> String {
    let show = |value: f64| numbers::decimals(decimals, value);
    let value = show(interval.value);
    match (interval.low.map(show), interval.high.map(show)) {
        (Some(low), Some(high)) if low == high => value,
        (Some(low), Some(high)) => format!("{value} ({low}–{high})"),
        (Some(low), None) => format!("{value} (at least {low})"),
        (None, Some(high)) => format!("{value} (at most {high})"),
        (None, None) => format!("{value} (interval unknown)"),
    }
}

/// Returns times against one variant: the table of the chart of ratios.
pub(super) fn ratios(report: &Report) -> Table {
    let list = ratios_to_reference(report);
    let reference = list.first().map_or("", |first| &first.name);
    let scope = report.experiment.scope();
    let mut table = Table::new(&format!("Time against {reference}, {scope}"));
    table.column("time", Align::Left);
    table.rows = list
        .into_iter()
        .map(|row| vec![row.name, row.summary])
        .collect();
    table
}

/// Returns times by case, which is also the table of the chart of times by size.
pub(super) fn by_case(report: &Report) -> Option<Table> {
    let cases = &report.experiment.cases;
    let timed: Vec<&VariantReport> = report
        .variants
        .iter()
        .filter(|variant| {
            let time = variant.readings.get("time");
            time.is_some_and(|time| time.by_case.len() == cases.len())
        })
        .collect();
    if timed.is_empty() {
        return None;
    }
    if report.experiment.instances.is_some() {
        return Some(over_instances(report, &timed));
    }
    let mut table = Table::new(match cases.len() {
        1 => "Time of one call",
        _ => "Time of one call, by case",
    });
    for case in cases {
        let title = match case {
            CaseLabel::Size(size) => numbers::count(u64::from(*size)),
            CaseLabel::Texts(SizedTexts { size, texts }) => {
                format!("{}, {}", numbers::count(u64::from(*size)), texts.words())
            }
            CaseLabel::Call(call) | CaseLabel::Instance { instance: call } => {
                super::clipped(call, 24)
            }
        };
        table.column(&title, Align::Right);
    }
    for variant in timed {
        let mut row = vec![words::name(report, &variant.id)];
        let time = &variant.readings["time"];
        let by_case = cases.iter().zip(&time.by_case);
        row.extend(by_case.map(|(case, value)| match value {
            Some(value) => numbers::reading(*value, &time.unit),
            None if report.too_short.iter().any(|short| short.case == *case) => {
                "too short".to_owned()
            }
            None => NO_VALUE.to_owned(),
        }));
        table.row(row);
    }
    Some(table)
}

/// Returns the one time that each variant has on a set of instances.
fn over_instances(report: &Report, timed: &[&VariantReport]) -> Table {
    let scope = report.experiment.scope();
    let mut table = Table::new(&format!("Time of one call, geometric mean {scope}"));
    table.column("time", Align::Right);
    for variant in timed {
        let time = &variant.readings["time"];
        table.row(vec![
            words::name(report, &variant.id),
            numbers::reading(time.value, &time.unit),
        ]);
    }
    table
}

/// Returns all readings, in their own units.
pub(super) fn readings(report: &Report) -> Option<Table> {
    let sources: BTreeSet<&String> = report
        .variants
        .iter()
        .flat_map(|variant| variant.readings.keys())
        .collect();
    if sources.is_empty() {
        return None;
    }
    let mut table = Table::new("Readings");
    for source in &sources {
        let mut criteria = report.criteria.iter().filter(|one| one.is_opinion());
        let opinion = criteria.find(|one| one.source == **source);
        let title = opinion.map_or_else(|| (*source).clone(), words::column_name);
        table.column(&title, Align::Right);
    }
    let digits = |source: &&String| {
        let readings = report
            .variants
            .iter()
            .filter_map(|v| v.readings.get(*source));
        let unit = readings.map(|reading| reading.unit.as_str()).next();
        words::source_digits(report, source, unit.unwrap_or_default())
    };
    let digits: Vec<usize> = sources.iter().map(digits).collect();
    for variant in report.variants.iter().filter(|v| !v.readings.is_empty()) {
        let mut row = vec![words::name(report, &variant.id)];
        row.extend(sources.iter().zip(&digits).map(|(source, digits)| {
            let reading = variant.readings.get(*source);
            reading.map_or(NO_VALUE.to_owned(), |reading| {
                numbers::reading_with(*digits, reading.value, &reading.unit)
            })
        }));
        table.row(row);
    }
    Some(table)
}

/// Returns the criteria: weight, source, direction, scale and gate.
pub(super) fn criteria(report: &Report) -> Table {
    let mut table = Table::new("Criteria");
    table.columns[0].0 = "criterion".to_owned();
    for title in ["weight", "from", "better", "scale", "gate"] {
        table.column(title, Align::Left);
    }
    for criterion in &report.criteria {
        let better = match criterion.direction {
            Direction::LowerIsBetter => "lower",
            Direction::HigherIsBetter => "higher",
        };
        let scale = match criterion.scale {
            Scale::Ratio { base } => format!("10 points for each factor of {base}"),
            Scale::Linear { low, high } => format!("linear from {low} to {high}"),
        };
        let gate = criterion.gate.map_or(NO_VALUE.to_owned(), |gate| {
            let (on, unit) = match gate.on {
                GateOn::Score => ("score", ""),
                GateOn::Reading => ("reading", criterion.unit.as_str()),
            };
            let bound = |what: &str, bound: Option<f64>| {
                bound.map(|bound| format!("{what} {}", numbers::reading(bound, unit)))
            };
            let bounds: Vec<String> = [bound("at least", gate.min), bound("at most", gate.max)]
                .into_iter()
                .flatten()
                .collect();
            format!("{on} {}", bounds.join(", "))
        });
        table.row(vec![
            words::column_name(criterion),
            numbers::weight(criterion.weight),
            criterion.source.clone(),
            better.to_owned(),
            scale,
            gate,
        ]);
    }
    table
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use bakeoff_domain::plan::RunSeed;
    use bakeoff_domain::report::{
        Cost, Environment, ExperimentSummary, Facts, Protocol, VariantStatus, assemble,
    };
    use std::collections::BTreeMap;

    /// Returns a report with one variant of that name and nothing else.
    pub(crate) fn named(name: &str) -> Report {
        assemble(Facts {
            experiment: ExperimentSummary {
                id: "id".to_owned(),
                name: "experiment".to_owned(),
                problem: "problem".to_owned(),
                seed: RunSeed::Named(1),
                check_seed: RunSeed::Named(1),
                instances: None,
                cases: Vec::new(),
                options: Vec::new(),
                by_sources: false,
            },
            environment: Environment::default(),
            criteria: Vec::new(),
            variants: vec![VariantReport {
                id: "v".to_owned(),
                name: name.to_owned(),
                approach: "a".to_owned(),
                iteration: 1,
                screening: None,
                parameters: BTreeMap::new(),
                status: VariantStatus::Unranked,
                rank: None,
                total: None,
                scores: BTreeMap::new(),
                readings: BTreeMap::new(),
                missing_readings: BTreeMap::new(),
                failure: None,
                failed_call: None,
                pure: None,
                file: String::new(),
                description: None,
                reason: None,
                growth: None,
                imports: Vec::new(),
                attempts: Vec::new(),
            }],
            verdicts: Vec::new(),
            wall_verdicts: Vec::new(),
            reading_verdicts: std::collections::BTreeMap::new(),
            replicas: None,
            protocol: Protocol::default(),
            options: bakeoff_domain::spec::ReportOptions::default(),
            cost: Cost::default(),
            notes: Vec::new(),
            stopped_in_search: Vec::new(),
            in_words: None,
            author_words: BTreeMap::new(),
            too_short: Vec::new(),
        })
    }

    #[test]
    fn a_variant_without_scores_is_shown_without_a_rank() {
        let report = named("x");
        assert_eq!(matrix(&report).rows, [["x", NO_VALUE, "unranked"]]);
        assert_eq!(
            super::super::unranked_variants::unranked(&report)[0].status,
            "unranked"
        );
    }
}
