//! A report held against one that was worked out again from the same samples.

use super::figures::{Figure, Figures};
use bakeoff_domain::report::{Ended, Report, Variant, VerdictRow};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap, HashSet};

/// What the first report says otherwise than the second, which was worked out from what is kept.
/// Last digits of numbers count for nothing.
pub fn differences(kept: &Report, again: &Report) -> Vec<Figure> {
    let mut figures = Figures::default();
    reports(&mut figures, kept, again);
    figures.differing()
}

/// Holds all that follows from samples and gates: readings, failures, verdicts, scores, ranks, the
/// recommendation, and what a reader should know about them. What else a report says in words, what it
/// cost and where it was made are not compared.
pub(super) fn reports(figures: &mut Figures, kept: &Report, again: &Report) {
    for variant in &kept.variants {
        let here = again.variants.iter().find(|other| other.id == variant.id);
        match here {
            Some(here) => variants(figures, variant, here),
            None => figures.hold(&variant.id, "variant", "in the report", Value::Null),
        }
    }
    let listed = |id: &String| kept.variants.iter().any(|other| other.id == *id);
    for variant in again.variants.iter().filter(|variant| !listed(&variant.id)) {
        figures.hold(&variant.id, "variant", Value::Null, "in the report");
    }
    verdicts(figures, "verdicts", &kept.verdicts, &again.verdicts);
    verdicts(
        figures,
        "verdicts by wall time",
        &kept.wall_verdicts,
        &again.wall_verdicts,
    );
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
    let has = |report: &Report, note: &String| match report.notes.contains(note) {
        true => json!(note),
        false => Value::Null,
    };
    let more = again.notes.iter().filter(|note| !kept.notes.contains(note));
    for note in kept.notes.iter().chain(more) {
        hold("note", has(kept, note), has(again, note));
    }
}

fn variants(figures: &mut Figures, kept: &Variant, here: &Variant) {
    let id = &kept.id;
    let sources: BTreeSet<&String> = kept.readings.keys().chain(here.readings.keys()).collect();
    for source in sources {
        let reading = |variant: &Variant| match variant.readings.get(source) {
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

fn verdicts(figures: &mut Figures, about: &str, kept: &[VerdictRow], again: &[VerdictRow]) {
    let here: HashMap<_, _> = again.iter().map(|row| (subject(row), row)).collect();
    let known: HashSet<_> = kept.iter().map(subject).collect();
    for row in kept {
        let here = here.get(&subject(row));
        figures.hold(
            about,
            pair(row),
            said(row),
            here.map_or(Value::Null, |row| said(row)),
        );
    }
    let new = |row: &&VerdictRow| !known.contains(&subject(row));
    for row in again.iter().filter(new) {
        figures.hold(about, pair(row), Value::Null, said(row));
    }
}

/// Whom, and which case, a row is about.
fn subject(row: &VerdictRow) -> (&str, &str, Option<String>) {
    let case = row.case.as_ref();
    (&row.a, &row.b, case.map(ToString::to_string))
}

fn pair(row: &VerdictRow) -> String {
    let case = row.case.as_ref();
    let case = case.map_or_else(String::new, |case| format!(", case {case}"));
    format!("{} against {}{case}", row.a, row.b)
}

/// All that a row says of its pair: the verdict first, then the ratio with its interval.
fn said(row: &VerdictRow) -> Value {
    let mut all = vec![
        json!(row.verdict),
        json!(row.ratio),
        json!(row.low),
        json!(row.high),
    ];
    if row.below_threshold {
        all.push(json!("too small to matter"));
    }
    if let Some(reversal) = &row.reversal {
        all.push(json!({ "reversal": reversal }));
    }
    if let Some(seconds) = row.settle_seconds {
        all.push(json!({ "settle_seconds": seconds }));
    }
    Value::Array(all)
}
