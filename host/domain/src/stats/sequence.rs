//! The confidence sequence: every value of the effect that the e-process has not rejected yet.

use super::bounds::Bounds;
use super::eprocess::{CLIP, EProcess, REPLICAS_MIN};
use super::estimate::median;
use super::scale::PastScale;

/// Ends are multiples of this, in logarithms of a ratio: less than a thousandth of a per cent. Which
/// multiple it is follows from the differences alone, so that it does not matter when one looked.
const STEP: f64 = 1.0 / 131_072.0;
/// An end is expected about this many standard errors from the middle.
const GUESS_ERRORS: f64 = 5.0;
/// An end moves by at most about this many standard errors with a new difference.
const MOVED_ERRORS: f64 = 0.05;
/// The coarsest resolution of a difference of logarithms: far beyond it the multiples of [`STEP`]
/// could not be told apart.
const RESOLUTION_MAX: f64 = 1e3;
/// The number of past differences that a scale can be taken from.
const SCALE_DIFFERENCES: usize = 2;
/// A scale is never below this, so that equal differences do not divide by zero.
const SCALE_MIN: f64 = 1e-9;

/// Differences as they come in, and the interval that holds the effect at all times together.
///
/// For a hypothesis θ0 the differences count as z = clip((D − θ0) / s, ±4), where s is the median absolute deviation of
/// the *past* differences, so that s does not depend on θ0 and z falls as θ0 rises. With fewer than two past
/// differences, s is what was known [before](Self::with_first_scale), or the first two do not count. What is rejected
/// from below is therefore everything up to some θ0, and bisection finds it. An end only ever moves inwards: a value
/// that was rejected once stays rejected.
#[derive(Clone, Debug)]
pub struct ConfidenceSequence {
    threshold: f64,
    landmarks: [f64; 3],
    values: Vec<f64>,
    scales: Vec<f64>,
    past: PastScale,
    first_scale: Option<f64>,
    fixed_scale: Option<f64>,
    bounds: Bounds,
    bounded: usize,
}

/// An end of the interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Low,
    High,
}

/// The next multiple of 2⁻¹⁷ from `end` on: an upper end that is a sum of others, rounded as they are.
/// Logarithms that were ratios in between are off by far less than a millionth of that.
pub(crate) fn rounded_up(end: f64) -> f64 {
    (end / STEP - 1e-6).ceil() * STEP
}

impl ConfidenceSequence {
    /// A sequence without differences. `threshold` is ln(1/α) for each side. 0 and ±`practical_log`
    /// are landmarks: on which side of an end they lie is exact, while the end itself is rounded
    /// outwards, by less than 10⁻⁵.
    pub fn new(threshold: f64, practical_log: f64) -> Self {
        Self {
            threshold,
            landmarks: [0.0, -practical_log, practical_log],
            values: Vec::new(),
            scales: Vec::new(),
            past: PastScale::default(),
            first_scale: None,
            fixed_scale: None,
            bounds: Bounds::default(),
            bounded: 0,
        }
    }

    /// The sequence with a scale for the first two differences, which was known before them; any
    /// positive number is valid. Without one the first two set the scale and count for nothing else.
    #[must_use]
    pub fn with_first_scale(mut self, scale: Option<f64>) -> Self {
        self.first_scale = scale.filter(|scale| scale.is_finite() && *scale > 0.0);
        self
    }

    /// The sequence with landmarks that lie further out by `margin`, for differences of which up to `margin` may belong
    /// to something else than the effect.
    #[must_use]
    pub fn with_margin(mut self, margin: f64) -> Self {
        self.landmarks = self.landmarks.map(|landmark| landmark + margin);
        self
    }

    /// The sequence with the same scale for all differences; any positive number is valid.
    #[must_use]
    pub fn with_fixed_scale(mut self, scale: f64) -> Self {
        self.fixed_scale = Some(scale.max(SCALE_MIN));
        self
    }

    /// Adds a difference of logarithms. `resolution` is the clock's, relative to the times compared: the
    /// scale is never finer. It has to be the same if the two that are compared change places. A difference that
    /// is not finite is left out.
    pub fn push(&mut self, value: f64, resolution: f64) {
        if !value.is_finite() {
            return;
        }
        let first = self
            .first_scale
            .filter(|_| self.values.len() < SCALE_DIFFERENCES);
        let past = || first.or(self.past.value()).unwrap_or(0.0);
        let scale = self.fixed_scale.unwrap_or_else(past).max(SCALE_MIN);
        self.scales.push(scale.max(resolution.min(RESOLUTION_MAX)));
        self.values.push(value);
        self.past.push(value);
    }

