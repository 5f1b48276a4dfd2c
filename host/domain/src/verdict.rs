//! Verdicts about pairs of variants, with their intervals.

mod inversion;

pub use inversion::{SharedPart, SignInversion};

use crate::few_layouts::{few_layouts_log, with_few_layouts};
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
    /// Open: the budget ended first, or the sign depends on who else is there ([`SignInversion`]).
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

/// Total times that lie on the far side of what a pair's differences say: most samples speak for one
/// variant, and a few slow ones of it for the other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Total time of `a` divided by total time of `b`, over cases the weighted geometric mean.
    pub ratio: f64,
    /// True if there is no verdict because of them.
    pub withhold: bool,
    /// The samples of the variant with more time in total that took twice as long as most, or longer.
    pub slow: u32,
    /// All samples of that variant that were compared.
    pub samples: u32,
    /// The slowest of these, as a multiple of what most took.
    pub slowest: f64,
}

impl Totals {
    /// The totals of `b` against `a`.
    #[must_use]
    pub fn mirrored(self) -> Self {
        Self {
            ratio: 1.0 / self.ratio,
            ..self
        }
    }

    /// Returns true if the total times say the opposite of a verdict about `a`. A tie is contradicted by
    /// totals that differ.
    pub fn contradict(&self, verdict: Verdict) -> bool {
        match verdict {
            Verdict::Beats => self.ratio > 1.0,
            Verdict::Beaten => self.ratio < 1.0,
            Verdict::Tie => true,
            Verdict::NoCall => false,
        }
    }
}

