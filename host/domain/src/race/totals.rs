//! Total times: what a median over samples does not see.
//!
//! A variant that takes far longer on one input in ten is the faster one in most samples, and by their
//! median. No sure verdict is given that the total times contradict, unless the machine may have made
//! the difference: of what is beyond the usual ratio in the replicas that say so most, three times what
//! others have of the opposite is taken to be the machine's. It disturbs one variant as often as the
//! other, so this withholds verdicts about ordinary programs hardly ever. It never gives one.

use crate::stats::median;
use crate::verdict::Totals;

/// As many times what one replica has of the opposite may be the machine's in another.
const MACHINE_FACTOR: f64 = 3.0;
/// So much of the largest excess may be the machine's whatever others have, in nanoseconds: so long may a
/// virtual machine be stopped while its clocks run on. Of the two largest, as much as that replica
/// usually takes: a process may be slow for life.
const MACHINE_NS: f64 = 1e8;
/// A sample is slow if it takes as many times what most take.
const SLOW: f64 = 2.0;

/// The total times of a pair on one case in one replica.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ReplicaTotals {
    /// The pair's difference, ln t_a − ln t_b.
    pub(super) value: f64,
    /// Total time of `a`, in nanoseconds.
    pub(super) a_ns: f64,
    /// Total time of `b`, in nanoseconds.
    pub(super) b_ns: f64,
    /// ln t_a − ln t_b of each two samples that were compared.
    pub(super) differences: Vec<f64>,
}

/// The total times of a pair in all replicas, by case.
#[derive(Clone, Debug, Default)]
pub(super) struct PairTotals {
    cases: Vec<CaseTotals>,
}

#[derive(Clone, Debug, Default)]
struct CaseTotals {
    weight: f64,
    a_ns: f64,
    b_ns: f64,
    replicas: Vec<ReplicaTotals>,
}

impl PairTotals {
    /// Adds a replica: the totals on each case, with its weight; every replica has the same cases.
    pub(super) fn push(&mut self, cases: impl IntoIterator<Item = (f64, ReplicaTotals)>) {
        for (place, (weight, totals)) in cases.into_iter().enumerate() {
            if place == self.cases.len() {
                self.cases.push(CaseTotals::default());
            }
            let case = &mut self.cases[place];
            case.weight = weight;
            case.a_ns += totals.a_ns;
            case.b_ns += totals.b_ns;
            case.replicas.push(totals);
        }
    }

    /// The ratio of the total times, if it is beyond δ = `practical_log` and stays so without what the
    /// machine may have added.
    pub(super) fn apart(&self, practical_log: f64) -> Option<Totals> {
        let mut log_ratio = 0.0;
        for case in &self.cases {
            log_ratio += case.weight * (case.a_ns / case.b_ns).ln();
        }
        if log_ratio.is_nan() || log_ratio.abs() <= practical_log {
            return None;
        }
        let a_is_slower = log_ratio > 0.0;
        let cases = self.cases.iter();
        let least: f64 = cases
            .map(|case| case.weight * case.without_the_machine(a_is_slower))
            .sum();
        if least <= practical_log {
            return None;
        }
        let mut found = Totals {
            ratio: log_ratio.exp(),
            withhold: false,
            slow: 0,
            samples: 0,
            slowest: 1.0,
        };
        let cases = self.cases.iter();
        cases.for_each(|case| case.count_slow(a_is_slower, &mut found));
        Some(found)
    }
}

impl CaseTotals {
    /// The usual logarithm of the ratio of the slower one in total to the other.
    fn usual(&self, a_is_slower: bool) -> f64 {
        let mut values: Vec<f64> = self.replicas.iter().map(|totals| totals.value).collect();
        let usual = median(&mut values).unwrap_or(0.0);
        if a_is_slower { usual } else { -usual }
    }

    /// The logarithm of the ratio of the total times, the slower one in total over the other, if the
    /// machine added all that it may have.
    fn without_the_machine(&self, a_is_slower: bool) -> f64 {
        let usual = self.usual(a_is_slower).exp();
        let excess = self.replicas.iter().map(|totals| {
            let (slower, other) = match a_is_slower {
                true => (totals.a_ns, totals.b_ns),
                false => (totals.b_ns, totals.a_ns),
            };
            (slower - usual * other, usual * other)
        });
        let mut excess: Vec<(f64, f64)> = excess.collect();
        excess.sort_by(|x, y| x.0.total_cmp(&y.0));
        let opposite = |place: usize| {
            let below = excess.get(place).map_or(0.0, |(more, _)| -more);
            MACHINE_FACTOR * below.max(0.0)
        };
        let mut added = 0.0;
        for (place, (more, usual_ns)) in excess.iter().rev().enumerate() {
            let machine = match place {
                0 => opposite(0).max(MACHINE_NS + usual_ns),
                1 => opposite(0).max(*usual_ns),
                _ => opposite(place - 1),
            };
            added += (more - machine).max(0.0);
        }
        let other = if a_is_slower { self.b_ns } else { self.a_ns };
        (usual + added / other).ln()
    }

    /// Counts the samples of the slower one in total that took longer than most.
    fn count_slow(&self, a_is_slower: bool, found: &mut Totals) {
        let usual = self.usual(a_is_slower);
        let differences = self.replicas.iter().flat_map(|totals| &totals.differences);
        for difference in differences {
            let log = if a_is_slower {
                *difference
            } else {
                -difference
            };
            let times = (log - usual).exp();
            found.samples += 1;
            found.slow += u32::from(times >= SLOW);
            found.slowest = found.slowest.max(times);
        }
    }
}
