//! A chart, as all formats use it.

use crate::table::Table;

/// Largest number of variants in a chart; its table has all.
pub(super) const VARIANTS_MAX: usize = 12;

/// A chart of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// Name of the chart, safe as a file name: `ratios`, `replicas`, `sizes`, `pareto`, `scores`, `parameter-1`, `search`,
    /// `search-time`, `search-cost`, `archive`, `history`, `section-1`.
    pub name: String,
    /// Title of the chart.
    pub title: String,
    /// Description of what the chart shows, in a sentence.
    pub description: String,
    /// Image of the chart: a whole SVG document, which may also be part of an HTML page.
    pub svg: String,
    /// Numbers that the chart shows.
    pub(crate) table: Table,
}
