//! Betting on differences that need not be symmetric: on their mean, where they are bounded, and
//! on their sign, where they are not.
//!
//! The hypothesis "the mean is at most θ" is tested by a capital that starts at 1 and is multiplied,
//! for each difference D within ±W, by 1 − c + c·x/m with x = (D/W + 1)/2 and m = (θ/W + 1)/2, for a
//! bet c below 1 (Waudby-Smith and Ramdas 2024, with λ = c/m). Under the hypothesis no factor is
//! expected to be above 1, and none is negative; so by Ville's inequality the running maximum of the
//! capital reaches 1/α with probability at most α, however often one looks. The factor falls as θ
//! rises, so the values that are not rejected form an interval.
//!
//! The sign is bet on in the same way: the factor is 1 + c where D is above θ, 1 − c where it is
//! below, and 1 where it equals θ.

use super::bounds::Bounds;

/// The number of bets c that are held at once.
const BETS: usize = 14;
/// The most timid bet, made for differences that are small beside their range.
const BET_LOW: f64 = 0.01;
/// The boldest bet: at worst it leaves a hundredth of the capital.
const BET_HIGH: f64 = 0.99;
/// The capital of a bet stays below this, so that it never overflows. Less is still valid.
const CAPITAL_MAX: f64 = 1e290;
/// The number of times that the place of an end is halved: to a thousand-millionth of the range.
const HALVINGS: u32 = 31;

/// The values of c: 14, geometric from 0.01 to 0.99.
fn bets() -> [f64; BETS] {
    std::array::from_fn(|place| {
        BET_LOW * (BET_HIGH / BET_LOW).powf(place as f64 / (BETS - 1) as f64)
    })
}

/// The running mean of the capital of all bets, for one hypothesis and one side.
struct Capital {
    bets: [f64; BETS],
    capital: [f64; BETS],
    highest: f64,
}

impl Capital {
    fn new() -> Self {
        Self {
            bets: bets(),
            capital: [1.0; BETS],
            highest: 1.0,
        }
    }

    /// Bets on an outcome that is at least −1 and, under the hypothesis, not expected to be above 0.
    fn push(&mut self, outcome: f64) {
        let mut sum = 0.0;
        for (capital, bet) in self.capital.iter_mut().zip(&self.bets) {
            *capital = (*capital * (1.0 + bet * outcome)).min(CAPITAL_MAX);
            sum += *capital;
        }
        self.highest = self.highest.max(sum / BETS as f64);
    }
}

/// The largest value of ln E over all outcomes so far.
fn evidence(outcomes: impl Iterator<Item = f64>) -> f64 {
    let mut capital = Capital::new();
    outcomes.for_each(|outcome| capital.push(outcome));
    capital.highest.ln()
}

/// The evidence (ln E) of rounds without a difference against "one of the two is better in half of all
/// rounds at least": all that bets on a sign could have gained in as many rounds.
pub fn evidence_of_agreement(rounds: usize) -> f64 {
    evidence(std::iter::repeat_n(1.0, rounds))
}

/// Differences within ±`width`, and what they say about their mean at all times together.
#[derive(Clone, Debug)]
pub struct BoundedMean<'a> {
    differences: &'a [f64],
    width: f64,
}

impl<'a> BoundedMean<'a> {
    /// Takes the differences; `None` unless the width is positive and finite, and every difference is within it.
    pub fn new(differences: &'a [f64], width: f64) -> Option<Self> {
        let bounded = |difference: &f64| difference.abs() <= width;
        (width.is_finite() && width > 0.0 && differences.iter().all(bounded))
            .then_some(Self { differences, width })
    }

    /// The running maximum of ln E against "the mean is at most `theta`", which is within ±width.
    pub fn evidence_above(&self, theta: f64) -> f64 {
        self.evidence(theta, 1.0)
    }

    /// The running maximum of ln E against "the mean is at least `theta`".
    pub fn evidence_below(&self, theta: f64) -> f64 {
        self.evidence(-theta, -1.0)
    }

    /// The interval in which the mean lies; `threshold` is ln(1/α) for each side. On which side of
    /// an end 0 lies is exact; the end itself is rounded outwards.
    pub fn bounds(&self, threshold: f64) -> Bounds {
        Bounds {
            low: self.end(threshold, 1.0),
            high: self.end(threshold, -1.0).map(|end| 0.0 - end),
        }
    }

