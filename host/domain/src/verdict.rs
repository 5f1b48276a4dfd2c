//! Verdicts about pairs of variants, with their intervals.

use crate::few_layouts::few_layouts_log;
use crate::measurement::{CaseIndex, Metric, VariantIndex};
use crate::stats::{Bounds, ConfidenceSequence, hodges_lehmann, replicas_needed};
use serde::{Deserialize, Serialize};

/// The verdict about variant `a` against variant `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// `a` takes less time: 0 is rejected.
    Beats,
    /// `a` takes more time: 0 is rejected.
    Beaten,
    /// The two are within the practical threshold of each other: −δ and +δ are rejected, 0 is not.
    Tie,
    /// Open: nothing else is known so far.
    NoCall,
}

impl Verdict {
    /// The verdict about `b` against `a`.
    pub fn mirrored(self) -> Self {
        match self {
            Self::Beats => Self::Beaten,
            Self::Beaten => Self::Beats,
            other => other,
        }
    }

    /// The verdict as `report.json` has it: `no-call`.
    pub fn id(self) -> &'static str {
        match self {
            Self::Beats => "beats",
            Self::Beaten => "beaten",
            Self::Tie => "tie",
            Self::NoCall => "no-call",
        }
    }

    /// The verdict in a word or two about `a`: `faster`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Beats => "faster",
            Self::Beaten => "slower",
            Self::Tie => "tie",
            Self::NoCall => "no call",
        }
    }
}

/// The ratio of two times with its interval from the confidence sequence. An unknown end is `None`.
/// The ratio lies in the interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RatioInterval {
    /// Time of `a` divided by time of `b`; `None` before the first replica.
    pub ratio: Option<f64>,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// Evidence about a pair, in logarithms of the ratio of times of `a` and `b`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PairEvidence {
    /// The interval that is shown, and judged.
    pub(crate) bounds: Bounds,
    /// True if the ends of the interval had crossed: the effect changed during the race, and there is no call.
    pub(crate) is_crossed: bool,
    /// The ratio of the total times; `None` before the first replica.
    pub(crate) estimate: Option<f64>,
    /// The ratio that most samples have.
    pub(crate) typical: Option<f64>,
    /// The number of replicas in which both ran.
    pub(crate) replicas: u32,
    /// True if the interval is wider since the code of one of them lay in few places.
    pub(crate) few_layouts: bool,
}

/// A verdict about one pair, over all cases or on one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairVerdict {
    /// The variant that the verdict is about.
    pub a: VariantIndex,
    /// The variant that it is compared with.
    pub b: VariantIndex,
    /// Case; `None` for all cases together.
    pub case: Option<CaseIndex>,
    /// The verdict about `a`.
    pub verdict: Verdict,
    /// True if one beats the other, yet the ratio shown is within the practical threshold. The interval
    /// says how sure that is.
    pub below_threshold: bool,
    /// The ratio of their times.
    pub interval: RatioInterval,
    /// The number of replicas that it rests on.
    pub replicas: u32,
    /// The ratio that most samples have, where that lies outside the interval and is apart from the ratio of the total
    /// times by more than the practical threshold: few inputs take much of the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typical: Option<f64>,
    /// True if the interval is wider by [`FEW_LAYOUTS`](crate::few_layouts::FEW_LAYOUTS) at both ends, since the code
    /// of one of the two lay in few places.
    #[serde(default)]
    pub few_layouts: bool,
}

/// The smallest practical threshold for wall time, which is noisier than CPU time.
const PRACTICAL_WALL_MIN: f64 = 0.02;

/// δ for a metric, as a difference of logarithms: `practical` (0.01 is one per cent), for wall time
/// at least 2 %.
pub fn practical_log(practical: f64, metric: Metric) -> f64 {
    match metric {
        Metric::Cpu => practical.ln_1p(),
        Metric::Wall => practical.max(PRACTICAL_WALL_MIN).ln_1p(),
    }
}

/// The verdict at `bounds` (of the logarithm of the ratio) with δ = `practical_log`.
///
/// Effects of either sign are both rejected only if the effect changed during the race; then there
/// is no call.
pub fn judge(bounds: Bounds, practical_log: f64) -> Verdict {
    match (bounds.below(0.0), bounds.above(0.0)) {
        (true, false) => Verdict::Beats,
        (false, true) => Verdict::Beaten,
        (true, true) => Verdict::NoCall,
        (false, false) if bounds.above(-practical_log) && bounds.below(practical_log) => {
            Verdict::Tie
        }
        (false, false) => Verdict::NoCall,
    }
}

