//! Total times: the estimate of a pair's ratio, with its standard error.
//!
//! The ratio of two programs is that of the time that all their calls take, on the inputs that were drawn. A few inputs
//! may take most of that time, and so few say little of it: so the estimate has a standard error, and no verdict is
//! given that lies within two of them.

use super::block_times::PairTimes;
use crate::measurement::CaseIndex;
use std::collections::BTreeMap;

/// Number of standard errors of the total, to either side of it, that every interval holds.
const STANDARD_ERRORS: f64 = 2.0;

/// Sums over the blocks of a pair on a case.
#[derive(Clone, Copy, Debug, Default)]
struct CaseSums {
    weight: f64,
    blocks: f64,
    a: f64,
    b: f64,
    aa: f64,
    ab: f64,
    bb: f64,
    /// The least times of a sample of `a` and of one of `b` that took far longer than was predicted.
    overruns: [Option<f64>; 2],
}

impl CaseSums {
    fn push(&mut self, a_ns: f64, b_ns: f64) {
        self.blocks += 1.0;
        self.a += a_ns;
        self.b += b_ns;
        self.aa += a_ns * a_ns;
        self.ab += a_ns * b_ns;
        self.bb += b_ns * b_ns;
    }

    /// The sums with a block for each overrun that counts, in which the other one took its mean.
    fn with_overruns(&self, counted: Overruns) -> Self {
        let mut sums = *self;
        let (mean_a, mean_b) = (self.a / self.blocks, self.b / self.blocks);
        if let Some(least_ns) = self.overruns[0].filter(|_| counted != Overruns::OfB) {
            sums.push(least_ns, mean_b);
        }
        if let Some(least_ns) = self.overruns[1].filter(|_| counted != Overruns::OfA) {
            sums.push(mean_a, least_ns);
        }
        sums
    }

    fn log_ratio(&self) -> f64 {
        self.a.ln() - self.b.ln()
    }

    /// The variance of the logarithm of the ratio: that of a ratio of means, by its linear approximation
    /// (Cochran, Sampling Techniques, 1977, §6.3). Infinite for a single block.
    fn variance(&self) -> f64 {
        let ratio = self.a / self.b;
        let residuals = self.aa - 2.0 * ratio * self.ab + ratio * ratio * self.bb;
        let share = self.blocks / (self.blocks - 1.0);
        share * residuals.max(0.0) / (self.a * self.a)
    }
}

/// The overruns that count for an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Overruns {
    Both,
    OfA,
    OfB,
}

/// The estimate of the logarithm of a ratio, and how far from it the truth may be.
///
/// Of an overrun only a least time is known, and what is not known of it speaks for one end alone: however much longer
/// `b` took, `a` is no slower for it. So the overrun of `b` does not move the high end, nor that of `a` the low one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TotalEstimate {
    pub(super) log_ratio: f64,
    /// Two standard errors below; minus infinity where nothing is known of the error.
    pub(super) low: f64,
    /// Two standard errors above.
    pub(super) high: f64,
}

impl TotalEstimate {
    fn new(log_ratio: f64, standard_error: f64) -> Self {
        Self {
            log_ratio,
            low: log_ratio - STANDARD_ERRORS * standard_error,
            high: log_ratio + STANDARD_ERRORS * standard_error,
        }
    }
}

/// The total times of a pair so far, over all cases or on one.
#[derive(Clone, Debug, Default)]
pub(super) struct PairTotals {
    cases: BTreeMap<CaseIndex, CaseSums>,
    /// Differences of the replicas, for a set of instances; `None` for other cases.
    differences: Option<Vec<f64>>,
}

impl PairTotals {
    /// Returns totals without times. A set of instances, each of which counts the same, keeps the differences of
    /// replicas in place of sums.
    pub(super) fn new(instances: bool) -> Self {
        Self {
            cases: BTreeMap::new(),
            differences: instances.then(Vec::new),
        }
    }

    /// Adds the times of the pair in a replica.
    pub(super) fn push(&mut self, times: &PairTimes) {
        if let Some(differences) = &mut self.differences {
            differences.push(times.difference());
            return;
        }
        for case in &times.cases {
            let sums = self.cases.entry(case.case).or_default();
            sums.weight = case.weight;
            for (_, a_ns, b_ns) in &case.blocks {
                sums.push(*a_ns, *b_ns);
            }
        }
    }

    /// Adds a sample on a case that took at least this long: of `a`, or else of `b`. In a set of instances, each of
    /// which is drawn again, it does not count.
    pub(super) fn push_overrun(&mut self, case: CaseIndex, is_of_a: bool, least_ns: f64) {
        if self.differences.is_none() {
            let sums = self.cases.entry(case).or_default();
            sums.overruns[usize::from(!is_of_a)] = Some(least_ns);
        }
    }

    /// The estimate; `None` before the first replica.
    pub(super) fn estimate(&self) -> Option<TotalEstimate> {
        if let Some(differences) = &self.differences {
            return of_differences(differences);
        }
        let estimate = self.with_overruns(Overruns::Both)?;
        if self.cases.values().all(|case| case.overruns == [None; 2]) {
            return Some(estimate);
        }
        Some(TotalEstimate {
            log_ratio: estimate.log_ratio,
            low: self.with_overruns(Overruns::OfB)?.low,
            high: self.with_overruns(Overruns::OfA)?.high,
        })
    }

