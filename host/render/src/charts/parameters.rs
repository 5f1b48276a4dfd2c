//! The charts of sweeps: the readings of all variants by the value of a parameter, with a line through
//! the best of each value.

use super::canvas::{Anchor, Canvas, WIDTH, label};
use super::chart::Chart;
use crate::parameters::{self, SweptParameter};
use bakeoff_domain::report::Report;
use bakeoff_domain::report::words::numbers;

const LEFT: f64 = 90.0;
const RIGHT: f64 = WIDTH - 30.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 280.0;

/// The most variants that are marked above one value.
const MARKS_MAX: usize = 16;
/// The least distance of two values' names.
const NAME_DISTANCE: f64 = 60.0;
/// The number of lines of the grid.
const GRID_LINES: u32 = 4;

pub(crate) fn charts(report: &Report) -> Vec<Chart> {
    let parameters = parameters::parameters(report);
    let numbered = (1..).zip(&parameters);
    numbered
        .filter_map(|(number, parameter)| chart(number, parameter))
        .collect()
}

fn chart(number: usize, parameter: &SweptParameter) -> Option<Chart> {
    let source = parameter.sources.first()?;
    let readings = parameter
        .values
        .iter()
        .filter_map(|value| value.readings.first());
    let all: Vec<f64> = readings.flatten().copied().collect();
    let low = all.iter().copied().min_by(f64::total_cmp)?;
    let high = all.iter().copied().max_by(f64::total_cmp)?;
    let margin = ((high - low) * 0.05)
        .max(low.abs() * 0.01)
        .max(f64::MIN_POSITIVE);
    let (low, high) = (low - margin, high + margin);
    let steps = (parameter.values.len() - 1).max(1) as f64;
    let x = |index: usize| LEFT + 20.0 + (RIGHT - LEFT - 40.0) * index as f64 / steps;
    let y = |value: f64| BOTTOM + (TOP - BOTTOM) * ((value - low) / (high - low)).clamp(0.0, 1.0);

    let (approach, name) = (label(&parameter.approach), label(&parameter.name));
    let source_name = label(&source.name);
    let title = format!("{approach}: {source_name} by {name}");
    let description = format!(
        "The {source_name} of each variant of {approach} against its {name}, and a line through the best of \
         each value."
    );
    let mut canvas = Canvas::new();
    for line in 0..=GRID_LINES {
        let value = low + (high - low) * f64::from(line) / f64::from(GRID_LINES);
        canvas.line((LEFT, y(value)), (RIGHT, y(value)), "grid");
        let text = numbers::reading_with(3, value, &label(&source.unit));
        canvas.text((LEFT - 8.0, y(value) + 4.0), &text, Anchor::End, true);
    }
    canvas.line((LEFT, BOTTOM), (RIGHT, BOTTOM), "axis");
    let mut last = f64::NEG_INFINITY;
    let mut best = Vec::new();
    for (index, value) in parameter.values.iter().enumerate() {
        if x(index) - last > NAME_DISTANCE {
            canvas.text(
                (x(index), BOTTOM + 20.0),
                &label(&value.value),
                Anchor::Middle,
                true,
            );
            last = x(index);
        }
        let readings = value.readings.first().map_or(&[][..], Vec::as_slice);
        // Spread over all of them, the extremes included.
        let every = readings.len().div_ceil(MARKS_MAX).max(1);
        let mut sorted = readings.to_vec();
        sorted.sort_by(f64::total_cmp);
        for reading in sorted.iter().step_by(every).chain(sorted.last()) {
            canvas.mark((x(index), y(*reading)), 0, true);
        }
        best.extend(
            value
                .best(&parameter.sources, 0)
                .map(|best| (x(index), y(best))),
        );
    }
    canvas.path(&best, 0);
    for point in best {
        canvas.mark(point, 0, false);
    }
    let middle = f64::midpoint(LEFT, RIGHT);
    canvas.text((middle, BOTTOM + 38.0), &name, Anchor::Middle, true);
    let file = format!("parameter-{number}");
    Some(Chart {
        svg: canvas.finish(&file, &title, &description, BOTTOM + 46.0),
        name: file,
        title,
        description,
        table: parameters::table(parameter),
    })
}