impl RatioInterval {
    /// The interval of the reciprocal: of `b` against `a`. Numbers that are not positive have none.
    #[must_use]
    pub fn inverse(self) -> Self {
        let inverse = |x: Option<f64>| x.filter(|x| *x > 0.0).map(|x| 1.0 / x);
        Self {
            ratio: inverse(self.ratio),
            low: inverse(self.high),
            high: inverse(self.low),
        }
    }

    /// The ratio and its interval from an estimate and bounds in logarithms. If the ends have crossed, which only an
    /// effect that changed during the race can do, the interval spans both.
    pub fn from_log(estimate: Option<f64>, bounds: Bounds) -> Self {
        let Bounds { low, high } = bounds.in_order();
        let inside = |value: f64| {
            let value = low.map_or(value, |low| value.max(low));
            high.map_or(value, |high| value.min(high))
        };
        Self {
            ratio: estimate.map(|value| inside(value).exp()),
            low: low.map(f64::exp),
            high: high.map(f64::exp),
        }
    }
}

impl PairVerdict {
    /// The verdict about `b` against `a`.
    #[must_use]
    pub fn mirrored(self) -> Self {
        Self {
            a: self.b,
            b: self.a,
            verdict: self.verdict.mirrored(),
            interval: self.interval.inverse(),
            typical: self.typical.map(|ratio| 1.0 / ratio),
            ..self
        }
    }

    /// The verdict about a pair (a, b) from differences of logarithms of which each is a time of its own, as cold
    /// starts are: the ratio that is shown is that of the Hodges–Lehmann estimate.
    pub fn from_sequence(
        pair: (VariantIndex, VariantIndex),
        case: Option<CaseIndex>,
        sequence: &mut ConfidenceSequence,
        practical_log: f64,
    ) -> Self {
        let bounds = sequence.bounds();
        let evidence = PairEvidence {
            bounds,
            is_crossed: bounds.are_crossed(),
            estimate: hodges_lehmann(sequence.values()),
            typical: None,
            replicas: sequence.values().len() as u32,
            few_layouts: false,
        };
        Self::from_evidence(pair, case, &evidence, practical_log)
    }

    /// The verdict about a pair (a, b) from the evidence about it.
    pub(crate) fn from_evidence(
        pair: (VariantIndex, VariantIndex),
        case: Option<CaseIndex>,
        evidence: &PairEvidence,
        practical_log: f64,
    ) -> Self {
        let PairEvidence {
            bounds, estimate, ..
        } = *evidence;
        let mut verdict = Self {
            a: pair.0,
            b: pair.1,
            case,
            verdict: if evidence.is_crossed {
                Verdict::NoCall
            } else {
                judge(bounds, practical_log)
            },
            below_threshold: false,
            interval: RatioInterval::from_log(estimate, bounds),
            replicas: evidence.replicas,
            typical: None,
            few_layouts: evidence.few_layouts,
        };
        let RatioInterval { ratio, low, high } = verdict.interval;
        let is_apart = |typical: &f64| {
            let outside = low.is_some_and(|low| *typical < low.ln())
                || high.is_some_and(|high| *typical > high.ln());
            outside && ratio.is_some_and(|ratio| (typical - ratio.ln()).abs() > practical_log)
        };
        verdict.typical = evidence.typical.filter(is_apart).map(f64::exp);
        verdict.mark_threshold(practical_log);
        verdict
    }

    /// The tie of two variants that are the same component with the same parameters: they are not
    /// raced.
    pub fn identical(a: VariantIndex, b: VariantIndex, case: Option<CaseIndex>) -> Self {
        Self {
            a,
            b,
            case,
            verdict: Verdict::Tie,
            below_threshold: false,
            interval: RatioInterval {
                ratio: Some(1.0),
                low: Some(1.0),
                high: Some(1.0),
            },
            replicas: 0,
            typical: None,
            few_layouts: false,
        }
    }

