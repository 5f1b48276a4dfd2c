//! The differences of one pair over the whole race, over all cases and by case.

use super::alpha::{Basis, ClaimScope};
use super::block_times::{BlockTimes, Difference};
use super::conditions::ReplicaConditions;
use super::settings::RaceSettings;
use super::sign_inversion;
use super::totals::{PairTotals, ReplicaTotals};
use crate::few_layouts::with_few_layouts;
use crate::measurement::{CaseIndex, Replica, VariantIndex};
use crate::stats::ConfidenceSequence;
use crate::verdict::{
    PairVerdict, SharedPart, SignInversion, Totals, Verdict, WITHHELD_REPLICAS, judge,
};

/// The differences of a pair over all cases (`case` is `None`) or on one, by replica.
#[derive(Clone, Debug)]
struct ScopeSequence {
    case: Option<CaseIndex>,
    /// Of what counts.
    sequence: ConfidenceSequence,
    /// By difference of these.
    counted: Vec<ReplicaConditions>,
    /// Of all replicas.
    differences: Vec<f64>,
    /// By difference of these.
    conditions: Vec<ReplicaConditions>,
    totals: PairTotals,
    few_layouts: bool,
    /// Whether the differences that count are of quiet cores.
    quiet: bool,
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
            counted: Vec::new(),
            differences: Vec::new(),
            conditions: Vec::new(),
            totals: PairTotals::default(),
            few_layouts: settings.has_few_layouts(pair),
            quiet: settings.basis == Basis::Quiet,
            p_max: sign_inversion::P_MAX * settings.share(scope),
        }
    }

    /// Adds the difference of a replica, whether it counts or not.
    fn observe(&mut self, value: f64, replica: &Replica) {
        self.differences.push(value);
        self.conditions.push(replica.into());
    }

    /// Adds the difference of a replica that counts, and its total times by case, each with its weight.
    fn count(&mut self, found: Found, replica: &Replica) {
        let Difference { value, resolution } = found.difference;
        self.sequence.push(value, resolution);
        self.counted.push(replica.into());
        for (case, weight, totals) in found.totals {
            self.totals.push(case, weight, totals);
        }
    }

    fn verdict(&mut self, pair: (VariantIndex, VariantIndex), practical_log: f64) -> PairVerdict {
        let from_sequence = match self.few_layouts {
            true => PairVerdict::from_few_layouts,
            false => PairVerdict::from_sequence,
        };
        let mut verdict = from_sequence(pair, self.case, &mut self.sequence, practical_log);
        verdict.set_totals(self.totals_against(verdict.verdict, practical_log));
        match self.sign_inversion(practical_log) {
            Some(inversion) if self.is_of_quiet_cores(&inversion, verdict.verdict) => {
                verdict.sign_inversion = Some(SignInversion {
                    withholds: false,
                    ..inversion
                });
            }
            Some(inversion) => verdict.withhold(inversion),
            None => {}
        }
        verdict
    }

    /// Total times that are apart; while there are few replicas, also those that may be the machine's and say
    /// clearly the opposite of a verdict.
    fn totals_against(&self, verdict: Verdict, practical_log: f64) -> Option<Totals> {
        let is_early = self.sequence.values().len() < WITHHELD_REPLICAS as usize;
        let nearest = || self.nearest(verdict);
        let suspected = || match is_early {
            true => self.totals.suspected(verdict, nearest, practical_log),
            false => None,
        };
        self.totals.apart(practical_log).or_else(suspected)
    }

    /// The end of the interval that is nearest to the other verdict, as a logarithm.
    fn nearest(&self, verdict: Verdict) -> Option<f64> {
        let mut sequence = self.sequence.clone();
        let bounds = match self.few_layouts {
            true => with_few_layouts(sequence.bounds()),
            false => sequence.bounds(),
        };
        match verdict {
            Verdict::Beats => bounds.high,
            _ => bounds.low,
        }
    }

    /// Whether a verdict holds in spite of an inversion, as one about quiet cores: what it rests on is not what the
    /// core's other users change, and it says what was seen where they were not.
    fn is_of_quiet_cores(&self, inversion: &SignInversion, verdict: Verdict) -> bool {
        let agrees = match verdict {
            Verdict::Beats => inversion.quiet < 1.0,
            Verdict::Beaten => inversion.quiet > 1.0,
            Verdict::Tie => false,
            Verdict::NoCall => true,
        };
        self.quiet && inversion.part == SharedPart::Core && agrees
    }

    fn sign_inversion(&self, practical_log: f64) -> Option<SignInversion> {
        let values = &self.differences;
        sign_inversion::find(values, &self.conditions, practical_log, self.p_max)
    }
}

