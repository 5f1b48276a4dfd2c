//! Sparklines: intervals of ratios as lines of characters, on a logarithmic axis.

use bakeoff_domain::report::Interval;
use bakeoff_domain::report::words::Standing;

/// The axis of all sparklines of a table.
pub(super) struct Axis {
    low: f64,
    high: f64,
    width: usize,
}

/// The axis ends at this factor, so that small ratios stay visible.
const FACTOR_MAX: f64 = 100.0;

impl Axis {
    /// Returns an axis that contains 1 and all ratios, up to a factor of 100.
    pub(super) fn containing(ratios: &[Interval], width: usize) -> Self {
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
    pub(super) fn unknown(&self) -> String {
        self.marked('·').into_iter().collect()
    }

    /// Returns the sparkline of the variant that times are shown against: a point at 1 if no other is faster, a circle
    /// if that is not known.
    pub(super) fn reference(&self, standing: Standing) -> String {
        let sign = match standing {
            Standing::Fastest | Standing::TiedForFastest => '●',
            Standing::Open => '○',
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
    pub(super) fn sparkline(&self, ratio: Interval) -> String {
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
        assert_eq!(axis.reference(Standing::Fastest), "●                    ");
        assert_eq!(axis.reference(Standing::Open), "○                    ");
        let turned = Interval {
            low: known.high,
            high: known.low,
            ..known
        };
        assert_eq!(axis.sparkline(turned), "·         ●         ┤");
    }
}