    /// Returns true if more replicas could bring a verdict.
    pub fn is_open(&self) -> bool {
        self.verdict == Verdict::NoCall && !self.is_within_layouts()
    }

    /// Returns true if all of the difference may come from where the code of one of them lies, and more
    /// replicas cannot tell.
    fn is_within_layouts(&self) -> bool {
        let most = 2.0 * few_layouts_log();
        let within = |end: Option<f64>| end.is_some_and(|end| end.ln().abs() <= most);
        self.few_layouts && within(self.interval.low) && within(self.interval.high)
    }

    /// Withdraws a sure verdict that a difference of logarithms says the opposite of: there is no call, and the
    /// interval holds the difference.
    pub(crate) fn withdraw_if_against(&mut self, log_ratio: f64) {
        let RatioInterval { ratio, low, high } = self.interval;
        let [ratio, low, high] = [ratio, low, high].map(|end| end.map(f64::ln));
        let bounds = match self.verdict {
            Verdict::Beats if log_ratio > 0.0 => Bounds {
                low,
                high: high.map(|high| high.max(log_ratio)),
            },
            Verdict::Beaten if log_ratio < 0.0 => Bounds {
                low: low.map(|low| low.min(log_ratio)),
                high,
            },
            _ => return,
        };
        self.verdict = Verdict::NoCall;
        self.below_threshold = false;
        self.interval = RatioInterval::from_log(ratio, bounds);
    }

    /// Sets `below_threshold` from the verdict and the ratio.
    pub(crate) fn mark_threshold(&mut self, practical_log: f64) {
        let sure = matches!(self.verdict, Verdict::Beats | Verdict::Beaten);
        let small = |ratio: f64| ratio.ln().abs() < practical_log;
        self.below_threshold = sure && self.interval.ratio.is_some_and(small);
    }

    /// The larger distance from the estimate to an end, as a difference of logarithms; `None` while
    /// an end is unknown.
    pub fn half_width(&self) -> Option<f64> {
        let estimate = self.interval.ratio?.ln();
        let (low, high) = self.interval.low.zip(self.interval.high)?;
        Some((estimate - low.ln()).max(high.ln() - estimate))
    }

    /// The number of replicas that would settle this pair; `threshold` is the evidence that its claim
    /// needs, in nats.
    ///
    /// The half-width of the interval shrinks as 1/√(replicas). A verdict comes when it falls
    /// below the distance of the estimate from 0 (a winner) or from ±δ (a tie), whichever is the
    /// larger. An extrapolation, not a promise.
    pub fn forecast(&self, threshold: f64, practical_log: f64) -> Forecast {
        let least = replicas_needed(threshold);
        let estimate = self.interval.ratio.map(f64::ln);
        let half_width = self.half_width();
        let replicas = match (self.verdict, estimate, half_width) {
            (Verdict::NoCall, Some(estimate), Some(half_width)) => {
                let (half_width, distance) = if self.few_layouts {
                    // It is settled by an end beyond that, or by both within.
                    (
                        half_width - few_layouts_log(),
                        (estimate.abs() - few_layouts_log()).abs(),
                    )
                } else {
                    (
                        half_width,
                        estimate.abs().max(practical_log - estimate.abs()),
                    )
                };
                let wanted = f64::from(self.replicas) * (half_width / distance).powi(2);
                let wanted = wanted.ceil().min(f64::from(u32::MAX / 2)) as u32;
                wanted.max(self.replicas + 1)
            }
            (Verdict::NoCall, _, _) => least.max(self.replicas + 1),
            _ => self.replicas,
        };
        Forecast {
            half_width,
            replicas,
        }
    }
}

