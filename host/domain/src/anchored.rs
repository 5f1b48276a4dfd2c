//! Comparison of two measurements of different moments by way of what was measured in both.
//!
//! Values of two moments are never compared. But in each measurement a variant was compared with the *anchor*, which did
//! not change, and the ratio of the two ratios is that of the variant now and then. The intervals of all pairs of a
//! measurement hold together with its confidence c. So intervals from two of them hold together with a confidence of at
//! least c₁ + c₂ − 1: 90 % for two at 95 %.

use crate::verdict::RatioInterval;
use serde::Serialize;

/// Changes of times from one measurement to another.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeChanges {
    /// The times can be compared.
    Comparable {
        /// The probability with which all intervals hold.
        confidence: f64,
        /// The variants that were timed in both and did not change.
        anchors: Vec<String>,
        /// The variants that changed, in the order of the later report.
        changes: Vec<TimeChange>,
    },
    /// The times cannot be compared.
    NotComparable {
        /// The reason.
        reason: String,
    },
}

/// A variant that is another one than before.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TimeChange {
    /// The variant's id.
    pub id: String,
    /// The anchor by which the times are compared.
    pub anchor: String,
    /// The variant's time divided by its earlier time.
    pub ratio: f64,
    /// Lower end of the ratio's interval; `None` if it is not known.
    pub low: Option<f64>,
    /// Upper end of the ratio's interval; `None` if it is not known.
    pub high: Option<f64>,
}

impl TimeChange {
    /// The ratio with its interval.
    pub fn interval(&self) -> RatioInterval {
        RatioInterval {
            ratio: Some(self.ratio),
            low: self.low,
            high: self.high,
        }
    }
}

/// A measurement: the ratio of any two of its variants.
pub struct MeasuredRatios<'a> {
    /// 1 − α for all its pairs together.
    pub confidence: f64,
    /// Returns the ratio of the first to the second, where there is one.
    pub ratio: &'a dyn Fn(&str, &str) -> Option<RatioInterval>,
}

impl MeasuredRatios<'_> {
    /// Returns the ratio of two variants, if its interval is sound.
    fn of(&self, a: &str, b: &str) -> Option<RatioInterval> {
        let found = (self.ratio)(a, b)?;
        let crossed = found
            .low
            .zip(found.high)
            .is_some_and(|(low, high)| low > high);
        found.ratio.is_some().then_some(found).filter(|_| !crossed)
    }
}

/// Returns the changes of these variants, all of which were measured twice, by way of the anchors, which did not change.
///
/// # Errors
/// The ratio of two anchors cannot be the same in both measurements.
pub fn changes_by_anchors<'a>(
    [before, after]: [&MeasuredRatios<'_>; 2],
    anchors: &[&str],
    changed: impl Iterator<Item = &'a str>,
) -> Result<TimeChanges, String> {
    unchanged_agree(before, after, anchors)?;
    Ok(TimeChanges::Comparable {
        confidence: rounded((before.confidence + after.confidence - 1.0).max(0.0)),
        changes: changed
            .filter_map(|id| narrowest(before, after, anchors, id))
            .collect(),
        anchors: anchors.iter().map(|id| (*id).to_owned()).collect(),
    })
}

/// Rounds a difference of two fractions to 9 decimal places.
fn rounded(share: f64) -> f64 {
    (share * 1e9).round() / 1e9
}

/// Compares the anchors with each other: their ratio must be able to be the same in both measurements.
///
/// # Errors
/// The intervals of a ratio are disjoint; the error says which.
fn unchanged_agree(
    before: &MeasuredRatios<'_>,
    after: &MeasuredRatios<'_>,
    anchors: &[&str],
) -> Result<(), String> {
    for (place, a) in anchors.iter().enumerate() {
        for b in &anchors[place + 1..] {
            let Some((then, now)) = before.of(a, b).zip(after.of(a, b)) else {
                continue;
            };
            let ends = |found: &RatioInterval| {
                (
                    found.low.unwrap_or(0.0),
                    found.high.unwrap_or(f64::INFINITY),
                )
            };
            let ((low, high), (later_low, later_high)) = (ends(&then), ends(&now));
            if high < later_low || later_high < low {
                return Err(format!(
                    "what did not change disagrees: {a} was {low:.3} to {high:.3} times {b}, of which neither changed, and \
                     now is {later_low:.3} to {later_high:.3} times it. The machine treats them otherwise than it did, so \
                     nothing is said by way of either: measure both again while the machine does nothing else"
                ));
            }
        }
    }
    Ok(())
}

/// Returns the change of a variant by the anchor that gives the narrowest interval.
fn narrowest(
    before: &MeasuredRatios<'_>,
    after: &MeasuredRatios<'_>,
    anchors: &[&str],
    id: &str,
) -> Option<TimeChange> {
    let by = |anchor: &&str| -> Option<TimeChange> {
        let (then, now) = (before.of(id, anchor)?, after.of(id, anchor)?);
        let quotient = |above: Option<f64>, below: Option<f64>| {
            let of = above.zip(below).map(|(above, below)| above / below);
            of.filter(|value| value.is_finite() && *value > 0.0)
        };
        Some(TimeChange {
            id: id.to_owned(),
            anchor: (*anchor).to_owned(),
            ratio: quotient(now.ratio, then.ratio)?,
            low: quotient(now.low, then.high),
            high: quotient(now.high, then.low),
        })
    };
    let width = |change: &TimeChange| match (change.low, change.high) {
        (Some(low), Some(high)) => high / low,
        _ => f64::INFINITY,
    };
    let changes = anchors.iter().filter_map(by);
    changes.min_by(|one, other| width(one).total_cmp(&width(other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(ratio: f64) -> RatioInterval {
        RatioInterval {
            ratio: Some(ratio),
            low: Some(ratio * 0.9),
            high: Some(ratio * 1.1),
        }
    }

    #[test]
    fn a_change_is_the_ratio_of_ratios_and_its_ends_are_the_furthest() {
        let (then, now) = (
            |_: &str, _: &str| Some(interval(2.0)),
            |_: &str, _: &str| Some(interval(3.0)),
        );
        let measured = |ratio| MeasuredRatios {
            confidence: 0.95,
            ratio,
        };
        let (before, after) = (measured(&then), measured(&now));
        let found = changes_by_anchors([&before, &after], &["same"], ["new"].into_iter()).unwrap();
        let TimeChanges::Comparable {
            confidence,
            changes,
            ..
        } = found
        else {
            panic!("{found:?}");
        };
        assert_eq!(confidence, 0.9);
        assert!((changes[0].ratio - 1.5).abs() < 1e-9, "{changes:?}");
        let ends = (changes[0].low.unwrap(), changes[0].high.unwrap());
        assert!((ends.0 - 2.7 / 2.2).abs() < 1e-9, "{ends:?}");
        assert!((ends.1 - 3.3 / 1.8).abs() < 1e-9, "{ends:?}");
        // Two that did not change, and whose ratio did: nothing else is believed.
        let refused =
            changes_by_anchors([&before, &after], &["same", "other"], ["new"].into_iter());
        assert!(refused.unwrap_err().contains("of which neither changed"));
    }
}
