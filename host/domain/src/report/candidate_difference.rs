//! Differences of candidates of a search from the ones that they were made from: values of parameters, and lines of sources.
//! All texts come from outside.

use serde::{Deserialize, Serialize};

/// The most differences that a report has.
pub const DIFFERENCES_MAX: usize = 500;

/// The most lines of one difference.
pub const DIFFERENCE_LINES_MAX: usize = 400;

/// The most characters of a line, and of a value.
pub const DIFFERENCE_CHARS_MAX: usize = 200;

/// The most values of one difference.
pub const DIFFERENCE_VALUES_MAX: usize = 64;

/// The most bytes of all lines and values of a report's differences together: a page with all of them is still read at once.
pub const DIFFERENCES_BYTES_MAX: usize = 192 << 10;

/// Difference of a candidate from the one that it was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CandidateDifference {
    /// Name of the candidate.
    pub candidate: String,
    /// The values of parameters that differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<ValueDifference>,
    /// The lines of the sources that differ, with some around them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<DifferenceLine>,
    /// The number of lines that differ beyond these.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_lines: u64,
}

/// A value of a parameter that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueDifference {
    /// Name of the parameter.
    pub name: String,
    /// The value before, if there was one.
    pub before: Option<String>,
    /// The value of the candidate, if it has one.
    pub after: Option<String>,
}

/// A line of the difference of two sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DifferenceLine {
    /// A line of both sources.
    Same(String),
    /// A line that only the source before has.
    Before(String),
    /// A line that only the source of the candidate has.
    After(String),
    /// The number of lines of both sources that are left out here.
    LeftOut(u64),
}

impl DifferenceLine {
    /// Returns the text of the line; empty where lines are left out.
    pub fn text(&self) -> &str {
        match self {
            Self::Same(text) | Self::Before(text) | Self::After(text) => text,
            Self::LeftOut(_) => "",
        }
    }

    /// Returns true for a line that only one of the sources has.
    pub fn is_different(&self) -> bool {
        matches!(self, Self::Before(_) | Self::After(_))
    }
}

impl CandidateDifference {
    /// Returns true if neither a value nor a line differs.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty() && self.lines.is_empty() && self.more_lines == 0
    }

    /// Returns the number of bytes of its texts.
    pub fn bytes(&self) -> usize {
        let lines = self.lines.iter().map(|line| line.text().len());
        let values = self.values.iter().map(|one| {
            let texts = [&one.before, &one.after].into_iter().flatten();
            one.name.len() + texts.map(String::len).sum::<usize>()
        });
        self.candidate.len() + lines.chain(values).sum::<usize>()
    }

    /// Returns false if differences that may be forged are more, or longer, than those of any search.
    pub(super) fn are_possible(all: &[Self]) -> bool {
        let is_short = |text: &str| text.chars().count() <= DIFFERENCE_CHARS_MAX + 1;
        let is_possible = |one: &Self| {
            let mut values = one.values.iter();
            one.lines.len() <= DIFFERENCE_LINES_MAX
                && one.values.len() <= DIFFERENCE_VALUES_MAX
                && one.lines.iter().all(|line| is_short(line.text()))
                && values.all(|one| {
                    let mut texts = [&one.before, &one.after].into_iter().flatten();
                    is_short(&one.name) && texts.all(|text| is_short(text))
                })
        };
        all.len() <= DIFFERENCES_MAX
            && all.iter().map(Self::bytes).sum::<usize>() <= DIFFERENCES_BYTES_MAX
            && all.iter().all(is_possible)
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_that_no_search_makes_are_refused() {
        let good = CandidateDifference {
            candidate: "a 1.1".to_owned(),
            values: vec![ValueDifference::default()],
            lines: vec![
                DifferenceLine::LeftOut(7),
                DifferenceLine::After("ü".repeat(DIFFERENCE_CHARS_MAX)),
            ],
            more_lines: 3,
        };
        assert!(CandidateDifference::are_possible(std::slice::from_ref(
            &good
        )));
        let forged = |change: &dyn Fn(&mut CandidateDifference)| {
            let mut forged = good.clone();
            change(&mut forged);
            CandidateDifference::are_possible(&[forged])
        };
        let long = "x".repeat(DIFFERENCE_CHARS_MAX + 2);
        assert!(!forged(
            &|one| one.lines[1] = DifferenceLine::Same(long.clone())
        ));
        assert!(!forged(&|one| one.values[0].after = Some(long.clone())));
        assert!(!forged(&|one| {
            one.lines = vec![DifferenceLine::LeftOut(1); DIFFERENCE_LINES_MAX + 1];
        }));
        assert!(!forged(&|one| {
            one.values = vec![ValueDifference::default(); DIFFERENCE_VALUES_MAX + 1];
        }));
        assert!(!forged(
            &|one| one.candidate = "x".repeat(DIFFERENCES_BYTES_MAX)
        ));
        let many = vec![CandidateDifference::default(); DIFFERENCES_MAX + 1];
        assert!(!CandidateDifference::are_possible(&many));
    }

    #[test]
    fn lines_are_told_apart_in_json() {
        let lines = [
            DifferenceLine::Same("a".to_owned()),
            DifferenceLine::Before("b".to_owned()),
            DifferenceLine::After("c".to_owned()),
            DifferenceLine::LeftOut(4),
        ];
        let json = serde_json::to_string(&lines).unwrap();
        assert_eq!(
            json,
            r#"[{"same":"a"},{"before":"b"},{"after":"c"},{"left-out":4}]"#
        );
    }
}
