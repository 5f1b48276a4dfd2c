//! The race of those who passed the gate, kept replica by replica.

use super::{Candidate, Interrupt, Run, RunError};
use crate::events::{Event, Origin, Stage};
use crate::measure::{
    self, Contender, Dropout, Instances, Kept, Listener, Pilot, RaceError, RaceOptions, Raced,
};
use crate::store::{self, Key, Owner, RaceId, Store, StoreError};
use bakeoff_domain::measurement::Replica;
use bakeoff_domain::race::Analysis;
use bakeoff_domain::report::CaseLabel;
use bakeoff_domain::spec::{Experiment, Source, State};
use bakeoff_domain::verdict::{PairVerdict, Verdict};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A race, with the candidates behind its variants.
pub(super) struct Timed {
    /// By variant of the race: the index of its candidate.
    pub(super) racers: Vec<usize>,
    /// What came of it.
    pub(super) raced: Raced,
}

impl Run<'_> {
    /// Times everyone who is right. `None` if nobody is.
    pub(super) async fn time(&mut self) -> Result<Option<Timed>, RunError> {
        let racers = Candidate::racing(&self.candidates);
        let measure = self.loaded.experiment.measure;
        self.stage(Stage::Measure, measure.replicas_max as usize)?;
        if racers.is_empty() {
            self.stage_done(Stage::Measure)?;
            return Ok(None);
        }
        let contenders: Vec<Contender> =
            racers.iter().map(|index| self.contender(*index)).collect();
        let digests: Vec<String> = racers
            .iter()
            .zip(&contenders)
            .map(|(index, contender)| {
                let identity = self.candidates[*index].identity().unwrap_or_default();
                format!("{identity} {:?}", contender.instances)
            })
            .collect();
        let key = self.keys.race(&digests);
        self.tell_changed_race(&key)?;
        let ids: Vec<String> = racers
            .iter()
            .map(|index| self.candidates[*index].id.clone())
            .collect();
        let labels = self
            .workshop
            .cases
            .iter()
            .map(ToString::to_string)
            .collect();
        let race = self.store.open_race(
            &key,
            &store::Race {
                variants: ids.clone(),
                cases: labels,
            },
        )?;
        let mut keeper = Keeper {
            kept: Kept::default(),
            store: &mut self.store,
            key: key.clone(),
            race,
            ids,
            cases: &self.workshop.cases,
            interrupt: self.options.interrupt.clone(),
            verdicts: BTreeMap::new(),
        };
        let kept = keeper.recall()?;
        let sizes: Vec<u32> = self.workshop.cases.iter().filter_map(size).collect();
        let options = RaceOptions {
            measure: &measure,
            cores: &self.workshop.cores,
            sizes: &sizes,
            clocks: clocks(&self.loaded.experiment),
        };
        let calibrator = self.workshop.calibrator_code();
        let setting = &self.workshop.setting;
        let raced = measure::race(
            setting,
            &contenders,
            calibrator,
            &options,
            kept,
            &mut keeper,
        )
        .await;
        let raced = raced.map_err(|error| match error {
            RaceError::Runner(error) => self.runner_error(error),
            RaceError::Listener(error) => RunError::Store(error),
            RaceError::Interrupted => RunError::Interrupted,
        })?;
        self.trials += raced.calls;
        for dropout in &raced.failed {
            self.dropped_out(racers[dropout.variant], &key, dropout)
                .await?;
        }
        self.stage_done(Stage::Measure)?;
        Ok(Some(Timed { racers, raced }))
    }

    /// A variant failed while it was timed: if it trapped, it is asked for its panic, once.
    async fn dropped_out(
        &mut self,
        index: usize,
        key: &Key,
        dropout: &Dropout,
    ) -> Result<(), RunError> {
        let mut told = Dropout {
            calls: Vec::new(),
            ..dropout.clone()
        };
        if !dropout.calls.is_empty() {
            self.diagnose(index, &mut told.failure, &dropout.calls)
                .await;
            let owner = Owner {
                variant: &self.candidates[index].id,
                iteration: 1,
            };
            self.store.keep(store::Kind::Dropout, key, owner, &told)?;
        }
        self.candidates[index].failure = Some(told.failure);
        Ok(())
    }

    fn contender(&self, index: usize) -> Contender {
        let candidate = &self.candidates[index];
        let pure = candidate
            .gate
            .as_ref()
            .is_none_or(measure::GateRecord::is_pure);
        let instances = match (pure, self.loaded.experiment.measure.state) {
            (true, _) | (_, State::Kept) => Instances::Kept,
            (false, State::Pure) => Instances::Fresh,
        };
        let timed: Arc<[Vec<u8>]> = candidate
            .built
            .as_ref()
            .map_or_else(|| Arc::from([]), |built| built.timed.as_slice().into());
        Contender {
            timed,
            files: candidate.files.clone(),
            instances,
        }
    }
}

