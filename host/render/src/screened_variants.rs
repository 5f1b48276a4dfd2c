//! The variants of a sweep that a screening left out of the race.

use super::table::{Align, Table};
use super::tables::NO_VALUE;
use bakeoff_domain::report::VariantReport;
use bakeoff_domain::report::words::numbers;

/// The most variants in the table of those that were screened out.
const SCREENED_MAX: usize = 10;

/// Returns the first of the variants that a screening left out, by their place: total before the race, fuel, and the
/// time in the coarse race for those that were in it.
pub(super) fn table(variants: &[&VariantReport]) -> Option<Table> {
    let mut table = Table::new("The first of those that were screened out");
    for title in ["place", "total before the race", "fuel", "time, coarsely"] {
        table.column(title, Align::Right);
    }
    for variant in variants.iter().take(SCREENED_MAX) {
        let figures = variant.screening?.figures;
        let fuel = variant.readings.get("fuel");
        table.row(vec![
            variant.name.clone(),
            numbers::count(u64::from(figures.place)),
            figures
                .total
                .map_or(NO_VALUE.to_owned(), |total| numbers::decimals(3, total)),
            fuel.map_or(NO_VALUE.to_owned(), |fuel| {
                numbers::reading_with(3, fuel.value, &fuel.unit)
            }),
            figures.time_ns.map_or(NO_VALUE.to_owned(), |time| {
                numbers::reading_with(2, time, "ns")
            }),
        ]);
    }
    table.if_any()
}
