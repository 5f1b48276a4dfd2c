//! What follows from a race's replicas, counted one after the other in the order of their launch:
//! the same whether they finished in another order, were kept by an earlier session, or are looked
//! at again much later.

use super::pilot::Pilot;
use super::race::{Dropout, Kept, RaceOptions, Raced};
use bakeoff_domain::measurement::{Replica, VariantIndex};
use bakeoff_domain::race::{Analysis, Basis, Next, Race, Remaining, Settings, StopReason};

/// A race's replicas, counted.
pub(super) struct Tally {
    pub(super) settings: Settings,
    race: Race,
    /// How many replicas were counted: those of the indexes below.
    counted: u32,
}

impl Tally {
    /// Nothing is counted yet. What the pilot fixed becomes part of the settings.
    pub(super) fn new(mut settings: Settings, pilot: &Pilot) -> Self {
        settings.case_weights = pilot.sampling.case_weights(&settings.case_weights);
        settings.clock_ns = pilot.clock_ns;
        settings.brief_at_start.clone_from(&pilot.sampling.brief);
        Self {
            race: Race::new(settings.clone()),
            settings,
            counted: 0,
        }
    }

    /// Takes out a variant that failed, as if it had never been spoken of: what `finished` says is
    /// counted anew without it, so that it does not matter when it failed.
    pub(super) fn withdraw(&mut self, variant: VariantIndex, finished: &[Replica]) {
        self.settings.withdrawn.push(variant);
        self.settings.basis = Basis::All;
        self.race = Race::new(self.settings.clone());
        self.counted = 0;
        self.count(finished);
    }

    /// Counts those of the finished replicas whose turn it is. Whether others count at all is asked
    /// after each, so that it does not matter when anyone looks.
    pub(super) fn count(&mut self, finished: &[Replica]) {
        while let Some(replica) = finished
            .iter()
            .find(|replica| replica.index == self.counted)
        {
            self.counted += 1;
            self.race.push(replica.clone());
            if self.race.calls_for_solo() {
                self.prefer_solo(finished);
            }
        }
    }

    /// What follows so far.
    pub(super) fn analysis(&mut self) -> Analysis {
        self.race.analysis()
    }

    /// Only replicas that ran alone count from now on.
    fn prefer_solo(&mut self, finished: &[Replica]) {
        self.settings.basis = Basis::Solo;
        self.race = Race::new(self.settings.clone());
        let mut again: Vec<&Replica> = finished
            .iter()
            .filter(|replica| replica.index < self.counted)
            .collect();
        again.sort_by_key(|replica| replica.index);
        for replica in again {
            self.race.push(replica.clone());
        }
    }
}

/// What was declared, before the pilot.
pub(super) fn declare(variants: usize, cases: usize, options: &RaceOptions<'_>) -> Settings {
    let mut settings = Settings::new(variants, cases);
    settings.sizes = options.sizes.to_vec();
    settings.confidence = options.measure.confidence;
    settings.practical = options.measure.practical;
    settings.replicas_max = options.measure.replicas_max;
    settings.margin = options.measure.margin;
    settings.precision = options.measure.precision;
    settings.clocks = options.clocks;
    settings
}

/// Who failed, each once: of one that failed in the race and in the pilot, the race's failure, which
/// was found out later.
pub(super) fn known(dropped: Vec<Dropout>, pilot: &Pilot) -> Vec<Dropout> {
    let mut known: Vec<Dropout> = Vec::new();
    for dropout in dropped.into_iter().chain(pilot.failed.clone()) {
        if known.iter().all(|other| other.variant != dropout.variant) {
            known.push(dropout);
        }
    }
    known
}

/// Calls of guest code that a race rests on, as [`Raced::calls`] counts them.
pub(super) fn calls(pilot: &Pilot, replicas: &[Replica]) -> u64 {
    let samples = replicas.iter().flat_map(|replica| &replica.samples);
    pilot.calls + samples.map(|sample| u64::from(sample.calls)).sum::<u64>()
}

/// Why a race is over that stops for this reason: once every replica ran that may, a longer budget
/// would not bring another, whichever of them count.
pub(super) fn over(reason: StopReason, finished: usize, settings: &Settings) -> StopReason {
    match reason {
        StopReason::Budget if finished >= settings.replicas_max as usize => {
            StopReason::ReplicaLimit
        }
        reason => reason,
    }
}

/// What a race of so many variants found out, from what was kept of it and without running
/// anything. `None` if it did not get as far as its pilot.
pub fn replay(
    variants: usize,
    cases: usize,
    options: &RaceOptions<'_>,
    kept: Kept,
) -> Option<Raced> {
    let pilot = kept.pilot?;
    let mut tally = Tally::new(declare(variants, cases, options), &pilot);
    let failed = known(kept.dropped, &pilot);
    for dropout in &failed {
        tally.withdraw(dropout.variant, &[]);
    }
    let mut replicas = kept.replicas;
    replicas.sort_by_key(|replica| replica.index);
    tally.count(&replicas);
    let analysis = tally.analysis();
    // With nothing left of the budget every race is over; whether it was over before is told apart.
    let nothing = Remaining {
        seconds: 0.0,
        replica_seconds: 1.0,
    };
    let stop = match analysis.next(nothing) {
        Next::Stop(reason) => over(reason, replicas.len(), &tally.settings),
        Next::Run { .. } => StopReason::Budget,
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
