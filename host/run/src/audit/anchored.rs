//! Comparison of the times of two runs by way of a component that was timed in both.
//!
//! Times of two moments are never compared. But in each run a variant was compared with the *anchor*, a component that
//! did not change, and the ratio of the two ratios is that of the variant now and then. The intervals of all
//! pairs of a run hold together with the run's confidence c. So intervals from two runs hold together with a
//! confidence of at least c₁ + c₂ − 1: 90 % for two runs at 95 %.

use crate::Record;
use bakeoff_domain::report::{Report, VariantStatus, VerdictRow, words};
use serde::Serialize;
use std::collections::BTreeMap;

/// A run: its report, and the evidence that it was made from.
pub struct ReportedRun<'a> {
    /// The report.
    pub report: &'a Report,
    /// The declaration, and the stored result of each stage.
    pub record: &'a Record,
}

/// Changes of times from one run to another.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeChanges {
    /// The times can be compared.
    Comparable {
        /// The probability with which all intervals hold.
        confidence: f64,
        /// The variants whose component was timed in both runs.
        anchors: Vec<String>,
        /// The variants that changed, in the order of the later report.
        changes: Vec<TimeChange>,
    },
    /// The times cannot be compared.
    NotComparable {
        /// The reason.
        reason: String,
    },
}

/// A variant that has another component than before.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimeChange {
    /// The variant's id.
    pub id: String,
    /// The anchor by which the times are compared.
    pub anchor: String,
    /// The variant's time divided by its earlier time.
    pub ratio: f64,
    /// Lower end of the ratio's interval; `None` if it is not known.
    pub low: Option<f64>,
    /// Upper end of the ratio's interval; `None` if it is not known.
    pub high: Option<f64>,
}

/// Compares the times of two runs by the components that both have.
pub fn time_changes(before: &ReportedRun<'_>, after: &ReportedRun<'_>) -> TimeChanges {
    match comparable(before, after) {
        Ok(changes) => changes,
        Err(reason) => TimeChanges::NotComparable { reason },
    }
}

fn comparable(before: &ReportedRun<'_>, after: &ReportedRun<'_>) -> Result<TimeChanges, String> {
    let machines = [before, after].map(|run| {
        let environment = &run.report.environment;
        let parts = [&environment.cpu, &environment.system, &environment.engine];
        let [cpu, system, engine] = parts.map(Clone::clone);
        (cpu, environment.cores, system, engine)
    });
    if machines[0] != machines[1] {
        return Err("they were measured on different machines, systems or engines".to_owned());
    }
    let state = |run: &ReportedRun<'_>| run.record.experiment.measure.state;
    if state(before) != state(after) {
        return Err("calls kept state in one of them, and did not in the other".to_owned());
    }
    let (old, new) = (timed(before), timed(after));
    let question = |timed: &BTreeMap<&str, Timed<'_>>| -> Option<Vec<(String, String)>> {
        let one = timed.values().next()?;
        Some(
            one.question
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect(),
        )
    };
    let (asked, asks) = (question(&old), question(&new));
    let Some((asked, asks)) = asked.zip(asks) else {
        return Err("in one of them nothing was timed".to_owned());
    };
    let mut parts = asked.iter().zip(&asks);
    if let Some(((name, _), _)) = parts.find(|(then, now)| then != now) {
        return Err(format!(
            "they ask different questions: their {name} differs"
        ));
    }
    let anchors: Vec<&str> = new
        .iter()
        .filter(|(id, now)| {
            old.get(*id)
                .is_some_and(|then| then.component == now.component)
        })
        .map(|(id, _)| *id)
        .collect();
    if anchors.is_empty() {
        return Err(
            "no variant was timed in both with the same component: keep one beside the others \
             (`bakeoff baseline`)"
                .to_owned(),
        );
    }
    unchanged_agree(before, after, &anchors)?;
    let confidence = |run: &ReportedRun<'_>| run.report.protocol.confidence;
    let in_order = after
        .report
        .variants
        .iter()
        .map(|variant| variant.id.as_str());
    let changed =
        in_order.filter(|id| !anchors.contains(id) && old.contains_key(id) && new.contains_key(id));
    Ok(TimeChanges::Comparable {
        confidence: rounded((confidence(before) + confidence(after) - 1.0).max(0.0)),
        changes: changed
            .filter_map(|id| narrowest(before, after, &anchors, id))
            .collect(),
        anchors: anchors.iter().map(|id| (*id).to_owned()).collect(),
    })
}

