//! The set of instances of a run: its summary in the report, and verdicts by exact qualities.

use super::evidence::Record;
use super::variant_state::VariantState;
use bakeoff_domain::reading_verdict::ReadingVerdict;
use bakeoff_domain::report::InstanceSet;
use bakeoff_domain::spec::{Criterion, Experiment, Inputs};
use bakeoff_measure::GateRecord;
use bakeoff_measure::evaluate;
use bakeoff_source::digest_of_parts;

/// The most names that a report lists.
const NAMES_MAX: usize = 256;

/// Returns the number of instances that count: those on which more than half of the variants that passed their gate
/// were checked. A variant that was checked on fewer, because its calls take too much, has no quality on the set, and
/// takes no instance from the others. `None` if the inputs of the run are no set of instances.
pub(super) fn checked(record: &Record, variants: &[VariantState]) -> Option<usize> {
    counted(&record.experiment, variants)
}

/// Returns the same number as [`checked`] for an experiment whose results are not all stored yet.
pub(super) fn counted(experiment: &Experiment, variants: &[VariantState]) -> Option<usize> {
    let Inputs::Instances { names, .. } = &experiment.workload.inputs else {
        return None;
    };
    Some(reached_by_most(counts(variants).map(|(_, count)| count)).min(names.len()))
}

/// Returns the variants that passed their gate, each with the number of instances it was checked on.
fn counts(variants: &[VariantState]) -> impl Iterator<Item = (&VariantState, usize)> {
    let alive = variants.iter().filter(|state| state.is_alive());
    alive.filter_map(|state| Some((state, state.gate.as_ref()?.cases.len())))
}

/// Returns the largest number that more than half of `counts` reach; 0 if there are none.
fn reached_by_most(counts: impl Iterator<Item = usize>) -> usize {
    let mut counts: Vec<usize> = counts.collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    counts.get(counts.len() / 2).copied().unwrap_or(0)
}

/// Returns a note on each variant that was checked on fewer instances than count.
pub(super) fn notes(record: &Record, variants: &[VariantState]) -> Vec<String> {
    let Some(checked) = checked(record, variants) else {
        return Vec::new();
    };
    let fewer = counts(variants).filter(|(_, count)| *count < checked);
    let note = |(state, count): (&VariantState, usize)| {
        format!(
            "{} was checked on {count} of the {checked} instances that count, since its calls take too much \
             work: it has no quality on the set.",
            state.id()
        )
    };
    fewer.map(note).collect()
}

/// Returns the report's summary of the set.
pub(super) fn summary(record: &Record, variants: &[VariantState]) -> Option<InstanceSet> {
    let Inputs::Instances { names, .. } = &record.experiment.workload.inputs else {
        return None;
    };
    Some(InstanceSet {
        count: names.len() as u32,
        checked: checked(record, variants)? as u32,
        sha256: digest_of_parts(names.iter().map(String::as_bytes)),
        names: if names.len() > NAMES_MAX {
            Vec::new()
        } else {
            names.clone()
        },
    })
}

/// Returns the verdicts by the mean of the numbers that the workload gives the answers to the first `checked`
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minority_takes_no_instance_from_the_others() {
        let of = |counts: &[usize]| reached_by_most(counts.iter().copied());
        assert_eq!(of(&[12, 9, 12]), 12);
        assert_eq!(of(&[12, 1, 12, 12, 2]), 12);
        // Of two, neither is the one that is too slow.
        assert_eq!(of(&[12, 9]), 9);
        assert_eq!(of(&[100, 60, 60, 90]), 60);
        assert_eq!((of(&[7]), of(&[])), (7, 0));
    }
}
