//! What calls the function of an aggregator's file. Compiled only beside generated bindings.

use crate::aggregation::{Error, Section};
use crate::bindings::bakeoff::aggregator::types as wit;
use crate::bindings::exports::bakeoff::aggregator::aggregate::Guest;

fn section(section: Section) -> wit::Section {
    let table = section.table.map(|table| wit::Table {
        columns: table
            .columns
            .into_iter()
            .map(|column| wit::Column {
                title: column.title,
                numeric: column.numeric,
            })
            .collect(),
        rows: table.rows,
    });
    wit::Section {
        title: section.title,
        paragraphs: section.paragraphs,
        table,
    }
}

impl Guest for crate::Component {
    fn aggregate(report: String) -> Result<Vec<wit::Section>, wit::Error> {
        match crate::aggregator::aggregate(&report) {
            Ok(sections) => Ok(sections.into_iter().map(section).collect()),
            Err(Error::NotApplicable(why)) => Err(wit::Error::NotApplicable(why)),
            Err(Error::Other(why)) => Err(wit::Error::Other(why)),
        }
    }
}
