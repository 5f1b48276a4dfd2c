//! The race of the variants that passed the gate, stored replica by replica.

use super::budget::{timing_measure, used_before};
use super::coarse_times::measure_after;
use super::context::runner_error;
use super::error::RunError;
use super::evidence::Evidence;
use super::keys;
use super::leader_ratios::leader_ratios;
use super::options::Interrupt;
use super::race_options::race_options;
use super::session::Run;
use super::standing::Step;
use super::undecided_totals::undecided;
use super::variant_state::{Identity, VariantState};
use bakeoff_domain::measurement::{Overrun, Replica, VariantIndex, race_seconds};
use bakeoff_domain::numbers;
use bakeoff_domain::race::Analysis;
use bakeoff_domain::report::CaseLabel;
use bakeoff_domain::spec::{Criterion, Experiment, Scale, Source};
use bakeoff_domain::variant::Variant;
use bakeoff_domain::verdict::{PairVerdict, Verdict};
use bakeoff_measure::{
    Dropout, Pilot, RaceError, RaceListener, Raced, StoredRace, TimedVariant, Unpiloted,
};
use bakeoff_store::events::{Event, OpenPair, Origin, Stage};
use bakeoff_store::{Key, Owner, RaceId, RunId, Store, StoreError};
use std::collections::BTreeMap;

