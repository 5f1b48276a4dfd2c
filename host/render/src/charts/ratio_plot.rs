//! Ratios of times with their intervals, one below the other on a logarithmic axis.

use super::axis::LogAxis;
use super::canvas::{Anchor, Canvas, WIDTH, label};
use bakeoff_domain::report::Interval;
use bakeoff_domain::report::words::numbers;

const LEFT: f64 = 170.0;
const RIGHT: f64 = WIDTH - 180.0;
const ROW: f64 = 28.0;
const TOP: f64 = 16.0;

/// The axis ends at this factor.
const FACTOR_MAX: f64 = 100.0;

/// A row of the plot.
pub(super) struct PlotRow {
    /// Name on the left.
    pub(super) name: String,
    /// Place of the mark.
    pub(super) place: Place,
    /// True if the mark is hollow.
    pub(super) is_open: bool,
    /// Text on the right.
    pub(super) brief: String,
    /// Text of the point.
    pub(super) told: String,
}

/// The place of a row's mark.
pub(super) enum Place {
    /// A ratio with its interval; without an end, the interval reaches to that of the axis.
    Ratio(Interval),
    /// The place of 1, for what the others are compared with.
    One,
    /// Nothing is known.
    Nowhere,
}

impl Place {
    /// Returns the place of a ratio, if it can be drawn.
    pub(super) fn of(ratio: Option<Interval>) -> Self {
        match ratio.filter(|ratio| ratio.value.is_finite() && ratio.value > 0.0) {
            Some(ratio) => Self::Ratio(ratio),
            None => Self::Nowhere,
        }
    }
}

/// Draws the rows; returns the canvas with the bottom of what is drawn.
pub(super) fn drawn(rows: &[PlotRow]) -> (Canvas, f64) {
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
        canvas.text(
            (LEFT - 12.0, y + 4.0),
            &label(&row.name),
            Anchor::End,
            false,
        );
        canvas.text((RIGHT + 12.0, y + 4.0), &row.brief, Anchor::Start, true);
        match row.place {
            Place::Ratio(ratio) => interval(&mut canvas, &axis, y, ratio, row),
            Place::One => canvas.mark((one, y), 0, row.is_open),
            Place::Nowhere => {}
        }
    }
    (canvas, bottom + 28.0)
}

/// Adds a name of the axis below the plot; returns the bottom of the whole.
pub(super) fn axis_name(canvas: &mut Canvas, bottom: f64, name: &str) -> f64 {
    let middle = f64::midpoint(LEFT, RIGHT);
    canvas.text((middle, bottom + 10.0), name, Anchor::Middle, true);
    bottom + 18.0
}

fn interval(canvas: &mut Canvas, axis: &LogAxis, y: f64, ratio: Interval, row: &PlotRow) {
    let low = ratio.low.map_or(LEFT, |low| axis.at(low));
    let high = ratio.high.map_or(RIGHT, |high| axis.at(high));
    canvas.bar((low, y), (high, y), 0);
    for (end, known) in [(low, ratio.low), (high, ratio.high)] {
        if known.is_some() {
            canvas.bar((end, y - 5.0), (end, y + 5.0), 0);
        }
    }
    canvas.point((axis.at(ratio.value), y), 0, row.is_open, &row.told);
}

fn axis(rows: &[PlotRow]) -> LogAxis {
    let ratios = rows.iter().filter_map(|row| match row.place {
        Place::Ratio(ratio) => Some(ratio),
        Place::One | Place::Nowhere => None,
    });
    let ends = ratios
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
