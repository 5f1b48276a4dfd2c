//! Sections that aggregators of the user add. Their texts come from outside, as those of every cell
//! do.

use super::table::{Align, Table};
use bakeoff_domain::report::AddedSection;

/// Returns the table of a section, if it has one.
pub(super) fn table(section: &AddedSection) -> Option<Table> {
    let added = section.table.as_ref()?;
    let align = |numeric| if numeric { Align::Right } else { Align::Left };
    let columns = added.columns.iter();
    Some(Table {
        caption: section.heading(),
        columns: columns
            .map(|column| (column.title.clone(), align(column.numeric)))
            .collect(),
        rows: added.rows.clone(),
    })
}
