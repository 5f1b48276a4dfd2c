//! The archive of a search as a map: the best candidate of each range of readings. Names of candidates and of readings come
//! from outside.

use super::rounds::{CHARS_MAX, criterion};
use super::table::{Align, Table};
use bakeoff_domain::numbers;
use bakeoff_domain::report::{ArchiveMap, CellAxis, FilledCell, Report, Rounds};
use bakeoff_domain::spec::Direction;

/// The heading of the section.
pub(super) const HEADING: &str = "The archive as a map";

/// A reading with its name and unit.
struct NamedReading {
    name: String,
    unit: String,
}

impl NamedReading {
    /// Returns the reading of a source that no criterion names.
    fn of_source(source: &str) -> Self {
        let is_bytes = matches!(source, "peak-memory" | "component-size");
        Self {
            name: source.to_owned(),
            unit: if is_bytes { "bytes" } else { "" }.to_owned(),
        }
    }

    fn shown(&self, value: f64) -> String {
        numbers::reading(value, &self.unit)
    }
}

/// A map with the names of its readings.
pub(super) struct NamedMap<'a> {
    pub(super) map: &'a ArchiveMap,
    axes: Vec<NamedReading>,
    by: NamedReading,
    is_lower_better: bool,
}

impl<'a> NamedMap<'a> {
    /// Returns the map of a search with the names of a report's criteria, if it has cells.
    pub(super) fn of(report: &Report, rounds: &'a Rounds) -> Option<Self> {
        let map = rounds.archive.as_ref()?;
        let named = |source: &str| {
            let mut criteria = report.criteria.iter();
            let found = criteria.find(|one| one.source == source);
            found.map_or_else(
                || NamedReading::of_source(source),
                |one| NamedReading {
                    name: one.name.clone(),
                    unit: one.unit.clone(),
                },
            )
        };
        let by = criterion(report, rounds).filter(|by| by.source == map.by);
        Some(Self {
            map,
            axes: map.axes.iter().map(|axis| named(&axis.by)).collect(),
            by: named(&map.by),
            is_lower_better: by.is_none_or(|by| by.direction == Direction::LowerIsBetter),
        })
    }

    /// Returns a map whose readings are called by their sources.
    pub(super) fn by_source(map: &'a ArchiveMap) -> Self {
        let axes = map.axes.iter();
        Self {
            map,
            axes: axes.map(|axis| NamedReading::of_source(&axis.by)).collect(),
            by: NamedReading::of_source(&map.by),
            is_lower_better: true,
        }
    }

    /// Says what the map shows.
    pub(super) fn sentence(&self) -> String {
        let axes: Vec<String> = self.axis_names().collect();
        format!(
            "Each cell is a range of {}, and keeps the best candidate of the search in it, here with its {}: {} of {} cells are \
             filled. Figures of the search claim nothing.",
            axes.join(" and of "),
            self.figure_name(),
            self.map.cells.len(),
            self.map.count()
        )
    }

    fn axis_names(&self) -> impl Iterator<Item = String> {
        self.axes
            .iter()
            .map(|one| super::clipped(&one.name, CHARS_MAX))
    }

    /// Returns the name of an axis.
    pub(super) fn axis_name(&self, axis: usize) -> String {
        self.axis_names().nth(axis).unwrap_or_default()
    }

    /// Returns the name of the figures in the cells.
    pub(super) fn figure_name(&self) -> String {
        super::clipped(&self.by.name, CHARS_MAX)
    }

    /// Returns a range in words: `below 20`, `20 to 40`, `from 80`.
    pub(super) fn range(&self, axis: usize, range: usize) -> String {
        let (Some(bounds), Some(named)) = (self.map.axes.get(axis), self.axes.get(axis)) else {
            return String::new();
        };
        match bounds.bounds_of(range) {
            (None, Some(upper)) => format!("below {}", named.shown(upper)),
            (Some(lower), Some(upper)) => {
                format!("{} to {}", named.shown(lower), named.shown(upper))
            }
            (Some(lower), None) => format!("from {}", named.shown(lower)),
            (None, None) => String::new(),
        }
    }

    /// Returns the figure of a cell in words.
    pub(super) fn figure(&self, cell: &FilledCell) -> String {
        let reading = cell.reading.map(|reading| self.by.shown(reading));
        reading.unwrap_or_else(|| "–".to_owned())
    }

    /// Returns the cell in words: its candidate, that one's figure, and its ranges.
    pub(super) fn in_words(&self, cell: &FilledCell) -> String {
        let ranges = (0..self.axes.len()).map(|axis| {
            let range = cell.at.get(axis).map(|at| self.range(axis, *at));
            format!("{} {}", self.axis_name(axis), range.unwrap_or_default())
        });
        let ranges: Vec<String> = ranges.collect();
        format!(
            "{}: {} {}; {}",
            super::clipped(&cell.name, CHARS_MAX),
            self.figure_name(),
            self.figure(cell),
            ranges.join(", ")
        )
    }

