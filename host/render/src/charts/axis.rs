//! The logarithmic axis of charts.

/// An axis is short if its ends are closer than this factor: its ticks are evenly apart.
const SHORT_SPAN: f64 = 2.0;
/// Share of a step by which a tick may lie beyond an end.
const TICK_MARGIN: f64 = 1e-6;

/// Largest power of ten of a finite number.
const POWER_MAX: f64 = 308.0;

/// A logarithmic axis from `low` to `high`, drawn between two coordinates.
#[derive(Clone, Copy)]
pub(super) struct LogAxis {
    /// The smallest value.
    pub(super) low: f64,
    /// The largest value.
    pub(super) high: f64,
    /// Coordinate of the smallest value.
    pub(super) start: f64,
    /// Coordinate of the largest value.
    pub(super) end: f64,
}

impl LogAxis {
    pub(super) fn at(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let share = (value / self.low).ln() / (self.high / self.low).ln();
        self.start + share * (self.end - self.start)
    }

    /// Returns round numbers on the axis: 1, 2, 5 times powers of ten; finer ones on a short axis.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let span = self.high / self.low;
        if span < SHORT_SPAN {
            return self.even_ticks();
        }
        let mantissas: &[f64] = if span < 4.0 {
            &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0]
        } else if span < 300.0 {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0]
        };
        // An end may be 0 or infinite.
        let power = |end: f64| end.log10().clamp(-POWER_MAX, POWER_MAX);
        let first = power(self.low).floor() as i32;
        let last = power(self.high).ceil() as i32;
        let inside = |value: &f64| *value >= self.low * 0.999 && *value <= self.high * 1.001;
        (first..=last)
            .flat_map(|power| mantissas.iter().map(move |m| m * 10f64.powi(power)))
            .filter(inside)
            .collect()
    }

    /// Returns the multiples of a round step on a short axis: two at least, seven at most.
    fn even_ticks(&self) -> Vec<f64> {
        let least = (self.high - self.low) / 6.0;
        if least <= 0.0 {
            return vec![self.low];
        }
        // A step is a whole number of units, and 9.2 is 92 tenths: multiples of a tenth are not as exact.
        let places = -least.log10().floor() as i32;
        let units = |value: f64| value * 10f64.powi(places);
        let steps = [1.0, 2.0, 5.0];
        let step = steps.into_iter().find(|step| *step >= units(least));
        let step = step.unwrap_or(10.0);
        let first = (units(self.low) / step - TICK_MARGIN).ceil();
        let last = (units(self.high) / step + TICK_MARGIN).floor();
        let ticks = (0..=(last - first) as usize).map(|place| (first + place as f64) * step);
        if places > 0 {
            ticks.map(|tick| tick / 10f64.powi(places)).collect()
        } else {
            ticks.map(|tick| tick * 10f64.powi(-places)).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let axis = LogAxis {
            low: 0.9,
            high: 120.0,
            start: 0.0,
            end: 100.0,
        };
        assert_eq!(axis.ticks(), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        assert_eq!(axis.at(0.9), 0.0);
        assert_eq!(axis.at(1e9), 100.0);
    }

    #[test]
    fn every_axis_has_ticks_all_along() {
        let lows = (1..=400).map(|step| 10_f64.powf(f64::from(step) / 100.0 - 2.0));
        for low in lows {
            for span in [1.03, 1.05, 1.2, 1.29, 1.31, 1.9, 2.1, 3.9, 4.1, 50.0] {
                let axis = LogAxis {
                    low,
                    high: low * span,
                    start: 0.0,
                    end: 1.0,
                };
                let ticks = axis.ticks();
                let places = ticks.iter().map(|tick| axis.at(*tick));
                let ends: Vec<f64> = [0.0].into_iter().chain(places).chain([1.0]).collect();
                let gaps = || ends.windows(2).map(|ends| ends[1] - ends[0]);
                assert!(gaps().all(|gap| gap < 0.7), "{low} × {span}: {ticks:?}");
                let between = gaps().skip(1).take(ticks.len() - 1);
                let nearest = between.fold(1.0, f64::min);
                assert!(nearest > 0.1, "{low} × {span}: {ticks:?}");
            }
        }
        let short = LogAxis {
            low: 9.0,
            high: 9.5,
            start: 0.0,
            end: 1.0,
        };
        assert_eq!(short.ticks(), [9.0, 9.1, 9.2, 9.3, 9.4, 9.5]);
    }

    #[test]
    fn an_axis_without_ends_has_finitely_many_ticks() {
        for (low, high) in [(1.0, f64::INFINITY), (0.0, 1.0), (0.0, f64::INFINITY)] {
            let axis = LogAxis {
                low,
                high,
                start: 0.0,
                end: 100.0,
            };
            assert!(axis.ticks().len() < 1_000);
        }
    }
}
