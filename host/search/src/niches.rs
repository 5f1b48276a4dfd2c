//! Cells and islands: what keeps programs in play that differ from the best. Cells are those of MAP-Elites (Mouret and
//! Clune 2015): each is a range of readings, and has its own best. Islands (Tanese 1989) are searches beside each other
//! that share their best now and then.

use bakeoff_config::RoundsTable;
use bakeoff_domain::report::CellAxis;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The cells and islands of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Niching {
    /// The readings that make cells; empty if there are none.
    pub axes: Vec<CellAxis>,
    /// The number of islands; 0 or 1 if there is one.
    pub islands: u32,
    /// The number of rounds after which the best of each island is copied to the next.
    pub migrate_every: u32,
}

impl Niching {
    /// Returns what the options of a search ask for.
    pub(crate) fn of(options: &RoundsTable) -> Self {
        Self {
            axes: options.cells.clone(),
            islands: options.islands,
            migrate_every: options.migrate_every,
        }
    }

    /// Returns true if there are neither cells nor islands.
    pub(crate) fn is_none(&self) -> bool {
        self.axes.is_empty() && self.islands < 2
    }

    /// Returns the number of the cell with these readings; `None` without one of them.
    pub(crate) fn cell(&self, readings: &BTreeMap<String, f64>) -> Option<u32> {
        let mut cell = 0;
        for axis in &self.axes {
            let range = axis.range_of(*readings.get(&axis.by)?)?;
            cell = cell * axis.ranges() + range;
        }
        u32::try_from(cell).ok()
    }

    /// Returns the place of a cell along each axis.
    pub(crate) fn place(&self, cell: u32) -> Vec<usize> {
        let mut rest = cell as usize;
        let mut place: Vec<usize> = (self.axes.iter().rev())
            .map(|axis| {
                let range = rest % axis.ranges();
                rest /= axis.ranges();
                range
            })
            .collect();
        place.reverse();
        place
    }
}
