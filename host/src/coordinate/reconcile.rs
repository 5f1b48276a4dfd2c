//! A report held against one that was worked out again from the same samples.

use super::figures::Figures;
use bakeoff_domain::report::{Report, Variant, VerdictRow};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Holds all that follows from samples and gates: readings, verdicts, scores, ranks, the
/// recommendation. What a report says in words, what it cost and where it was made are not compared.
pub(super) fn reports(figures: &mut Figures, kept: &Report, again: &Report) {
    for variant in &kept.variants {
        let here = again.variants.iter().find(|other| other.id == variant.id);
        match here {
            Some(here) => variants(figures, variant, here),
            None => figures.hold(&variant.id, "variant", "in the report", Value::Null),
        }
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
    let replicas = |report: &Report| json!(report.protocol.replicas);
    hold("replicas that count", replicas(kept), replicas(again));
    hold(
        "times by replica",
        json!(kept.replicas),
        json!(again.replicas),
    );
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
    hold("status", json!(kept.status), json!(here.status));
    hold("rank", json!(kept.rank), json!(here.rank));
    hold("total", json!(kept.total), json!(here.total));
    hold("scores", json!(kept.scores), json!(here.scores));
    hold("pure", json!(kept.pure), json!(here.pure));
    hold("growth", json!(kept.growth), json!(here.growth));
}

fn verdicts(figures: &mut Figures, about: &str, kept: &[VerdictRow], again: &[VerdictRow]) {
    let same = |a: &VerdictRow, b: &VerdictRow| a.a == b.a && a.b == b.b && a.case == b.case;
    for row in kept {
        let here = again.iter().find(|other| same(row, other));
        figures.hold(about, pair(row), said(row), here.map_or(Value::Null, said));
    }
    let new = |row: &&VerdictRow| !kept.iter().any(|other| same(row, other));
    for row in again.iter().filter(new) {
        figures.hold(about, pair(row), Value::Null, said(row));
    }
}

fn pair(row: &VerdictRow) -> String {
    let case = row.case.as_ref();
    let case = case.map_or_else(String::new, |case| format!(", case {case}"));
    format!("{} against {}{case}", row.a, row.b)
}

/// All that a row says of its pair: the verdict first, then the ratio with its interval.
fn said(row: &VerdictRow) -> Value {
    match row.below_threshold {
        true => json!([
            row.verdict,
            row.ratio,
            row.low,
            row.high,
            "too small to matter"
        ]),
        false => json!([row.verdict, row.ratio, row.low, row.high]),
    }
}
