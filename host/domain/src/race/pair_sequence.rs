//! The differences of one pair over the whole race, over all cases and by case.

use super::alpha::ClaimScope;
use super::block_times::{BlockTimes, Difference};
use super::conditions::ReplicaConditions;
use super::settings::RaceSettings;
use super::sign_inversion;
use super::totals::{PairTotals, ReplicaTotals};
use crate::few_layouts::with_few_layouts;
use crate::measurement::{CaseIndex, Replica, VariantIndex};
use crate::stats::ConfidenceSequence;
use crate::verdict::{PairVerdict, SignInversion, Verdict, judge};

/// The differences of a pair over all cases (`case` is `None`) or on one, by replica.
#[derive(Clone, Debug)]
struct ScopeSequence {
    case: Option<CaseIndex>,
    sequence: ConfidenceSequence,
    /// By difference.
    conditions: Vec<ReplicaConditions>,
    totals: PairTotals,
    few_layouts: bool,
    /// The level of the correlation with the contention probe, divided as α is among the verdicts of
    /// the pair.
    p_max: f64,
}

impl ScopeSequence {
    fn new(
        settings: &RaceSettings,
        pair: (VariantIndex, VariantIndex),
        case: Option<CaseIndex>,
    ) -> Self {
        let scope = case.map_or(ClaimScope::AllCases, |_| ClaimScope::OneCase);
        Self {
            case,
            sequence: ConfidenceSequence::new(settings.threshold(scope), settings.practical_log())
                .with_first_scale(settings.first_scale(pair, case)),
            conditions: Vec::new(),
            totals: PairTotals::default(),
            few_layouts: settings.has_few_layouts(pair),
            p_max: sign_inversion::P_MAX * settings.share(scope),
        }
    }

    fn push(&mut self, value: f64, resolution: f64, replica: &Replica) {
        self.sequence.push(value, resolution);
        self.conditions.push(replica.into());
    }

    /// Adds the total times of a replica by case, each with its weight.
    fn push_totals(&mut self, cases: impl IntoIterator<Item = (f64, ReplicaTotals)>) {
        self.totals.push(cases);
    }

    fn verdict(&mut self, pair: (VariantIndex, VariantIndex), practical_log: f64) -> PairVerdict {
        let from_sequence = match self.few_layouts {
            true => PairVerdict::from_few_layouts,
            false => PairVerdict::from_sequence,
        };
        let mut verdict = from_sequence(pair, self.case, &mut self.sequence, practical_log);
        verdict.set_totals(self.totals.apart(practical_log));
        if let Some(inversion) = self.sign_inversion(practical_log) {
            verdict.withhold(inversion);
        }
        verdict
    }

    fn sign_inversion(&self, practical_log: f64) -> Option<SignInversion> {
        let values = self.sequence.values();
        sign_inversion::find(values, &self.conditions, practical_log, self.p_max)
    }
}

/// The differences of the variants `a` and `b`, D = ln t_a − ln t_b.
#[derive(Clone, Debug)]
pub(super) struct PairSequence {
    pub(super) a: VariantIndex,
    pub(super) b: VariantIndex,
    overall: ScopeSequence,
    by_case: Vec<ScopeSequence>,
    /// True if the cases are instances of one set.
    instances: bool,
}

impl PairSequence {
    /// A pair without differences. A single case is the same as all of them, and gets no claim of
    /// its own.
    pub(super) fn new(settings: &RaceSettings, a: VariantIndex, b: VariantIndex) -> Self {
        let cases = settings.single_scopes();
        let by_case = |case| ScopeSequence::new(settings, (a, b), Some(case));
        Self {
            a,
            b,
            overall: ScopeSequence::new(settings, (a, b), None),
            by_case: cases.into_iter().map(by_case).collect(),
            instances: settings.instances,
        }
    }

    /// Adds the differences of one replica; `weights` sum to 1. The pair gets an overall difference
    /// if both ran on every case that counts; of a set of instances, on those that were drawn.
    pub(super) fn push(&mut self, times: &BlockTimes, weights: &[f64], replica: &Replica) {
        if self.instances {
            let difference = times.difference_on_set(self.a, self.b, weights);
            if let Some(Difference { value, resolution }) = difference {
                self.overall.push(value, resolution, replica);
            }
            return;
        }
        let mut sum = (0.0, 0.0);
        let mut totals = Vec::new();
        let mut complete = weights.iter().any(|weight| *weight > 0.0);
        for (case, weight) in weights
            .iter()
            .enumerate()
            .filter(|(_, weight)| **weight > 0.0)
        {
            let Some(difference) = times.difference(self.a, self.b, case) else {
                complete = false;
                continue;
            };
            let of_case = times.totals(self.a, self.b, case);
            totals.extend(of_case.clone().map(|of_case| (*weight, of_case)));
            sum.0 += weight * difference.value;
            sum.1 += weight * difference.resolution;
            let mut claimed = self.by_case.iter_mut();
            if let Some(scope) = claimed.find(|scope| scope.case == Some(case)) {
                scope.push(difference.value, difference.resolution, replica);
                scope.push_totals(of_case.map(|of_case| (1.0, of_case)));
            }
        }
        if complete {
            self.overall.push(sum.0, sum.1, replica);
            self.overall.push_totals(totals);
        }
    }

    /// The verdict over all cases.
    pub(super) fn verdict(&mut self, practical_log: f64) -> PairVerdict {
        self.overall.verdict((self.a, self.b), practical_log)
    }

    /// The verdict over all cases without its interval, which is quicker; `None` if the sign inverts
    /// with the contention probe.
    pub(super) fn quick_verdict(&mut self, practical_log: f64) -> Option<Verdict> {
        let bounds = match self.overall.few_layouts {
            true => with_few_layouts(self.overall.sequence.bounds()),
            false => self.overall.sequence.coarse_bounds(),
        };
        let verdict = judge(bounds, practical_log);
        if self.overall.sign_inversion(practical_log).is_some() {
            return None;
        }
        let is_contradicted = || {
            let totals = self.overall.totals.apart(practical_log);
            totals.is_some_and(|totals| totals.contradict(verdict))
        };
        let withheld = verdict != Verdict::NoCall && is_contradicted();
        Some(if withheld { Verdict::NoCall } else { verdict })
    }

    /// The verdicts by case.
    pub(super) fn verdicts_by_case(
        &mut self,
        practical_log: f64,
    ) -> impl Iterator<Item = PairVerdict> {
        let pair = (self.a, self.b);
        let scopes = self.by_case.iter_mut();
        scopes.map(move |scope| scope.verdict(pair, practical_log))
    }

    /// The differences over all cases, each with the conditions of its replica.
    pub(super) fn differences(&self) -> impl Iterator<Item = (f64, &ReplicaConditions)> {
        let ScopeSequence {
            sequence,
            conditions,
            ..
        } = &self.overall;
        sequence.values().iter().copied().zip(conditions)
    }
}
