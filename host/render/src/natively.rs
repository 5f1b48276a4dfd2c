//! The section on sources that were also built for this machine.

use super::table::{Align, Table};
use super::tables::NO_VALUE;
use bakeoff_domain::report::words::{self, numbers};
use bakeoff_domain::report::{Reading, Report};

/// Heading of the section.
pub(super) const HEADING: &str = "Natively";

/// Returns the times of the components and of the programs beside each other; `None` if no programs were built.
pub(super) fn table(report: &Report) -> Option<Table> {
    let natively = report.natively.as_ref()?;
    let shown = |time: Option<&Reading>| {
        time.map_or_else(
            || NO_VALUE.to_owned(),
            |time| numbers::reading(time.value, &time.unit),
        )
    };
    let mut table = Table::new("Time of a call");
    table.column("as components", Align::Right);
    table.column("natively", Align::Right);
    for variant in &report.variants {
        table.row(vec![
            words::name(report, &variant.id),
            shown(variant.readings.get("time")),
            shown(natively.times.get(&variant.id)),
        ]);
    }
    Some(table)
}
