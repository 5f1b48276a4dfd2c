//! The chart of one pair in the last runs of a question, with the interval of each run.

use super::canvas::label;
use super::chart::Chart;
use super::ratio_plot::{Place, PlotRow, axis_name, drawn};
use crate::ratio_rows::ratios_to_reference;
use crate::table::{Align, Table};
use bakeoff_domain::report::words;
use bakeoff_domain::report::{Interval, Report, VerdictRow};
use bakeoff_domain::verdict::Verdict;
use bakeoff_run::audit::PastRun;

/// The most pairs in the table.
const PAIRS_MAX: usize = 4;

/// Returns the chart, if at least two runs compared the same pair. Of the pairs that most runs compared it shows the
/// first: those with the variant that the report's times are shown against, then the others.
pub(crate) fn chart(report: &Report, runs: &[PastRun]) -> Option<Chart> {
    let list = ratios_to_reference(report);
    let (reference, others) = list.split_first()?;
    let reference = reference.id.as_str();
    let ids: Vec<&str> = others.iter().map(|row| row.id.as_str()).collect();
    let own = ids.iter().map(|id| (*id, reference));
    let rest = report.verdicts.iter().filter(|row| row.case.is_none());
    // The slower one against the other.
    let rest = rest.map(|row| {
        if row.ratio.is_some_and(|ratio| ratio < 1.0) {
            (row.b.as_str(), row.a.as_str())
        } else {
            (row.a.as_str(), row.b.as_str())
        }
    });
    let known = |(a, b): &(&str, &str)| {
        let is_known = |past: &&PastRun| words::ordered_row(&past.report, a, b, None).is_some();
        runs.iter().filter(is_known).count()
    };
    let mut pairs = own.chain(rest).map(|pair| (known(&pair), pair));
    let first = pairs.next()?;
    let (compared, (next, reference_id)) =
        pairs.fold(
            first,
            |best, pair| if pair.0 > best.0 { pair } else { best },
        );
    if compared < 2 {
        return None;
    }
    let rows: Vec<PlotRow> = runs
        .iter()
        .map(|past| row(past, next, reference_id))
        .collect();
    let (other, against) = (words::name(report, next), words::name(report, reference_id));
    let title = "Runs of this question".to_owned();
    let told: Vec<&str> = rows.iter().map(|row| row.told.as_str()).collect();
    let description = format!(
        "Ratio of the time of {other} to that of {against} in the last {} runs, on a logarithmic axis, with the \
         interval of each verdict. {}.",
        rows.len(),
        told.join("; ")
    );
    let (mut canvas, bottom) = drawn(&rows);
    let pair = format!("{} ÷ {}", label(&other), label(&against));
    let bottom = axis_name(&mut canvas, bottom, &pair);
    Some(Chart {
        name: "history".to_owned(),
        svg: canvas.finish("history", &title, &description, bottom),
        title,
        description,
        table: table(report, runs, reference, &ids),
    })
}

/// Returns a run with its verdict on a pair, if it compared the two.
fn row(past: &PastRun, a: &str, b: &str) -> PlotRow {
    let verdict = words::ordered_row(&past.report, a, b, None);
    let name = format!("run {}", past.run.0);
    let interval = |row: &VerdictRow| {
        Some(Interval {
            value: row.ratio?,
            low: row.low,
            high: row.high,
        })
    };
    let found = verdict.as_ref();
    let not_compared = || "not compared".to_owned();
    let summary = found.map_or_else(not_compared, |row| words::pair_short(&past.report, row));
    PlotRow {
        told: format!("{name}, {}: {summary}", past.started),
        place: Place::of(found.and_then(interval)),
        is_open: found.is_some_and(|row| row.verdict == Verdict::NoCall),
        brief: found.map_or_else(not_compared, words::pair_brief),
        name,
    }
}

/// Returns the verdicts of each run on the reference against the others.
fn table(report: &Report, runs: &[PastRun], reference: &str, others: &[&str]) -> Table {
    let against = words::name(report, reference);
    let mut table = Table::of("run", "Verdicts by time; the oldest run first");
    table.column("started", Align::Left);
    let others = &others[..others.len().min(PAIRS_MAX)];
    for other in others {
        let pair = format!("{against} against {}", words::name(report, other));
        table.column(&pair, Align::Left);
    }
    for past in runs {
        let mut cells = vec![format!("run {}", past.run.0), past.started.clone()];
        for other in others {
            let row = words::ordered_row(&past.report, reference, other, None);
            cells.push(row.map_or("not compared".to_owned(), |row| {
                words::pair_short(&past.report, &row)
            }));
        }
        table.row(cells);
    }
    table
}
