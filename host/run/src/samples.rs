//! The samples of a variant, as an evaluator gets them.

use super::evidence::Evidence;
use bakeoff_domain::variant::VariantId;
use bakeoff_sandbox::TimedCalls;

/// Returns the samples of a variant by case, in the order of the race; none for a variant that did not take part.
pub fn samples_of(evidence: &Evidence, id: &VariantId) -> Vec<Vec<TimedCalls>> {
    let race = evidence.record.race.as_ref();
    let racer = race.and_then(|race| {
        let mut ids = race.lists.variants.iter();
        ids.position(|racer| *id == **racer)
    });
    let mut by_case = vec![Vec::new(); evidence.record.cases.len()];
    let Some(racer) = racer else {
        return by_case;
    };
    for replica in &evidence.replicas {
        for sample in replica.samples.iter().filter(|one| one.variant == racer) {
            let baseline = replica
                .baselines
                .get(sample.case)
                .map_or(0.0, |one| one.cpu_ns);
            let nothing = (baseline * f64::from(sample.calls)).max(0.0) as u64;
            if let Some(case) = by_case.get_mut(sample.case) {
                case.push(TimedCalls {
                    duration_ns: sample.cpu_ns.saturating_sub(nothing),
                    calls: sample.calls,
                    replica: replica.index,
                });
            }
        }
    }
    by_case
}
