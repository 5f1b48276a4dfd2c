//! Growth of cost with size: a class from fuel, an effective exponent from time.
//!
//! Fuel counts instructions and knows no caches, so its growth is that of the algorithm. Time also
//! steps where data outgrows a cache, so it gets a number for the sizes that were measured, and no
//! class.

use crate::interval::Interval;
use crate::stats::{hodges_lehmann, median_interval, theil_sen};
use serde::{Deserialize, Serialize};

/// The smallest number of sizes for a class.
pub const SIZES_MIN: usize = 7;
/// The smallest factor from one size to the next.
pub const SIZES_APART: u32 = 4;
/// Ratio of the scatter of a class's residuals to that of the best class from which on the class is ruled out.
const SCATTER_RATIO: f64 = 2.0;
/// Scatter of residuals (a difference of logarithms) below which a class is never ruled out.
const SCATTER_FINE: f64 = 0.005;
/// Scatter of the best class's residuals above which no class fits.
const SCATTER_MAX: f64 = 0.25;
/// Departure of the costs from the best class, from one size to the next (a difference of logarithms: a third), above
/// which no class fits: they bend away from it.
const BEND_MAX: f64 = 0.3;
/// Fall of the cost at a larger size (a difference of logarithms) above which no class fits: in all of them work grows,
/// or stays.
const FALL_MAX: f64 = 0.05;

/// A class of growth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GrowthClass {
    /// 1
    Constant,
    /// log n
    Logarithmic,
    /// n
    Linear,
    /// n log n
    Linearithmic,
    /// n²
    Quadratic,
    /// n³
    Cubic,
}

impl GrowthClass {
    /// All classes, from the slowest growth to the fastest.
    pub const ALL: [GrowthClass; 6] = [
        GrowthClass::Constant,
        GrowthClass::Logarithmic,
        GrowthClass::Linear,
        GrowthClass::Linearithmic,
        GrowthClass::Quadratic,
        GrowthClass::Cubic,
    ];

    /// The logarithm of the class's function at size `n`; sizes below 2 count as 2, so that a
    /// logarithm is not 0.
    fn log_at(self, n: f64) -> f64 {
        let log_n = n.max(2.0).ln();
        match self {
            Self::Constant => 0.0,
            Self::Logarithmic => log_n.ln(),
            Self::Linear => log_n,
            Self::Linearithmic => log_n + log_n.ln(),
            Self::Quadratic => 2.0 * log_n,
            Self::Cubic => 3.0 * log_n,
        }
    }
}

impl std::fmt::Display for GrowthClass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Constant => "1",
            Self::Logarithmic => "log n",
            Self::Linear => "n",
            Self::Linearithmic => "n log n",
            Self::Quadratic => "n²",
            Self::Cubic => "n³",
        })
    }
}

/// The classes of growth that fit the costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Classification {
    /// One class fits, whichever size is left out.
    Class(GrowthClass),
    /// Several classes fit, from the slowest growth to the fastest.
    Among(Vec<GrowthClass>),
    /// No class fits.
    Other,
    /// The usable sizes are too few, or too close together.
    TooFewSizes {
        /// Number of sizes with a factor of 4 between neighbours and a positive cost.
        usable: usize,
    },
}

