//! Coverage: the share of a prototype's code that calls reach. It judges the inputs, and not the code.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The points of a prototype's code at which a call leaves a mark, each the beginning of a straight piece of code, and
/// the lines of its source that have code in the pieces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageMap {
    /// Number of points.
    pub points: u32,
    /// The unit in which the code is counted.
    pub unit: CoverageUnit,
    /// Points with a line of the source, each as often as it has lines. Empty where there is no source.
    pub lines: Vec<(u32, u32)>,
}

/// The most lines, or lines next to each other, that are named.
const RANGES_MAX: usize = 12;

/// The unit of a coverage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoverageUnit {
    /// Lines of a source that have code.
    #[default]
    Lines,
    /// Straight pieces of a component's code, the code of its libraries included.
    Blocks,
}

/// The code that calls reached.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// The unit of the counts.
    pub unit: CoverageUnit,
    /// Number of all lines, or pieces.
    pub all: u32,
    /// Number of those that were reached.
    pub reached: u32,
    /// The lines that were not reached, in their order.
    pub unreached: Vec<u32>,
}

impl CoverageMap {
    /// Returns the coverage of calls that left these marks, one for each point.
    pub fn coverage(&self, marks: &[bool]) -> Coverage {
        let marked = |point: u32| marks.get(point as usize) == Some(&true);
        if self.unit == CoverageUnit::Blocks {
            return Coverage {
                unit: CoverageUnit::Blocks,
                all: self.points,
                reached: (0..self.points).filter(|point| marked(*point)).count() as u32,
                unreached: Vec::new(),
            };
        }
        let mut lines = BTreeMap::new();
        for (point, line) in &self.lines {
            *lines.entry(*line).or_insert(false) |= marked(*point);
        }
        let unreached = lines.iter().filter(|(_, reached)| !**reached);
        let unreached: Vec<u32> = unreached.map(|(line, _)| *line).collect();
        Coverage {
            unit: CoverageUnit::Lines,
            all: lines.len() as u32,
            reached: (lines.len() - unreached.len()) as u32,
            unreached,
        }
    }
}

impl Coverage {
    /// Returns the share that was reached; `None` where there is no code.
    pub fn share(&self) -> Option<f64> {
        (self.all > 0).then(|| f64::from(self.reached) / f64::from(self.all))
    }

    /// Returns what was reached, in words: `17 of 19 lines (89 %); not lines 12, 30–31`.
    pub fn sentence(&self) -> String {
        let (all, what) = match (self.unit, self.all) {
            (CoverageUnit::Lines, 1) => (self.all, "line"),
            (CoverageUnit::Lines, _) => (self.all, "lines"),
            (CoverageUnit::Blocks, _) => (self.all, "pieces of code, those of libraries included"),
        };
        let Some(share) = self.share() else {
            return "it has no code".to_owned();
        };
        if self.reached == all {
            return format!("all {all} {what}");
        }
        // Rounded down: all of it is all of it.
        let text = format!(
            "{} of {all} {what} ({} %)",
            self.reached,
            (share * 100.0).floor()
        );
        match self.unreached.len() {
            0 => text,
            1 => format!("{text}; not line {}", self.unreached_text()),
            _ => format!("{text}; not lines {}", self.unreached_text()),
        }
    }

    /// Returns the lines that were not reached, neighbours together: `12, 30–33`. Of many, the first
    /// are named.
    pub fn unreached_text(&self) -> String {
        let mut ranges: Vec<String> = Vec::new();
        let mut left = 0;
        let mut rest = self.unreached.iter().copied().peekable();
        while let Some(first) = rest.next() {
            let mut last = first;
            while let Some(next) = rest.next_if(|next| *next == last + 1) {
                last = next;
            }
            if ranges.len() == RANGES_MAX {
                left += last - first + 1;
            } else if first == last {
                ranges.push(format!("{first}"));
            } else {
                ranges.push(format!("{first}–{last}"));
            }
        }
        match left {
            0 => ranges.join(", "),
            _ => format!("{} and {left} more", ranges.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_reached_if_a_piece_of_it_is() {
        let map = CoverageMap {
            points: 4,
            unit: CoverageUnit::Lines,
            lines: vec![(0, 7), (1, 7), (1, 8), (2, 9), (3, 10), (3, 12)],
        };
        let coverage = map.coverage(&[true, false, true, false]);
        assert_eq!((coverage.all, coverage.reached), (5, 2));
        assert_eq!(coverage.unreached, [8, 10, 12]);
        assert_eq!(coverage.unreached_text(), "8, 10, 12");
        assert_eq!(coverage.share(), Some(0.4));
        assert_eq!(map.coverage(&[]).unreached_text(), "7–10, 12");
        assert_eq!(
            coverage.sentence(),
            "2 of 5 lines (40 %); not lines 8, 10, 12"
        );
        assert_eq!(map.coverage(&[true; 4]).sentence(), "all 5 lines");
        let every_third = Coverage {
            unreached: (0..20).flat_map(|part| [3 * part, 3 * part + 1]).collect(),
            ..Coverage::default()
        };
        let text = every_third.unreached_text();
        assert!(
            text.starts_with("0–1, 3–4, ") && text.ends_with(", 33–34 and 16 more"),
            "{text}"
        );
    }

    #[test]
    fn without_a_source_pieces_are_counted() {
        let map = CoverageMap {
            points: 3,
            unit: CoverageUnit::Blocks,
            lines: Vec::new(),
        };
        let coverage = map.coverage(&[true, true]);
        assert_eq!((coverage.all, coverage.reached), (3, 2));
        assert_eq!(coverage.unit, CoverageUnit::Blocks);
        assert_eq!(CoverageMap::default().coverage(&[]).share(), None);
    }
}
