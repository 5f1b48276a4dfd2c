//! The call of an aggregator.

use super::evaluator::shown;
use super::guest_error::GuestError;
use super::instance::Instance;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::report::{AddedColumn, AddedSection, AddedTable};

mod bindings {
    wasmtime::component::bindgen!({ path: "../../wit/aggregator", world: "aggregator" });
}

use bindings::Aggregator;
use bindings::bakeoff::aggregator::types;

fn table(table: types::Table) -> AddedTable {
    let columns = table.columns.into_iter().map(|column| AddedColumn {
        title: column.title,
        numeric: column.numeric,
    });
    AddedTable {
        columns: columns.collect(),
        rows: table.rows,
    }
}

fn section(section: types::Section) -> AddedSection {
    AddedSection {
        title: section.title,
        paragraphs: section.paragraphs,
        table: section.table.map(table),
        ..AddedSection::default()
    }
}

impl Instance {
    /// Asks an aggregator for its sections of a report: `Err` within is the aggregator's own word. Nothing
    /// about them was checked.
    ///
    /// # Errors
    /// The guest trapped, exceeded a limit, or is no aggregator.
    pub fn aggregate(
        &mut self,
        report: &str,
    ) -> Result<Result<Vec<AddedSection>, String>, GuestError> {
        self.refuel();
        let aggregator = Aggregator::new(&mut self.store, &self.instance)
            .map_err(|error| GuestError::new(FailureClass::WrongWorld, format!("{error:#}")))?;
        let exported = aggregator.bakeoff_aggregator_aggregate();
        let sections = exported.call_aggregate(&mut self.store, report);
        let sections = sections.map_err(|error| self.error(&error))?;
        Ok(match sections {
            Ok(sections) => Ok(sections.into_iter().map(section).collect()),
            Err(types::Error::NotApplicable(why) | types::Error::Other(why)) => Err(shown(&why)),
        })
    }
}
