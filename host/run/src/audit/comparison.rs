//! The comparison of a stored report with the one that follows from the same run's evidence.

use super::alignment::{Alignment, ItemPair};
use super::figures::{Figure, Figures};
use bakeoff_domain::report::{ReadingVerdict, Report, VariantReport, VerdictRow};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the figures of the stored report that differ from those that follow from the evidence. The last digits of
/// numbers are ignored.
pub(super) fn differences(stored: &Report, concluded: &Report) -> Vec<Figure> {
    let mut figures = Figures::default();
    reports(&mut figures, stored, concluded);
    figures.differing()
}

/// Compares all that a report says but the cost: what follows from samples and gates, what was declared and asked for,
/// and what is said of machine and protocol.
pub(super) fn reports(figures: &mut Figures, kept: &Report, again: &Report) {
    let aligned = Alignment::of(kept, again);
    for variant in &aligned.variants {
        match (variant.before, variant.after) {
            (Some(kept), Some(again)) => variants(figures, kept, again),
            (Some(kept), None) => figures.hold(&kept.id, "variant", "in the report", Value::Null),
            (None, Some(again)) => figures.hold(&again.id, "variant", Value::Null, "in the report"),
            (None, None) => {}
        }
    }
    verdicts(figures, "verdicts", &aligned.verdicts);
    verdicts(figures, "verdicts by wall time", &aligned.wall_verdicts);
    reading_verdicts(figures, kept, again);
    for ((figure, was), (_, is)) in parts(kept).into_iter().zip(parts(again)) {
        figures.hold("report", figure, was, is);
    }
    if !(kept.sections.is_empty() && again.sections.is_empty()) {
        let (was, is) = (json!(kept.sections), json!(again.sections));
        figures.hold("report", "sections of aggregators", was, is);
    }
    if !(kept.opinions.is_none() && again.opinions.is_none()) {
        let (was, is) = (json!(kept.opinions), json!(again.opinions));
        figures.hold("report", "opinions", was, is);
    }
    if !(kept.natively.is_none() && again.natively.is_none()) {
        let (was, is) = (json!(kept.natively), json!(again.natively));
        figures.hold("report", "times natively", was, is);
    }
    if !(kept.machines.is_none() && again.machines.is_none()) {
        let (was, is) = (json!(kept.machines), json!(again.machines));
        figures.hold("report", "races on other machines", was, is);
    }
    let has = |report: &Report, note: &String| {
        if report.notes.contains(note) {
            json!(note)
        } else {
            Value::Null
        }
    };
    let more = again.notes.iter().filter(|note| !kept.notes.contains(note));
    for note in kept.notes.iter().chain(more) {
        figures.hold("report", "note", has(kept, note), has(again, note));
    }
}

/// Returns what a report says of the run as a whole, by name.
fn parts(report: &Report) -> [(&'static str, Value); 18] {
    let first = &report.recommendation;
    [
        ("winner", json!(first.winner)),
        ("outcome", json!(first.outcome)),
        ("who shares the first place", json!(first.tied)),
        ("close ones", json!(first.alternatives)),
        ("flip distance", json!(first.flip_distance)),
        ("shares of first places", json!(first.first_share)),
        ("undominated", json!(report.pareto)),
        ("why measuring ended", json!(report.protocol.ended)),
        ("replicas that count", json!(report.protocol.replicas)),
        ("times by replica", json!(report.replicas)),
        ("recommendation", json!(first.text)),
        ("withheld", json!(first.withheld)),
        ("stopped in the search", json!(report.stopped_in_search)),
        ("flip", json!(first.flip)),
        ("experiment", json!(report.experiment)),
        ("criteria", json!(report.criteria)),
        ("environment", json!(report.environment)),
        ("protocol", json!(report.protocol)),
    ]
}

/// Compares the verdicts by readings other than the time of a call.
fn reading_verdicts(figures: &mut Figures, kept: &Report, again: &Report) {
    let sources: BTreeSet<&String> = (kept.reading_verdicts.keys())
        .chain(again.reading_verdicts.keys())
        .collect();
    for source in sources {
        let rows = |report: &Report| {
            let rows = report.reading_verdicts.get(source).into_iter().flatten();
            let row = |row: &ReadingVerdict<String>| {
                let numbers = json!([row.verdict, row.value, row.low, row.high, row.count]);
                (format!("{} against {}", row.a, row.b), numbers)
            };
            rows.map(row).collect::<BTreeMap<String, Value>>()
        };
        let (was, is) = (rows(kept), rows(again));
        let pairs: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
        for pair in pairs {
            let of =
                |rows: &BTreeMap<String, Value>| rows.get(pair).cloned().unwrap_or(Value::Null);
            figures.hold(pair, format!("verdict by {source}"), of(&was), of(&is));
        }
    }
}

fn variants(figures: &mut Figures, kept: &VariantReport, here: &VariantReport) {
    let id = &kept.id;
    let sources: BTreeSet<&String> = kept.readings.keys().chain(here.readings.keys()).collect();
    for source in sources {
        let reading = |variant: &VariantReport| match variant.readings.get(source) {
            // The most telling number first: what is long is cut where it is shown.
            Some(reading) => json!([
                reading.value,
                reading.low,
                reading.high,
                reading.unit,
                reading.by_case
            ]),
            None => Value::Null,
        };
        figures.hold(
            id,
            format!("reading {source}"),
            reading(kept),
            reading(here),
        );
    }
    let mut hold = |figure: &str, kept: Value, here: Value| figures.hold(id, figure, kept, here);
    hold("failure", json!(kept.failure), json!(here.failure));
    hold("status", json!(kept.status), json!(here.status));
    hold("rank", json!(kept.rank), json!(here.rank));
    hold("total", json!(kept.total), json!(here.total));
    hold("scores", json!(kept.scores), json!(here.scores));
    hold("pure", json!(kept.pure), json!(here.pure));
    hold("growth", json!(kept.growth), json!(here.growth));
    hold("declaration", declared(kept), declared(here));
}

/// Returns what a report says of a variant that follows from its declaration and its component.
fn declared(variant: &VariantReport) -> Value {
    json!([
        variant.name,
        variant.approach,
        variant.iteration,
        variant.parameters,
        variant.file,
        variant.description,
        variant.imports,
    ])
}

fn verdicts(figures: &mut Figures, about: &str, rows: &[ItemPair<VerdictRow>]) {
    for both in rows {
        let row = both.before.as_ref().or(both.after.as_ref());
        let values = |row: &Option<VerdictRow>| row.as_ref().map_or(Value::Null, row_value);
        if let Some(row) = row {
            figures.hold(about, pair(row), values(&both.before), values(&both.after));
        }
    }
}

fn pair(row: &VerdictRow) -> String {
    let case = row.case.as_ref();
    let case = case.map_or_else(String::new, |case| format!(", case {case}"));
    format!("{} against {}{case}", row.a, row.b)
}

/// Returns the values of a row: the verdict first, then the ratio with its interval.
fn row_value(row: &VerdictRow) -> Value {
    let mut all = vec![
        json!(row.verdict),
        json!(row.ratio),
        json!(row.low),
        json!(row.high),
    ];
    if row.below_threshold {
        all.push(json!("too small to matter"));
    }
    if let Some(typical) = row.typical {
        all.push(json!({ "typical": typical }));
    }
    if let Some(seconds) = row.settle_seconds {
        all.push(json!({ "settle_seconds": seconds }));
    }
    if let Some(narrowed) = row.narrowed {
        all.push(json!({ "narrowed": narrowed }));
    }
    Value::Array(all)
}
