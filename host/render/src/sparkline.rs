//! Sparklines: intervals of ratios as lines of characters, on a logarithmic axis.

use super::escape::Plain;
use super::layout::{clipped, padded};
use super::ratio_rows::{RatioRelation, RatioRow};
use super::table::Align;
use bakeoff_domain::report::Interval;
use bakeoff_domain::report::words::ShownStanding;
use unicode_width::UnicodeWidthStr as _;

/// Fewest columns of a sparkline; with less room there are words only.
const COLUMNS_MIN: usize = 8;
/// Most columns of a sparkline.
const COLUMNS_MAX: usize = 48;

/// Returns a line for each row, its name before its sparkline and its summary behind; `None` if a width has no room for
/// sparklines.
pub(super) fn lines(list: &[RatioRow], width: usize) -> Option<Vec<String>> {
    let names: Vec<String> = list
        .iter()
        .map(|row| Plain(&row.name).to_string())
        .collect();
    let widest = names.iter().map(|name| name.width()).max()?;
    let name_width = widest.min(width / 4);
    let summary_width = list.iter().map(|row| row.summary.width()).max()?;
    let room = width.checked_sub(name_width + summary_width + 5)?;
    if room < COLUMNS_MIN {
        return None;
    }
    let ratios: Vec<Interval> = list.iter().filter_map(|row| row.ratio).collect();
    let axis = Axis::containing(&ratios, room.min(COLUMNS_MAX));
    let line = |(row, name): (&RatioRow, &String)| {
        let name = padded(&clipped(name, name_width), name_width, Align::Left);
        let sparkline = match (row.ratio, row.relation) {
            (Some(ratio), _) => axis.sparkline(ratio),
            (None, RatioRelation::Reference(standing)) => axis.reference(standing),
            (None, RatioRelation::Verdict(_)) => axis.unknown(),
        };
        format!(" {name}  {sparkline}  {}", Plain(&row.summary))
    };
    Some(list.iter().zip(&names).map(line).collect())
}

/// The axis of all sparklines of a table.
struct Axis {
    low: f64,
    high: f64,
    width: usize,
}

/// The axis ends at this factor, so that small ratios stay visible.
const FACTOR_MAX: f64 = 100.0;

impl Axis {
    /// Returns an axis that contains 1 and all ratios, up to a factor of 100.
    fn containing(ratios: &[Interval], width: usize) -> Self {
        let ends = ratios
            .iter()
            .flat_map(|ratio| [Some(ratio.value), ratio.low, ratio.high])
            .flatten();
        let usable = ends.filter(|end| end.is_finite() && *end > 0.0);
        let (low, high) = usable.fold((1.0_f64, 1.02_f64), |(low, high), end| {
            (low.min(end), high.max(end))
        });
        Self {
            low: low.max(1.0 / FACTOR_MAX),
            high: high.min(FACTOR_MAX),
            width: width.max(8),
        }
    }

    /// Returns the column of a ratio.
    fn column(&self, ratio: f64) -> usize {
        let share =
            (ratio.clamp(self.low, self.high) / self.low).ln() / (self.high / self.low).ln();
        (share * (self.width - 1) as f64).round() as usize
    }

    /// Returns the sparkline of an unknown ratio: a mark at 1.
    fn unknown(&self) -> String {
        self.marked('·').into_iter().collect()
    }

    /// Returns the sparkline of the variant that times are shown against: a point at 1 if no other is faster, a circle
    /// if that is not known.
    fn reference(&self, standing: ShownStanding) -> String {
        let sign = match standing {
            ShownStanding::Fastest | ShownStanding::TiedForFastest => '●',
            ShownStanding::Open => '○',
        };
        self.marked(sign).into_iter().collect()
    }

    /// Returns blanks, with a sign at 1.
    fn marked(&self, sign: char) -> Vec<char> {
        let mut cells = vec![' '; self.width];
        cells[self.column(1.0)] = sign;
        cells
    }

    /// Returns the sparkline of a ratio: `├──●──┤`, with arrows at unknown ends, and a mark at 1.
    fn sparkline(&self, ratio: Interval) -> String {
        let mut cells = self.marked('·');
        let low = ratio.low.map_or(0, |low| self.column(low));
        let high = ratio.high.map_or(self.width - 1, |high| self.column(high));
        // A report may come from anybody, with its ends exchanged.
        let high = high.max(low);
        for cell in &mut cells[low..=high] {
            *cell = '─';
        }
        cells[low] = if ratio.low.is_some() { '├' } else { '◂' };
        cells[high] = if ratio.high.is_some() { '┤' } else { '▸' };
        cells[self.column(ratio.value)] = '●';
        cells.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_shows_value_ends_and_one() {
        let known = Interval {
            value: 2.0,
            low: Some(1.5),
            high: Some(4.0),
        };
        let open = Interval {
            high: None,
            ..known
        };
        let axis = Axis::containing(&[known], 21);
        assert_eq!(axis.sparkline(known), "·     ├───●─────────┤");
        assert_eq!(axis.sparkline(open), "·     ├───●─────────▸");
        assert_eq!(
            axis.reference(ShownStanding::Fastest),
            "●                    "
        );
        assert_eq!(axis.reference(ShownStanding::Open), "○                    ");
        let turned = Interval {
            low: known.high,
            high: known.low,
            ..known
        };
        assert_eq!(axis.sparkline(turned), "·         ●         ┤");
    }
}
