//! The chart of the two criteria with the largest weights: the Pareto front, and the dominated
//! variants.

use super::canvas::{Anchor, Canvas, WIDTH, label, spread};
use super::chart::{Chart, VARIANTS_MAX};
use crate::table::{Align, Table};
use crate::tables;
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

pub(crate) fn chart(report: &Report) -> Option<Chart> {
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
    let [x_name, y_name] = [first, second].map(|one| label(&words::column_name(one)));
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
    plane(&mut canvas, (&x_name, &y_name));
    marks(&mut canvas, report, &points);
    Some(Chart {
        name: "pareto".to_owned(),
        svg: canvas.finish("pareto", &title, &description, BOTTOM + 46.0),
        title,
        description,
        table: table(report, &points, (&first.name, &second.name)),
    })
}

/// The best score, at the upper right.
const SCORE_MAX: f64 = 10.0;

fn across(score: f64) -> f64 {
    LEFT + score.clamp(0.0, SCORE_MAX) / SCORE_MAX * (RIGHT - LEFT)
}

fn upwards(score: f64) -> f64 {
    BOTTOM - score.clamp(0.0, SCORE_MAX) / SCORE_MAX * (BOTTOM - TOP)
}

fn plane(canvas: &mut Canvas, (x_name, y_name): (&str, &str)) {
    for step in 0..=5 {
        let score = SCORE_MAX * f64::from(step) / 5.0;
        let (x, y) = (across(score), upwards(score));
        canvas.line((x, TOP), (x, BOTTOM), "grid");
        canvas.line((LEFT, y), (RIGHT, y), "grid");
        let text = numbers::weight(score);
        canvas.text((x, BOTTOM + 18.0), &text, Anchor::Middle, true);
        canvas.text((LEFT - 8.0, y + 4.0), &text, Anchor::End, true);
    }
    let middle = f64::midpoint(LEFT, RIGHT);
    canvas.text((middle, BOTTOM + 38.0), x_name, Anchor::Middle, true);
    canvas.text((LEFT + 6.0, TOP + 12.0), y_name, Anchor::Start, true);
}

fn marks(canvas: &mut Canvas, report: &Report, points: &[Point<'_>]) {
    let heights: Vec<f64> = points.iter().map(|p| upwards(p.y.value)).collect();
    let labels = spread(&heights, 16.0, BOTTOM);
    for (index, point) in points.iter().enumerate() {
        let at = (across(point.x.value), heights[index]);
        if let (Some(low), Some(high)) = (point.x.low, point.x.high) {
            canvas.bar((across(low), at.1), (across(high), at.1), index);
        }
        if let (Some(low), Some(high)) = (point.y.low, point.y.high) {
            canvas.bar((at.0, upwards(low)), (at.0, upwards(high)), index);
        }
        let name = label(&words::name(report, &point.variant.id));
        let score = |interval: Interval| numbers::decimals(2, interval.value);
        let text = format!("{name}: {} and {}", score(point.x), score(point.y));
        canvas.point(at, index, !point.front, &text);
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