impl Run<'_> {
    /// Times every variant that passed the gate, and stores the results.
    pub(super) async fn time(&mut self, run: RunId) -> Result<(), RunError> {
        let racing = self.variants.iter().filter(|state| state.races());
        let entries: Vec<Entry> = racing.filter_map(|state| self.entry(state)).collect();
        let measure = self.loaded.experiment.measure;
        self.stage_started(Stage::Measure, measure.replicas_max as usize)?;
        if !entries.is_empty()
            && !are_told_apart_by_nothing(&self.loaded.experiment, &self.variants)
        {
            let key = self.race_key(&entries);
            self.race(entries.clone(), run).await?;
            self.race_elsewhere(run, &key, &entries).await?;
        }
        self.all_tasks_ended()?;
        self.stage_done(Stage::Measure)
    }

    /// Returns the key of the race of these variants.
    fn race_key(&self, entries: &[Entry]) -> Key {
        let ids = entries.iter().map(|one| (&one.variant.id, &one.identity));
        self.keys.race(ids)
    }

    async fn race(&mut self, entries: Vec<Entry>, run: RunId) -> Result<(), RunError> {
        let key = self.race_key(&entries);
        let (mut variants, mut timed) = (Vec::new(), Vec::new());
        for entry in entries {
            variants.push(entry.variant);
            timed.push(entry.timed);
        }
        self.report_changed_race(&key)?;
        let lists = bakeoff_store::RaceLists {
            variants: variants.iter().map(|one| one.id.clone().into()).collect(),
            cases: self.context.cases.iter().map(ToString::to_string).collect(),
        };
        let race = self.store.open_race(&key, &lists)?;
        let mut recorder = RaceRecorder {
            variants: &variants,
            store: &mut self.store,
            run,
            has_totals: has_totals(&self.loaded.experiment),
            key: key.clone(),
            race,
            cases: &self.context.cases,
            interrupt: self.options.interrupt.clone(),
            verdicts: BTreeMap::new(),
            standings: None,
            evidence: None,
        };
        let stored = recorder.stored_race()?;
        let used = self.spent.max(used_before(&stored));
        let measure = timing_measure(&self.loaded.experiment.measure, used);
        let measure = measure_after(&measure, self.coarse.as_ref());
        let options = race_options(
            &self.loaded.experiment,
            &measure,
            (&self.context.cores, used),
            key.digest(),
        );
        let calibrator = self.context.calibrator_code();
        let config = &self.context.config;
        let tasks = self.tasks.driver();
        let raced = bakeoff_measure::race(
            config,
            &timed,
            calibrator,
            &options,
            stored,
            tasks,
            &mut recorder,
        );
        let raced = raced.await.map_err(|error| match error {
            RaceError::Runner(error) => runner_error(self.loaded, error),
            RaceError::Listener(error) => RunError::Store(error),
            RaceError::Interrupted => RunError::Interrupted,
        })?;
        self.keep_end(&key, &variants, &raced).await
    }

    /// Stores results that the replicas do not contain: the failures of variants, and the end of a race without a
    /// pilot. A variant that trapped is run once more in its diagnostic build, for its panic.
    async fn keep_end(
        &mut self,
        key: &Key,
        variants: &[Variant],
        raced: &Raced,
    ) -> Result<(), RunError> {
        let mut dropouts = raced.failed.clone();
        // Before anybody fails: what the others who fail here answer tells something too.
        for dropout in &mut dropouts {
            let (id, call) = (&variants[dropout.variant].id, dropout.calls.last().copied());
            self.explain_unjudged(id, call, &mut dropout.failure)
                .await?;
        }
        let mut failed = Vec::with_capacity(dropouts.len());
        for mut dropout in dropouts {
            let variant = &variants[dropout.variant];
            let calls = std::mem::take(&mut dropout.calls);
            if !calls.is_empty() {
                self.diagnose(&variant.id, &mut dropout.failure, &calls)
                    .await?;
            }
            // The race emitted it when it happened.
            self.apply_silently(Step::DroppedOut(&variant.id, &dropout));
            let owner = Owner::of(variant);
            let key = keys::dropout(key, dropout.variant);
            self.store
                .put(bakeoff_store::ResultKind::Dropout, &key, owner, &dropout)?;
            failed.push(dropout);
        }
        if raced.pilot.is_none() {
            let unpiloted = Unpiloted {
                stop: raced.stop,
                failed,
                calls: raced.calls,
            };
            self.store.put(
                bakeoff_store::ResultKind::Unpiloted,
                key,
                Owner::RUN,
                &unpiloted,
            )?;
        }
        Ok(())
    }

    /// Returns a variant's entry for the race; `None` if the variant is not built.
    pub(super) fn entry(&self, state: &VariantState) -> Option<Entry> {
        let built = state.built.as_ref()?;
        let gate = state.gate.as_ref();
        let timed = TimedVariant {
            timed: built.timed.as_slice().into(),
            our_allocator: built.our_allocator,
            files: state.files.clone(),
            recodes: built.recodes,
            gains_by_state: gate.is_some_and(bakeoff_measure::GateRecord::gains_by_state),
            peak_bytes: gate.map_or(0, bakeoff_measure::GateRecord::peak_bytes),
            fuel: gate.map_or(Vec::new(), bakeoff_measure::GateRecord::fuel),
            gate_cpu_ns: gate.map_or_else(Vec::new, bakeoff_measure::GateRecord::cpu_ns),
        };
        Some(Entry {
            variant: state.variant.clone(),
            identity: state.identity.clone()?,
            timed,
        })
    }
}

/// A variant that takes part in the race.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) variant: Variant,
    pub(super) identity: Identity,
    pub(super) timed: TimedVariant,
}

/// Returns true if timing has no purpose: all variants that may be compared are one component, which ties with itself,
/// and no criterion asks for a time itself.
fn are_told_apart_by_nothing(experiment: &Experiment, variants: &[VariantState]) -> bool {
    let contenders = variants.iter().filter(|state| state.is_contender());
    let racing = contenders.clone().filter(|state| state.races()).count();
    let by_ties = |criterion: &Criterion| match criterion.source {
        Source::Time | Source::Wall => {
            criterion.gate.is_none() && matches!(criterion.scale, Scale::Ratio { .. })
        }
        Source::Growth | Source::ColdStart => false,
        _ => true,
    };
    let mut evaluators = experiment.evaluators.iter();
    racing == 1
        && contenders.count() > 1
        && experiment.criteria.iter().all(by_ties)
        && evaluators.all(|one| !one.needs().samples)
}