    fn with_overruns(&self, counted: Overruns) -> Option<TotalEstimate> {
        let cases = self.cases.values().filter(|case| case.blocks > 0.0);
        let cases: Vec<CaseSums> = cases.map(|case| case.with_overruns(counted)).collect();
        if cases.is_empty() {
            return None;
        }
        let (mut log_ratio, mut variance) = (0.0, 0.0);
        for case in cases {
            log_ratio += case.weight * case.log_ratio();
            variance += case.weight * case.weight * case.variance();
        }
        let standard_error = if variance.is_nan() {
            f64::INFINITY
        } else {
            variance.sqrt()
        };
        Some(TotalEstimate::new(log_ratio, standard_error))
    }
}

fn of_differences(differences: &[f64]) -> Option<TotalEstimate> {
    let count = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / count;
    let squares = differences.iter().map(|value| (value - mean).powi(2));
    let variance = squares.sum::<f64>() / (count - 1.0) / count;
    let standard_error = if count > 1.0 {
        variance.sqrt()
    } else {
        f64::INFINITY
    };
    (count > 0.0).then(|| TotalEstimate::new(mean, standard_error))
}

#[cfg(test)]
mod tests {
    use super::super::block_times::CasePair;
    use super::*;

    fn times(blocks: &[(f64, f64)], weight: f64, case: CaseIndex) -> CasePair {
        let blocks = blocks.iter().enumerate();
        CasePair {
            case,
            weight,
            blocks: blocks.map(|(at, (a, b))| (at, *a, *b)).collect(),
            resolution: 0.0,
        }
    }

    fn estimate(cases: &[CasePair]) -> TotalEstimate {
        let mut totals = PairTotals::new(false);
        let cases = cases.to_vec();
        totals.push(&PairTimes { cases });
        totals.estimate().unwrap()
    }

    #[test]
    fn a_ratio_is_that_of_sums_and_its_error_that_of_the_blocks() {
        let found = estimate(&[times(&[(30.0, 10.0), (10.0, 10.0), (20.0, 10.0)], 1.0, 0)]);
        assert!((found.log_ratio - 2.0_f64.ln()).abs() < 1e-12);
        // Residuals of 10, −10 and 0, of a sum of 60.
        let expected = (1.5 * 200.0_f64).sqrt() / 60.0;
        assert!((error(found) - expected).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn cases_count_by_their_weights_and_one_block_says_nothing_of_the_error() {
        let steady = times(&[(20.0, 10.0), (20.0, 10.0)], 0.25, 0);
        let wild = times(&[(30.0, 10.0), (10.0, 10.0)], 0.75, 1);
        let both = estimate(&[steady.clone(), wild]);
        assert!((both.log_ratio - 2.0_f64.ln()).abs() < 1e-12);
        let expected = 0.75 * (2.0 * 200.0_f64).sqrt() / 40.0;
        assert!((error(both) - expected).abs() < 1e-12, "{both:?}");
        let single = estimate(&[steady, times(&[(9.0, 3.0)], 0.75, 1)]);
        assert_eq!(error(single), f64::INFINITY);
    }

    #[test]
    fn an_overrun_counts_as_a_block_in_which_the_other_took_its_mean() {
        let steady = times(&[(20.0, 10.0), (20.0, 12.0)], 1.0, 0);
        for (is_of_a, last) in [(true, (500.0, 11.0)), (false, (20.0, 500.0))] {
            let mut totals = PairTotals::new(false);
            // Whether it comes before or after the blocks makes no difference.
            totals.push_overrun(0, is_of_a, 500.0);
            assert_eq!(totals.estimate(), None);
            totals.push(&PairTimes {
                cases: vec![steady.clone()],
            });
            let as_block = times(&[(20.0, 10.0), (20.0, 12.0), last], 1.0, 0);
            let (found, expected) = (totals.estimate().unwrap(), estimate(&[as_block]));
            assert!((found.log_ratio - expected.log_ratio).abs() < 1e-12);
            // The end that it says nothing of is where it would be without it.
            let without = estimate(std::slice::from_ref(&steady));
            let (low, high) = if is_of_a {
                (without.low, expected.high)
            } else {
                (expected.low, without.high)
            };
            assert!(
                (found.low - low).abs() < 1e-12 && (found.high - high).abs() < 1e-12,
                "{found:?}"
            );
        }
    }

    #[test]
    fn of_a_set_the_differences_of_replicas_count() {
        let mut totals = PairTotals::new(true);
        assert_eq!(totals.estimate(), None);
        for log in [0.1, 0.3] {
            let cases = vec![times(&[(log_of(log), 1.0)], 1.0, 3)];
            totals.push(&PairTimes { cases });
        }
        let found = totals.estimate().unwrap();
        assert!((found.log_ratio - 0.2).abs() < 1e-12);
        assert!((error(found) - 0.1).abs() < 1e-12);
    }

    /// The standard error, worked out from the ends.
    fn error(found: TotalEstimate) -> f64 {
        let (below, above) = (found.log_ratio - found.low, found.high - found.log_ratio);
        assert!(below == above || (below - above).abs() < 1e-12, "{found:?}");
        above / STANDARD_ERRORS
    }

    fn log_of(log: f64) -> f64 {
        log.exp()
    }
}
