//! The time that a report takes once everything is measured: scores, ranks and words, and each format.
//!
//! ```text
//! cargo bench -p bakeoff --bench report
//! ```
//!
//! The first report is the largest of a race: 64 variants on 32 sizes. The second is of the largest
//! sweep: 10,000 variants, of which eight raced. `÷ variants` is the time for each variant of a
//! sweep of 10,000 relative to one of 1,000: near 1 or below it, each costs the same.

use bakeoff_domain::report::{
    CaseLabel, Reading, Report, Screening, ScreeningFigures, VariantReport, VerdictRow, rescore,
};
use bakeoff_domain::verdict::Verdict;
use bakeoff_render::Options;
use std::collections::BTreeMap;
use std::time::Instant;

/// A report to begin with.
const GOLDEN: &str = include_str!("../../tests/golden/report/report.json");

/// What is demanded of a race of 64 variants on 32 sizes, and of a sweep of 10,000, in seconds.
const RACE_SECONDS_MAX: f64 = 1.0;
const SWEEP_SECONDS_MAX: f64 = 10.0;

fn variant(report: &Report, index: usize, cases: usize) -> VariantReport {
    let mut variant = report.variants[0].clone();
    variant.id = format!("v-{index}");
    variant.name = format!("swept[n={index}]");
    variant.approach = "swept".to_owned();
    variant.parameters = BTreeMap::from([("n".to_owned(), index.to_string())]);
    let ns = time_ns(index);
    let time = Reading {
        value: ns,
        low: Some(ns * 0.99),
        high: Some(ns * 1.01),
        unit: "ns".to_owned(),
        note: Default::default(),
        by_case: (0..cases)
            .map(|case| Some(ns * (case + 1) as f64))
            .collect(),
    };
    variant.readings.insert("time".to_owned(), time);
    variant
}

fn time_ns(index: usize) -> f64 {
    1_000.0 * 1.03_f64.powi(((index * 37) % 64) as i32)
}

fn row(a: usize, b: usize, case: Option<CaseLabel>) -> VerdictRow {
    let ratio = time_ns(a) / time_ns(b);
    VerdictRow {
        a: format!("v-{a}"),
        b: format!("v-{b}"),
        case,
        verdict: match ratio < 1.0 {
            true => Verdict::Beats,
            false => Verdict::Beaten,
        },
        below_threshold: false,
        ratio: Some(ratio),
        low: Some(ratio * 0.99),
        high: Some(ratio * 1.01),
        replicas: 12,
        typical: None,
        settle_seconds: None,
        narrowed: None,
    }
}

/// A report of variants that raced on this many sizes.
fn race(variants: usize, cases: usize) -> Report {
    let mut report: Report = serde_json::from_str(GOLDEN).expect("the golden report");
    let sizes = (0..cases).map(|case| CaseLabel::Size(64 << case.min(25)));
    report.experiment.cases = sizes.collect();
    let cases = &report.experiment.cases;
    let pairs = (0..variants).flat_map(|a| (a + 1..variants).map(move |b| (a, b)));
    let overall = pairs.clone().map(|(a, b)| row(a, b, None));
    let by_case =
        pairs.flat_map(|(a, b)| cases.iter().map(move |case| row(a, b, Some(case.clone()))));
    report.verdicts = overall.chain(by_case).collect();
    let count = cases.len();
    report.variants = (0..variants)
        .map(|index| variant(&report, index, count))
        .collect();
    if let Some(replicas) = &mut report.replicas {
        replicas.variants = report.variants.iter().map(|one| one.id.clone()).collect();
        let logs = (0..variants).map(|index| Some(time_ns(index).ln()));
        replicas.log_times = vec![logs.collect(); 12];
    }
    report
}

/// A report of a sweep, of which eight variants raced.
fn sweep(variants: usize) -> Report {
    let mut report = race(8, 4);
    let screened = (8..variants).map(|index| {
        let mut variant = variant(&report, index, 4);
        let time = variant.readings.remove("time");
        variant
            .readings
            .extend(time.map(|time| ("fuel".to_owned(), time)));
        variant
    });
    let screened: Vec<VariantReport> = screened.collect();
    report.variants.extend(screened);
    for (index, variant) in report.variants.iter_mut().enumerate() {
        let figures = ScreeningFigures {
            place: index as u32 + 1,
            total: Some(1.0 / (index + 1) as f64),
            time_ns: None,
        };
        variant.screening = Some(Screening {
            figures,
            chosen: index < 8,
        });
    }
    rescore(&report, &BTreeMap::new()).expect("the same weights")
}

/// Returns the seconds of scoring and of all formats together.
fn seconds(title: &str, report: &Report) -> f64 {
    let options = Options::default();
    let steps: [(&str, &dyn Fn() -> usize); 6] = [
        ("scores and words", &|| {
            rescore(report, &BTreeMap::new()).map_or(0, |report| report.variants.len())
        }),
        ("text", &|| bakeoff_render::human(report, &options).len()),
        ("Markdown", &|| {
            bakeoff_render::markdown(report, &options).len()
        }),
        ("HTML", &|| bakeoff_render::html(report, &options).len()),
        ("JSON", &|| bakeoff_render::json(report).len()),
        ("CSV", &|| bakeoff_render::csv(report).len()),
    ];
    println!("{title}");
    let mut total = 0.0;
    for (name, step) in steps {
        let started = Instant::now();
        let size = step();
        let seconds = started.elapsed().as_secs_f64();
        total += seconds;
        println!("  {name:<18}{seconds:>8.3} s  {size:>10}");
    }
    total
}

fn met(holds: bool) -> &'static str {
    if holds { "met" } else { "NOT MET" }
}

fn main() {
    let race = seconds("64 variants on 32 sizes", &race(64, 32));
    let thousand = seconds("1,000 variants of a sweep", &sweep(1_000));
    let all = seconds("10,000 variants of a sweep", &sweep(10_000));
    println!(
        "race: {race:.2} s, at most {RACE_SECONDS_MAX} s: {}",
        met(race <= RACE_SECONDS_MAX)
    );
    println!(
        "sweep: {all:.2} s, at most {SWEEP_SECONDS_MAX} s: {}",
        met(all <= SWEEP_SECONDS_MAX)
    );
    let each = all / thousand / 10.0;
    println!("÷ variants: {each:.2}, at most 1.5: {}", met(each <= 1.5));
}