/// What a race of so many variants found out, from what was kept of it.
pub(super) fn replay(
    experiment: &Experiment,
    cases: &[CaseLabel],
    variants: usize,
    kept: Kept,
) -> Option<Raced> {
    let sizes: Vec<u32> = cases.iter().filter_map(size).collect();
    let options = RaceOptions {
        measure: &experiment.measure,
        cores: &[],
        sizes: &sizes,
        clocks: clocks(experiment),
    };
    measure::replay(variants, cases.len(), &options, kept)
}

/// Verdicts are given by CPU time, and by wall time where a criterion asks for it.
fn clocks(experiment: &Experiment) -> u32 {
    let mut criteria = experiment.criteria.iter();
    1 + u32::from(criteria.any(|criterion| criterion.source == Source::Wall))
}

fn size(case: &CaseLabel) -> Option<u32> {
    match case {
        CaseLabel::Size(size) => Some(*size),
        CaseLabel::Call(_) => None,
    }
}

/// Keeps what happens in a race, and tells of it.
struct Keeper<'a> {
    kept: Kept,
    store: &'a mut Store,
    key: Key,
    race: RaceId,
    ids: Vec<String>,
    cases: &'a [CaseLabel],
    interrupt: Interrupt,
    /// What was last said about a pair, all cases or one.
    verdicts: BTreeMap<(usize, usize, Option<usize>), Verdict>,
}

impl Keeper<'_> {
    /// What an earlier session found out.
    fn recall(&mut self) -> Result<Kept, StoreError> {
        let mut kept = std::mem::take(&mut self.kept);
        kept.pilot = self
            .store
            .recall(store::Kind::Pilot, &self.key, Owner::RUN)?;
        if kept.pilot.is_none() {
            return Ok(kept);
        }
        kept.replicas = self.store.replicas(self.race)?;
        let ends = kept
            .replicas
            .iter()
            .map(|replica| replica.surroundings.started_s + replica.surroundings.seconds);
        kept.seconds = ends.fold(0.0, f64::max);
        for variant in &self.ids {
            let owner = Owner {
                variant,
                iteration: 1,
            };
            let dropout: Option<Dropout> =
                self.store.recall(store::Kind::Dropout, &self.key, owner)?;
            kept.dropped.extend(dropout);
        }
        for replica in &kept.replicas {
            self.store
                .emit(replica_event(replica, Origin::Kept, self.ids.len()))?;
        }
        Ok(kept)
    }

    fn changed(&mut self, pair: &PairVerdict) -> Result<(), StoreError> {
        let before = self
            .verdicts
            .insert((pair.a, pair.b, pair.case), pair.verdict);
        if before == Some(pair.verdict) || (before.is_none() && pair.verdict == Verdict::NoCall) {
            return Ok(());
        }
        self.store.emit(Event::VerdictChanged {
            a: self.ids[pair.a].clone(),
            b: self.ids[pair.b].clone(),
            case: pair.case.and_then(|case| self.cases.get(case).cloned()),
            verdict: pair.verdict,
            ratio: pair.interval.ratio,
            low: pair.interval.low,
            high: pair.interval.high,
            replicas: pair.replicas,
        })?;
        Ok(())
    }
}

fn replica_event(replica: &Replica, origin: Origin, live: usize) -> Event {
    Event::ReplicaComplete {
        index: replica.index,
        origin,
        samples: replica.samples.len() as u64,
        seconds: replica.surroundings.seconds,
        live: live as u32,
    }
}

impl Listener for Keeper<'_> {
    type Error = StoreError;

    fn piloted(&mut self, pilot: &Pilot) -> Result<(), StoreError> {
        self.store
            .keep(store::Kind::Pilot, &self.key, Owner::RUN, pilot)?;
        self.store.emit(Event::PilotComplete {
            origin: Origin::New,
            blocks: pilot.sampling.blocks,
        })?;
        Ok(())
    }

    fn finished(&mut self, replica: &Replica) -> Result<(), StoreError> {
        self.store.keep_replica(self.race, replica)?;
        let live = replica.cold_ns.iter().flatten().count();
        self.store.emit(replica_event(replica, Origin::New, live))?;
        Ok(())
    }

    fn analysed(&mut self, analysis: &Analysis, _live: usize) -> Result<(), StoreError> {
        analysis
            .overall
            .iter()
            .chain(&analysis.by_case)
            .try_for_each(|pair| self.changed(pair))
    }

    fn dropped(&mut self, dropout: &Dropout, index: u32) -> Result<(), StoreError> {
        let id = self.ids[dropout.variant].clone();
        let failure = &dropout.failure;
        self.store.keep(
            store::Kind::Dropout,
            &self.key,
            Owner {
                variant: &id,
                iteration: 1,
            },
            dropout,
        )?;
        self.store.emit(Event::VariantFailed {
            variant_id: id.clone(),
            failure: failure.clone(),
        })?;
        let reason = format!("{id}: {}", failure.message);
        self.store.emit(Event::ReplicaDiscarded { index, reason })?;
        Ok(())
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.is_raised()
    }
}
