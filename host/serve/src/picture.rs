//! The picture of an interval that closes in: the earlier ones above, the latest below, on one axis for all variants.

use bakeoff_domain::verdict::RatioInterval;
use std::fmt::Write as _;

/// Width and height of the picture, in its own units.
const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 36.0;
/// Width of the picture on both sides of the axis.
const MARGIN: f64 = 5.0;
/// Place of the latest interval, and of the earliest.
const LATEST: f64 = 30.0;
const EARLIEST: f64 = 4.0;
/// The most earlier intervals that are drawn.
const EARLIER_MAX: usize = 16;
/// Ratios beyond which the axis never goes: an interval that is wider leaves the picture.
const RATIO_MAX: f64 = 1e4;

/// The logarithmic axis of all pictures of a race: it has 1, and the latest intervals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// Returns the axis for the latest intervals of all variants.
    pub(crate) fn of(latest: impl Iterator<Item = RatioInterval>) -> Self {
        let is_shown = |value: &f64| value.is_finite() && *value > 0.0;
        let ends = latest
            .flat_map(|one| [one.ratio, one.low, one.high])
            .flatten()
            .filter(is_shown);
        let (mut low, mut high) = (0.9_f64, 1.1_f64);
        for end in ends {
            low = low.min(end.max(1.0 / RATIO_MAX));
            high = high.max(end.min(RATIO_MAX));
        }
        Self { low, high }
    }

    /// Returns the end of a sentence about what the pictures show.
    pub(crate) fn in_words(self) -> String {
        let (low, high) = (rounded(self.low), rounded(self.high));
        format!(
            ". The pictures go from {low} to {high} × the leader’s time, and what lies beyond ends in an arrow"
        )
    }

    /// Returns the coordinate of a ratio, within the picture.
    fn at(self, ratio: f64) -> f64 {
        let ratio = ratio.clamp(self.low, self.high);
        let share = (ratio / self.low).ln() / (self.high / self.low).ln();
        MARGIN + share * (WIDTH - 2.0 * MARGIN)
    }
}

/// Returns the picture of the intervals of a variant, the latest last. `label` says in words what it shows, as markup.
pub(crate) fn picture(axis: Axis, intervals: &[RatioInterval], label: &str) -> String {
    let mut out = format!(
        "<svg class=\"closing\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{label}\">"
    );
    let one = axis.at(1.0);
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<line class=\"one\" x1=\"{one:.1}\" y1=\"0\" x2=\"{one:.1}\" y2=\"{HEIGHT}\"/>"
    );
    if let Some((latest, earlier)) = intervals.split_last() {
        let step = earlier.len().div_ceil(EARLIER_MAX).max(1);
        let shown: Vec<&RatioInterval> = earlier.iter().step_by(step).collect();
        let between = (LATEST - 5.0 - EARLIEST) / shown.len().max(1) as f64;
        for (place, interval) in shown.iter().enumerate() {
            bar(
                &mut out,
                axis,
                interval,
                EARLIEST + place as f64 * between,
                "earlier",
            );
        }
        bar(&mut out, axis, latest, LATEST, "latest");
        if let Some(ratio) = latest
            .ratio
            .filter(|ratio| ratio.is_finite() && *ratio > 0.0)
        {
            let at = axis.at(ratio);
            let _ = write!(
                out,
                "<circle class=\"estimate\" cx=\"{at:.1}\" cy=\"{LATEST}\" r=\"3\"/>"
            );
        }
    }
    out + "</svg>"
}

/// Returns a ratio with two digits that count, and all of those before the point.
fn rounded(ratio: f64) -> String {
    let digits = (1.0 - ratio.log10().floor()).clamp(0.0, 6.0);
    format!("{ratio:.*}", digits as usize)
}

