//! Differences as ratios in words: which way one goes is said in the words of what is compared.

use crate::numbers::{alike, significant, with_ends};
use crate::verdict::RatioInterval;

/// Below this factor a difference is written as a percentage, wherever a report has one in words.
const FACTOR_MIN: f64 = 1.1;

/// Returns true for a ratio that is written as a percentage.
pub(crate) fn is_small(ratio: f64) -> bool {
    ratio.max(1.0 / ratio) < FACTOR_MIN
}

/// The words for less and for more of what is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DirectionWords {
    /// After a factor: `1.83 × faster`.
    factor: [&'static str; 2],
    /// After a percentage: `4 % less`.
    share: [&'static str; 2],
    /// The thing that a percentage is of, with a space before it: `4 % less time`. May be empty.
    of: &'static str,
}

impl DirectionWords {
    /// The words for times.
    pub(crate) const TIME: Self = Self {
        factor: ["faster", "slower"],
        share: ["less", "more"],
        of: " time",
    };
    /// The words for any other value.
    pub(crate) const VALUE: Self = Self {
        factor: ["lower", "higher"],
        share: ["lower", "higher"],
        of: "",
    };

    fn factor(self, is_less: bool) -> &'static str {
        self.factor[usize::from(!is_less)]
    }

    fn share(self, is_less: bool) -> &'static str {
        self.share[usize::from(!is_less)]
    }

    /// A ratio and the ends of its interval: `1.83 × slower` and `1.79–1.88`, `4 % less time` and `3–5 %`. The first is
    /// without numbers if there is no ratio.
    pub(crate) fn difference(
        self,
        found: RatioInterval,
        is_less: bool,
    ) -> (String, Option<String>) {
        let Some((apart, ends)) = apart(found, is_less) else {
            return (self.factor(is_less).to_owned(), None);
        };
        let difference = if found.ratio.is_some_and(is_small) {
            format!("{apart} {}{}", self.share(is_less), self.of)
        } else {
            format!("{apart} {}", self.factor(is_less))
        };
        (difference, ends)
    }

    /// The ends of an interval that a verdict lacks: `from 0.2 % less to 1.2 % more time`, `from 1.3 × faster to
    /// 1.5 × slower`.
    pub(crate) fn span(self, low: f64, high: f64) -> String {
        if !is_small(low) || !is_small(high) {
            return format!("from {} to {}", self.estimate(low), self.estimate(high));
        }
        let percent = |ratio: f64| (1.0 - ratio).abs() * 100.0;
        let (from, to) = (percent(low), percent(high));
        let shown = trimmed(&alike([from.min(to), from.max(to)], 2));
        let (from, to) = if from <= to {
            (&shown[0], &shown[1])
        } else {
            (&shown[1], &shown[0])
        };
        let way = |ratio: f64| self.share(ratio < 1.0);
        format!(
            "from {from} % {} to {to} % {}{}",
            way(low),
            way(high),
            self.of
        )
    }

    /// A ratio without an interval: `1.2 × faster`, `4 % more time`.
    pub(crate) fn estimate(self, ratio: f64) -> String {
        if !is_small(ratio) {
            let way = self.factor(ratio < 1.0);
            return format!("{} × {way}", significant(ratio.max(1.0 / ratio), 2));
        }
        let apart = (1.0 - ratio).abs() * 100.0;
        let digits = if apart < 1.0 { 1 } else { 2 };
        let apart = &trimmed(&[significant(apart, digits)])[0];
        format!("{apart} % {}{}", self.share(ratio < 1.0), self.of)
    }
}

/// A ratio of anything and the ends of its interval, without the words for which way: `1.83 ×` and `1.79–1.88`, `4 %`
/// and `3–5 %`.
pub(crate) fn apart(found: RatioInterval, is_less: bool) -> Option<(String, Option<String>)> {
    let ratio = found.ratio.filter(|ratio| *ratio > 0.0)?;
    if is_small(ratio) {
        let apart = |ratio: f64| (1.0 - ratio) * if is_less { 1.0 } else { -1.0 };
        let (least, most) = if is_less {
            (found.high.map(apart), found.low.map(apart))
        } else {
            (found.low.map(apart), found.high.map(apart))
        };
        let (apart, ends) = percents(apart(ratio), least, most);
        return Some((format!("{apart} %"), ends));
    }
    let shown = if is_less { found.inverse() } else { found };
    let (factor, ends) = with_ends(shown.ratio.unwrap_or(ratio), shown.low, shown.high);
    Some((format!("{factor} ×"), ends))
}

/// An ascending share of time and its ends as percentages, of a sure verdict: `4` and `3–5 %`. An end
/// that is not above 0 comes from rounding and is shown as 0.
fn percents(share: f64, least: Option<f64>, most: Option<f64>) -> (String, Option<String>) {
    let percent = |share: f64| if share > 5e-5 { share * 100.0 } else { 0.0 };
    let text = |numbers: &[String]| trimmed(numbers);
    match (least, most) {
        (Some(least), Some(most)) => {
            let shown = alike([percent(least), percent(share), percent(most)], 2);
            let shown = text(&shown);
            let ends = format!("{}–{} %", shown[0], shown[2]);
            (shown[1].clone(), Some(ends))
        }
        (Some(least), None) => {
            let shown = text(&alike([percent(least), percent(share)], 2));
            (shown[1].clone(), Some(format!("at least {} %", shown[0])))
        }
        _ => (text(&[significant(percent(share), 2)])[0].clone(), None),
    }
}

/// The numbers without the zeros that all of them end with: `4` and `5` for `4.0` and `5.0`.
fn trimmed(numbers: &[String]) -> Vec<String> {
    let zeros = |number: &String| match number.split_once('.') {
        Some((_, decimals)) => decimals.len() - decimals.trim_end_matches('0').len(),
        None => 0,
    };
    // A number without a point has none to lose, and keeps nothing from the others.
    let with_point = numbers.iter().filter(|number| number.contains('.'));
    let common = with_point.map(zeros).min().unwrap_or(0);
    let cut = |number: &String| {
        if number.contains('.') {
            number[..number.len() - common]
                .trim_end_matches('.')
                .to_owned()
        } else {
            number.clone()
        }
    };
    numbers.iter().map(cut).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_lower_or_higher_and_times_faster_or_slower() {
        let found = |ratio: f64| RatioInterval {
            ratio: Some(ratio),
            low: Some(ratio * 0.98),
            high: Some(ratio * 1.02),
        };
        assert_eq!(
            DirectionWords::VALUE.difference(found(1.5), false),
            ("1.50 × higher".to_owned(), Some("1.47–1.53".to_owned()))
        );
        assert_eq!(
            DirectionWords::VALUE.difference(found(0.95), true).0,
            "5.0 % lower"
        );
        assert_eq!(
            DirectionWords::TIME.difference(found(0.5), true).0,
            "2.00 × faster"
        );
        assert_eq!(
            DirectionWords::VALUE.span(0.97, 1.029),
            "from 3.0 % lower to 2.9 % higher"
        );
        assert_eq!(
            DirectionWords::VALUE.span(0.5, 1.029),
            "from 2.0 × lower to 2.9 % higher"
        );
    }
}
