//! The chart of one pair in the last runs of a question, with the interval of each run.

use super::canvas::{Anchor, Canvas, LogAxis, WIDTH, label};
use super::chart::Chart;
use crate::ratio_rows::ratios_to_reference;
use crate::table::{Align, Table};
use bakeoff_domain::report::words::{self, numbers};
use bakeoff_domain::report::{Interval, Report, VerdictRow};
use bakeoff_domain::verdict::Verdict;
use bakeoff_run::audit::PastRun;

const LEFT: f64 = 170.0;
const RIGHT: f64 = WIDTH - 180.0;
const ROW: f64 = 28.0;
const TOP: f64 = 16.0;

/// The axis ends at this factor.
const FACTOR_MAX: f64 = 100.0;
/// The most pairs in the table.
const PAIRS_MAX: usize = 4;

/// A run with its verdict on the pair, if it compared the two.
struct Row<'a> {
    past: &'a PastRun,
    verdict: Option<VerdictRow>,
}

impl Row<'_> {
    /// Returns the ratio of times with its interval, if it can be drawn.
    fn ratio(&self) -> Option<Interval> {
        let verdict = self.verdict.as_ref()?;
        let ratio = Interval {
            value: verdict.ratio?,
            low: verdict.low,
            high: verdict.high,
        };
        (ratio.value.is_finite() && ratio.value > 0.0).then_some(ratio)
    }
}

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
    let rest = rest.map(|row| match row.ratio.is_some_and(|ratio| ratio < 1.0) {
        true => (row.b.as_str(), row.a.as_str()),
        false => (row.a.as_str(), row.b.as_str()),
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
    let row = |past| Row {
        past,
        verdict: words::ordered_row(&past.report, next, reference_id, None),
    };
    let rows: Vec<Row<'_>> = runs.iter().map(row).collect();
    let (other, against) = (words::name(report, next), words::name(report, reference_id));
    let title = "Runs of this question".to_owned();
    let described = |row: &Row<'_>| format!("run {}: {}", row.past.run.0, said(row));
    let described: Vec<String> = rows.iter().map(described).collect();
    let description = format!(
        "Ratio of the time of {other} to that of {against} in the last {} runs, on a logarithmic axis, with the \
         interval of each verdict. {}.",
        rows.len(),
        described.join("; ")
    );
    Some(Chart {
        name: "history".to_owned(),
        svg: drawn(
            &rows,
            &title,
            &description,
            &format!("{} ÷ {}", label(&other), label(&against)),
        ),
        title,
        description,
        table: table(report, runs, reference, &ids),
    })
}

fn drawn(rows: &[Row<'_>], title: &str, description: &str, axis_name: &str) -> String {
    let axis = axis(rows);
    let bottom = TOP + ROW * rows.len() as f64;
    let mut canvas = Canvas::new();
    for tick in axis.ticks() {
        let x = axis.at(tick);
        canvas.line((x, TOP), (x, bottom), "grid");
        let text = format!("{} ×", numbers::weight(tick));
        canvas.text((x, bottom + 18.0), &text, Anchor::Middle, true);
    }
    let one = axis.at(1.0);
    canvas.line((one, TOP), (one, bottom), "axis");
    for (index, row) in rows.iter().enumerate() {
        let y = TOP + ROW * (index as f64 + 0.5);
        let name = format!("run {}", row.past.run.0);
        canvas.text((LEFT - 12.0, y + 4.0), &name, Anchor::End, false);
        canvas.text((RIGHT + 12.0, y + 4.0), &said(row), Anchor::Start, true);
        let Some(ratio) = row.ratio() else { continue };
        let low = ratio.low.map_or(LEFT, |low| axis.at(low));
        let high = ratio.high.map_or(RIGHT, |high| axis.at(high));
        canvas.bar((low, y), (high, y), 0);
        let verdict = row.verdict.as_ref().map(|row| row.verdict);
        let text = format!("{name}, {}: {}", row.past.started, said(row));
        let is_open = verdict == Some(Verdict::NoCall);
        canvas.point((axis.at(ratio.value), y), 0, is_open, &text);
    }
    let middle = f64::midpoint(LEFT, RIGHT);
    canvas.text((middle, bottom + 38.0), axis_name, Anchor::Middle, true);
    canvas.finish("history", title, description, bottom + 46.0)
}

fn said(row: &Row<'_>) -> String {
    let Some(verdict) = &row.verdict else {
        return "not compared".to_owned();
    };
    let open = match verdict.verdict {
        Verdict::Tie | Verdict::NoCall => format!(", {}", verdict.verdict.name()),
        _ => String::new(),
    };
    match row.ratio() {
        Some(ratio) => format!("{}{open}", numbers::times(ratio)),
        None => verdict.verdict.name().to_owned(),
    }
}

fn axis(rows: &[Row<'_>]) -> LogAxis {
    let ends = rows
        .iter()
        .filter_map(Row::ratio)
        .flat_map(|ratio| [Some(ratio.value), ratio.low, ratio.high])
        .flatten()
        .filter(|end| end.is_finite() && *end > 0.0);
    let (low, high) = ends.fold((1.0_f64, 1.05_f64), |(low, high), end| {
        (low.min(end), high.max(end))
    });
    LogAxis {
        low: (low * 0.98).max(1.0 / FACTOR_MAX),
        high: (high * 1.02).min(FACTOR_MAX),
        start: LEFT,
        end: RIGHT,
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
