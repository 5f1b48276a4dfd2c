//! The chart of the replicas: a row of points for each variant, one for each replica's time.

use super::axis::LogAxis;
use super::canvas::{Anchor, Canvas, WIDTH, label};
use super::chart::{Chart, VARIANTS_MAX};
use crate::table::{Align, Table};
use bakeoff_domain::report::Report;
use bakeoff_domain::report::words::{self, numbers};
use bakeoff_domain::stats;
use std::ops::RangeInclusive;

const LEFT: f64 = 190.0;
const RIGHT: f64 = WIDTH - 110.0;
const TOP: f64 = 16.0;
const ROW: f64 = 40.0;
/// The part of a row that its points take, above and below its middle.
const SPREAD: f64 = 13.0;
/// The least distance of two ticks' texts.
const TICK_DISTANCE: f64 = 60.0;

/// The most points in the chart, over all its rows.
const DOTS_MAX: usize = 480;

/// The times that are drawn, in nanoseconds: a report that was changed may say anything.
const TIMES: RangeInclusive<f64> = 1e-3..=1e18;

/// The times of a variant.
struct Row {
    name: String,
    /// The replica, from 1 on, and its time in nanoseconds; by time.
    times: Vec<(usize, f64)>,
}

pub(crate) fn chart(report: &Report) -> Option<Chart> {
    let all = rows(report);
    let rows = &all[..all.len().min(VARIANTS_MAX)];
    let replicas = report.replicas.as_ref()?.log_times.len();
    if replicas < 2 || rows.is_empty() {
        return None;
    }
    let most = DOTS_MAX / rows.len();
    let title = "Times of the replicas".to_owned();
    let description = describe(report, rows, most);
    let axis = axis(rows);
    let bottom = TOP + ROW * rows.len() as f64;
    let mut canvas = Canvas::new();
    let mut last = f64::NEG_INFINITY;
    for tick in axis.ticks() {
        let x = axis.at(tick);
        canvas.line((x, TOP), (x, bottom), "grid");
        if x - last > TICK_DISTANCE {
            let text = numbers::reading(tick, "ns");
            canvas.text((x, bottom + 18.0), &text, Anchor::Middle, true);
            last = x;
        }
    }
    for (index, row) in rows.iter().enumerate() {
        let middle = TOP + ROW * (index as f64 + 0.5);
        canvas.text(
            (LEFT - 12.0, middle + 4.0),
            &label(&row.name),
            Anchor::End,
            false,
        );
        for (replica, time) in thinned(&row.times, most) {
            let share = (replica - 1) as f64 / (replicas - 1) as f64;
            let y = middle + SPREAD * (2.0 * share - 1.0);
            let time_text = numbers::reading(time, "ns");
            let text = format!("{}, replica {replica}: {time_text}", label(&row.name));
            canvas.dot((axis.at(time), y), &text);
        }
        let median = row.at(0.5);
        let x = axis.at(median);
        canvas.bar((x, middle - SPREAD - 4.0), (x, middle + SPREAD + 4.0), 1);
        let text = numbers::reading(median, "ns");
        canvas.text((RIGHT + 12.0, middle + 4.0), &text, Anchor::Start, true);
    }
    Some(Chart {
        name: "replicas".to_owned(),
        svg: canvas.finish("replicas", &title, &description, bottom + 28.0),
        title,
        description,
        table: table(&all),
    })
}

/// Returns the variants with times, in the order of the report.
fn rows(report: &Report) -> Vec<Row> {
    let Some(replicas) = &report.replicas else {
        return Vec::new();
    };
    let row = |id: &str, name: String| {
        let column = replicas.variants.iter().position(|one| one == id)?;
        let times = (1..).zip(&replicas.log_times).filter_map(|(number, row)| {
            let time = row.get(column).copied().flatten()?.exp();
            TIMES.contains(&time).then_some((number, time))
        });
        let mut times: Vec<(usize, f64)> = times.collect();
        times.sort_by(|a, b| a.1.total_cmp(&b.1));
        (!times.is_empty()).then_some(Row { name, times })
    };
    let variants = report.variants.iter();
    variants
        .filter_map(|variant| row(&variant.id, words::name(report, &variant.id)))
        .collect()
}

impl Row {
    /// Returns the time below which a share of the row's times lies, interpolated between two of
    /// them.
    fn at(&self, share: f64) -> f64 {
        let mut times: Vec<f64> = self.times.iter().map(|(_, time)| *time).collect();
        // A row has a time.
        stats::quantile(&mut times, share).unwrap_or(f64::NAN)
    }
}

/// Returns at most `most` of the times, evenly by their order, with both ends.
fn thinned(times: &[(usize, f64)], most: usize) -> Vec<(usize, f64)> {
    if times.len() <= most {
        return times.to_vec();
    }
    let steps = (most - 1).max(1);
    let places = (0..most).map(|step| step * (times.len() - 1) / steps);
    places.map(|place| times[place]).collect()
}

fn describe(report: &Report, rows: &[Row], most: usize) -> String {
    let mean = match (&report.experiment.instances, report.experiment.cases.len()) {
        (Some(_), _) => ", the geometric mean over the instances,",
        (None, 0 | 1) => "",
        (None, _) => ", the geometric mean over the cases,",
    };
    let thinned = if rows.iter().any(|row| row.times.len() > most) {
        format!(" Of more than {most} replicas, {most} are drawn, the least and the most included.")
    } else {
        String::new()
    };
    let medians = rows
        .iter()
        .map(|row| format!("{}: {}", row.name, numbers::reading(row.at(0.5), "ns")));
    let medians: Vec<String> = medians.collect();
    format!(
        "A point for the time of one call{mean} in each replica, on a logarithmic axis; in a row the first replica \
         is at the top and the last at the bottom. A bar marks the median. {}.{thinned}",
        medians.join("; ")
    )
}

fn axis(rows: &[Row]) -> LogAxis {
    let ends = rows.iter().flat_map(|row| [row.at(0.0), row.at(1.0)]);
    let (low, high) = ends.fold((f64::INFINITY, 0.0_f64), |(low, high), end| {
        (low.min(end), high.max(end))
    });
    LogAxis {
        low: low * 0.98,
        high: high * 1.02,
        start: LEFT,
        end: RIGHT,
    }
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new("Time of one call, over the replicas");
    let shares = [
        ("least", 0.0),
        ("lower quarter", 0.25),
        ("median", 0.5),
        ("upper quarter", 0.75),
        ("most", 1.0),
    ];
    table.column("replicas", Align::Right);
    for (title, _) in shares {
        table.column(title, Align::Right);
    }
    for row in rows {
        let mut cells = vec![row.name.clone(), row.times.len().to_string()];
        cells.extend(shares.map(|(_, share)| numbers::reading(row.at(share), "ns")));
        table.row(cells);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_the_ends_and_takes_each_once() {
        let times: Vec<(usize, f64)> = (1..=1_000).map(|n| (n, n as f64)).collect();
        for most in [2, 40, 999, 1_000] {
            let mut kept = thinned(&times, most);
            assert_eq!((kept[0].0, kept[most - 1].0), (1, 1_000));
            kept.dedup();
            assert_eq!(kept.len(), most);
        }
        assert_eq!(thinned(&times, 5_000), times);
    }
}