    /// The differences so far.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The evidence that one side must reach, in nats.
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// The interval now. Takes a few passes over the differences if some were added since.
    pub fn bounds(&mut self) -> Bounds {
        if self.bounded < self.values.len() {
            self.bounds = Bounds {
                low: self.end(End::Low),
                high: self.end(End::High).map(|end| -end),
            };
            self.bounded = self.values.len();
        }
        self.bounds
    }

    /// The running maximum of ln E against "the effect is at most `theta`".
    pub fn evidence_above(&self, theta: f64) -> f64 {
        self.evidence(theta, End::Low)
    }

    /// The running maximum of ln E against "the effect is at least `theta`".
    pub fn evidence_below(&self, theta: f64) -> f64 {
        self.evidence(-theta, End::High)
    }

    fn evidence(&self, theta: f64, end: End) -> f64 {
        let mut process = EProcess::default();
        for (value, scale) in self.bets(end) {
            process.push((value - theta) / scale);
        }
        process.log_highest()
    }

    /// Differences with their scales, as seen from one end: for the upper end with changed signs.
    fn bets(&self, end: End) -> impl Iterator<Item = (f64, f64)> {
        let sign = match end {
            End::Low => 1.0,
            End::High => -1.0,
        };
        let bets = self.values.iter().zip(&self.scales).skip(self.skipped());
        bets.map(move |(value, scale)| (sign * value, *scale))
    }

    /// The number of differences at the beginning that only set the scale.
    fn skipped(&self) -> usize {
        match self.first_scale.or(self.fixed_scale) {
            Some(_) => 0,
            None => SCALE_DIFFERENCES,
        }
    }

    /// Returns true if there are enough differences for anything to be rejected.
    fn is_long_enough(&self) -> bool {
        self.values.len() >= REPLICAS_MIN as usize
    }

    /// Returns true if everything up to `theta` (in the sign of `end`) is rejected.
    fn rejects(&self, process: &mut EProcess, theta: f64, end: End) -> bool {
        process.restart();
        let level = self.threshold.exp();
        self.is_long_enough()
            && self.bets(end).any(|(value, scale)| {
                process.push((value - theta) / scale);
                process.reached(level)
            })
    }

    /// The largest multiple of [`STEP`] or landmark (in the sign of `end`) up to which everything is
    /// rejected.
    fn end(&self, end: End) -> Option<f64> {
        let known = match end {
            End::Low => self.bounds.low,
            End::High => self.bounds.high.map(|high| -high),
        };
        let mut process = EProcess::default();
        let mut rejects = |theta: f64| self.rejects(&mut process, theta, end);
        // At the saturated value every difference counts in full: if that does not reject, nothing
        // does. At the largest difference none of them counts against.
        let saturated = self.bets(end).map(|(value, scale)| value - CLIP * scale);
        let saturated = saturated.fold(f64::INFINITY, f64::min);
        let mut rejected = match known {
            Some(known) => (known / STEP).floor(),
            None if rejects(saturated) => (saturated / STEP).floor(),
            None => return None,
        };
        let largest = self.bets(end).map(|(value, _)| value);
        let largest = largest.fold(f64::NEG_INFINITY, f64::max);
        let mut kept = (largest / STEP).ceil().max(rejected + 1.0);
        let moved = known.map_or(f64::NAN, |known| known + MOVED_ERRORS * self.error());
        let next = known.map_or(f64::NAN, |known| known + STEP);
        for guess in [next, moved].into_iter().chain(self.guesses(end)) {
            let guess = (guess / STEP).floor();
            if rejected < guess && guess < kept {
                if rejects(guess * STEP) {
                    rejected = guess;
                } else {
                    kept = guess;
                }
            }
        }
        while kept - rejected > 1.0 {
            let middle = (0.5 * (rejected + kept)).floor();
            if rejects(middle * STEP) {
                rejected = middle;
            } else {
                kept = middle;
            }
        }
        // A landmark between two multiples is tested itself.
        let (rejected, kept) = (rejected * STEP, kept * STEP);
        let between = self.landmarks.into_iter();
        let between = between.filter(|mark| rejected < *mark && *mark < kept);
        let found = between.filter(|mark| rejects(*mark));
        Some(found.fold(rejected, f64::max))
    }

    /// Values near which the end is expected: the middle of the differences less a few standard
    /// errors. Only the speed of the search depends on them.
    fn guesses(&self, end: End) -> [f64; 3] {
        let mut values: Vec<f64> = self.bets(end).map(|(value, _)| value).collect();
        let middle = median(&mut values).unwrap_or(0.0);
        let wide = GUESS_ERRORS * self.error();
        [middle, middle - 2.0 * wide, middle - wide]
    }

