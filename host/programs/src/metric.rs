//! A number that a command writes itself.

use bakeoff_domain::series::{Quantity, ValueScale};
use bakeoff_domain::spec::Direction;
use regex::bytes::Regex;

/// A number that a command writes to its stdout.
#[derive(Clone, Debug)]
pub struct CommandMetric {
    name: String,
    pattern: Regex,
    direction: Direction,
}

/// An error in a metric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MetricError {
    /// The name cannot stand in a line.
    #[error(
        "the metric's name {0:?} is empty or has a space, a line break or `=` in it: a line is `METRIC NAME=NUMBER`"
    )]
    Name(String),
    /// The pattern is none.
    #[error("the pattern for {name} is no regular expression: {reason}")]
    Pattern {
        /// Name of the metric.
        name: String,
        /// Reason.
        reason: String,
    },
    /// The pattern has no group, or several.
    #[error("the pattern for {0} has to have one group in parentheses, which is the number")]
    Groups(String),
}

impl CommandMetric {
    /// Returns the metric that a line `METRIC NAME=NUMBER` has, or the group of a regular expression.
    ///
    /// # Errors
    /// The name cannot stand in a line, or the pattern is no regular expression with one group.
    pub fn new(
        name: &str,
        pattern: Option<&str>,
        direction: Direction,
    ) -> Result<Self, MetricError> {
        let is_bad = |c: char| c.is_whitespace() || c == '=';
        if name.is_empty() || name.contains(is_bad) {
            return Err(MetricError::Name(name.to_owned()));
        }
        let pattern = pattern.map_or_else(|| line_pattern(name), str::to_owned);
        let pattern = Regex::new(&pattern).map_err(|error| MetricError::Pattern {
            name: name.to_owned(),
            reason: error.to_string(),
        })?;
        if pattern.captures_len() != 2 {
            return Err(MetricError::Groups(name.to_owned()));
        }
        Ok(Self {
            name: name.to_owned(),
            pattern,
            direction,
        })
    }

    /// The name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The regular expression by which it is found.
    pub(crate) fn pattern(&self) -> &str {
        self.pattern.as_str()
    }

    /// The direction in which values are better.
    pub(crate) fn direction(&self) -> Direction {
        self.direction
    }

    /// The quantity that is compared.
    pub(crate) fn quantity(&self) -> Quantity {
        Quantity {
            name: self.name.clone(),
            unit: String::new(),
            direction: self.direction,
            scale: ValueScale::Ratio,
        }
    }

    /// Returns the last number in the output.
    ///
    /// # Errors
    /// There is none, or it is no number, in words.
    pub(crate) fn find(&self, output: &[u8]) -> Result<f64, String> {
        let found = self.pattern.captures_iter(output).last();
        let Some(found) = found.and_then(|found| found.get(1)) else {
            let Self { name, pattern, .. } = self;
            let missing = if pattern.as_str() == line_pattern(name) {
                format!("let it write a line `METRIC {name}=NUMBER` to stdout")
            } else {
                format!("nothing in it matches {pattern}")
            };
            return Err(format!("its output has no number for {name}: {missing}"));
        };
        let text = String::from_utf8_lossy(found.as_bytes());
        let text = text.trim();
        let number: Option<f64> = text.parse().ok().filter(|number: &f64| number.is_finite());
        number.ok_or_else(|| format!("its {} is {text:?}, which is no number", self.name))
    }
}

/// The regular expression of lines `METRIC NAME=NUMBER`.
fn line_pattern(name: &str) -> String {
    format!("(?m)^METRIC {}=(.*)$", regex::escape(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_the_name_counts() {
        let metric = CommandMetric::new("loss", None, Direction::LowerIsBetter).unwrap();
        let output = b"x\nMETRIC loss=0.5\nMETRIC lossy=9\n\xff\nMETRIC loss= 2.5e-1 \n";
        assert_eq!(metric.find(output), Ok(0.25));
        let missing = metric.find(b"loss=1\n").unwrap_err();
        assert!(
            missing.contains("no number for loss: let it write a line `METRIC loss=NUMBER`"),
            "{missing}"
        );
        let bad = metric.find(b"METRIC loss=low\n").unwrap_err();
        assert!(bad.contains("\"low\""), "{bad}");
        assert!(metric.find(b"METRIC loss=inf\n").is_err());
    }

    #[test]
    fn a_pattern_has_one_group() {
        let of = |pattern| CommandMetric::new("rate", Some(pattern), Direction::HigherIsBetter);
        assert_eq!(of(r"(\d+) MB/s").unwrap().find(b"at 120 MB/s"), Ok(120.0));
        let missing = of(r"(\d+) MB/s").unwrap().find(b"120").unwrap_err();
        assert!(missing.ends_with(r"matches (\d+) MB/s"), "{missing}");
        assert!(matches!(of("(a)(b)"), Err(MetricError::Groups(_))));
        assert!(matches!(of("("), Err(MetricError::Pattern { .. })));
        assert!(CommandMetric::new("a b", None, Direction::LowerIsBetter).is_err());
    }
}
