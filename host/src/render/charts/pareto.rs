//! The chart of the two criteria with the largest weights: the Pareto front, and the dominated
//! variants.

use super::canvas::{Anchor, Canvas, WIDTH, label, spread};
use super::chart::{Chart, VARIANTS_MAX};
use crate::render::tables::{self, Align, Table};
use bakeoff_domain::report::words::{self, numbers};
use bakeoff_domain::report::{CriterionSummary, Interval, Report, VariantReport};

const LEFT: f64 = 60.0;
const RIGHT: f64 = WIDTH - 200.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 320.0;

/// A variant in the chart.
struct Point<'a> {
    variant: &'a VariantReport,
    x: Interval,
    y: Interval,
    front: bool,
}

pub(super) fn chart(report: &Report) -> Option<Chart> {
    let mut counting: Vec<&CriterionSummary> =
        report.criteria.iter().filter(|c| c.weight > 0.0).collect();
    counting.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let [first, second, rest @ ..] = counting.as_slice() else {
        return None;
    };
    let points: Vec<Point<'_>> = report
        .variants
        .iter()
        .filter(|variant| variant.rank.is_some())
        .filter_map(|variant| {
            Some(Point {
                variant,
                x: *variant.scores.get(&first.name)?,
                y: *variant.scores.get(&second.name)?,
                front: report.pareto.contains(&variant.id),
            })
        })
        .take(VARIANTS_MAX)
        .collect();
    if points.len() < 2 {
        return None;
    }
    let (x_name, y_name) = (label(&first.name), label(&second.name));
    let title = format!("{x_name} against {y_name}");
    let more = if rest.is_empty() {
        String::new()
    } else {
        format!(" {} other criteria are not shown.", rest.len())
    };
    let front: Vec<String> = points
        .iter()
        .filter(|point| point.front)
        .map(|point| words::name(report, &point.variant.id))
        .collect();
    let description = format!(
        "Scores on {x_name} (horizontal) and {y_name} (vertical); better is further to the upper \
         right. Filled marks are not dominated on the criteria with a weight: {}.{more}",
        front.join(", ")
    );
    let mut canvas = Canvas::new();
    plane(&mut canvas, &points, (&x_name, &y_name));
    marks(&mut canvas, report, &points);
    Some(Chart {
        name: "pareto",
        svg: canvas.finish("pareto", &title, &description, BOTTOM + 46.0),
        title,
        description,
        table: table(report, &points, (&first.name, &second.name)),
    })
}

/// The lowest score of the axis: 0, or less if a score is less.
fn floor(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0_f64, f64::min).floor().max(-10.0)
}

fn across(point: f64, low: f64) -> f64 {
    LEFT + (point.clamp(low, 10.0) - low) / (10.0 - low) * (RIGHT - LEFT)
}

fn upwards(point: f64, low: f64) -> f64 {
    BOTTOM - (point.clamp(low, 10.0) - low) / (10.0 - low) * (BOTTOM - TOP)
}

fn plane(canvas: &mut Canvas, points: &[Point<'_>], (x_name, y_name): (&str, &str)) {
    let (x_low, y_low) = lows(points);
    for step in 0..=5 {
        let share = f64::from(step) / 5.0;
        let x = x_low + share * (10.0 - x_low);
        let y = y_low + share * (10.0 - y_low);
        canvas.line((across(x, x_low), TOP), (across(x, x_low), BOTTOM), "grid");
        canvas.line(
            (LEFT, upwards(y, y_low)),
            (RIGHT, upwards(y, y_low)),
            "grid",
        );
        let at = (across(x, x_low), BOTTOM + 18.0);
        canvas.text(at, &numbers::weight(x), Anchor::Middle, true);
        let at = (LEFT - 8.0, upwards(y, y_low) + 4.0);
        canvas.text(at, &numbers::weight(y), Anchor::End, true);
    }
    let middle = f64::midpoint(LEFT, RIGHT);
    canvas.text((middle, BOTTOM + 38.0), x_name, Anchor::Middle, true);
    canvas.text((LEFT + 6.0, TOP + 12.0), y_name, Anchor::Start, true);
}

fn lows(points: &[Point<'_>]) -> (f64, f64) {
    (
        floor(points.iter().map(|point| point.x.value)),
        floor(points.iter().map(|point| point.y.value)),
    )
}

fn marks(canvas: &mut Canvas, report: &Report, points: &[Point<'_>]) {
    let (x_low, y_low) = lows(points);
    let heights: Vec<f64> = points.iter().map(|p| upwards(p.y.value, y_low)).collect();
    let labels = spread(&heights, 16.0, BOTTOM);
    for (index, point) in points.iter().enumerate() {
        let at = (across(point.x.value, x_low), heights[index]);
        if let (Some(low), Some(high)) = (point.x.low, point.x.high) {
            canvas.bar(
                (across(low, x_low), at.1),
                (across(high, x_low), at.1),
                index,
            );
        }
        if let (Some(low), Some(high)) = (point.y.low, point.y.high) {
            canvas.bar(
                (at.0, upwards(low, y_low)),
                (at.0, upwards(high, y_low)),
                index,
            );
        }
        canvas.mark(at, index, !point.front);
        let name = label(&words::name(report, &point.variant.id));
        canvas.mark((RIGHT + 16.0, labels[index]), index, !point.front);
        canvas.text(
            (RIGHT + 30.0, labels[index] + 4.0),
            &name,
            Anchor::Start,
            false,
        );
    }
}

fn table(report: &Report, points: &[Point<'_>], (x, y): (&str, &str)) -> Table {
    let mut table = tables::scores(report);
    // The first column holds names; then come the criteria in their order.
    let place = |name: &&str| report.criteria.iter().position(|c| c.name == **name);
    let places: Vec<usize> = [x, y].iter().filter_map(place).map(|at| at + 1).collect();
    let pick = |(row, variant): (Vec<String>, &VariantReport)| {
        let point = points.iter().find(|point| point.variant.id == variant.id)?;
        let mut cells = vec![row[0].clone()];
        cells.extend(places.iter().map(|place| row[*place].clone()));
        cells.push(if point.front { "yes" } else { "no" }.to_owned());
        Some(cells)
    };
    // The rows of that table are the variants in their order.
    let rows = table.rows.into_iter().zip(&report.variants);
    table.rows = rows.filter_map(pick).collect();
    let mut columns = vec![table.columns[0].clone()];
    columns.extend(places.iter().map(|place| table.columns[*place].clone()));
    columns.push(("undominated".to_owned(), Align::Left));
    table.columns = columns;
    table.caption = "Scores on the plane".to_owned();
    table
}