/// Returns true if more than one criterion counts.
fn has_totals(experiment: &Experiment) -> bool {
    let counting = experiment.criteria.iter().filter(|one| one.weight > 0.0);
    counting.count() > 1
}

/// A listener that stores the events of a race, and emits them.
struct RaceRecorder<'a> {
    store: &'a mut Store,
    run: RunId,
    /// True if a total is more than the score of one criterion.
    has_totals: bool,
    key: Key,
    race: RaceId,
    /// The variants of the race: its indexes point into this list.
    variants: &'a [Variant],
    cases: &'a [CaseLabel],
    interrupt: Interrupt,
    /// The last verdict that was emitted on a pair, by variants and case (`None` for all cases).
    verdicts: BTreeMap<(usize, usize, Option<usize>), Verdict>,
    /// The standings that were emitted last.
    standings: Option<Event>,
    /// The stored evidence of the run, once it was needed; `None` again after a change that it lacks.
    evidence: Option<Evidence>,
}

/// The largest number of open pairs that the standings name.
const OPEN_PAIRS_MAX: usize = 2;

impl RaceRecorder<'_> {
    /// Returns the part of the race that an earlier session stored.
    fn stored_race(&mut self) -> Result<StoredRace, StoreError> {
        let mut stored = StoredRace {
            pilot: self
                .store
                .get(bakeoff_store::ResultKind::Pilot, &self.key, Owner::RUN)?,
            ..StoredRace::default()
        };
        if stored.pilot.is_none() {
            return Ok(stored);
        }
        stored.replicas = self.store.replicas(self.race)?;
        stored.seconds = race_seconds(&stored.replicas);
        for (place, variant) in self.variants.iter().enumerate() {
            let (key, owner) = (keys::dropout(&self.key, place), Owner::of(variant));
            let dropout: Option<Dropout> =
                self.store
                    .get(bakeoff_store::ResultKind::Dropout, &key, owner)?;
            stored.dropped.extend(dropout);
            let key = keys::overrun(&self.key, place);
            let overrun: Option<Overrun> =
                self.store
                    .get(bakeoff_store::ResultKind::Overrun, &key, owner)?;
            stored.overruns.extend(overrun);
        }
        for replica in &stored.replicas {
            let event = replica_event(replica, Origin::Kept, self.variants.len());
            self.store.emit(event)?;
        }
        Ok(stored)
    }

    fn id(&self, index: usize) -> String {
        self.variants[index].id.as_str().to_owned()
    }

    fn standings(&self, analysis: &Analysis) -> Event {
        let is_open = |pair: &&PairVerdict| pair.verdict == Verdict::NoCall;
        let unbeaten = |index: &usize| analysis.unbeaten.contains(index);
        let open = analysis.overall.iter().filter(is_open);
        let open = open.filter(|pair| unbeaten(&pair.a) && unbeaten(&pair.b));
        let decided = analysis.overall.iter().filter(|pair| !is_open(pair));
        Event::Standings {
            replicas: analysis.replicas,
            decided: decided.count() as u32,
            pairs: analysis.overall.len() as u32,
            unbeaten: (analysis.unbeaten.iter().map(|one| self.id(*one))).collect(),
            open: open
                .take(OPEN_PAIRS_MAX)
                .map(|pair| OpenPair {
                    a: self.id(pair.a),
                    b: self.id(pair.b),
                    ratio: pair.interval,
                })
                .collect(),
        }
    }

    fn on_verdict(&mut self, pair: &PairVerdict) -> Result<(), StoreError> {
        let about = (pair.a, pair.b, pair.case);
        let before = self.verdicts.insert(about, pair.verdict);
        if before == Some(pair.verdict) || (before.is_none() && pair.verdict == Verdict::NoCall) {
            return Ok(());
        }
        self.store.emit(Event::VerdictChanged {
            a: self.id(pair.a),
            b: self.id(pair.b),
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

impl RaceListener for RaceRecorder<'_> {
    type Error = StoreError;

    fn on_pilot(&mut self, pilot: &Pilot) -> Result<(), StoreError> {
        self.store.put(
            bakeoff_store::ResultKind::Pilot,
            &self.key,
            Owner::RUN,
            pilot,
        )?;
        self.store.emit(Event::PilotComplete {
            origin: Origin::New,
            blocks: pilot.sampling.blocks,
        })?;
        Ok(())
    }

    fn on_replica(&mut self, replica: &Replica) -> Result<(), StoreError> {
        self.store.put_replica(self.race, replica)?;
        if let Some(evidence) = &mut self.evidence {
            let is_before = |other: &Replica| other.index < replica.index;
            let place = evidence.replicas.partition_point(is_before);
            evidence.replicas.insert(place, replica.clone());
        }
        let live = replica.cold_ns.iter().flatten().count();
        self.store.emit(replica_event(replica, Origin::New, live))?;
        Ok(())
    }

    fn on_analysis(&mut self, analysis: &Analysis, _live: usize) -> Result<(), StoreError> {
        let mut pairs = analysis.overall.iter().chain(&analysis.by_case);
        pairs.try_for_each(|pair| self.on_verdict(pair))?;
        let standings = self.standings(analysis);
        if self.standings.as_ref() != Some(&standings) {
            self.store.emit(standings.clone())?;
            self.standings = Some(standings);
        }
        if let Some(ratios) = leader_ratios(analysis, |index| self.id(index)) {
            self.store.emit(ratios)?;
        }
        Ok(())
    }

    fn undecided(&mut self, analysis: &Analysis) -> Result<Vec<VariantIndex>, StoreError> {
        if self.variants.len() < 2 || !self.has_totals {
            return Ok(Vec::new());
        }
        let evidence = match self.evidence.take() {
            Some(evidence) => evidence,
            None => Evidence::read(self.store, self.run, self.store.spent_seconds())?,
        };
        let found = undecided(&evidence, self.variants, analysis);
        self.evidence = Some(evidence);
        Ok(found)
    }

    fn on_dropout(&mut self, dropout: &Dropout, index: u32) -> Result<(), StoreError> {
        self.evidence = None;
        let variant = &self.variants[dropout.variant];
        self.store.put(
            bakeoff_store::ResultKind::Dropout,
            &keys::dropout(&self.key, dropout.variant),
            Owner::of(variant),
            dropout,
        )?;
        let id = self.id(dropout.variant);
        self.store.emit(Event::VariantFailed {
            variant_id: id.clone(),
            failure: dropout.failure.clone(),
        })?;
        let reason = format!("{id}: {}", dropout.failure.message);
        self.store.emit(Event::ReplicaDiscarded { index, reason })?;
        Ok(())
    }

    fn on_overrun(&mut self, overrun: &Overrun, index: u32) -> Result<(), StoreError> {
        self.evidence = None;
        let variant = &self.variants[overrun.variant];
        let key = keys::overrun(&self.key, overrun.variant);
        self.store.put(
            bakeoff_store::ResultKind::Overrun,
            &key,
            Owner::of(variant),
            overrun,
        )?;
        let reason = format!(
            "a sample of {} took more than {}, far longer than was predicted: it goes on in processes of its own",
            self.id(overrun.variant),
            numbers::reading(overrun.wall_ns as f64, "ns"),
        );
        self.on_discarded(index, &reason)
    }

    fn on_discarded(&mut self, index: u32, reason: &str) -> Result<(), StoreError> {
        let reason = reason.to_owned();
        self.store.emit(Event::ReplicaDiscarded { index, reason })?;
        Ok(())
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.is_raised()
    }
}