    /// An approximate standard error: the median absolute deviation over the root of the number
    /// of differences.
    fn error(&self) -> f64 {
        self.past.value().unwrap_or(0.0) / (self.values.len().max(1) as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DIFFERENCES: [f64; 16] = [
        0.021, 0.034, 0.012, 0.045, 0.027, -0.008, 0.031, 0.019, 0.052, 0.024, 0.023, 0.038, 0.029,
        -0.11, 0.026, 0.033,
    ];

    fn sequence(values: &[f64], resolution: f64) -> ConfidenceSequence {
        let mut sequence = ConfidenceSequence::new((2.0_f64 / 0.05).ln(), 0.01);
        values
            .iter()
            .for_each(|value| sequence.push(*value, resolution));
        sequence
    }

    #[test]
    fn evidence_agrees_with_reference_values() {
        let sequence = sequence(&DIFFERENCES, 0.0);
        for (theta, above, below) in [
            (-0.01, 7.039_629_065_746_065, 0.0),
            (0.0, 4.671_487_123_097_552_5, 0.0),
            (0.005, 3.605_165_295_308_957_2, 0.0),
            (0.02, 0.0, 0.533_584_245_523_062),
        ] {
            assert!(
                (sequence.evidence_above(theta) - above).abs() < 1e-9,
                "{theta}"
            );
            assert!(
                (sequence.evidence_below(theta) - below).abs() < 1e-9,
                "{theta}"
            );
        }
    }

    #[test]
    fn the_interval_agrees_with_reference_values() {
        for (count, resolution, low, high) in [
            (9, 0.0, -0.007_226_208_63, 0.049_907_000_60),
            (10, 0.0, -0.004_786_514_58, 0.049_797_965_96),
            (12, 0.0, 0.001_658_873_07, 0.045_864_637_95),
            (16, 0.0, 0.004_630_762_27, 0.039_591_123_87),
            (16, 0.02, 0.006_133_409_21, 0.039_631_108_14),
        ] {
            let bounds = sequence(&DIFFERENCES[..count], resolution).bounds();
            let near = |found: Option<f64>, expected: f64| {
                found.is_some_and(|found| (found - expected).abs() < 2e-5)
            };
            assert!(
                near(bounds.low, low) && near(bounds.high, high),
                "{count}: {bounds:?}"
            );
        }
    }

    #[test]
    fn an_end_is_unknown_until_enough_replicas_are_in() {
        let obvious = [0.7, 0.71, 0.69, 0.72, 0.7, 0.71, 0.69, 0.7];
        assert_eq!(sequence(&obvious[..7], 0.0).bounds(), Bounds::default());
        assert!(sequence(&obvious, 0.0).bounds().above(0.0));
    }

    #[test]
    fn equal_differences_give_a_narrow_interval() {
        let bounds = sequence(&[0.3; 12], 0.0).bounds();
        let (low, high) = (bounds.low.unwrap(), bounds.high.unwrap());
        assert!(low <= 0.3 && 0.3 <= high && high - low < 2e-5, "{bounds:?}");
    }

    #[test]
    fn a_search_ends_however_coarse_and_far_apart_differences_are() {
        for (value, resolution) in [(0.3, f64::INFINITY), (700.0, 1e300), (-700.0, 0.0)] {
            let bounds = sequence(&[value; 40], resolution).bounds();
            assert!(
                bounds.low <= Some(value) && bounds.high >= Some(value),
                "{bounds:?}"
            );
        }
        let scattered: Vec<f64> = (0..40).map(|at| f64::from(at % 7 - 3) * 250.0).collect();
        let bounds = sequence(&scattered, 1e300).bounds();
        assert!(bounds.low < bounds.high, "{bounds:?}");
    }

    #[test]
    fn with_a_first_scale_every_difference_counts() {
        // Computed from the definition by a separate script.
        let with_scale = |count: usize| {
            let mut sequence =
                ConfidenceSequence::new((2.0_f64 / 0.05).ln(), 0.01).with_first_scale(Some(0.03));
            let values = DIFFERENCES[..count].iter();
            values.for_each(|value| sequence.push(*value, 0.0));
            sequence
        };
        let whole = with_scale(16);
        assert!((whole.evidence_above(0.0) - 5.477_146_666_004_59).abs() < 1e-9);
        assert!((whole.evidence_above(0.02) - 0.462_035_972_159_170_14).abs() < 1e-9);
        for (count, low, high) in [
            (6, -0.013_572_115_84, 0.058_553_886_29),
            (9, -0.003_541_092_83, 0.043_734_747_16),
            (16, 0.006_987_470_94, 0.038_769_293_19),
        ] {
            let bounds = with_scale(count).bounds();
            assert!((bounds.low.unwrap() - low).abs() < 2e-5, "{bounds:?}");
            assert!((bounds.high.unwrap() - high).abs() < 2e-5, "{bounds:?}");
        }
    }

    #[test]
    fn nothing_is_rejected_before_the_third_difference() {
        let mut sequence = ConfidenceSequence::new(0.5, 0.01).with_first_scale(Some(0.01));
        for count in 1..=3 {
            sequence.push(0.5, 0.0);
            assert_eq!(sequence.bounds().low.is_some(), count == 3, "{count}");
        }
        assert!(sequence.evidence_above(0.0) > 1.0);
    }

    #[test]
    fn with_a_fixed_scale_past_differences_say_nothing_of_it() {
        let of = |first: f64| {
            let mut sequence = ConfidenceSequence::new(3.0, 0.01).with_fixed_scale(0.1);
            for value in [first, 0.5, 0.6, 0.7] {
                sequence.push(value, 0.0);
            }
            sequence.evidence_above(0.0)
        };
        // Beyond four scales a difference counts as four.
        assert_eq!(of(0.4), of(40.0));
        // The mean over the bets of 2/(1 + e^{-8λ}), to the fourth power.
        let bet = |place: f64| 0.15 * 40_f64.powf(place / 13.0);
        let product = |place: u32| (2.0 / (1.0 + (-8.0 * bet(f64::from(place))).exp())).powi(4);
        let mean = (0..14).map(product).sum::<f64>() / 14.0;
        assert!((of(0.4) - mean.ln()).abs() < 1e-12);
    }

    #[test]
    fn what_is_not_finite_is_left_out() {
        let mut with = sequence(&DIFFERENCES, 0.0);
        with.push(f64::NAN, 0.0);
        with.push(f64::INFINITY, 0.0);
        assert_eq!(with.bounds(), sequence(&DIFFERENCES, 0.0).bounds());
    }

    fn differences() -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(-0.2..0.3f64, 3..48)
    }

    proptest! {
        #[test]
        fn evidence_falls_as_the_hypothesis_rises(
            values in differences(), theta in -0.3..0.3f64, more in 0.0..0.1f64,
        ) {
            let sequence = sequence(&values, 1e-4);
            prop_assert!(sequence.evidence_above(theta) >= sequence.evidence_above(theta + more));
            prop_assert!(sequence.evidence_below(theta) <= sequence.evidence_below(theta + more));
        }

        #[test]
        fn changed_signs_give_the_mirrored_interval(values in differences()) {
            let mirrored: Vec<f64> = values.iter().map(|value| -value).collect();
            let bounds = sequence(&values, 1e-4).bounds();
            let mirror = sequence(&mirrored, 1e-4).bounds();
            prop_assert_eq!(bounds.low, mirror.high.map(|end| -end));
            prop_assert_eq!(bounds.high, mirror.low.map(|end| -end));
        }

        #[test]
        fn ends_only_move_inwards(values in differences()) {
            let mut sequence = sequence(&[], 0.0);
            let mut before = Bounds::default();
            for value in &values {
                sequence.push(*value, 1e-4);
                let now = sequence.bounds();
                prop_assert!(before.low.is_none_or(|low| now.low.is_some_and(|end| end >= low)));
                prop_assert!(before.high.is_none_or(|high| now.high.is_some_and(|end| end <= high)));
                before = now;
            }
        }

        #[test]
        fn looking_often_gives_the_same_interval(values in differences()) {
            let mut often = sequence(&[], 0.0);
            for value in &values {
                often.push(*value, 1e-4);
                often.bounds();
            }
            prop_assert_eq!(often.bounds(), sequence(&values, 1e-4).bounds());
        }

        #[test]
        fn everything_beyond_an_end_is_rejected(values in differences(), beyond in 0.0..0.2f64) {
            let mut sequence = sequence(&values, 1e-4);
            let bounds = sequence.bounds();
            if let Some(low) = bounds.low {
                prop_assert!(sequence.evidence_above(low - beyond) >= sequence.threshold());
            }
            if let Some(high) = bounds.high {
                prop_assert!(sequence.evidence_below(high + beyond) >= sequence.threshold());
            }
        }
    }
}
