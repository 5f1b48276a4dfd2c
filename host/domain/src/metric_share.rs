//! Share of α for each reading that ranks.

use crate::spec::{Criterion, Experiment, Source};
use std::collections::BTreeSet;

/// The share of α that the claims by one reading have: all readings that rank and are not known
/// exactly have equal parts. Time is always one of them, since its verdicts are always published;
/// the others are those that a criterion uses, whatever its weight, since weights may be changed
/// when the run is over.
///
/// ```
/// use bakeoff_domain::metric_share::metric_share;
/// assert_eq!(metric_share(&[]), 1.0);
/// ```
pub fn metric_share(criteria: &[Criterion]) -> f64 {
    let sources = criteria.iter().map(|criterion| &criterion.source);
    let uncertain: BTreeSet<&Source> = sources.filter(|source| source.is_uncertain()).collect();
    let others = uncertain.iter().filter(|source| ***source != Source::Time);
    1.0 / (1 + others.count()) as f64
}

impl Experiment {
    /// The share of α that the claims by one reading have. What the workload says of the answers to
    /// every one of a set of instances is exact, and takes none.
    pub fn metric_share(&self) -> f64 {
        let exact = self.workload.inputs.are_instances();
        let is_exact = |source: &Source| exact && matches!(source, Source::Assess(_));
        let criteria = self.criteria.iter();
        let uncertain = criteria.filter(|criterion| !is_exact(&criterion.source));
        metric_share(&uncertain.cloned().collect::<Vec<_>>())
    }
}

/// The evidence that a claim about a pair by one reading needs, in nats: ln(k(k − 1)/(share·α)) for
/// `variants` k that are compared, where nothing but the pairs divides the reading's share of α.
pub fn reading_threshold(variants: usize, confidence: f64, share: f64) -> f64 {
    let alpha = (1.0 - confidence).clamp(f64::MIN_POSITIVE, 1.0);
    let share = share.clamp(f64::MIN_POSITIVE, 1.0);
    let variants = variants.max(2) as f64;
    (variants * (variants - 1.0) / (share * alpha)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{Direction, Scale};

    fn criterion(source: Source) -> Criterion {
        Criterion {
            name: source.name(),
            weight: 0.0,
            source,
            direction: Direction::LowerIsBetter,
            unit: String::new(),
            scale: Scale::Ratio { base: 10.0 },
            gate: None,
        }
    }

    #[test]
    fn every_uncertain_reading_has_an_equal_part_once() {
        let share = |sources: &[Source]| {
            let criteria: Vec<Criterion> = sources.iter().cloned().map(criterion).collect();
            metric_share(&criteria)
        };
        let exact = [
            Source::Time,
            Source::Fuel,
            Source::PeakMemory,
            Source::SourceLines,
        ];
        assert_eq!(share(&exact), 1.0);
        assert_eq!(share(&[Source::ColdStart, Source::ColdStart]), 0.5);
        let quality = |name: &str| Source::Assess(name.to_owned());
        let many = [Source::Wall, Source::BuildTime, quality("a"), quality("b")];
        assert_eq!(share(&many), 0.2);
        // The parts of all readings sum to 1.
        assert_eq!(share(&many) * (1 + many.len()) as f64, 1.0);
    }

    #[test]
    fn the_threshold_counts_every_directed_pair() {
        let needs = reading_threshold(4, 0.95, 0.5);
        assert!((needs - (12.0 / 0.025_f64).ln()).abs() < 1e-12);
        assert_eq!(
            reading_threshold(1, 0.95, 1.0),
            reading_threshold(2, 0.95, 1.0)
        );
    }
}
