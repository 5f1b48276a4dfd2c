//! Sections that aggregators of the user add. What they say is text from outside, as every cell is.

use super::tables::{Align, Table};
use bakeoff_domain::report::AddedSection;

/// What each line of a section begins with where text has lines: none of ours begins so.
pub(super) const MARK: &str = " > ";

/// The table of a section, if it has one.
pub(super) fn table(section: &AddedSection) -> Option<Table> {
    let added = section.table.as_ref()?;
    let align = |numeric| match numeric {
        true => Align::Right,
        false => Align::Left,
    };
    let columns = added.columns.iter();
    Some(Table {
        caption: section.heading(),
        columns: columns
            .map(|column| (column.title.clone(), align(column.numeric)))
            .collect(),
        rows: added.rows.clone(),
    })
}
