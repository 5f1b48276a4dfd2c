//! Comparison of the times of two runs by way of a component that was timed in both.

use crate::Record;
use bakeoff_domain::anchored::{MeasuredRatios, TimeChanges, changes_by_anchors};
use bakeoff_domain::report::{Report, VariantStatus, words};
use bakeoff_domain::verdict::RatioInterval;
use std::collections::BTreeMap;

/// A run: its report, and the evidence that it was made from.
pub struct ReportedRun<'a> {
    /// The report.
    pub report: &'a Report,
    /// The declaration, and the stored result of each stage.
    pub record: &'a Record,
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
    let question = |timed: &BTreeMap<&str, VariantQuestion<'_>>| -> Option<Vec<(String, String)>> {
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
    let in_order = after
        .report
        .variants
        .iter()
        .map(|variant| variant.id.as_str());
    let changed =
        in_order.filter(|id| !anchors.contains(id) && old.contains_key(id) && new.contains_key(id));
    let (then, now) = (ratios(before), ratios(after));
    changes_by_anchors(
        [&measured(before, &then), &measured(after, &now)],
        &anchors,
        changed,
    )
}

fn ratios(run: &ReportedRun<'_>) -> impl Fn(&str, &str) -> Option<RatioInterval> {
    |a, b| words::ordered_row(run.report, a, b, None).map(|row| row.interval())
}

fn measured<'a>(
    run: &ReportedRun<'_>,
    ratio: &'a dyn Fn(&str, &str) -> Option<RatioInterval>,
) -> MeasuredRatios<'a> {
    MeasuredRatios {
        confidence: run.report.protocol.confidence,
        ratio,
    }
}

/// A variant that was timed: its component with the granted files, and the other inputs of its gate, which are the
/// question.
struct VariantQuestion<'a> {
    component: Vec<&'a str>,
    question: Vec<(&'a str, &'a str)>,
}

/// Names of inputs of a gate that describe neither the variant nor the question, and do not change times.
const OTHER_INPUTS: [&str; 4] = ["check-seed", "seeds", "engine", "confinement"];

/// Returns the variants that were timed to the end, by their ids.
fn timed<'a>(run: &ReportedRun<'a>) -> BTreeMap<&'a str, VariantQuestion<'a>> {
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
        let timed = VariantQuestion {
            component: own.into_iter().map(|(_, value)| value).collect(),
            question: asks.collect(),
        };
        (gate.variant.as_str(), timed)
    });
    of.collect()
}