/// A verdict about one pair, over all cases or on one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairVerdict {
    /// The variant that the verdict is about.
    pub a: VariantIndex,
    /// The variant that it is compared with.
    pub b: VariantIndex,
    /// `None`: all cases together.
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
    /// What the ratio is on quiet cores and on crowded ones, if it surely has another sign there. Because of it
    /// there is no verdict, or the verdict is one about quiet cores.
    #[serde(default, rename = "reversal", skip_serializing_if = "Option::is_none")]
    pub sign_inversion: Option<SignInversion>,
    /// Total times beyond the interval and beyond δ, if there are such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub totals: Option<Totals>,
    /// True if the interval is wider by [`FEW_LAYOUTS`](crate::few_layouts::FEW_LAYOUTS) at both ends, since the code of one of them lay in
    /// few places.
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

    /// The ratio and its interval from an estimate and bounds in logarithms. If the ends have crossed, which only an effect
    /// that changed during the race can do, the interval spans both.
    pub fn from_log(estimate: Option<f64>, bounds: Bounds) -> Self {
        let (low, high) = match (bounds.low, bounds.high) {
            (Some(low), Some(high)) if low > high => (Some(high), Some(low)),
            ends => ends,
        };
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
            sign_inversion: self.sign_inversion.map(SignInversion::mirrored),
            totals: self.totals.map(Totals::mirrored),
            ..self
        }
    }

    /// The verdict about a pair (a, b) from its differences so far, D = ln t_a − ln t_b by replica.
    pub fn from_sequence(
        pair: (VariantIndex, VariantIndex),
        case: Option<CaseIndex>,
        sequence: &mut ConfidenceSequence,
        practical_log: f64,
    ) -> Self {
        let bounds = sequence.bounds();
        Self::from_bounds(pair, case, sequence, bounds, practical_log)
    }

    /// The same where the code of one of them lay in few places.
    pub(crate) fn from_few_layouts(
        pair: (VariantIndex, VariantIndex),
        case: Option<CaseIndex>,
        sequence: &mut ConfidenceSequence,
        practical_log: f64,
    ) -> Self {
        let bounds = with_few_layouts(sequence.bounds());
        Self {
            few_layouts: true,
            ..Self::from_bounds(pair, case, sequence, bounds, practical_log)
        }
    }

    fn from_bounds(
        pair: (VariantIndex, VariantIndex),
        case: Option<CaseIndex>,
        sequence: &ConfidenceSequence,
        bounds: Bounds,
        practical_log: f64,
    ) -> Self {
        let estimate = hodges_lehmann(sequence.values());
        let mut verdict = Self {
            a: pair.0,
            b: pair.1,
            case,
            verdict: judge(bounds, practical_log),
            below_threshold: false,
            interval: RatioInterval::from_log(estimate, bounds),
            replicas: sequence.values().len() as u32,
            sign_inversion: None,
            totals: None,
            few_layouts: false,
        };
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
            sign_inversion: None,
            totals: None,
            few_layouts: false,
        }
    }

    /// Returns true if more replicas could bring a verdict. A sign inversion or totals that few replicas
    /// show may go away with more of them.
    pub fn is_open(&self) -> bool {
        let withheld = self.is_withheld_by_inversion() || self.is_withheld_by_totals();
        let lasts = withheld && self.replicas >= WITHHELD_REPLICAS;
        self.verdict == Verdict::NoCall && !lasts && !self.is_within_layouts()
    }

    /// Returns true if all of the difference may come from where the code of one of them lies, and more
    /// replicas cannot tell.
    fn is_within_layouts(&self) -> bool {
        let most = 2.0 * few_layouts_log();
        let within = |end: Option<f64>| end.is_some_and(|end| end.ln().abs() <= most);
        self.few_layouts && within(self.interval.low) && within(self.interval.high)
    }

    /// Returns true if there is no verdict because the sign goes with the neighbours.
    pub fn is_withheld_by_inversion(&self) -> bool {
        self.sign_inversion.is_some_and(|of| of.withholds)
    }

    /// Returns true if there is no verdict because total times say the opposite.
    pub fn is_withheld_by_totals(&self) -> bool {
        self.totals.is_some_and(|totals| totals.withhold)
    }

    /// Keeps totals that lie beyond the interval, and widens that to hold them. Withdraws the verdict if
    /// they contradict it.
    pub(crate) fn set_totals(&mut self, totals: Option<Totals>) {
        let RatioInterval { low, high, .. } = &mut self.interval;
        let is_beyond = |totals: &Totals| match totals.ratio > 1.0 {
            true => high.is_none_or(|high| totals.ratio > high),
            false => low.is_none_or(|low| totals.ratio < low),
        };
        let Some(mut totals) = totals.filter(is_beyond) else {
            return;
        };
        *low = low.map(|low| low.min(totals.ratio));
        *high = high.map(|high| high.max(totals.ratio));
        totals.withhold = totals.contradict(self.verdict);
        if totals.withhold {
            self.verdict = Verdict::NoCall;
            self.below_threshold = false;
        }
        self.totals = Some(totals);
    }

    /// Returns true if total times lie beyond the interval, and more replicas would hardly change that.
    pub(crate) fn has_lasting_totals(&self) -> bool {
        self.totals.is_some() && self.replicas >= WITHHELD_REPLICAS
    }

    /// Withdraws the verdict because of a sign inversion, and widens the interval to hold both
    /// estimates.
    pub(crate) fn withhold(&mut self, inversion: SignInversion) {
        let (quiet, crowded) = (inversion.quiet, inversion.crowded);
        let low = |end: f64| end.min(quiet).min(crowded);
        let high = |end: f64| end.max(quiet).max(crowded);
        self.interval.low = self.interval.low.map(low);
        self.interval.high = self.interval.high.map(high);
        self.verdict = Verdict::NoCall;
        self.below_threshold = false;
        self.sign_inversion = Some(inversion);
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
                let (half_width, distance) = match self.few_layouts {
                    // It is settled by an end beyond that, or by both within.
                    true => (
                        half_width - few_layouts_log(),
                        (estimate.abs() - few_layouts_log()).abs(),
                    ),
                    false => (
                        half_width,
                        estimate.abs().max(practical_log - estimate.abs()),
                    ),
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

/// The number of replicas from which on what withholds a verdict is taken to stay.
pub(crate) const WITHHELD_REPLICAS: u32 = 24;

/// What would settle a pair.
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
}
