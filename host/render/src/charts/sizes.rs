//! The chart of times by size, on two logarithmic axes, with the sizes at which the order of variants
//! changes.

use super::axis::LogAxis;
use super::canvas::{Anchor, Canvas, WIDTH, label, spread};
use super::chart::{Chart, VARIANTS_MAX};
use crate::tables;
use bakeoff_domain::report::words::{self, numbers};
use bakeoff_domain::report::{CaseLabel, Report};

const LEFT: f64 = 70.0;
const RIGHT: f64 = WIDTH - 200.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 320.0;

/// Largest number of crossings that are marked.
const CROSSOVERS_MAX: usize = 4;
/// The room that a character takes, with some to spare.
const CHARACTER: f64 = 8.0;

/// The times of a variant.
struct Series {
    name: String,
    points: Vec<(f64, f64)>,
}

pub(crate) fn chart(report: &Report) -> Option<Chart> {
    let table = tables::by_case(report)?;
    let series = series(report);
    let sizes: Vec<f64> = sizes(report).into_iter().flatten().collect();
    let all: Vec<(f64, f64)> = series.iter().flat_map(|s| s.points.clone()).collect();
    if sizes.len() < 2 || all.is_empty() {
        return None;
    }
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, 0.0_f64), |(low, high), value| {
            (low.min(value), high.max(value))
        })
    };
    let (x_low, x_high) = range(&mut sizes.iter().copied());
    let (y_low, y_high) = range(&mut all.iter().map(|(_, y)| *y));
    let x = LogAxis {
        low: x_low,
        high: x_high,
        start: LEFT,
        end: RIGHT,
    };
    let y = LogAxis {
        low: y_low * 0.9,
        high: y_high * 1.1,
        start: BOTTOM,
        end: TOP,
    };
    let crossovers = words::crossovers(report);
    let title = "Time of one call by size".to_owned();
    let description = describe(report, &crossovers);
    let mut canvas = Canvas::new();
    axes(&mut canvas, &x, &y, &sizes);
    marked(&mut canvas, &x, &crossovers);
    lines(&mut canvas, &x, &y, &series);
    Some(Chart {
        name: "sizes".to_owned(),
        svg: canvas.finish("sizes", &title, &description, BOTTOM + 46.0),
        title,
        description,
        table,
    })
}

/// Marks sizes at which the order changes. Their texts keep a distance, and one stands for all that read the same.
fn marked(canvas: &mut Canvas, x: &LogAxis, crossovers: &[words::Crossover]) {
    let mut texts: Vec<(f64, String)> = Vec::new();
    for crossover in crossovers.iter().take(CROSSOVERS_MAX) {
        let at = x.at(crossover.about);
        canvas.line((at, TOP), (at, BOTTOM), "cross");
        let text = format!("≈ {}", numbers::significant(crossover.about, 2));
        if texts.iter().all(|(_, other)| *other != text) {
            texts.push((at, text));
        }
    }
    let wanted: Vec<f64> = texts.iter().map(|(at, _)| *at).collect();
    let characters = texts.iter().map(|(_, text)| text.chars().count());
    let gap = CHARACTER * characters.max().unwrap_or(0) as f64;
    let placed = spread(&wanted, gap, RIGHT);
    for (at, (_, text)) in placed.into_iter().zip(&texts) {
        canvas.text((at, TOP - 8.0), text, Anchor::Middle, true);
    }
}

/// Returns the size of each case; `None` if it has none, or if it is 0.
fn sizes(report: &Report) -> Vec<Option<f64>> {
    let cases = report.experiment.cases.iter();
    cases
        .map(|case| match case {
            CaseLabel::Size(size) => Some(f64::from(*size)).filter(|size| *size > 0.0),
            CaseLabel::Call(_) | CaseLabel::Instance { .. } | CaseLabel::Texts(_) => None,
        })
        .collect()
}

fn series(report: &Report) -> Vec<Series> {
    let sizes = sizes(report);
    let point = |size: &Option<f64>, time: &Option<f64>| {
        Some(((*size)?, time.filter(|t| t.is_finite() && *t > 0.0)?))
    };
    let timed = report.variants.iter().filter_map(|variant| {
        let time = variant.readings.get("time")?;
        let mut points: Vec<(f64, f64)> = sizes
            .iter()
            .zip(&time.by_case)
            .filter_map(|(size, time)| point(size, time))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let name = words::name(report, &variant.id);
        (!points.is_empty()).then_some(Series { name, points })
    });
    timed.take(VARIANTS_MAX).collect()
}

fn describe(report: &Report, crossovers: &[words::Crossover]) -> String {
    let mut text =
        "Time of one call against the size of the input, both on logarithmic axes.".to_owned();
    for crossover in crossovers.iter().take(CROSSOVERS_MAX) {
        text += &format!(
            " {} is faster up to size {}, {} from size {} on.",
            words::name(report, &crossover.small),
            numbers::count(u64::from(crossover.from)),
            words::name(report, &crossover.large),
            numbers::count(u64::from(crossover.to))
        );
    }
    text
}

fn axes(canvas: &mut Canvas, x: &LogAxis, y: &LogAxis, sizes: &[f64]) {
    for tick in y.ticks() {
        let at = y.at(tick);
        canvas.line((LEFT, at), (RIGHT, at), "grid");
        let text = numbers::reading(tick, "ns");
        canvas.text((LEFT - 8.0, at + 4.0), &text, Anchor::End, true);
    }
    canvas.line((LEFT, BOTTOM), (RIGHT, BOTTOM), "axis");
    let mut last = f64::NEG_INFINITY;
    for size in sizes {
        let at = x.at(*size);
        canvas.line((at, BOTTOM), (at, BOTTOM + 5.0), "axis");
        if at - last > 60.0 {
            let text = numbers::count(*size as u64);
            canvas.text((at, BOTTOM + 20.0), &text, Anchor::Middle, true);
            last = at;
        }
    }
    let middle = f64::midpoint(LEFT, RIGHT);
    canvas.text((middle, BOTTOM + 38.0), "size", Anchor::Middle, true);
}

fn lines(canvas: &mut Canvas, x: &LogAxis, y: &LogAxis, series: &[Series]) {
    let ends: Vec<f64> = series
        .iter()
        .map(|s| s.points.last().map_or(BOTTOM, |(_, time)| y.at(*time)))
        .collect();
    let labels = spread(&ends, 16.0, BOTTOM);
    for (index, one) in series.iter().enumerate() {
        let points: Vec<(f64, f64)> = one
            .points
            .iter()
            .map(|(size, time)| (x.at(*size), y.at(*time)))
            .collect();
        canvas.path(&points, index);
        for (point, (size, time)) in points.iter().zip(&one.points) {
            let time = numbers::reading(*time, "ns");
            let text = format!("{}, size {size}: {time}", label(&one.name));
            canvas.point(*point, index, false, &text);
        }
        let text = (RIGHT + 24.0, labels[index] + 4.0);
        canvas.mark((RIGHT + 12.0, labels[index]), index, false);
        canvas.text(text, &label(&one.name), Anchor::Start, false);
    }
}