    fn evidence(&self, theta: f64, sign: f64) -> f64 {
        let mean = 0.5 * (theta / self.width + 1.0);
        let outcome = |difference: &f64| {
            let place = 0.5 * (sign * difference / self.width + 1.0);
            if mean > 0.0 { place / mean - 1.0 } else { 0.0 }
        };
        evidence(self.differences.iter().map(outcome))
    }

    /// The largest value, in the sign of the end, up to which everything is rejected.
    fn end(&self, threshold: f64, sign: f64) -> Option<f64> {
        let rejects = |theta: f64| self.evidence(theta, sign) >= threshold;
        let (mut rejected, mut possible) = if rejects(0.0) {
            (0.0, self.width)
        } else {
            (-self.width, 0.0)
        };
        for _ in 0..HALVINGS {
            let middle = 0.5 * (rejected + possible);
            if rejects(middle) {
                rejected = middle;
            } else {
                possible = middle;
            }
        }
        (rejected > -self.width).then_some(rejected)
    }
}

/// Differences of any size, and what they say about their sign at all times together.
#[derive(Clone, Debug)]
pub struct SignOfDifferences<'a> {
    differences: &'a [f64],
}

impl<'a> SignOfDifferences<'a> {
    /// Takes the differences, which must be numbers; `None` if one is not.
    pub fn new(differences: &'a [f64]) -> Option<Self> {
        let numbers = differences.iter().all(|difference| !difference.is_nan());
        numbers.then_some(Self { differences })
    }

    /// The running maximum of ln E against "a difference that is not `theta` is at least as likely
    /// below it as above".
    pub fn evidence_above(&self, theta: f64) -> f64 {
        evidence(self.outcomes(theta, 1.0))
    }

    /// The running maximum of ln E against "a difference that is not `theta` is at least as likely above it as below".
    pub fn evidence_below(&self, theta: f64) -> f64 {
        evidence(self.outcomes(theta, -1.0))
    }

    /// The interval in which the median lies; `threshold` is ln(1/α) for each side. The ends are
    /// differences that occurred.
    pub fn bounds(&self, threshold: f64) -> Bounds {
        let mut ascending = self.differences.to_vec();
        ascending.sort_by(f64::total_cmp);
        ascending.dedup();
        // What is rejected from below is everything up to some difference, and so on the other side.
        let low = ascending.partition_point(|end| self.evidence_before(*end) >= threshold);
        let high = ascending.partition_point(|end| self.evidence_after(*end) < threshold);
        Bounds {
            low: low.checked_sub(1).map(|place| ascending[place]),
            high: ascending.get(high).copied(),
        }
    }

    /// The evidence against every median just below `theta`.
    fn evidence_before(&self, theta: f64) -> f64 {
        let sign = |difference: &f64| if *difference >= theta { 1.0 } else { -1.0 };
        evidence(self.differences.iter().map(sign))
    }

    /// The evidence against every median just above `theta`.
    fn evidence_after(&self, theta: f64) -> f64 {
        let sign = |difference: &f64| if *difference <= theta { 1.0 } else { -1.0 };
        evidence(self.differences.iter().map(sign))
    }