/// Classifies costs at sizes, such as the fuel of one call.
///
/// For each class the constant factor is fitted to the logarithms by their mean; what remains are the residuals. A
/// class stays possible if it has the least spread of residuals for all sizes or for all but one, or if its spread is
/// less than twice the least. None fits if the least spread is large, if costs leave the best class from one size to
/// the next, or if they fall: a program that wastes time on small inputs does not grow more slowly. Costs must be free
/// of a constant part (the first call's, an empty call's), which would pass for slower growth.
///
/// ```
/// use bakeoff_domain::growth::{GrowthClass, Classification, classify};
/// let points: Vec<(u32, f64)> = (0..7).map(|step| 64 << (2 * step))
///     .map(|n: u32| (n, 9.0 * f64::from(n) * f64::from(n).ln()))
///     .collect();
/// assert_eq!(classify(&points), Classification::Class(GrowthClass::Linearithmic));
/// ```
pub fn classify(points: &[(u32, f64)]) -> Classification {
    let points = usable(points);
    if points.len() < SIZES_MIN {
        return Classification::TooFewSizes {
            usable: points.len(),
        };
    }
    let all = scatters(&points);
    let best = least(&all);
    if best.1 > SCATTER_MAX || falls_or_bends(&points, best.0) {
        return Classification::Other;
    }
    let mut possible: Vec<GrowthClass> = all
        .iter()
        .filter(|(_, scatter)| *scatter < SCATTER_FINE.max(SCATTER_RATIO * best.1))
        .map(|(class, _)| *class)
        .collect();
    for left_out in 0..points.len() {
        let mut rest = points.clone();
        rest.remove(left_out);
        possible.push(least(&scatters(&rest)).0);
    }
    possible.sort_unstable();
    possible.dedup();
    match possible.as_slice() {
        [only] => Classification::Class(*only),
        _ => Classification::Among(possible),
    }
}

/// Points with a positive cost, by size, each at least [`SIZES_APART`] times the one before.
fn usable(points: &[(u32, f64)]) -> Vec<(f64, f64)> {
    let mut sorted: Vec<(u32, f64)> = points.to_vec();
    sorted.retain(|(size, cost)| *size > 0 && cost.is_finite() && *cost > 0.0);
    sorted.sort_by_key(|(size, _)| *size);
    let mut apart: Vec<(f64, f64)> = Vec::new();
    for (size, cost) in sorted {
        let size = f64::from(size);
        let far = |last: &(f64, f64)| size >= f64::from(SIZES_APART) * last.0;
        if apart.last().is_none_or(far) {
            apart.push((size, cost));
        }
    }
    apart
}

/// Returns true if costs fall from one size to the next, or leave the class.
fn falls_or_bends(points: &[(f64, f64)], class: GrowthClass) -> bool {
    points.windows(2).any(|pair| {
        let [(small, before), (large, after)] = *pair else {
            return false;
        };
        let step = (after / before).ln();
        let expected = class.log_at(large) - class.log_at(small);
        step < -FALL_MAX || (step - expected).abs() > BEND_MAX
    })
}

/// The standard deviation of the residuals, by class.
fn scatters(points: &[(f64, f64)]) -> [(GrowthClass, f64); GrowthClass::ALL.len()] {
    GrowthClass::ALL.map(|class| {
        let residuals = points
            .iter()
            .map(|(size, cost)| cost.ln() - class.log_at(*size));
        let residuals: Vec<f64> = residuals.collect();
        let count = residuals.len() as f64;
        let mean = residuals.iter().sum::<f64>() / count;
        let squares: f64 = residuals.iter().map(|value| (value - mean).powi(2)).sum();
        (class, (squares / (count - 1.0)).sqrt())
    })
}

fn least(scatters: &[(GrowthClass, f64)]) -> (GrowthClass, f64) {
    let start = (GrowthClass::Constant, f64::INFINITY);
    scatters
        .iter()
        .fold(start, |best, row| if row.1 < best.1 { *row } else { best })
}