/// Draws an interval; an end that is not known, or lies beyond the axis, is an arrow at the end of that.
fn bar(out: &mut String, axis: Axis, interval: &RatioInterval, y: f64, class: &str) {
    if interval.ratio.is_none() {
        return;
    }
    let is_end = |value: &f64| !value.is_nan() && *value > 0.0;
    let ends = [interval.low.filter(is_end), interval.high.filter(is_end)];
    let [low, high] = [
        ends[0].map_or(MARGIN, |low| axis.at(low)),
        ends[1].map_or(WIDTH - MARGIN, |high| axis.at(high)),
    ];
    let _ = write!(
        out,
        "<line class=\"{class}\" x1=\"{low:.1}\" y1=\"{y:.1}\" x2=\"{high:.1}\" y2=\"{y:.1}\"/>"
    );
    let size = if class == "latest" { 4.0 } else { 2.0 };
    let beyond = [
        ends[0]
            .is_none_or(|low| low < axis.low)
            .then_some((MARGIN, 0.0)),
        ends[1]
            .is_none_or(|high| high > axis.high)
            .then_some((WIDTH - MARGIN, WIDTH)),
    ];
    for (from, to) in beyond.into_iter().flatten() {
        let (above, below) = (y - size, y + size);
        let _ = write!(
            out,
            "<path class=\"{class} beyond\" d=\"M{from:.1} {above:.1}L{to:.1} {y:.1}L{from:.1} {below:.1}\"/>"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(ratio: f64, low: Option<f64>, high: Option<f64>) -> RatioInterval {
        RatioInterval {
            ratio: Some(ratio),
            low,
            high,
        }
    }

    #[test]
    fn all_that_is_drawn_lies_within_the_picture() {
        let wild = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            -1.0,
            0.0,
            1e300,
            1e-300,
        ];
        for ratio in wild {
            for end in wild.map(Some).into_iter().chain([None]) {
                let all = [
                    interval(ratio, end, end),
                    interval(2.0, None, None),
                    interval(ratio, end, end),
                ];
                let axis = Axis::of(all.into_iter());
                let text = picture(axis, &all, "x");
                assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
                let coordinates = text
                    .split("x1=\"")
                    .skip(1)
                    .filter_map(|rest| rest.split('"').next());
                for x in coordinates.map(|x| x.parse::<f64>().unwrap()) {
                    assert!((0.0..=WIDTH).contains(&x), "{text}");
                }
            }
        }
    }

    #[test]
    fn an_end_beyond_the_axis_or_unknown_is_an_arrow_and_no_other() {
        let latest = interval(2.0, Some(1.5), Some(2.5));
        let arrows = |one: RatioInterval| {
            let axis = Axis::of([latest].into_iter());
            picture(axis, &[one, latest], "x").matches("beyond").count()
        };
        assert_eq!(arrows(latest), 0);
        assert_eq!(arrows(interval(2.0, Some(1.5), Some(9.0))), 1);
        assert_eq!(arrows(interval(2.0, Some(0.1), Some(9.0))), 2);
        assert_eq!(arrows(interval(2.0, None, Some(2.0))), 1);
        let axis = Axis::of([latest].into_iter());
        assert!(
            axis.in_words()
                .contains("from 0.90 to 2.5 × the leader’s time")
        );
        let far = Axis::of([interval(2.0, Some(0.0123), Some(123.4))].into_iter());
        assert!(
            far.in_words().contains("from 0.012 to 123 ×"),
            "{}",
            far.in_words()
        );
    }

    #[test]
    fn a_narrower_interval_is_a_shorter_line() {
        let all = [
            interval(2.0, Some(1.0), Some(4.0)),
            interval(2.0, Some(1.9), Some(2.1)),
        ];
        let axis = Axis::of(all.into_iter());
        let text = picture(axis, &all, "x");
        assert_eq!(text.matches("class=\"earlier\"").count(), 1);
        assert_eq!(text.matches("class=\"latest\"").count(), 1);
        let length = |class: &str| {
            let line = text.split(&format!("class=\"{class}\"")).nth(1).unwrap();
            let value = |name: &str| {
                let rest = line.split(&format!("{name}=\"")).nth(1).unwrap();
                rest.split('"').next().unwrap().parse::<f64>().unwrap()
            };
            value("x2") - value("x1")
        };
        assert!(length("latest") < length("earlier") / 3.0, "{text}");
    }
}