    fn outcomes(&self, theta: f64, sign: f64) -> impl Iterator<Item = f64> {
        self.differences.iter().map(move |difference| {
            let apart = sign * (difference - theta);
            match apart {
                apart if apart > 0.0 => 1.0,
                apart if apart < 0.0 => -1.0,
                _ => 0.0,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DIFFERENCES: [f64; 10] = [3.0, -1.0, 4.0, 1.5, -0.5, 2.0, 5.0, 0.0, 2.5, 1.0];

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-8, "{found} for {expected}");
    }

    #[test]
    fn evidence_agrees_with_reference_values() {
        // Computed in logarithms from the definition by a separate script.
        let mean = BoundedMean::new(&DIFFERENCES, 6.0).unwrap();
        near(mean.evidence_above(-2.0), 3.959_772_700_020_558);
        near(mean.evidence_above(0.0), 0.873_539_839_808_489_3);
        near(mean.evidence_above(1.0), 0.229_346_970_628_114_32);
        near(mean.evidence_below(0.0), 0.0);
        let sign = SignOfDifferences::new(&DIFFERENCES).unwrap();
        near(sign.evidence_above(-2.0), 4.506_997_117_457_169_5);
        near(sign.evidence_above(0.0), 0.624_741_867_451_436_9);
        near(sign.evidence_above(1.5), 0.211_725_089_316_317_45);
        near(sign.evidence_below(0.0), 0.0);
    }

    #[test]
    fn intervals_agree_with_reference_values() {
        let differences = DIFFERENCES.repeat(8);
        let threshold = 40.0_f64.ln();
        let mean = BoundedMean::new(&differences, 6.0).unwrap();
        let Bounds { low, high } = mean.bounds(threshold);
        near(low.unwrap(), 0.985_002_496_817_991);
        near(high.unwrap(), 2.444_845_040_786_308);
        let sign = SignOfDifferences::new(&differences).unwrap();
        let Bounds { low, high } = sign.bounds(threshold);
        assert_eq!((low, high), (Some(1.0), Some(2.5)));
    }

    #[test]
    fn a_bet_is_fair_at_the_edge_of_its_hypothesis() {
        // A difference of 6 in one of four cases and −2 in the others has the mean 0: the mean of
        // the capital over all 4^5 sequences, weighed equally, is 1.
        let mut total = 0.0;
        for sequence in 0..1_024_u32 {
            let mut capital = Capital::new();
            for place in 0..5 {
                let up = sequence >> (2 * place) & 3 == 0;
                capital.push(if up { 1.0 } else { -1.0 / 3.0 });
            }
            total += capital.capital.iter().sum::<f64>() / BETS as f64;
        }
        near(total / 1_024.0, 1.0);
    }

    #[test]
    fn what_is_out_of_bounds_or_no_number_is_not_bet_on() {
        assert!(BoundedMean::new(&[1.0, 7.0], 6.0).is_none());
        assert!(BoundedMean::new(&[f64::NAN], 6.0).is_none());
        assert!(BoundedMean::new(&[0.0], 0.0).is_none());
        assert!(SignOfDifferences::new(&[f64::NAN]).is_none());
        let none = BoundedMean::new(&[], 6.0).unwrap().bounds(3.0);
        assert_eq!(none, Bounds::default());
    }

    #[test]
    fn capital_never_overflows() {
        let differences = vec![1.0; 10_000];
        let mean = BoundedMean::new(&differences, 1.0).unwrap();
        assert!(mean.evidence_above(0.0).is_finite());
        assert!(mean.evidence_above(-1.0).is_finite());
        assert_eq!(mean.evidence_below(0.0), 0.0);
    }

    proptest! {
        #[test]
        fn evidence_falls_as_the_hypothesis_rises(
            differences in prop::collection::vec(-5.0..5.0f64, 1..60),
            theta in -4.9..4.9f64, more in 0.0..2.0f64,
        ) {
            let mean = BoundedMean::new(&differences, 5.0).unwrap();
            let higher = (theta + more).min(4.9);
            prop_assert!(mean.evidence_above(theta) >= mean.evidence_above(higher) - 1e-9);
            let sign = SignOfDifferences::new(&differences).unwrap();
            prop_assert!(sign.evidence_above(theta) >= sign.evidence_above(theta + more));
        }

        #[test]
        fn the_other_way_round_everything_is_mirrored(
            differences in prop::collection::vec(-5.0..5.0f64, 1..60),
        ) {
            let mirrored: Vec<f64> = differences.iter().map(|d| -d).collect();
            let flipped = |bounds: Bounds| Bounds {
                low: bounds.high.map(|end| -end),
                high: bounds.low.map(|end| -end),
            };
            let (one, other) = (BoundedMean::new(&differences, 5.0), BoundedMean::new(&mirrored, 5.0));
            prop_assert_eq!(one.unwrap().bounds(2.0), flipped(other.unwrap().bounds(2.0)));
            let one = SignOfDifferences::new(&differences).unwrap();
            let other = SignOfDifferences::new(&mirrored).unwrap();
            prop_assert_eq!(one.bounds(2.0), flipped(other.bounds(2.0)));
        }

        #[test]
        fn everything_beyond_an_end_is_rejected(
            differences in prop::collection::vec(0.0..5.0f64, 20..60), share in 0.001..1.0f64,
        ) {
            let mean = BoundedMean::new(&differences, 5.0).unwrap();
            if let Some(low) = mean.bounds(2.0).low {
                let beyond = low - share * (low + 5.0) * 0.999;
                prop_assert!(mean.evidence_above(beyond) >= 2.0 - 1e-9);
            }
            let sign = SignOfDifferences::new(&differences).unwrap();
            if let Some(low) = sign.bounds(2.0).low {
                prop_assert!(sign.evidence_above(low - share) >= 2.0);
            }
        }
    }
}