/// The effective exponent: the power of the size by which time grows over the sizes measured. It is
/// the Hodges–Lehmann estimate over replicas of the Theil–Sen slope of ln t against ln n, with a
/// distribution-free interval for the median slope (no ends for too few replicas).
///
/// Times are by replica, in any unit, in the order of `sizes`; those that are not positive are left
/// out. `None` if no replica has two sizes.
pub fn effective_exponent(
    sizes: &[u32],
    times_by_replica: &[Vec<f64>],
    confidence: f64,
) -> Option<Interval> {
    let slope = |times: &Vec<f64>| {
        let points = sizes.iter().zip(times);
        let points = points.filter(|(size, time)| **size > 0 && **time > 0.0);
        let logs = points.map(|(size, time)| (f64::from(*size).ln(), time.ln()));
        let (log_sizes, log_times): (Vec<f64>, Vec<f64>) = logs.unzip();
        theil_sen(&log_sizes, &log_times)
    };
    let mut slopes: Vec<f64> = times_by_replica.iter().filter_map(slope).collect();
    let value = hodges_lehmann(&slopes)?;
    let interval = median_interval(&mut slopes, confidence);
    Some(Interval {
        value,
        low: interval.map(|(low, _)| low.min(value)),
        high: interval.map(|(_, high)| high.max(value)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(cost: impl Fn(f64) -> f64) -> Vec<(u32, f64)> {
        let sizes = (0..7).map(|step| 64_u32 << (2 * step));
        sizes.map(|size| (size, cost(f64::from(size)))).collect()
    }

    #[test]
    fn every_class_is_recognised_with_some_scatter() {
        // A few per cent up and down, as from branches that inputs take or not.
        let wobble = |n: f64| 1.0 + 0.02 * (n.ln() * 3.7).sin();
        for class in GrowthClass::ALL {
            let found = classify(&points(|n| 11.0 * class.log_at(n).exp() * wobble(n)));
            assert_eq!(found, Classification::Class(class));
        }
    }

    #[test]
    fn what_lies_between_is_not_forced_into_a_class() {
        // n^1.07: neither n nor n log n, and not far from either.
        let found = classify(&points(|n| n.powf(1.07)));
        assert_eq!(
            found,
            Classification::Among(vec![GrowthClass::Linear, GrowthClass::Linearithmic])
        );
        assert_eq!(classify(&points(|n| n.powf(1.5))), Classification::Other);
    }

    #[test]
    fn case_92_waste_on_small_inputs() {
        // Fuel of a sort that wastes on every input what the largest one would cost.
        let wasted = [
            1_049_611_726.0,
            1_049_861_280.0,
            1_051_349_067.0,
            1_059_966_749.0,
            1_104_100_929.0,
            1_319_037_888.0,
            2_331_588_727.0,
        ];
        let sizes = (0..7).map(|step| 1000_u32 << (2 * step));
        let points_of = |costs: [f64; 7]| sizes.clone().zip(costs).collect::<Vec<_>>();
        assert_eq!(classify(&points_of(wasted)), Classification::Other);
        // The same, but a little of it: the last size leaves the class of the others.
        assert_eq!(
            classify(&points_of([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.5])),
            Classification::Other
        );
        // Work that falls is in no class, whatever it does afterwards.
        assert_eq!(
            classify(&points_of([1.0, 1.0, 1.0, 0.9, 1.0, 1.0, 1.0])),
            Classification::Other
        );
        assert_eq!(
            classify(&points_of([1.0, 1.01, 1.0, 0.99, 1.02, 1.0, 1.0])),
            Classification::Class(GrowthClass::Constant)
        );
    }

    #[test]
    fn few_or_close_sizes_are_refused() {
        let close: Vec<(u32, f64)> = (1..20).map(|n| (n * 100, f64::from(n))).collect();
        assert_eq!(classify(&close), Classification::TooFewSizes { usable: 3 });
        assert_eq!(classify(&[]), Classification::TooFewSizes { usable: 0 });
        let mut broken = points(|n| n);
        broken[3].1 = 0.0;
        assert_eq!(classify(&broken), Classification::TooFewSizes { usable: 6 });
    }

    #[test]
    fn the_exponent_is_the_slope() {
        let sizes = [100, 400, 1_600, 6_400];
        let replica = |tilt: f64| -> Vec<f64> {
            let time = |size: &u32| f64::from(*size).powf(1.5 + tilt);
            sizes.iter().map(time).collect()
        };
        let replicas: Vec<Vec<f64>> = (-4..=4)
            .map(|tilt| replica(0.01 * f64::from(tilt)))
            .collect();
        let exponent = effective_exponent(&sizes, &replicas, 0.95).unwrap();
        assert!((exponent.value - 1.5).abs() < 1e-9);
        assert!(
            exponent.low.unwrap() < 1.48 && exponent.high.unwrap() > 1.52,
            "{exponent:?}"
        );
        assert_eq!(
            effective_exponent(&sizes, &replicas[..3], 0.95)
                .unwrap()
                .low,
            None
        );
        assert_eq!(effective_exponent(&sizes, &[vec![1.0]], 0.95), None);
    }
}
