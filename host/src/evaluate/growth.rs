//! How cost grows with size.

use super::readings::Subject;
use bakeoff_domain::growth::{self, Growth as Found};
use bakeoff_domain::measurement::{Metric, Replica};
use bakeoff_domain::report::{CaseLabel, Growth, Interval};

/// The class of growth by fuel, with those it cannot be told from, and the effective exponent by
/// time. `None` where the cases have no sizes, or too few of them for a class.
pub fn growth(subject: &Subject<'_>) -> Option<Growth> {
    let sizes: Vec<u32> = subject
        .cases
        .iter()
        .map(|case| match case {
            CaseLabel::Size(size) => Some(*size),
            CaseLabel::Call(_) => None,
        })
        .collect::<Option<_>>()?;
    let gate = subject.gate.filter(|gate| gate.failure.is_none())?;
    let points: Vec<(u32, f64)> = sizes
        .iter()
        .zip(&gate.cases)
        .map(|(size, case)| (*size, case.fuel as f64))
        .collect();
    let (class, alternatives) = match growth::classify(&points) {
        Found::Class(class) => (class.to_string(), Vec::new()),
        Found::Among(classes) => {
            let mut names = classes.iter().map(ToString::to_string);
            let first = names.next()?;
            (first, names.collect())
        }
        Found::Other => ("other".to_owned(), Vec::new()),
        Found::TooFewSizes { .. } => return None,
    };
    Some(Growth {
        class,
        alternatives,
        exponent: exponent(subject, &sizes),
    })
}

fn exponent(subject: &Subject<'_>, sizes: &[u32]) -> Option<Interval> {
    let racer = subject.racer?;
    let settings = subject.settings?;
    let times = |replica: &Replica| -> Option<Vec<f64>> {
        let case = |case| super::readings::call_ns(replica, racer, case, Metric::Cpu);
        (0..sizes.len()).map(case).collect()
    };
    let by_replica: Vec<Vec<f64>> = subject.replicas.iter().filter_map(times).collect();
    let found = growth::effective_exponent(sizes, &by_replica, settings.confidence)?;
    Some(Interval {
        value: found.value,
        low: found.low,
        high: found.high,
    })
}
