//! The set of instances of a run: what its report says of it, and verdicts by exact qualities.

use super::evidence::Record;
use super::variant_state::VariantState;
use crate::evaluate;
use crate::measure::GateRecord;
use crate::source::digest_of_parts;
use bakeoff_domain::reading_verdict::ReadingVerdict;
use bakeoff_domain::report::InstanceSet;
use bakeoff_domain::spec::{Criterion, Inputs};

/// The most names that a report lists.
const NAMES_MAX: usize = 256;

/// Returns the number of instances that all variants which passed their gate were checked on; `None`
/// if the inputs of the run are no set of instances.
pub(super) fn checked(record: &Record, variants: &[VariantState]) -> Option<usize> {
    let Inputs::Instances { names, .. } = &record.experiment.workload.inputs else {
        return None;
    };
    let alive = variants.iter().filter(|state| state.is_alive());
    let gates = alive.filter_map(|state| state.gate.as_ref());
    let checked = gates.map(|gate| gate.cases.len()).min();
    Some(checked.unwrap_or(0).min(names.len()))
}

/// Returns what a report says of the set.
pub(super) fn summary(record: &Record, variants: &[VariantState]) -> Option<InstanceSet> {
    let Inputs::Instances { names, .. } = &record.experiment.workload.inputs else {
        return None;
    };
    Some(InstanceSet {
        count: names.len() as u32,
        checked: checked(record, variants)? as u32,
        sha256: digest_of_parts(names.iter().map(String::as_bytes)),
        names: match names.len() > NAMES_MAX {
            true => Vec::new(),
            false => names.clone(),
        },
    })
}

/// Returns the verdicts by the mean of what the workload says of the answers to the first `checked`
/// instances, which is known exactly.
pub(super) fn exact_qualities(
    variants: &[VariantState],
    criterion: &Criterion,
    checked: usize,
) -> Vec<ReadingVerdict<String>> {
    let Some(name) = criterion.source.assessed() else {
        return Vec::new();
    };
    let mean = |gate: &GateRecord| evaluate::quality_on_set(checked, gate, name);
    let alive = variants.iter().filter(|state| state.is_alive());
    let read: Vec<(&VariantState, f64)> = alive
        .filter_map(|state| Some((state, mean(state.gate.as_ref()?)?)))
        .collect();
    let mut rows = Vec::new();
    for (place, (a, mean_a)) in read.iter().enumerate() {
        for (b, mean_b) in &read[place + 1..] {
            let verdict = ReadingVerdict {
                count: checked as u32,
                ..ReadingVerdict::exact((0, *mean_a), (1, *mean_b), criterion.direction)
            };
            let ids = [a.id(), b.id()];
            rows.extend(verdict.renamed(|place| Some(ids.get(place)?.as_str().to_owned())));
        }
    }
    rows
}
