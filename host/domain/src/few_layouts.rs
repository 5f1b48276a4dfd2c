//! Allowance for pairs of which one component has few layouts: both ends of their interval move outwards.
//!
//! The code of a component lies in as many places as it has layouts, one of which each replica draws. With few of them,
//! the effect of a place on the time is the same in every replica, and no repetition averages it away.

use crate::stats::Bounds;

/// The fraction by which the time of a variant may be off in all replicas alike, where its code lies in
/// fewer places than [`LAYOUTS`](crate::plan::LAYOUTS). In single places, the same small loop was up to
/// 3.2 % apart.
pub const FEW_LAYOUTS: f64 = 0.05;

/// [`FEW_LAYOUTS`] as a difference of logarithms.
pub(crate) fn few_layouts_log() -> f64 {
    FEW_LAYOUTS.ln_1p()
}

/// Returns the bounds of a difference of which one component has few layouts: in order, and with both ends moved
/// outwards by [`few_layouts_log`].
pub(crate) fn with_few_layouts(bounds: Bounds) -> Bounds {
    let Bounds { low, high } = bounds.in_order();
    Bounds {
        low: low.map(|low| low - few_layouts_log()),
        high: high.map(|high| high + few_layouts_log()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::ConfidenceSequence;
    use crate::verdict::{PairEvidence, PairVerdict, Verdict};

    const DELTA: f64 = 0.01;

    /// A sequence of 40 replicas around a difference.
    fn around(difference: f64) -> ConfidenceSequence {
        let mut sequence = ConfidenceSequence::new(3.7, DELTA);
        for replica in 0..40 {
            sequence.push(difference + 0.001 * f64::from(replica * 7 % 11 - 5), 0.0);
        }
        sequence
    }

    #[test]
    fn case_94_padding_of_code() {
        let of = |difference: f64, few_layouts: bool| {
            let mut sequence = around(difference);
            let bounds = sequence.bounds();
            let evidence = PairEvidence {
                bounds: if few_layouts {
                    with_few_layouts(bounds)
                } else {
                    bounds
                },
                is_crossed: false,
                estimate: Some(difference),
                typical: None,
                replicas: 40,
                few_layouts,
            };
            PairVerdict::from_evidence((0, 1), None, &evidence, DELTA)
        };
        for (difference, verdict) in [
            (-0.03, Verdict::Beats),
            (0.04, Verdict::Beaten),
            (0.0, Verdict::Tie),
        ] {
            assert_eq!(of(difference, false).verdict, verdict);
            let few = of(difference, true);
            assert_eq!(few.verdict, Verdict::NoCall);
            assert!(!few.is_open(), "more replicas would not tell");
        }
        assert_eq!(of(0.06, true).verdict, Verdict::Beaten);
        let ends = |pair: PairVerdict| (pair.interval.low.unwrap(), pair.interval.high.unwrap());
        let (usual, few) = (ends(of(-0.2, false)), ends(of(-0.2, true)));
        assert!((usual.0 / few.0 - 1.05).abs() < 1e-9 && (few.1 / usual.1 - 1.05).abs() < 1e-9);
    }

    #[test]
    fn ends_that_crossed_change_places_first() {
        let crossed = Bounds {
            low: Some(0.1),
            high: Some(-0.1),
        };
        let wider = with_few_layouts(crossed);
        let near = |end: Option<f64>, known: f64| (end.unwrap() - known).abs() < 1e-12;
        assert!(near(wider.low, -0.1 - 1.05_f64.ln()), "{wider:?}");
        assert!(near(wider.high, 0.1 + 1.05_f64.ln()), "{wider:?}");
        assert_eq!(with_few_layouts(Bounds::default()), Bounds::default());
    }
}
