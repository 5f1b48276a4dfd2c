//! Intervals of ratios as strips of characters, on a logarithmic axis.

use bakeoff_domain::report::Interval;

/// An axis from the smallest to the largest ratio that is shown.
pub(super) struct Axis {
    low: f64,
    high: f64,
    width: usize,
}

/// Beyond this factor a strip is cut off: the near ones are what is looked at.
const FACTOR_MAX: f64 = 100.0;

impl Axis {
    /// An axis that holds 1 and all ratios, up to a factor of 100.
    pub(super) fn holding(ratios: &[Interval], width: usize) -> Self {
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

    /// The column of a ratio.
    fn column(&self, ratio: f64) -> usize {
        let share =
            (ratio.clamp(self.low, self.high) / self.low).ln() / (self.high / self.low).ln();
        (share * (self.width - 1) as f64).round() as usize
    }

    /// Where nothing is known of a ratio: the mark alone.
    pub(super) fn blank(&self) -> String {
        let mut cells = vec![' '; self.width];
        cells[self.column(1.0)] = '·';
        cells.into_iter().collect()
    }

    /// `├──●──┤`, with arrows at ends that are not known, and a mark where the ratio is 1.
    pub(super) fn strip(&self, ratio: Option<Interval>) -> String {
        let mut cells = vec![' '; self.width];
        let one = self.column(1.0);
        cells[one] = '·';
        let Some(ratio) = ratio else {
            cells[one] = '●';
            return cells.into_iter().collect();
        };
        let low = ratio.low.map_or(0, |low| self.column(low));
        let high = ratio.high.map_or(self.width - 1, |high| self.column(high));
        // A report may come from anybody, and say that the lower end is the upper one.
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
    fn a_strip_shows_value_ends_and_one() {
        let known = Interval {
            value: 2.0,
            low: Some(1.5),
            high: Some(4.0),
        };
        let open = Interval {
            high: None,
            ..known
        };
        let axis = Axis::holding(&[known], 21);
        assert_eq!(axis.strip(Some(known)), "·     ├───●─────────┤");
        assert_eq!(axis.strip(Some(open)), "·     ├───●─────────▸");
        assert_eq!(axis.strip(None), "●                    ");
        let turned = Interval {
            low: known.high,
            high: known.low,
            ..known
        };
        assert_eq!(axis.strip(Some(turned)), "·         ●         ┤");
    }
}
