//! The analysis of a race's replicas, which are counted one after the other in the order of their
//! launch. The result does not depend on the order in which they finished, on the session that
//! stored them, or on the time of the analysis.

use super::race_types::{Dropout, Pilot, RaceOptions, Raced, StoredRace};
use bakeoff_domain::measurement::{Overrun, Replica, VariantIndex};
use bakeoff_domain::race::{
    Analysis, NextStep, Race, RaceSettings, RemainingBudget, StopReason, first_scales,
};
use std::collections::BTreeSet;

/// The most variants of a race that is forecast: each forecast takes as long as an analysis.
const FORECAST_VARIANTS_MAX: usize = 16;

/// The counted replicas of a race.
pub(super) struct Tally {
    race: Race,
    /// The pilot's replica, if there was one.
    pilot: Option<Replica>,
}

impl Tally {
    /// Returns an empty tally. The values that the pilot fixed become part of the settings.
    pub(super) fn new(mut settings: RaceSettings, pilot: &Pilot) -> Self {
        settings.case_weights = pilot.sampling.case_weights(&settings.case_weights);
        settings.clock_ns = pilot.clock_ns;
        settings.aside.clone_from(&pilot.sampling.aside);
        settings.layouts.clone_from(&pilot.layouts);
        settings.short_cases.clone_from(&pilot.sampling.short_cases);
        settings.withdrawn.extend(&pilot.sampling.untimed);
        if let Some(replica) = &pilot.replica {
            settings.first_scales = first_scales(&settings, replica);
        }
        Self {
            race: Race::new(settings, pilot.replica.as_ref()),
            pilot: pilot.replica.clone(),
        }
    }

    pub(super) fn settings(&self) -> &RaceSettings {
        self.race.settings()
    }

    /// Removes a variant that failed, and counts `finished` again without it, so that the time of
    /// its failure makes no difference.
    pub(super) fn withdraw(&mut self, variant: VariantIndex, finished: &[Replica]) {
        let mut settings = self.settings().clone();
        settings.withdrawn.push(variant);
        self.race = Race::new(settings, self.pilot.as_ref());
        finished.iter().for_each(|replica| self.push(replica));
    }

    /// Adds a sample that took far longer than was predicted, whose variant runs in replicas of its own from now on.
    pub(super) fn push_overrun(&mut self, overrun: Overrun) {
        self.race.push_overrun(overrun);
    }

    /// Adds a finished replica, which counts once all with lower indexes are in.
    pub(super) fn push(&mut self, replica: &Replica) {
        self.race.push(replica.clone());
    }

    /// Returns true if the race would be over by its verdicts once these replicas have ended, should they give the same
    /// samples as the last one. Only the start of replicas may depend on it.
    pub(super) fn would_be_over(
        &self,
        under_way: &BTreeSet<u32>,
        finished: &[Replica],
        remaining: RemainingBudget,
    ) -> bool {
        let last = finished.iter().max_by_key(|replica| replica.index);
        let Some(last) = last.filter(|_| self.settings().variants <= FORECAST_VARIANTS_MAX) else {
            return false;
        };
        let mut then = self.race.clone();
        for index in under_way {
            then.push(Replica {
                index: *index,
                ..last.clone()
            });
        }
        matches!(
            then.analysis().next(remaining, |_| 0.0),
            NextStep::Stop(
                StopReason::Winner
                    | StopReason::Tied
                    | StopReason::Settled
                    | StopReason::Precision
                    | StopReason::Alone
            )
        )
    }

    /// Returns the analysis of the replicas so far.
    pub(super) fn analysis(&mut self) -> Analysis {
        self.race.analysis()
    }
}

/// Returns the race settings as declared, before the pilot.
pub(super) fn declare(variants: usize, cases: usize, options: &RaceOptions<'_>) -> RaceSettings {
    let mut settings = RaceSettings::new(variants, cases);
    settings.confidence = options.measure.confidence;
    settings.practical = options.measure.practical;
    settings.replicas_max = options.measure.replicas_max;
    settings.margin = options.measure.margin;
    settings.precision = options.measure.precision;
    settings.metric_share = options.metric_share;
    settings.cold_start = options.cold_start;
    settings.instances = options.instances;
    settings
}

/// Returns the variants that failed, each once. If one failed both in the race and in the pilot,
/// the failure in the race is returned, since it is the later one.
pub(super) fn known(dropped: Vec<Dropout>, pilot: &Pilot) -> Vec<Dropout> {
    let mut known: Vec<Dropout> = Vec::new();
    for dropout in dropped.into_iter().chain(pilot.failed.clone()) {
        if known.iter().all(|other| other.variant != dropout.variant) {
            known.push(dropout);
        }
    }
    known
}

/// Returns the number of calls of guest code that a race rests on, as [`Raced::calls`] counts them.
pub(super) fn calls(pilot: &Pilot, replicas: &[Replica]) -> u64 {
    let samples = replicas.iter().flat_map(|replica| &replica.samples);
    pilot.calls + samples.map(|sample| u64::from(sample.calls)).sum::<u64>()
}

/// Returns the final reason for the end of a race. A spent budget becomes the limit on replicas if all of them have
/// run: a larger budget would not add another one.
pub(super) fn over(reason: StopReason, finished: usize, settings: &RaceSettings) -> StopReason {
    match reason {
        StopReason::Budget if finished >= settings.replicas_max as usize => {
            StopReason::ReplicaLimit
        }
        reason => reason,
    }
}

/// Returns the result of a race of `variants` variants from its stored part, without running anything. `None` if the
/// race did not get as far as its pilot.
pub fn replay(
    variants: usize,
    cases: usize,
    options: &RaceOptions<'_>,
    stored: StoredRace,
) -> Option<Raced> {
    let pilot = stored.pilot?;
    let mut tally = Tally::new(declare(variants, cases, options), &pilot);
    let failed = known(stored.dropped, &pilot);
    for dropout in &failed {
        tally.withdraw(dropout.variant, &[]);
    }
    for overrun in stored.overruns {
        tally.push_overrun(overrun);
    }
    let mut replicas = stored.replicas;
    replicas.sort_by_key(|replica| replica.index);
    replicas.iter().for_each(|replica| tally.push(replica));
    let analysis = tally.analysis();
    // With nothing left of the budget every race is over; whether it was over before is told apart.
    let nothing = RemainingBudget {
        seconds: 0.0,
        whole_seconds: 1.0,
    };
    let stop = match analysis.next(nothing, |_| 1.0) {
        NextStep::Stop(reason) => over(reason, replicas.len(), tally.settings()),
        NextStep::Run { .. } => StopReason::Budget,
    };
    Some(Raced {
        analysis: Some(analysis),
        calls: calls(&pilot, &replicas),
        replicas,
        pilot: Some(pilot),
        failed,
        stop,
    })
}