/// Rounds a difference of two fractions to 9 decimal places.
fn rounded(share: f64) -> f64 {
    (share * 1e9).round() / 1e9
}

/// A variant that was timed: its component with the granted files, and the other inputs of its gate, which are the
/// question.
struct Timed<'a> {
    component: Vec<&'a str>,
    question: Vec<(&'a str, &'a str)>,
}

/// Names of inputs of a gate that describe neither the variant nor the question, and do not change times.
const OTHER_INPUTS: [&str; 4] = ["check-seed", "seeds", "engine", "confinement"];

/// Returns the variants that were timed to the end, by their ids.
fn timed<'a>(run: &ReportedRun<'a>) -> BTreeMap<&'a str, Timed<'a>> {
    let ranked = |id: &str| {
        let mut variants = run.report.variants.iter();
        variants.any(|one| one.id == id && one.status == VariantStatus::Ranked)
    };
    let gates = run.record.gates.iter();
    let of = gates.filter(|gate| ranked(&gate.variant)).map(|gate| {
        let inputs = gate
            .inputs
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        let is_own = |name: &str| matches!(name, "component" | "files");
        let (own, other): (Vec<_>, Vec<_>) = inputs.partition(|(name, _)| is_own(name));
        let asks = other
            .into_iter()
            .filter(|(name, _)| !OTHER_INPUTS.contains(name));
        let timed = Timed {
            component: own.into_iter().map(|(_, value)| value).collect(),
            question: asks.collect(),
        };
        (gate.variant.as_str(), timed)
    });
    of.collect()
}

/// Returns the ratio of two variants in a run, if its interval is sound.
fn ratio(run: &ReportedRun<'_>, a: &str, b: &str) -> Option<VerdictRow> {
    let row = words::ordered_row(run.report, a, b, None)?;
    let crossed = row.low.zip(row.high).is_some_and(|(low, high)| low > high);
    row.ratio.is_some().then_some(row).filter(|_| !crossed)
}

/// Compares the anchors with each other: their ratio must be able to be the same in both runs.
///
/// # Errors
/// The intervals of a ratio are disjoint; the error says which.
fn unchanged_agree(
    before: &ReportedRun<'_>,
    after: &ReportedRun<'_>,
    anchors: &[&str],
) -> Result<(), String> {
    for (place, a) in anchors.iter().enumerate() {
        for b in &anchors[place + 1..] {
            let Some((then, now)) = ratio(before, a, b).zip(ratio(after, a, b)) else {
                continue;
            };
            let ends =
                |row: &VerdictRow| (row.low.unwrap_or(0.0), row.high.unwrap_or(f64::INFINITY));
            let ((low, high), (later_low, later_high)) = (ends(&then), ends(&now));
            if high < later_low || later_high < low {
                return Err(format!(
                    "{a} against {b}, of which neither changed, took {low:.3} to {high:.3} times as long, \
                     and now takes {later_low:.3} to {later_high:.3}: the machine treats them otherwise than \
                     it did"
                ));
            }
        }
    }
    Ok(())
}

/// Returns the change of a variant by the anchor that gives the narrowest interval.
fn narrowest(
    before: &ReportedRun<'_>,
    after: &ReportedRun<'_>,
    anchors: &[&str],
    id: &str,
) -> Option<TimeChange> {
    let by = |anchor: &&str| -> Option<TimeChange> {
        let (then, now) = (ratio(before, id, anchor)?, ratio(after, id, anchor)?);
        let quotient = |above: Option<f64>, below: Option<f64>| {
            let of = above.zip(below).map(|(above, below)| above / below);
            of.filter(|value| value.is_finite() && *value > 0.0)
        };
        Some(TimeChange {
            id: id.to_owned(),
            anchor: (*anchor).to_owned(),
            ratio: quotient(now.ratio, then.ratio)?,
            low: quotient(now.low, then.high),
            high: quotient(now.high, then.low),
        })
    };
    let width = |change: &TimeChange| match (change.low, change.high) {
        (Some(low), Some(high)) => high / low,
        _ => f64::INFINITY,
    };
    let changes = anchors.iter().filter_map(by);
    changes.min_by(|one, other| width(one).total_cmp(&width(other)))
}
