//! Verdicts about pairs of variants by a reading other than the time of a call.

use crate::interval::Interval;
use crate::measurement::VariantIndex;
use crate::spec::{Direction, Scale};
use crate::stats::{BoundedMean, SignOfDifferences, evidence_of_agreement, median};
use crate::verdict::{PairVerdict, RatioInterval, Verdict};
use serde::{Deserialize, Serialize};

/// Claim that a verdict by a reading makes, and with it the meaning of its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// A ratio of times, `a` divided by `b`, each pair of them measured in the same round.
    Ratio,
    /// The mean difference, `a` less `b`, over the inputs that the workload makes.
    MeanDifference,
    /// One is better on more inputs than it is worse on; the number is the median difference.
    MoreInputs,
    /// The difference is known exactly.
    Exact,
}

impl Claim {
    /// The number of a claim about `b` against `a`, from that about `a` against `b`.
    pub(crate) fn mirrored(self, number: f64) -> f64 {
        match self {
            Self::Ratio => 1.0 / number,
            Self::MeanDifference | Self::MoreInputs | Self::Exact => 0.0 - number,
        }
    }
}

/// A verdict about a pair by a reading. `I` names variants: their indexes, or their ids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadingVerdict<I = VariantIndex> {
    /// The variant that the verdict is about.
    pub a: I,
    /// The variant that it is compared with.
    pub b: I,
    /// The verdict about `a`: it beats `b` if its reading is surely the better one.
    pub verdict: Verdict,
    /// True if one beats the other, yet the ratio is within the practical threshold.
    #[serde(default)]
    pub below_threshold: bool,
    /// Claim that the verdict makes.
    pub claim: Claim,
    /// The ratio or the difference; `None` if there is nothing to compare.
    pub value: Option<f64>,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The number of replicas, rounds or inputs that it rests on.
    pub count: u32,
}

impl<I> ReadingVerdict<I> {
    /// The same verdict about variants with other names; `None` if one of them has none.
    pub fn renamed<J>(self, name: impl Fn(I) -> Option<J>) -> Option<ReadingVerdict<J>> {
        Some(ReadingVerdict {
            a: name(self.a)?,
            b: name(self.b)?,
            verdict: self.verdict,
            below_threshold: self.below_threshold,
            claim: self.claim,
            value: self.value,
            low: self.low,
            high: self.high,
            count: self.count,
        })
    }

    /// The verdict about `b` against `a`.
    #[must_use]
    pub fn mirrored(self) -> Self {
        let mirror = |number: f64| self.claim.mirrored(number);
        Self {
            a: self.b,
            b: self.a,
            verdict: self.verdict.mirrored(),
            value: self.value.map(mirror),
            low: self.high.map(mirror),
            high: self.low.map(mirror),
            ..self
        }
    }
}

impl ReadingVerdict {
    /// The tie of two variants that are the same in what is read.
    pub fn same(a: VariantIndex, b: VariantIndex, claim: Claim) -> Self {
        let nothing = Some(if claim == Claim::Ratio { 1.0 } else { 0.0 });
        Self {
            a,
            b,
            verdict: Verdict::Tie,
            below_threshold: false,
            claim,
            value: nothing,
            low: nothing,
            high: nothing,
            count: 0,
        }
    }

    /// The verdict about two numbers that are known exactly.
    pub fn exact(
        (a, value_a): (VariantIndex, f64),
        (b, value_b): (VariantIndex, f64),
        direction: Direction,
    ) -> Self {
        let apart = value_a - value_b;
        let verdict = match apart {
            apart if apart > 0.0 => better_if_larger(direction),
            apart if apart < 0.0 => better_if_larger(direction).mirrored(),
            _ => Verdict::Tie,
        };
        Self {
            verdict,
            value: Some(apart),
            low: Some(apart),
            high: Some(apart),
            ..Self::same(a, b, Claim::Exact)
        }
    }
}

impl From<&PairVerdict> for ReadingVerdict {
    /// A verdict about two times, as one by a reading.
    fn from(pair: &PairVerdict) -> Self {
        Self {
            a: pair.a,
            b: pair.b,
            verdict: pair.verdict,
            below_threshold: pair.below_threshold,
            claim: Claim::Ratio,
            value: pair.interval.ratio,
            low: pair.interval.low,
            high: pair.interval.high,
            count: pair.replicas,
        }
    }
}

