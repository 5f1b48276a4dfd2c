//! The archive of a search as a map: its cells, which are ranges of readings, and the best candidate of each that is filled.

use serde::{Deserialize, Serialize};

/// The most readings that make cells.
pub const CELL_AXES_MAX: usize = 2;

/// The most cells of a search: the best of each is looked at again in every round.
pub const CELLS_MAX: usize = 100;

/// The longest name of a candidate or a source, in bytes.
const NAME_BYTES_MAX: usize = 2_000;

/// A reading that makes cells, by the bounds between them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellAxis {
    /// Source of the reading, as `from` of a criterion names it.
    pub by: String,
    /// The bounds, in ascending order and in the unit of the reading; each belongs to the range above it.
    pub bounds: Vec<f64>,
}

impl CellAxis {
    /// Returns the number of ranges: one below the first bound, and one from each bound on.
    pub fn ranges(&self) -> usize {
        self.bounds.len() + 1
    }

    /// Returns the place of the range that a reading is in, from 0; `None` if it is no number.
    pub fn range_of(&self, reading: f64) -> Option<usize> {
        let below = |bound: &f64| *bound <= reading;
        (!reading.is_nan()).then(|| self.bounds.partition_point(below))
    }

    /// Returns the bounds of a range: the lower one, and the upper one, which is not in it.
    pub fn bounds_of(&self, range: usize) -> (Option<f64>, Option<f64>) {
        let lower = range
            .checked_sub(1)
            .and_then(|place| self.bounds.get(place));
        (lower.copied(), self.bounds.get(range).copied())
    }
}

/// The archive of a search as a map.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ArchiveMap {
    /// The readings that make cells.
    pub axes: Vec<CellAxis>,
    /// Source of the readings of candidates that are told: that of the heaviest criterion, or fuel if that is one of time.
    pub by: String,
    /// The cells that are filled.
    pub cells: Vec<FilledCell>,
}

/// A cell that is filled, with the best candidate in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FilledCell {
    /// Place of the cell along each axis, from 0.
    pub at: Vec<usize>,
    /// Name of the best candidate in it.
    pub name: String,
    /// Reading of that candidate, by the source that the map goes [by](ArchiveMap::by).
    pub reading: Option<f64>,
}

impl ArchiveMap {
    /// Returns the number of cells, filled or not.
    pub fn count(&self) -> usize {
        self.axes.iter().map(CellAxis::ranges).product()
    }

    /// Returns true if a search can have such a map: it may be forged.
    pub fn is_possible(&self) -> bool {
        let is_short = |text: &str| text.len() <= NAME_BYTES_MAX;
        let is_axis = |axis: &CellAxis| {
            is_short(&axis.by)
                && axis.bounds.len() < CELLS_MAX
                && axis.bounds.iter().all(|bound| bound.is_finite())
                && axis.bounds.is_sorted_by(|low, high| low < high)
        };
        let is_cell = |cell: &FilledCell| {
            is_short(&cell.name)
                && cell.reading.is_none_or(f64::is_finite)
                && cell.at.len() == self.axes.len()
                && (self.axes.iter().zip(&cell.at)).all(|(axis, at)| *at < axis.ranges())
        };
        (1..=CELL_AXES_MAX).contains(&self.axes.len())
            && is_short(&self.by)
            && self.axes.iter().all(is_axis)
            && self.count() <= CELLS_MAX
            && self.cells.len() <= CELLS_MAX
            && self.cells.iter().all(is_cell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(bounds: &[f64]) -> CellAxis {
        CellAxis {
            by: "fuel".to_owned(),
            bounds: bounds.to_vec(),
        }
    }

    #[test]
    fn a_bound_belongs_to_the_range_above_it() {
        let axis = axis(&[10.0, 20.0]);
        let ranges = [9.9, 10.0, 19.9, 20.0, f64::INFINITY].map(|reading| axis.range_of(reading));
        assert_eq!(ranges, [Some(0), Some(1), Some(1), Some(2), Some(2)]);
        assert_eq!(axis.range_of(f64::NAN), None);
        assert_eq!(axis.bounds_of(0), (None, Some(10.0)));
        assert_eq!(axis.bounds_of(2), (Some(20.0), None));
    }

    #[test]
    fn case_278_a_map_that_no_search_has_is_refused() {
        let good = ArchiveMap {
            axes: vec![axis(&[1.0]), axis(&[1.0, 2.0])],
            by: "fuel".to_owned(),
            cells: vec![FilledCell {
                at: vec![1, 2],
                name: "a".to_owned(),
                reading: Some(3.0),
            }],
        };
        assert!(good.is_possible());
        assert_eq!(good.count(), 6);
        type Change = fn(&mut ArchiveMap);
        let forged: [Change; 8] = [
            |one| one.axes.clear(),
            |one| one.axes[0].bounds = vec![2.0, 1.0],
            |one| one.axes[0].bounds = vec![f64::NAN],
            |one| one.axes[0].bounds = (0..99).map(f64::from).collect(),
            |one| one.cells[0].at = vec![1, 3],
            |one| one.cells[0].at = vec![1],
            |one| one.cells[0].reading = Some(f64::INFINITY),
            |one| one.cells[0].name = "x".repeat(NAME_BYTES_MAX + 1),
        ];
        for forge in forged {
            let mut forged = good.clone();
            forge(&mut forged);
            assert!(!forged.is_possible(), "{forged:?}");
        }
    }
}
