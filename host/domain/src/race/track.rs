//! One pair's differences over the whole race, overall and by case.

use super::differences::Readings;
use super::settings::Settings;
use crate::measurement::{CaseIndex, Replica, VariantIndex};
use crate::stats::ConfidenceSequence;
use crate::verdict::PairVerdict;

/// Where a difference comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Origin {
    /// Whether its replica ran alone.
    pub(super) solo: bool,
    /// When its replica was launched, in seconds since the race began.
    pub(super) started_s: f64,
    /// The load of the machine then.
    pub(super) load: Option<f64>,
}

/// One pair.
#[derive(Clone, Debug)]
pub(super) struct Track {
    pub(super) a: VariantIndex,
    pub(super) b: VariantIndex,
    overall: ConfidenceSequence,
    by_case: Vec<(CaseIndex, ConfidenceSequence)>,
    origins: Vec<Origin>,
}

impl Track {
    /// A pair about which nothing is known. A single case is the same as all of them, and gets no
    /// claim of its own.
    pub(super) fn new(settings: &Settings, a: VariantIndex, b: VariantIndex) -> Self {
        let cases = settings.claimed_cases();
        let cases = if cases.len() > 1 { cases } else { Vec::new() };
        let threshold = settings.threshold_by_case();
        let practical = settings.practical_log();
        let sequences = cases
            .into_iter()
            .map(|case| (case, ConfidenceSequence::new(threshold, practical)));
        Self {
            a,
            b,
            overall: ConfidenceSequence::new(settings.threshold(), practical),
            by_case: sequences.collect(),
            origins: Vec::new(),
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
            let sequence = self
                .by_case
                .iter_mut()
                .find(|(claimed, _)| *claimed == case);
            if let Some((_, sequence)) = sequence {
                sequence.push(difference.value, difference.grain);
            }
        }
        if complete {
            self.overall.push(sum.0, sum.1);
            self.origins.push(Origin {
                solo: replica.solo,
                started_s: replica.surroundings.started_s,
                load: replica.surroundings.load,
            });
        }
    }

    /// What may be said over all cases.
    pub(super) fn verdict(&mut self, practical_log: f64) -> PairVerdict {
        PairVerdict::from_sequence((self.a, self.b), None, &mut self.overall, practical_log)
    }

    /// What may be said by case.
    pub(super) fn verdicts_by_case(
        &mut self,
        practical_log: f64,
    ) -> impl Iterator<Item = PairVerdict> {
        let pair = (self.a, self.b);
        self.by_case.iter_mut().map(move |(case, sequence)| {
            PairVerdict::from_sequence(pair, Some(*case), sequence, practical_log)
        })
    }

    /// The differences over all cases with where they come from.
    pub(super) fn differences(&self) -> impl Iterator<Item = (f64, &Origin)> {
        self.overall.values().iter().copied().zip(&self.origins)
    }
}
