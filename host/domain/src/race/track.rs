//! One pair's differences over the whole race, overall and by case.

use super::differences::Readings;
use super::reversal;
use super::settings::Settings;
use crate::measurement::{CaseIndex, Replica, VariantIndex};
use crate::stats::ConfidenceSequence;
use crate::verdict::{PairVerdict, Reversal, Verdict, judge};

/// Where a difference comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Origin {
    /// Whether its replica ran alone.
    pub(super) solo: bool,
    /// When its replica was launched, in seconds since the race began.
    pub(super) started_s: f64,
    /// The load of the machine then.
    pub(super) load: Option<f64>,
    /// How long the yardstick took in its replica.
    pub(super) yardstick_ns: Option<f64>,
}

impl Origin {
    fn of(replica: &Replica) -> Self {
        let surroundings = &replica.surroundings;
        Self {
            solo: replica.solo,
            started_s: surroundings.started_s,
            load: surroundings.load,
            yardstick_ns: surroundings.yardstick_ns.filter(|took| *took > 0.0),
        }
    }
}

/// Differences of a pair, over all cases or on one.
#[derive(Clone, Debug)]
struct Scope {
    case: Option<CaseIndex>,
    sequence: ConfidenceSequence,
    origins: Vec<Origin>,
    /// Up to which p a correlation with the yardstick is believed.
    p_max: f64,
}

impl Scope {
    fn new(case: Option<CaseIndex>, settings: &Settings) -> Self {
        Self {
            case,
            sequence: ConfidenceSequence::new(settings.threshold(), settings.practical_log()),
            origins: Vec::new(),
            p_max: reversal::P_MAX / settings.scopes(),
        }
    }

    fn push(&mut self, value: f64, grain: f64, replica: &Replica) {
        self.sequence.push(value, grain);
        self.origins.push(Origin::of(replica));
    }

    fn verdict(&mut self, pair: (VariantIndex, VariantIndex), practical_log: f64) -> PairVerdict {
        let mut verdict =
            PairVerdict::from_sequence(pair, self.case, &mut self.sequence, practical_log);
        if let Some(reversal) = self.reversal(practical_log) {
            verdict.withhold(reversal);
        }
        verdict
    }

    /// Whether the pair changes places with what else runs on the core.
    fn reversal(&self, practical_log: f64) -> Option<Reversal> {
        let values = self.sequence.values();
        reversal::find(values, &self.origins, practical_log, self.p_max)
    }
}

/// One pair.
#[derive(Clone, Debug)]
pub(super) struct Track {
    pub(super) a: VariantIndex,
    pub(super) b: VariantIndex,
    overall: Scope,
    by_case: Vec<Scope>,
}

impl Track {
    /// A pair about which nothing is known. A single case is the same as all of them, and gets no
    /// claim of its own.
    pub(super) fn new(settings: &Settings, a: VariantIndex, b: VariantIndex) -> Self {
        let cases = settings.claimed_cases();
        let cases = if cases.len() > 1 { cases } else { Vec::new() };
        let by_case = |case| Scope::new(Some(case), settings);
        Self {
            a,
            b,
            overall: Scope::new(None, settings),
            by_case: cases.into_iter().map(by_case).collect(),
        }
    }

    /// Takes in one replica; `weights` sum to 1. The pair gets an overall difference if both ran on
    /// every case that counts.
    pub(super) fn push(&mut self, readings: &Readings, weights: &[f64], replica: &Replica) {
        let mut sum = (0.0, 0.0);
        let mut complete = weights.iter().any(|weight| *weight > 0.0);
        for (case, weight) in weights
            .iter()
            .enumerate()
            .filter(|(_, weight)| **weight > 0.0)
        {
            let Some(difference) = readings.difference(self.a, self.b, case) else {
                complete = false;
                continue;
            };
            sum.0 += weight * difference.value;
            sum.1 += weight * difference.grain;
            let mut claimed = self.by_case.iter_mut();
            if let Some(scope) = claimed.find(|scope| scope.case == Some(case)) {
                scope.push(difference.value, difference.grain, replica);
            }
        }
        if complete {
            self.overall.push(sum.0, sum.1, replica);
        }
    }

    /// What may be said over all cases.
    pub(super) fn verdict(&mut self, practical_log: f64) -> PairVerdict {
        self.overall.verdict((self.a, self.b), practical_log)
    }

    /// What may be said over all cases, without an interval; `None` if the pair changes places with
    /// what else runs on the core.
    pub(super) fn leaning(&mut self, practical_log: f64) -> Option<Verdict> {
        let verdict = judge(self.overall.sequence.coarse_bounds(), practical_log);
        let turns = self.overall.reversal(practical_log);
        turns.is_none().then_some(verdict)
    }

    /// What may be said by case.
    pub(super) fn verdicts_by_case(
        &mut self,
        practical_log: f64,
    ) -> impl Iterator<Item = PairVerdict> {
        let pair = (self.a, self.b);
        let scopes = self.by_case.iter_mut();
        scopes.map(move |scope| scope.verdict(pair, practical_log))
    }

    /// The differences over all cases with where they come from.
    pub(super) fn differences(&self) -> impl Iterator<Item = (f64, &Origin)> {
        let Scope {
            sequence, origins, ..
        } = &self.overall;
        sequence.values().iter().copied().zip(origins)
    }
}
