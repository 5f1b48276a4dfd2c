//! A chart, as all formats use it.

use crate::tables::Table;

/// Largest number of variants in a chart; its table has all.
pub(super) const VARIANTS_MAX: usize = 12;

/// A chart of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// Its name, safe as a file name: `ratios`, `replicas`, `sizes`, `pareto`, `scores`, `parameter-1`.
    pub name: String,
    /// Its title.
    pub title: String,
    /// A description of what it shows, in a sentence.
    pub description: String,
    /// The image: a whole SVG document, which may also be part of an HTML page.
    pub svg: String,
    /// The numbers that it shows.
    pub(crate) table: Table,
}