    /// Returns how good the figure of each cell is among them all: from 0, the worst, to 1, the best.
    pub(super) fn strengths(&self) -> Vec<f64> {
        let readings = || self.map.cells.iter().filter_map(|cell| cell.reading);
        let low = readings().fold(f64::INFINITY, f64::min);
        let high = readings().fold(f64::NEG_INFINITY, f64::max);
        let strength = |cell: &FilledCell| {
            let share = (cell.reading? - low) / (high - low);
            let share = if self.is_lower_better {
                1.0 - share
            } else {
                share
            };
            share.is_finite().then_some(share)
        };
        let cells = self.map.cells.iter();
        cells.map(|cell| strength(cell).unwrap_or(0.5)).collect()
    }

    /// Returns every cell that is filled, with its best.
    pub(super) fn list(&self) -> Table {
        let mut table = Table::of(&self.axis_name(0), "The best of each cell that is filled");
        for name in self.axis_names().skip(1) {
            table.column(&name, Align::Left);
        }
        table.column("the best in it", Align::Left);
        table.column(&self.figure_name(), Align::Right);
        for cell in &self.map.cells {
            let ranges = cell.at.iter().enumerate();
            let mut row: Vec<String> = ranges.map(|(axis, at)| self.range(axis, *at)).collect();
            row.push(super::clipped(&cell.name, CHARS_MAX));
            row.push(self.figure(cell));
            table.row(row);
        }
        table
    }

    /// Returns the figures by both readings, if there are two: the first along the columns, the second down the rows.
    pub(super) fn grid(&self) -> Option<Table> {
        let [across, down] = self.map.axes.as_slice() else {
            return None;
        };
        let (across_name, down_name) = (self.axis_name(0), self.axis_name(1));
        let caption = format!("{} by {across_name} and {down_name}", self.figure_name());
        let mut table = Table::of(&format!("{down_name}, by {across_name}"), &caption);
        for range in 0..across.ranges() {
            table.column(&self.range(0, range), Align::Right);
        }
        for row in (0..down.ranges()).rev() {
            let figure = |column: usize| {
                let mut cells = self.map.cells.iter();
                let cell = cells.find(|cell| cell.at == [column, row]);
                cell.map_or_else(String::new, |cell| self.figure(cell))
            };
            let first = self.range(1, row);
            let figures = (0..across.ranges()).map(figure);
            table.row([first].into_iter().chain(figures).collect());
        }
        Some(table)
    }

    /// Returns the number of ranges across and down.
    pub(super) fn extent(&self) -> (usize, usize) {
        let ranges = |axis: usize| self.map.axes.get(axis).map_or(1, CellAxis::ranges);
        (ranges(0), ranges(1))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn map() -> ArchiveMap {
        let axis = |by: &str, bounds: &[f64]| CellAxis {
            by: by.to_owned(),
            bounds: bounds.to_vec(),
        };
        let cell = |at: [usize; 2], name: &str, reading: f64| FilledCell {
            at: at.to_vec(),
            name: name.to_owned(),
            reading: Some(reading),
        };
        ArchiveMap {
            axes: vec![
                axis("source-lines", &[20.0, 40.0]),
                axis("peak-memory", &[1_048_576.0]),
            ],
            by: "fuel".to_owned(),
            cells: vec![
                cell([0, 0], "a", 300.0),
                cell([1, 1], "a 2.1", 100.0),
                cell([2, 0], "a 3.4", 200.0),
            ],
        }
    }

    #[test]
    fn each_cell_has_its_best_and_the_grid_its_figures() {
        let map = map();
        let named = NamedMap::by_source(&map);
        assert!(named.sentence().contains("3 of 6 cells"));
        let list = named.list();
        assert_eq!(
            list.rows[1],
            ["20 to 40", "from 1 MiB", "a 2.1", "100"].map(str::to_owned)
        );
        let grid = named.grid().unwrap();
        assert_eq!(grid.columns.len(), 4);
        assert_eq!(
            grid.rows,
            [
                ["from 1 MiB", "", "100", ""],
                ["below 1 MiB", "300", "", "200"]
            ]
            .map(|row| row.map(str::to_owned).to_vec())
        );
        assert_eq!(named.strengths(), [0.0, 1.0, 0.5]);
    }

    #[test]
    fn one_reading_has_a_list_and_no_grid() {
        let mut map = map();
        map.axes.truncate(1);
        map.cells.iter_mut().for_each(|cell| cell.at.truncate(1));
        let named = NamedMap::by_source(&map);
        assert!(named.grid().is_none());
        assert_eq!(named.list().columns.len(), 3);
        assert_eq!(named.extent(), (3, 1));
        // Equal figures are neither good nor bad.
        map.cells
            .iter_mut()
            .for_each(|cell| cell.reading = Some(1.0));
        assert_eq!(NamedMap::by_source(&map).strengths(), [0.5, 0.5, 0.5]);
    }
}