impl From<&ReadingVerdict> for PairVerdict {
    /// A verdict about the ratio of two readings, as one about two times over all cases.
    fn from(row: &ReadingVerdict) -> Self {
        Self {
            a: row.a,
            b: row.b,
            case: None,
            verdict: row.verdict,
            below_threshold: row.below_threshold,
            interval: RatioInterval {
                ratio: row.value,
                low: row.low,
                high: row.high,
            },
            replicas: row.count,
            typical: None,
            few_layouts: false,
        }
    }
}

/// The verdict about the larger of two readings.
fn better_if_larger(direction: Direction) -> Verdict {
    match direction {
        Direction::HigherIsBetter => Verdict::Beats,
        Direction::LowerIsBetter => Verdict::Beaten,
    }
}

/// The qualities of two variants' answers to the same inputs, in the order in which they were drawn.
#[derive(Clone, Copy, Debug)]
pub struct Qualities<'a> {
    /// The variants.
    pub pair: (VariantIndex, VariantIndex),
    /// Mean quality of `a`'s answers in each round, which has one input on each case.
    pub a: &'a [f64],
    /// The same for `b`. Only rounds that both have count.
    pub b: &'a [f64],
    /// True if the answers were the same to every input.
    pub same_answers: bool,
}

impl Qualities<'_> {
    /// The tie of two variants that are the same component.
    pub fn of_the_same(&self, scale: Scale) -> ReadingVerdict {
        let claim = match scale {
            Scale::Linear { .. } => Claim::MeanDifference,
            Scale::Ratio { .. } => Claim::MoreInputs,
        };
        let (a, b) = self.pair;
        ReadingVerdict {
            count: self.a.len().min(self.b.len()) as u32,
            ..ReadingVerdict::same(a, b, claim)
        }
    }

    /// The verdict at the evidence `threshold` (in nats, for each direction).
    ///
    /// On a linear scale the claim is the sign of the mean difference, by betting on a mean that the
    /// declared range bounds; on a ratio scale, that one is better on more inputs than it is worse
    /// on. There is no call if a quality is out of the declared range.
    ///
    /// Two whose answers were the same tie, once there were as many rounds as it takes to tell two
    /// apart of which one is better in every round: what a few inputs do not show is not known.
    pub fn judge(&self, scale: Scale, direction: Direction, threshold: f64) -> ReadingVerdict {
        let rounds = self.a.len().min(self.b.len());
        if self.same_answers && evidence_of_agreement(rounds) >= threshold {
            return self.of_the_same(scale);
        }
        let pairs = self.a.iter().zip(self.b);
        let differences: Vec<f64> = pairs.clone().map(|(a, b)| a - b).collect();
        let mut verdict = ReadingVerdict {
            verdict: Verdict::NoCall,
            value: None,
            low: None,
            high: None,
            ..self.of_the_same(scale)
        };
        let (larger, smaller, interval) = match scale {
            Scale::Linear { low, high } => {
                let within = |value: &f64| (low..=high).contains(value);
                let mut values = pairs.flat_map(|(a, b)| [a, b]);
                let bets = BoundedMean::new(&differences, high - low);
                let Some(bets) = bets.filter(|_| values.all(within)) else {
                    return verdict;
                };
                let bounds = bets.bounds(threshold);
                let mean = differences.iter().sum::<f64>() / rounds.max(1) as f64;
                (
                    bounds.above(0.0),
                    bounds.below(0.0),
                    Interval {
                        value: mean,
                        low: bounds.low,
                        high: bounds.high,
                    },
                )
            }
            Scale::Ratio { .. } => {
                let Some(bets) = SignOfDifferences::new(&differences) else {
                    return verdict;
                };
                let bounds = bets.bounds(threshold);
                (
                    bets.evidence_above(0.0) >= threshold,
                    bets.evidence_below(0.0) >= threshold,
                    Interval {
                        value: median(&mut differences.clone()).unwrap_or(0.0),
                        low: bounds.low,
                        high: bounds.high,
                    },
                )
            }
        };
        verdict.verdict = match (larger, smaller) {
            (true, false) => better_if_larger(direction),
            (false, true) => better_if_larger(direction).mirrored(),
            _ => Verdict::NoCall,
        };
        if rounds > 0 {
            verdict.value = Some(interval.value);
        }
        (verdict.low, verdict.high) = (interval.low, interval.high);
        verdict
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: Scale = Scale::Linear {
        low: 0.0,
        high: 10.0,
    };
    const RATIO: Scale = Scale::Ratio { base: 10.0 };

    fn judged(a: &[f64], b: &[f64], scale: Scale) -> ReadingVerdict {
        let qualities = Qualities {
            pair: (0, 1),
            a,
            b,
            same_answers: false,
        };
        qualities.judge(scale, Direction::LowerIsBetter, 80.0_f64.ln())
    }

    #[test]
    fn a_mean_that_is_surely_lower_is_better_and_the_interval_says_by_how_much() {
        let (a, b) = (
            [2.0, 3.0, 2.0, 2.5].repeat(40),
            [5.0, 5.0, 4.0, 6.5].repeat(40),
        );
        let verdict = judged(&a, &b, RANGE);
        assert_eq!(verdict.verdict, Verdict::Beats);
        assert_eq!(verdict.value, Some(-2.75));
        assert!(verdict.low.unwrap() < -2.75 && verdict.high.unwrap() < 0.0);
        assert_eq!(
            verdict.clone().mirrored(),
            judged(&b, &a, RANGE).renamed(|v| Some(1 - v)).unwrap()
        );
        let few = judged(&a[..4], &b[..4], RANGE);
        assert_eq!(few.verdict, Verdict::NoCall);
    }

    #[test]
    fn without_a_range_the_sign_counts_and_the_median_is_shown() {
        let (a, b) = (
            [2.0, 3.0, 90.0, 2.5, 2.0].repeat(40),
            [5.0, 5.0, 4.0, 6.5, 4.0].repeat(40),
        );
        let verdict = judged(&a, &b, RATIO);
        assert_eq!(
            (verdict.verdict, verdict.claim),
            (Verdict::Beats, Claim::MoreInputs)
        );
        assert_eq!(verdict.value, Some(-2.0));
    }

    #[test]
    fn what_is_out_of_the_range_or_one_sided_in_ties_gets_no_call() {
        let (a, b) = ([2.0].repeat(40), [11.0].repeat(40));
        assert_eq!(judged(&a, &b, RANGE).verdict, Verdict::NoCall);
        assert_eq!(judged(&a, &a, RANGE).verdict, Verdict::NoCall);
        assert_eq!(
            judged(&a, &[f64::NAN].repeat(40), RATIO).verdict,
            Verdict::NoCall
        );
        assert_eq!(judged(&[], &[], RANGE).value, None);
    }

    #[test]
    fn the_same_answers_tie_exactly() {
        let values = [2.0, 3.0].repeat(10);
        let same = |rounds: usize| {
            let qualities = Qualities {
                pair: (0, 1),
                a: &values[..rounds],
                b: &values[..rounds],
                same_answers: true,
            };
            qualities.judge(RANGE, Direction::HigherIsBetter, 40.0_f64.ln())
        };
        // If one were better in every round, the bets would come to 26 in eight rounds and 48 in nine.
        assert_eq!(same(8).verdict, Verdict::NoCall);
        assert_eq!(same(0).value, None);
        let verdict = same(9);
        assert_eq!(verdict.verdict, Verdict::Tie);
        assert_eq!((verdict.low, verdict.high), (Some(0.0), Some(0.0)));
    }

    #[test]
    fn exact_numbers_are_compared_as_they_are() {
        let exact = |direction| ReadingVerdict::exact((0, 2.0), (1, 3.0), direction).verdict;
        assert_eq!(exact(Direction::LowerIsBetter), Verdict::Beats);
        assert_eq!(exact(Direction::HigherIsBetter), Verdict::Beaten);
        let same = ReadingVerdict::exact((0, 2.0), (1, 2.0), Direction::LowerIsBetter);
        assert_eq!(same.verdict, Verdict::Tie);
    }
}
