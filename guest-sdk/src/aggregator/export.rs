//! Glue between an aggregator and its bindings.

use super::aggregation::{Aggregator, Error, Section};
use super::bindings::bakeoff::aggregator::types as wit;
use super::bindings::exports::bakeoff::aggregator::aggregate::Guest;

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

impl<A: Aggregator> Guest for A {
    fn aggregate(report: String) -> Result<Vec<wit::Section>, wit::Error> {
        match A::aggregate(&report) {
            Ok(sections) => Ok(sections.into_iter().map(section).collect()),
            Err(Error::NotApplicable(why)) => Err(wit::Error::NotApplicable(why)),
            Err(Error::Other(why)) => Err(wit::Error::Other(why)),
        }
    }
}
