//! The rules of other tools, on the same traces.

use crate::random::Noise;
use crate::recorded::below;
use crate::trace::{Taken, Trace};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A change smaller than this is noise, in criterion's settings.
const NOISE_THRESHOLD: f64 = 0.01;
/// Two-sided 95 %.
const UPPER_TAIL: f64 = 0.975;

/// The clock that a tool reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// CPU time of the thread.
    Cpu,
    /// Wall time.
    Wall,
}

/// The process that the second program's samples come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Against {
    /// The same process, right afterwards.
    Sequel,
    /// A process at another time: a saved baseline.
    Baseline,
}

/// The claim of a rule about two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// The first one takes longer.
    Slower,
    /// The first one takes less.
    Faster,
    /// No difference that matters.
    Nothing,
}

/// One program measured to its end and then the other, as criterion does it: there is a change if
/// the 95 % interval (Welch's) of the relative change of the mean lies beyond ±1 %. `effect` is
/// added to the first one.
pub(crate) fn in_sequence(
    trace: &Trace,
    clock: Clock,
    against: Against,
    effect: f64,
    random: &mut Noise,
) -> Said {
    let own = |replica: usize| -> Vec<f64> {
        let time = |taken: &Taken| match clock {
            Clock::Cpu => taken.cpu.exp(),
            Clock::Wall => taken.wall.exp(),
        };
        trace.replicas[replica].iter().flatten().map(time).collect()
    };
    let replica = below(random, trace.replicas.len());
    let (first, second) = match against {
        Against::Sequel => {
            let mut both = own(replica);
            let second = both.split_off(both.len() / 2);
            (both, second)
        }
        Against::Baseline => {
            let other = 1 + below(random, trace.replicas.len() - 1);
            let other = (replica + other) % trace.replicas.len();
            (own(replica), own(other))
        }
    };
    let first: Vec<f64> = first.iter().map(|time| time * effect.exp()).collect();
    let (low, high) = welch(&first, &second);
    match (low > NOISE_THRESHOLD, high < -NOISE_THRESHOLD) {
        (true, _) => Said::Slower,
        (_, true) => Said::Faster,
        _ => Said::Nothing,
    }
}

/// Welch's interval of the difference of means, relative to the second mean.
fn welch(first: &[f64], second: &[f64]) -> (f64, f64) {
    let ((m1, e1, n1), (m2, e2, n2)) = (moments(first), moments(second));
    let error = (e1 + e2).sqrt();
    let freedom = (e1 + e2).powi(2) / (e1.powi(2) / (n1 - 1.0) + e2.powi(2) / (n2 - 1.0));
    let quantile = quantile(freedom.max(1.0));
    let wide = quantile * error / m2;
    let change = (m1 - m2) / m2;
    (change - wide, change + wide)
}

/// The mean, its squared standard error, and the count.
fn moments(values: &[f64]) -> (f64, f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, squares / (count * (count - 1.0)), count)
}

/// Student's 95 % intervals, for any number of values up to some.
pub(crate) struct Student {
    /// By count: the quantile.
    quantiles: Vec<f64>,
}

impl Student {
    /// Returns the intervals for up to so many values.
    pub(crate) fn new(values_max: usize) -> Self {
        Self {
            quantiles: (0..=values_max)
                .map(|count| quantile(count as f64 - 1.0))
                .collect(),
        }
    }

    /// Returns true if the interval of the mean holds the truth.
    pub(crate) fn covers(&self, values: &[f64], truth: f64) -> bool {
        let (mean, squared_error, _) = moments(values);
        let quantile = self.quantiles.get(values.len());
        let wide = quantile.map_or(f64::INFINITY, |quantile| quantile * squared_error.sqrt());
        (mean - truth).abs() <= wide
    }

    /// Returns true if it does after every value from the third on.
    pub(crate) fn always_covers(&self, values: &[f64], truth: f64) -> bool {
        (3..=values.len()).all(|count| self.covers(&values[..count], truth))
    }
}

/// Student's, for a two-sided 95 % interval; infinite for less than one degree of freedom.
fn quantile(freedom: f64) -> f64 {
    let student = StudentsT::new(0.0, 1.0, freedom);
    match student {
        Ok(student) if freedom >= 1.0 => student.inverse_cdf(UPPER_TAIL),
        _ => f64::INFINITY,
    }
}