/// Forecast of the number of replicas that would settle a pair.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// The larger distance from the estimate to an end, as a difference of logarithms (0.03 is
    /// about 3 %); `None` while an end is unknown.
    pub half_width: Option<f64>,
    /// The number of replicas in all that would about settle it; those there are if it is settled. A
    /// lower bound while an end is unknown.
    pub replicas: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELTA: f64 = 0.01;

    fn between(low: f64, high: f64) -> Bounds {
        Bounds {
            low: Some(low),
            high: Some(high),
        }
    }

    #[test]
    fn a_verdict_follows_from_the_ends() {
        for (bounds, verdict) in [
            (between(-0.2, -0.1), Verdict::Beats),
            (between(0.001, 0.002), Verdict::Beaten),
            (between(-0.009, 0.009), Verdict::Tie),
            (between(-0.009, 0.011), Verdict::NoCall),
            (between(-0.011, 0.009), Verdict::NoCall),
            (between(0.1, -0.1), Verdict::NoCall),
            (
                Bounds {
                    low: None,
                    high: Some(-0.1),
                },
                Verdict::Beats,
            ),
            (
                Bounds {
                    low: None,
                    high: Some(0.001),
                },
                Verdict::NoCall,
            ),
            (Bounds::default(), Verdict::NoCall),
        ] {
            assert_eq!(judge(bounds, DELTA), verdict, "{bounds:?}");
        }
    }

    #[test]
    fn the_ratio_lies_in_its_interval() {
        let interval = RatioInterval::from_log(Some(0.5), between(-0.1, 0.2));
        assert_eq!(interval.ratio, interval.high);
        let crossed = RatioInterval::from_log(Some(0.0), between(0.2, 0.1));
        assert!(crossed.low < crossed.high && crossed.ratio == crossed.low);
    }

    #[test]
    fn the_wall_clock_has_a_threshold_of_two_per_cent_at_least() {
        assert_eq!(practical_log(0.01, Metric::Cpu), 0.01_f64.ln_1p());
        assert_eq!(practical_log(0.01, Metric::Wall), 0.02_f64.ln_1p());
        assert_eq!(practical_log(0.05, Metric::Wall), 0.05_f64.ln_1p());
    }

    fn pair(verdict: Verdict, bounds: Bounds, estimate: f64) -> PairVerdict {
        let mut pair = PairVerdict {
            verdict,
            interval: RatioInterval::from_log(Some(estimate), bounds),
            replicas: 18,
            ..PairVerdict::identical(0, 1, None)
        };
        pair.mark_threshold(DELTA);
        pair
    }

    #[test]
    fn a_small_sure_difference_is_marked() {
        assert!(pair(Verdict::Beats, between(-0.012, -0.001), -0.006).below_threshold);
        assert!(!pair(Verdict::Beats, between(-0.04, -0.001), -0.02).below_threshold);
        assert!(!pair(Verdict::Tie, between(-0.009, 0.009), 0.001).below_threshold);
    }

    #[test]
    fn half_the_width_takes_four_times_the_replicas() {
        let open = pair(Verdict::NoCall, between(-0.02, 0.06), 0.02);
        let forecast = open.forecast(3.7, DELTA);
        assert!((forecast.half_width.unwrap() - 0.04).abs() < 1e-12);
        assert!((71..=73).contains(&forecast.replicas), "{forecast:?}");
        let settled = pair(Verdict::Beats, between(-0.04, -0.001), -0.02);
        assert_eq!(settled.forecast(3.7, DELTA).replicas, 18);
    }

    #[test]
    fn what_most_samples_say_is_shown_where_it_lies_apart() {
        let with = |estimate: f64, typical: f64| {
            let evidence = PairEvidence {
                bounds: between(0.1, 0.5),
                is_crossed: false,
                estimate: Some(estimate),
                typical: Some(typical),
                replicas: 12,
                few_layouts: false,
            };
            PairVerdict::from_evidence((0, 1), None, &evidence, DELTA)
        };
        let apart = with(0.3, -0.2);
        assert_eq!(apart.verdict, Verdict::Beaten);
        assert_eq!(apart.typical, Some((-0.2_f64).exp()));
        let mirrored = apart.mirrored().typical.unwrap();
        assert!((mirrored - 0.2_f64.exp()).abs() < 1e-12);
        assert_eq!(with(0.3, 0.6).typical, Some(0.6_f64.exp()));
        // Inside the interval, or hardly outside beside a ratio at its end.
        assert_eq!(with(0.3, 0.12).typical, None);
        assert_eq!(with(0.1, 0.095).typical, None);
        // Without an interval there is nothing to be outside of.
        let unknown = PairEvidence {
            bounds: Bounds::default(),
            is_crossed: false,
            estimate: Some(0.3),
            typical: Some(-0.2),
            replicas: 2,
            few_layouts: false,
        };
        let unknown = PairVerdict::from_evidence((0, 1), None, &unknown, DELTA);
        assert_eq!(unknown.typical, None);
    }
}
