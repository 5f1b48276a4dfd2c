//! Total times: what a median over samples does not see.
//!
//! A variant that takes far longer on one input in ten is the faster one in most samples, and by their
//! median. No sure verdict is given that the total times contradict, unless the machine may have made
//! the difference: of what is beyond the usual ratio in the replicas that say so most, three times what
//! others have of the opposite is taken to be the machine's. It disturbs one variant as often as the
//! other, so this withholds verdicts about ordinary programs hardly ever. It never gives one.
//!
//! Where verdicts rest on quiet cores, what was seen on crowded ones says something of rare inputs all the
//! same: neighbours do not choose them. The times of one variant there are scaled so that the usual ratio is
//! that of quiet cores.

use crate::measurement::CaseIndex;
use crate::stats::median;
use crate::verdict::{Totals, Verdict};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// As many times what one replica has of the opposite may be the machine's in another.
const MACHINE_FACTOR: f64 = 3.0;
/// So much of the largest excess may be the machine's whatever others have, in nanoseconds: so long may a
/// virtual machine be stopped while its clocks run on. Of the two largest, as much as that replica
/// usually takes: a process may be slow for life.
const MACHINE_NS: f64 = 1e8;
/// Totals that say the opposite of a verdict, and are so far from its interval, put it off until there are many
/// replicas, whatever the machine may have added: 10 %, as a logarithm.
const SUSPICIOUS_LOG: f64 = 0.095_310_179_804_324_86;
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

impl ReplicaTotals {
    /// The same, had `a` taken so many times as long.
    fn scaled(&self, log_factor: f64) -> Self {
        Self {
            value: self.value + log_factor,
            a_ns: self.a_ns * log_factor.exp(),
            b_ns: self.b_ns,
            differences: self.differences.iter().map(|of| of + log_factor).collect(),
        }
    }
}

/// The total times of a pair in all replicas, by case.
#[derive(Clone, Debug, Default)]
pub(super) struct PairTotals {
    cases: BTreeMap<CaseIndex, CaseTotals>,
    /// Of what does not count, since others used the core.
    crowded: BTreeMap<CaseIndex, Vec<ReplicaTotals>>,
}

#[derive(Clone, Debug, Default)]
struct CaseTotals {
    weight: f64,
    /// The usual difference, of what counts; `None`: that of these replicas.
    usual: Option<f64>,
    a_ns: f64,
    b_ns: f64,
    replicas: Vec<ReplicaTotals>,
}

impl PairTotals {
    /// Adds what counts of a replica on a case, which has this weight.
    pub(super) fn push(&mut self, case: CaseIndex, weight: f64, totals: ReplicaTotals) {
        let of_case = self.cases.entry(case).or_default();
        of_case.weight = weight;
        of_case.push(totals);
    }

    /// Adds what does not count of a replica on a case, since others used the core.
    pub(super) fn push_crowded(&mut self, case: CaseIndex, totals: ReplicaTotals) {
        self.crowded.entry(case).or_default().push(totals);
    }

    /// All that was seen, as if it had been on quiet cores.
    fn with_crowded(&self) -> Vec<Cow<'_, CaseTotals>> {
        let cases = self.cases.iter();
        cases
            .map(|(case, counted)| match self.crowded.get(case) {
                Some(crowded) => Cow::Owned(counted.with(crowded)),
                None => Cow::Borrowed(counted),
            })
            .collect()
    }

    /// The ratio of the total times, if it is beyond δ = `practical_log` and stays so without what the
    /// machine may have added.
    pub(super) fn apart(&self, practical_log: f64) -> Option<Totals> {
        let cases = self.with_crowded();
        let log_ratio = log_ratio(&cases);
        if log_ratio.is_nan() || log_ratio.abs() <= practical_log {
            return None;
        }
        let a_is_slower = log_ratio > 0.0;
        let least: f64 = cases
            .iter()
            .map(|case| case.weight * case.without_the_machine(a_is_slower))
            .sum();
        if least <= practical_log {
            return None;
        }
        Some(described(&cases, log_ratio))
    }

    /// The ratio of the total times, if it says the opposite of a sure verdict by more than δ = `practical_log`, and
    /// is far from the end of its interval that is nearest to it (a logarithm): the machine may have made all of it,
    /// and more replicas tell.
    pub(super) fn suspected(
        &self,
        verdict: Verdict,
        nearest: impl FnOnce() -> Option<f64>,
        practical_log: f64,
    ) -> Option<Totals> {
        if !matches!(verdict, Verdict::Beats | Verdict::Beaten) {
            return None;
        }
        let cases = self.with_crowded();
        let log_ratio = log_ratio(&cases);
        let beyond = match verdict {
            Verdict::Beats => log_ratio,
            _ => -log_ratio,
        };
        let is_far = beyond > practical_log && (log_ratio - nearest()?).abs() > SUSPICIOUS_LOG;
        is_far.then(|| described(&cases, log_ratio))
    }
}

/// The weighted mean over the cases of the logarithm of the ratio of the total times.
fn log_ratio(cases: &[Cow<'_, CaseTotals>]) -> f64 {
    let mut log_ratio = 0.0;
    for case in cases {
        log_ratio += case.weight * (case.a_ns / case.b_ns).ln();
    }
    log_ratio
}

fn described(cases: &[Cow<'_, CaseTotals>], log_ratio: f64) -> Totals {
    let mut found = Totals {
        ratio: log_ratio.exp(),
        withhold: false,
        slow: 0,
        samples: 0,
        slowest: 1.0,
    };
    let a_is_slower = log_ratio > 0.0;
    cases
        .iter()
        .for_each(|case| case.count_slow(a_is_slower, &mut found));
    found
}

/// The usual difference: the median over the replicas.
fn usual(replicas: &[ReplicaTotals]) -> f64 {
    let mut values: Vec<f64> = replicas.iter().map(|totals| totals.value).collect();
    median(&mut values).unwrap_or(0.0)
}

impl CaseTotals {
    fn push(&mut self, totals: ReplicaTotals) {
        self.a_ns += totals.a_ns;
        self.b_ns += totals.b_ns;
        self.replicas.push(totals);
    }

    /// These with others, of which one variant's times are scaled so that the usual ratio is that of these.
    fn with(&self, others: &[ReplicaTotals]) -> Self {
        let own = usual(&self.replicas);
        let scale = own - usual(others);
        let mut all = Self {
            usual: Some(own),
            ..self.clone()
        };
        others
            .iter()
            .for_each(|totals| all.push(totals.scaled(scale)));
        all
    }

    /// The usual logarithm of the ratio of the slower one in total to the other.
    fn usual(&self, a_is_slower: bool) -> f64 {
        let usual = self.usual.unwrap_or_else(|| usual(&self.replicas));
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