/// The difference of a pair in a replica, over all cases (`case` is `None`) or on one.
pub(super) struct Found {
    case: Option<CaseIndex>,
    difference: Difference,
    /// By case, its weight and total times; none of a set of instances.
    totals: Vec<(CaseIndex, f64, ReplicaTotals)>,
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

    /// Adds the differences of a replica, whether it counts or not: pairs whose sign goes with the
    /// neighbours are looked for among all.
    pub(super) fn observe(&mut self, found: &[Found], replica: &Replica) {
        for one in found {
            if let Some(scope) = self.scope(one.case) {
                scope.observe(one.difference.value, replica);
            }
        }
    }

    /// Adds the differences of what counts of a replica.
    pub(super) fn count(&mut self, found: Vec<Found>, replica: &Replica) {
        for one in found {
            if let Some(scope) = self.scope(one.case) {
                scope.count(one, replica);
            }
        }
    }

    /// Adds the total times of what does not count of a replica, since others used the core. On some cases it
    /// may have none.
    pub(super) fn add_crowded(&mut self, found: Vec<Found>) {
        let by_case = found.into_iter().filter(|one| one.case.is_some());
        for (case, _, totals) in by_case.flat_map(|one| one.totals) {
            if let Some(scope) = self.scope(Some(case)) {
                scope.totals.push_crowded(case, totals.clone());
            }
            self.overall.totals.push_crowded(case, totals);
        }
    }

    fn scope(&mut self, case: Option<CaseIndex>) -> Option<&mut ScopeSequence> {
        match case {
            None => Some(&mut self.overall),
            Some(_) => self.by_case.iter_mut().find(|scope| scope.case == case),
        }
    }

    /// The differences of the pair by scope; `weights` sum to 1. It has one over all cases if both ran on every
    /// case that counts; of a set of instances, on those that were drawn.
    pub(super) fn find(&self, times: &BlockTimes, weights: &[f64]) -> Vec<Found> {
        if self.instances {
            let difference = times.difference_on_set(self.a, self.b, weights);
            let found = difference.map(|difference| Found {
                case: None,
                difference,
                totals: Vec::new(),
            });
            return found.into_iter().collect();
        }
        let mut found = Vec::new();
        let mut overall = Difference {
            value: 0.0,
            resolution: 0.0,
        };
        let mut totals = Vec::new();
        let mut complete = weights.iter().any(|weight| *weight > 0.0);
        let weights = weights.iter().enumerate();
        for (case, weight) in weights.filter(|(_, weight)| **weight > 0.0) {
            let Some(difference) = times.difference(self.a, self.b, case) else {
                complete = false;
                continue;
            };
            let of_case = times.totals(self.a, self.b, case);
            totals.extend(of_case.clone().map(|of_case| (case, *weight, of_case)));
            overall.value += weight * difference.value;
            overall.resolution += weight * difference.resolution;
            let own = of_case.map(|of_case| (case, 1.0, of_case));
            found.push(Found {
                case: Some(case),
                difference,
                totals: own.into_iter().collect(),
            });
        }
        found.extend(complete.then_some(Found {
            case: None,
            difference: overall,
            totals,
        }));
        found
    }

    /// The verdict over all cases.
    pub(super) fn verdict(&mut self, practical_log: f64) -> PairVerdict {
        self.overall.verdict((self.a, self.b), practical_log)
    }

    /// The verdict over all cases without its interval, which is quicker; `None` if the sign inverts
    /// with a probe, and that withholds it.
    pub(super) fn quick_verdict(&mut self, practical_log: f64) -> Option<Verdict> {
        let bounds = match self.overall.few_layouts {
            true => with_few_layouts(self.overall.sequence.bounds()),
            false => self.overall.sequence.coarse_bounds(),
        };
        let verdict = judge(bounds, practical_log);
        let inversion = self.overall.sign_inversion(practical_log);
        if inversion.is_some_and(|of| !self.overall.is_of_quiet_cores(&of, verdict)) {
            return None;
        }
        let is_contradicted = || {
            let totals = self.overall.totals_against(verdict, practical_log);
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

    /// The differences over all cases that count, each with the conditions of its replica.
    pub(super) fn differences(&self) -> impl Iterator<Item = (f64, &ReplicaConditions)> {
        let ScopeSequence {
            sequence, counted, ..
        } = &self.overall;
        sequence.values().iter().copied().zip(counted)
    }
}
