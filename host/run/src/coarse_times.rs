//! Result of a coarse race: the times by which a large sweep is screened.

use bakeoff_domain::failure::Failure;
use bakeoff_domain::score::PlacesRule;
use bakeoff_domain::spec::Measure;
use bakeoff_domain::verdict::{RatioInterval, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Result of a coarse race.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoarseRace {
    /// Duration of the coarse race, in seconds.
    pub seconds: f64,
    /// Times of its variants, by their ids.
    pub variants: BTreeMap<String, CoarseTimes>,
    /// Verdicts on its pairs. They steer, and claim nothing.
    #[serde(default)]
    pub pairs: Vec<CoarsePair>,
    /// The rule by which variants get their places, in the coarse race and in the race that followed.
    #[serde(default)]
    pub places: PlacesRule,
}

/// Verdict of a coarse race on two variants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoarsePair {
    /// Id of the variant that the verdict is about.
    pub a: String,
    /// Id of the variant that it is compared with.
    pub b: String,
    /// The verdict, and the ratio of their times.
    #[serde(flatten)]
    pub against: CoarseVerdict,
}

/// Verdict of a coarse race on a variant against another one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoarseVerdict {
    /// The verdict.
    pub verdict: Verdict,
    /// The time of the variant over that of the other one.
    pub ratio: RatioInterval,
}

impl CoarseVerdict {
    /// Returns the verdict about the other one.
    #[must_use]
    pub fn mirrored(self) -> Self {
        let inverse = |of: Option<f64>| of.filter(|ratio| *ratio > 0.0).map(f64::recip);
        Self {
            verdict: self.verdict.mirrored(),
            ratio: RatioInterval {
                ratio: inverse(self.ratio.ratio),
                low: inverse(self.ratio.high),
                high: inverse(self.ratio.low),
            },
        }
    }
}

impl CoarseRace {
    /// Returns the verdict on a variant against another one, by their ids.
    pub fn against(&self, id: &str, other: &str) -> Option<CoarseVerdict> {
        self.pairs.iter().find_map(|pair| {
            if pair.a == id && pair.b == other {
                Some(pair.against)
            } else if pair.a == other && pair.b == id {
                Some(pair.against.mirrored())
            } else {
                None
            }
        })
    }
}

/// Times of one variant in a coarse race.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CoarseTimes {
    /// The time of a call in nanoseconds, by case; `None` for a case that was not timed.
    pub case_ns: Vec<Option<f64>>,
    /// Failure of the variant, if it failed.
    pub failure: Option<Failure>,
}

impl CoarseTimes {
    /// Returns the geometric mean over the timed cases, in nanoseconds; `None` if no case was timed, or if the variant
    /// failed.
    pub fn time_ns(&self) -> Option<f64> {
        let known: Vec<f64> = self.case_ns.iter().flatten().copied().collect();
        let usable = |ns: &f64| ns.is_finite() && *ns > 0.0;
        if self.failure.is_some() || known.is_empty() || !known.iter().all(usable) {
            return None;
        }
        let logs: f64 = known.iter().map(|ns| ns.ln()).sum();
        Some((logs / known.len() as f64).exp())
    }
}

/// Returns the options of the race that follows a coarse one, whose duration is taken from the budget.
pub(super) fn measure_after(measure: &Measure, coarse: Option<&CoarseRace>) -> Measure {
    // The number may be forged, and a duration of negative or infinite seconds panics.
    let spent = coarse.map_or(0.0, |coarse| coarse.seconds.clamp(0.0, 1e9));
    let mut left = *measure;
    left.budget = measure
        .budget
        .saturating_sub(Duration::from_secs_f64(spent));
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::failure::{FailureClass, Phase};

    #[test]
    fn a_time_is_the_geometric_mean_of_what_was_timed() {
        let of = |case_ns: Vec<Option<f64>>| CoarseTimes {
            case_ns,
            failure: None,
        };
        let time = of(vec![Some(100.0), None, Some(400.0)]).time_ns().unwrap();
        assert!((time - 200.0).abs() < 1e-9, "{time}");
        for none in [vec![], vec![None], vec![Some(f64::NAN)], vec![Some(-1.0)]] {
            assert_eq!(of(none).time_ns(), None);
        }
        let failed = CoarseTimes {
            failure: Some(Failure {
                class: FailureClass::Trap,
                message: String::new(),
                phase: Phase::Measure,
                limit: None,
            }),
            ..of(vec![Some(100.0)])
        };
        assert_eq!(failed.time_ns(), None);
    }

    #[test]
    fn a_verdict_is_told_from_both_sides() {
        let pair = CoarsePair {
            a: "x".to_owned(),
            b: "y".to_owned(),
            against: CoarseVerdict {
                verdict: Verdict::Beats,
                ratio: RatioInterval {
                    ratio: Some(0.5),
                    low: Some(0.25),
                    high: None,
                },
            },
        };
        let race = CoarseRace {
            pairs: vec![pair.clone()],
            ..CoarseRace::default()
        };
        assert_eq!(race.against("x", "y"), Some(pair.against));
        let other = race.against("y", "x").unwrap();
        assert_eq!(other.verdict, Verdict::Beaten);
        assert_eq!(other.ratio.ratio, Some(2.0));
        assert_eq!((other.ratio.low, other.ratio.high), (None, Some(4.0)));
        assert_eq!(race.against("x", "z"), None);
    }

    #[test]
    fn what_it_took_is_not_spent_twice() {
        let measure = Measure {
            budget: Duration::from_secs(10),
            ..Measure::default()
        };
        let of = |seconds| CoarseRace {
            seconds,
            ..CoarseRace::default()
        };
        let left = |coarse: Option<&CoarseRace>| measure_after(&measure, coarse).budget;
        assert_eq!(left(None), Duration::from_secs(10));
        assert_eq!(left(Some(&of(2.5))), Duration::from_millis(7_500));
        for forged in [f64::MAX, f64::INFINITY, 11.0] {
            assert_eq!(left(Some(&of(forged))), Duration::ZERO);
        }
        assert_eq!(left(Some(&of(f64::NEG_INFINITY))), Duration::from_secs(10));
    }
}
