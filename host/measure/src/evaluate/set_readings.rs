//! Readings on a set of instances, which is one scope.

use super::evidence::call_ns;
use crate::GateRecord;
use bakeoff_domain::measurement::{CaseIndex, Metric, Replica, VariantIndex};
use bakeoff_domain::report::Reading;
use bakeoff_runner::CheckedCase;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the means of the numbers that the workload gives the answers to the first `count` instances of a set, by
/// name. They are exact.
pub(super) fn qualities_on_set(count: usize, gate: &GateRecord) -> BTreeMap<String, Reading> {
    let first = gate.cases.first().into_iter();
    let names = first.flat_map(|case| &case.assessed).map(|(name, _)| name);
    let reading = |name: &String| {
        let mean = quality_on_set(count, gate, name)?;
        let reading = Reading {
            value: mean,
            low: None,
            high: None,
            unit: String::new(),
            by_case: Vec::new(),
            note: None,
        };
        Some((name.clone(), reading))
    };
    names.filter_map(reading).collect()
}

/// Returns the mean of a number that the workload gives the answers to the first `count` instances of
/// a set; `None` if it is missing or not finite for one of them. The same numbers in another order have
/// the same mean.
pub fn quality_on_set(count: usize, gate: &GateRecord, name: &str) -> Option<f64> {
    let number = |case: &CheckedCase| {
        let found = case.assessed.iter().find(|(known, _)| known == name);
        found.map(|(_, number)| *number)
    };
    let counted = gate.cases.get(..count).filter(|cases| !cases.is_empty())?;
    let numbers: Option<Vec<f64>> = counted.iter().map(number).collect();
    let mut numbers = numbers.filter(|numbers| numbers.iter().all(|one| one.is_finite()))?;
    numbers.sort_by(f64::total_cmp);
    Some(numbers.iter().sum::<f64>() / count as f64)
}

/// Returns the mean, over the instances of a set that a replica drew, of the logarithm of a call's time; `None` if the
/// variant did not run.
pub fn log_time_on_set(
    replica: &Replica,
    variant: VariantIndex,
    metric: Metric,
    weights: &[f64],
) -> Option<f64> {
    let own = replica.samples.iter().filter(|sample| {
        let counts = weights.get(sample.case).is_some_and(|weight| *weight > 0.0);
        sample.variant == variant && counts
    });
    let drawn: BTreeSet<CaseIndex> = own.map(|sample| sample.case).collect();
    let times = drawn
        .iter()
        .map(|case| call_ns(replica, variant, *case, metric));
    let logs: Vec<f64> = times.collect::<Option<Vec<f64>>>()?;
    let sum: f64 = logs.iter().map(|ns| ns.ln()).sum();
    (!logs.is_empty()).then(|| sum / logs.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_sandbox::PeakMemory;

    fn gate(numbers: &[&[(&str, f64)]]) -> GateRecord {
        let case = |(case, numbers): (usize, &&[(&str, f64)])| CheckedCase {
            case,
            fuel: 1,
            fuel_later: 1,
            peak: PeakMemory::default(),
            answer: String::new(),
            shown: String::new(),
            assessed: numbers
                .iter()
                .map(|(name, number)| ((*name).to_owned(), *number))
                .collect(),
            calls: 3,
            cpu_ns: 0,
            constant_input: false,
            constant_arguments: Vec::new(),
        };
        GateRecord {
            cases: numbers.iter().enumerate().map(case).collect(),
            ..GateRecord::default()
        }
    }

    #[test]
    fn the_same_qualities_in_another_order_are_an_exact_tie() {
        let numbers = [1e16, 1.0, -1e16, 0.1, 0.2, 0.3];
        let rows = |order: &[usize]| -> Option<f64> {
            let rows: Vec<[(&str, f64); 1]> = order
                .iter()
                .map(|place| [("bins", numbers[*place])])
                .collect();
            let rows: Vec<&[(&str, f64)]> = rows.iter().map(|row| &row[..]).collect();
            quality_on_set(6, &gate(&rows), "bins")
        };
        let first = rows(&[0, 1, 2, 3, 4, 5]);
        assert!(first.is_some());
        assert_eq!(first, rows(&[5, 4, 3, 2, 1, 0]));
        assert_eq!(first, rows(&[1, 3, 5, 0, 2, 4]));
    }

    #[test]
    fn a_mean_is_over_the_instances_that_all_were_checked_on_or_there_is_none() {
        let whole = gate(&[&[("bins", 2.0)], &[("bins", 4.0)], &[("bins", 90.0)]]);
        assert_eq!(quality_on_set(2, &whole, "bins"), Some(3.0));
        assert_eq!(quality_on_set(4, &whole, "bins"), None);
        assert_eq!(quality_on_set(0, &whole, "bins"), None);
        assert_eq!(quality_on_set(2, &whole, "boxes"), None);
        let partly = gate(&[&[("bins", 2.0)], &[], &[("bins", f64::NAN)]]);
        assert_eq!(quality_on_set(1, &partly, "bins"), Some(2.0));
        assert_eq!(quality_on_set(3, &partly, "bins"), None);
        assert!(qualities_on_set(3, &partly).is_empty());
        assert_eq!(qualities_on_set(2, &whole)["bins"].low, None);
    }
}
