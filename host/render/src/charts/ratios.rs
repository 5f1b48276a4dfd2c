//! The chart of times against one variant, with the intervals of the verdicts.

use super::chart::{Chart, VARIANTS_MAX};
use super::ratio_plot::{Place, PlotRow, drawn};
use crate::ratio_rows::{RatioRelation, RatioRow, ratios_to_reference};
use crate::table::Table;
use crate::tables;
use bakeoff_domain::report::Report;
use bakeoff_domain::report::words::{ShownStanding, capitalised};
use bakeoff_domain::verdict::Verdict;

pub(crate) fn chart(report: &Report) -> Option<Chart> {
    of(&ratios_to_reference(report), "time", tables::ratios(report))
}

/// Returns the chart of some quantity against that of the first row; `None` if there is nothing to compare it with.
pub(crate) fn of(list: &[RatioRow], what: &str, table: Table) -> Option<Chart> {
    if list.len() < 2 {
        return None;
    }
    let shown = &list[..list.len().min(VARIANTS_MAX)];
    let reference = &list[0].name;
    let title = format!("{} against {reference}", capitalised(what));
    let told: Vec<String> = shown[1..].iter().map(told).collect();
    let description = format!(
        "Ratio of the {what} of each variant to that of {reference}, on a logarithmic axis, with the interval of its \
         verdict. {}.",
        told.join("; ")
    );
    let rows: Vec<PlotRow> = shown.iter().map(row).collect();
    let (canvas, bottom) = drawn(&rows);
    Some(Chart {
        name: "ratios".to_owned(),
        svg: canvas.finish("ratios", &title, &description, bottom),
        title,
        description,
        table,
    })
}

fn told(row: &RatioRow) -> String {
    format!("{}: {}", row.name, row.summary)
}

fn row(row: &RatioRow) -> PlotRow {
    let (place, is_open) = match row.relation {
        RatioRelation::Reference(standing) => (Place::One, standing == ShownStanding::Open),
        RatioRelation::Verdict(verdict) => (Place::of(row.ratio), verdict == Verdict::NoCall),
    };
    PlotRow {
        name: row.name.clone(),
        place,
        is_open,
        brief: row.brief.clone(),
        told: told(row),
    }
}
