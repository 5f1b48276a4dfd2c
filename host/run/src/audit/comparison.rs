//! The comparison of a stored report with one that was recomputed from the same samples.

use super::alignment::{Alignment, Both};
use super::figures::{Figure, Figures};
use bakeoff_domain::report::{Ended, ReadingVerdict, Report, VariantReport, VerdictRow};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The treatment of sentences in a comparison of two reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wording {
    /// Both reports were written by the same version.
    Compared,
    /// Another version may word the same finding differently.
    Ignored,
}

impl Wording {
    /// Returns how sentences are compared with those of a report that version `made_by` wrote.
    pub(super) fn of_version(made_by: &str) -> Self {
        match made_by == env!("CARGO_PKG_VERSION") {
            true => Self::Compared,
            false => Self::Ignored,
        }
    }
}

/// Returns the figures of the stored report that differ from the recomputed one. The last digits of
/// numbers are ignored.
pub fn differences(kept: &Report, again: &Report, wording: Wording) -> Vec<Figure> {
    let mut figures = Figures::default();
    reports(&mut figures, kept, again, wording);
    figures.differing()
}

/// Compares all that follows from samples and gates: readings, failures, verdicts, scores, ranks,
/// the recommendation, the notes and what aggregators add; between reports of the same version also what was declared,
/// asked for and said of machine and protocol. The cost is not compared.
pub(super) fn reports(figures: &mut Figures, kept: &Report, again: &Report, wording: Wording) {
    let aligned = Alignment::of(kept, again);
    for variant in &aligned.variants {
        match (variant.before, variant.after) {
            (Some(kept), Some(again)) => {
                variants(figures, kept, again);
                if wording == Wording::Compared {
                    let (was, is) = (declared(kept), declared(again));
                    figures.hold(&kept.id, "declaration", was, is);
                }
            }
            (Some(kept), None) => figures.hold(&kept.id, "variant", "in the report", Value::Null),
            (None, Some(again)) => figures.hold(&again.id, "variant", Value::Null, "in the report"),
            (None, None) => {}
        }
    }
    verdicts(figures, "verdicts", &aligned.verdicts);
    verdicts(figures, "verdicts by wall time", &aligned.wall_verdicts);
    reading_verdicts(figures, kept, again);
    let mut hold = |figure: &str, kept: Value, again: Value| {
        figures.hold("report", figure, kept, again);
    };
    let (was, is) = (&kept.recommendation, &again.recommendation);
    hold("winner", json!(was.winner), json!(is.winner));
    hold("outcome", json!(was.outcome), json!(is.outcome));
    hold(
        "who shares the first place",
        json!(was.tied),
        json!(is.tied),
    );
    hold(
        "close ones",
        json!(was.alternatives),
        json!(is.alternatives),
    );
    hold(
        "flip distance",
        json!(was.flip_distance),
        json!(is.flip_distance),
    );
    hold(
        "shares of first places",
        json!(was.first_share),
        json!(is.first_share),
    );
    hold("undominated", json!(kept.pareto), json!(again.pareto));
    // A race without a pilot left nothing behind that says how it ended.
    if again.protocol.ended != Ended::NotMeasured {
        let ended = |report: &Report| json!(report.protocol.ended);
        hold("why measuring ended", ended(kept), ended(again));
    }
    let replicas = |report: &Report| json!(report.protocol.replicas);
    hold("replicas that count", replicas(kept), replicas(again));
    hold(
        "times by replica",
        json!(kept.replicas),
        json!(again.replicas),
    );
    if wording == Wording::Ignored {
        return;
    }
    hold("recommendation", json!(was.text), json!(is.text));
    hold("withheld", json!(was.withheld), json!(is.withheld));
    hold(
        "stopped in the search",
        json!(kept.stopped_in_search),
        json!(again.stopped_in_search),
    );
    hold("flip", json!(was.flip), json!(is.flip));
    hold(
        "experiment",
        json!(kept.experiment),
        json!(again.experiment),
    );
    hold("criteria", json!(kept.criteria), json!(again.criteria));
    hold(
        "environment",
        json!(kept.environment),
        json!(again.environment),
    );
    hold("protocol", json!(kept.protocol), json!(again.protocol));
    if !(kept.sections.is_empty() && again.sections.is_empty()) {
        let (was, is) = (json!(kept.sections), json!(again.sections));
        hold("sections of aggregators", was, is);
    }
    let has = |report: &Report, note: &String| match report.notes.contains(note) {
        true => json!(note),
        false => Value::Null,
    };
    let more = again.notes.iter().filter(|note| !kept.notes.contains(note));
    for note in kept.notes.iter().chain(more) {
        hold("note", has(kept, note), has(again, note));
    }
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

fn verdicts(figures: &mut Figures, about: &str, rows: &[Both<VerdictRow>]) {
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
