//! Growth of cost with size: its class by fuel, and its exponent by time.

use super::evidence::{VariantEvidence, call_ns};
use bakeoff_domain::growth::{self, Classification};
use bakeoff_domain::measurement::{Metric, Replica};
use bakeoff_domain::report::{CaseLabel, Growth, Interval, NO_CLASS};

/// Returns the class of growth by fuel, with the classes it cannot be told from, and the effective
/// exponent by time. `None` where the cases have no sizes, or too few of them for a class. Cases of one kind of texts,
/// which come after the sizes, do not count.
pub fn growth(evidence: &VariantEvidence<'_>) -> Option<Growth> {
    let sizes: Vec<u32> = evidence
        .cases
        .iter()
        .filter(|case| !matches!(case, CaseLabel::Texts(_)))
        .map(|case| match case {
            CaseLabel::Size(size) => Some(*size),
            CaseLabel::Call(_) | CaseLabel::Instance { .. } | CaseLabel::Texts(_) => None,
        })
        .collect::<Option<_>>()?;
    let gate = evidence
        .gate
        .filter(|gate| gate.failure.is_none() && !evidence.is_program)?;
    let points: Vec<(u32, f64)> = sizes
        .iter()
        .zip(&gate.cases)
        .map(|(size, case)| (*size, case.fuel as f64))
        .collect();
    let (class, alternatives) = match growth::classify(&points) {
        Classification::Class(class) => (class.to_string(), Vec::new()),
        Classification::Among(classes) => {
            let mut names = classes.iter().map(ToString::to_string);
            let first = names.next()?;
            (first, names.collect())
        }
        Classification::Other => (NO_CLASS.to_owned(), Vec::new()),
        Classification::TooFewSizes { .. } => return None,
    };
    Some(Growth {
        class,
        alternatives,
        exponent: exponent(evidence, &sizes),
    })
}

fn exponent(evidence: &VariantEvidence<'_>, sizes: &[u32]) -> Option<Interval> {
    let racer = evidence.racer?;
    let settings = evidence.settings?;
    let times = |replica: &Replica| -> Option<Vec<f64>> {
        let case = |case| call_ns(replica, racer, case, Metric::Cpu);
        (0..sizes.len()).map(case).collect()
    };
    let by_replica: Vec<Vec<f64>> = evidence.replicas.iter().filter_map(times).collect();
    growth::effective_exponent(sizes, &by_replica, settings.confidence)
}
