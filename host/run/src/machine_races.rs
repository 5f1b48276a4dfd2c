//! Races on machines of other kinds than that of the run: each a race of its own with the whole protocol, on one machine from
//! its first replica to its last.
//!
//! The race is driven here as any other, by the same rules, and only its replicas run there. They run once the race of this
//! machine is over, those of several kinds side by side: what arrives from them would take time from what is timed here.

use super::elsewhere::RemoteWorkers;
use super::error::RunError;
use super::evidence::{KeptMachineRace, MachineOutcome, RaceRecord};
use super::keys;
use super::machine_verdicts::is_readable;
use super::options::Interrupt;
use super::race::Entry;
use super::race_options::race_options;
use super::session::Run;
use bakeoff_confine::tasks::Driver;
use bakeoff_domain::measurement::{Overrun, Replica};
use bakeoff_domain::queue::Capacity;
use bakeoff_domain::race::Analysis;
use bakeoff_domain::report::KINDS_MAX;
use bakeoff_domain::spec::{Experiment, RaceMachines, Workers};
use bakeoff_measure::{
    Dropout, Pilot, RaceError, RaceListener, Raced, ReplicaClient, RunnerConfig, StoredRace,
    TimedVariant, Unpiloted,
};
use bakeoff_store::events::Event;
use bakeoff_store::{Key, Owner, RaceLists, ResultKind, RunId, StoredResult};
use bakeoff_workers::{MachineName, Racer};
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::time::timeout;

/// The most machines of a kind that are asked for its race, one after the other.
const MACHINES_OF_KIND_MAX: usize = 3;

/// The most replicas that are measured at once on a machine.
const CORES_MAX: u32 = 64;

/// The factor by which a race elsewhere may exceed its budget, and the time that it may take besides: for sending and
/// compiling, and for calls that nobody could foresee.
const PATIENCE_FACTOR: u32 = 2;
const PATIENCE_BESIDE: Duration = Duration::from_secs(600);

/// The longest text of a machine that is kept, in characters.
const TEXT_CHARS_MAX: usize = 1_000;

impl Run<'_> {
    /// Races the same variants on one machine of each other kind, if the experiment asks for that. Races that an earlier
    /// session kept stay as they are.
    pub(super) async fn race_elsewhere(
        &mut self,
        run: RunId,
        race: &Key,
        entries: &[Entry],
    ) -> Result<(), RunError> {
        let experiment = &self.loaded.experiment;
        let Some(workers) = self.context.workers.clone() else {
            return Ok(());
        };
        if experiment.measure.machines != RaceMachines::Each {
            return Ok(());
        }
        let before: Vec<StoredResult<KeptMachineRace>> =
            self.store.results(run, ResultKind::MachineRace)?;
        let mut kept_elsewhere = KeptPlaces(
            before
                .iter()
                .map(|one| (one.key.clone(), one.iteration))
                .collect(),
        );
        let timed: Vec<TimedVariant> = entries
            .iter()
            .map(|one| without_times(&one.timed))
            .collect();
        let config = RunnerConfig {
            elsewhere: true,
            ..self.context.config.clone()
        };
        let race_of_kind = RaceOfKind {
            workers: &workers,
            experiment,
            config: &config,
            timed: &timed,
            calibrator: self.context.calibrator_code(),
            interrupt: self.options.interrupt.clone(),
            race,
            lists: RaceLists {
                variants: entries
                    .iter()
                    .map(|one| one.variant.id.clone().into())
                    .collect(),
                cases: self.context.cases.iter().map(ToString::to_string).collect(),
            },
        };
        let mut under_way: Vec<UnderWay<'_>> = Vec::new();
        for kind in workers.other_kinds().into_iter().take(KINDS_MAX) {
            let facts = &kind[0].facts;
            let key = keys::machine_race(race, &facts.cpu, &facts.engine);
            let place = kept_elsewhere.of(&key);
            if place as usize > KINDS_MAX {
                break;
            }
            let known: Option<KeptMachineRace> =
                self.store
                    .get(ResultKind::MachineRace, &key, owner(place))?;
            if known.is_some_and(|known| known.has_raced()) {
                continue;
            }
            let cpu = facts.cpu.clone();
            self.store.emit(Event::Warning {
                message: format!("racing also on {cpu} (worker {})", kind[0].machine),
            })?;
            let raced = race_of_kind.run(kind[0].clone());
            under_way.push(Some(Box::pin(async move { (key, place, raced.await) })));
        }
        while let Some((key, place, raced)) = next_of(&mut under_way).await {
            let kept = raced?;
            self.store
                .put(ResultKind::MachineRace, &key, owner(place), &kept)?;
            self.store.emit(Event::Warning {
                message: kept.news(),
            })?;
            self.refuse_if_interrupted()?;
        }
        Ok(())
    }
}

/// Something that is waited for, as long as it has not ended.
type AwaitedFuture<'a, T> = Option<Pin<Box<dyn Future<Output = T> + 'a>>>;

/// A race of a kind that is under way, with its key and its place among the results.
type UnderWay<'a> = AwaitedFuture<'a, (Key, u32, Result<KeptMachineRace, RunError>)>;

/// Waits for the next of these that ends; `None` once all have.
async fn next_of<T>(under_way: &mut [AwaitedFuture<'_, T>]) -> Option<T> {
    poll_fn(|context| {
        let mut is_any = false;
        for slot in under_way.iter_mut() {
            let Some(future) = slot else { continue };
            is_any = true;
            if let Poll::Ready(ended) = future.as_mut().poll(context) {
                *slot = None;
                return Poll::Ready(Some(ended));
            }
        }
        if is_any {
            Poll::Pending
        } else {
            Poll::Ready(None)
        }
    })
    .await
}

/// The places of races among the results of a run: one for each kind, which it keeps.
struct KeptPlaces(Vec<(String, u32)>);

impl KeptPlaces {
    fn of(&mut self, key: &Key) -> u32 {
        let known = self.0.iter().find(|(known, _)| known == key.digest());
        if let Some((_, place)) = known {
            return *place;
        }
        let place = 1 + self.0.iter().map(|(_, place)| *place).max().unwrap_or(0);
        self.0.push((key.digest().to_owned(), place));
        place
    }
}

fn owner(place: u32) -> Owner<'static> {
    Owner {
        iteration: place,
        ..Owner::RUN
    }
}

/// Returns a variant without the times of its calls in the gate: they are those of another machine.
fn without_times(timed: &TimedVariant) -> TimedVariant {
    TimedVariant {
        gate_cpu_ns: Vec::new(),
        ..timed.clone()
    }
}

/// All that the races of other kinds share.
struct RaceOfKind<'a> {
    workers: &'a RemoteWorkers,
    experiment: &'a Experiment,
    config: &'a RunnerConfig,
    timed: &'a [TimedVariant],
    calibrator: &'a [u8],
    interrupt: Interrupt,
    race: &'a Key,
    lists: RaceLists,
}

impl RaceOfKind<'_> {
    /// Has a machine of the kind of this one do the race, beginning with this one. Where it is lost, the race is begun anew on
    /// another one: nothing of a race that did not end is kept.
    async fn run(&self, first: Racer) -> Result<KeptMachineRace, RunError> {
        let mut tried: Vec<(MachineName, u64)> = Vec::new();
        let mut racer = first;
        loop {
            let outcome = self.on(&racer).await?;
            tried.push((racer.machine.clone(), racer.facts.start));
            let next = match &outcome {
                MachineOutcome::Raced { .. } => None,
                MachineOutcome::LeftOut(_) if tried.len() >= MACHINES_OF_KIND_MAX => None,
                MachineOutcome::LeftOut(_) => self.another(&racer, &tried),
            };
            let Some(another) = next else {
                return Ok(KeptMachineRace {
                    machine: racer.machine.to_string(),
                    cpu: racer.facts.cpu.clone(),
                    engine: racer.facts.engine.clone(),
                    cores: self.cores(&racer),
                    outcome,
                });
            };
            racer = another;
        }
    }

    /// Returns a machine of the same kind that was not tried; a worker that was started again is another one.
    fn another(&self, racer: &Racer, tried: &[(MachineName, u64)]) -> Option<Racer> {
        let mut kinds = self.workers.other_kinds().into_iter();
        let kind = kinds.find(|kind| kind[0].facts.is_same_kind(&racer.facts))?;
        let is_new = |one: &Racer| {
            !tried
                .iter()
                .any(|(machine, start)| *machine == one.machine && *start == one.facts.start)
        };
        kind.into_iter().find(is_new)
    }

    /// Returns the number of replicas that are measured at once.
    fn cores(&self, racer: &Racer) -> u32 {
        let most = match self.experiment.measure.workers {
            Workers::Auto => CORES_MAX,
            Workers::Exactly(cores) => cores,
        };
        racer.facts.cores.clamp(1, most.min(CORES_MAX))
    }

    /// Has a machine do the race.
    ///
    /// # Errors
    /// The user asked to stop.
    async fn on(&self, racer: &Racer) -> Result<MachineOutcome, RunError> {
        let config = RunnerConfig {
            worker: self.workers.race_link(racer),
            ..self.config.clone()
        };
        let cores: Vec<usize> = (0..self.cores(racer) as usize).collect();
        let measure = &self.experiment.measure;
        let key = keys::machine_race(self.race, &racer.facts.cpu, &racer.facts.engine);
        let key = format!(
            "{} on {} {}",
            key.digest(),
            racer.machine,
            racer.facts.start
        );
        let options = race_options(self.experiment, measure, (&cores, Duration::ZERO), &key);
        let mut listener = OverrunListener {
            interrupt: self.interrupt.clone(),
            overruns: Vec::new(),
        };
        let capacity = Capacity::of_cores(cores.iter().copied());
        let mut tasks = Driver::new(capacity, Arc::new(ReplicaClient));
        let race = bakeoff_measure::race(
            &config,
            self.timed,
            self.calibrator,
            &options,
            StoredRace::default(),
            &mut tasks,
            &mut listener,
        );
        let patience = measure.budget.saturating_mul(PATIENCE_FACTOR) + PATIENCE_BESIDE;
        let raced = tokio::select! {
            raced = timeout(patience, race) => raced,
            () = self.interrupt.raised() => return Err(RunError::Interrupted),
        };
        Ok(match raced {
            Ok(Ok(raced)) => self.outcome(raced, listener.overruns),
            Ok(Err(RaceError::Interrupted)) => return Err(RunError::Interrupted),
            Ok(Err(RaceError::Runner(error))) => MachineOutcome::LeftOut(cut(&error.to_string())),
            Ok(Err(RaceError::Listener(error))) => match error {},
            Err(_) => MachineOutcome::LeftOut(format!(
                "its race had not ended after {} s",
                patience.as_secs()
            )),
        })
    }

    /// Returns the outcome of a race that ended, as it is kept.
    fn outcome(&self, raced: Raced, overruns: Vec<Overrun>) -> MachineOutcome {
        let dropouts: Vec<Dropout> = raced.failed.iter().map(without_calls).collect();
        let unpiloted = raced.pilot.is_none().then(|| Unpiloted {
            stop: raced.stop,
            failed: dropouts.clone(),
            calls: raced.calls,
        });
        let pilot = raced.pilot.map(|pilot| Pilot {
            failed: pilot.failed.iter().map(without_calls).collect(),
            ..pilot
        });
        let race = RaceRecord {
            lists: self.lists.clone(),
            pilot,
            unpiloted,
            dropouts,
            overruns,
            seed: Some(self.config.seed.to_string()),
        };
        let outcome = MachineOutcome::Raced {
            race: Box::new(race),
            replicas: raced.replicas,
        };
        if is_readable(&outcome) {
            outcome
        } else {
            MachineOutcome::LeftOut("some of its figures are no numbers".to_owned())
        }
    }
}

/// Returns a failure as it is kept: the calls behind it are not made again here, and its texts are those of another machine.
fn without_calls(dropout: &Dropout) -> Dropout {
    let mut failure = dropout.failure.clone();
    failure.message = cut(&failure.message);
    failure.limit = failure.limit.map(|limit| cut(&limit));
    Dropout {
        variant: dropout.variant,
        failure,
        calls: Vec::new(),
        failed_call: None,
    }
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT_CHARS_MAX).collect()
}

/// A listener that keeps the overruns of a race, and stores nothing: a race that does not end leaves nothing.
struct OverrunListener {
    interrupt: Interrupt,
    overruns: Vec<Overrun>,
}

impl RaceListener for OverrunListener {
    type Error = Infallible;

    fn on_pilot(&mut self, _pilot: &Pilot) -> Result<(), Infallible> {
        Ok(())
    }

    fn on_replica(&mut self, _replica: &Replica) -> Result<(), Infallible> {
        Ok(())
    }

    fn on_analysis(&mut self, _analysis: &Analysis, _live: usize) -> Result<(), Infallible> {
        Ok(())
    }

    fn on_dropout(&mut self, _dropout: &Dropout, _index: u32) -> Result<(), Infallible> {
        Ok(())
    }

    fn on_overrun(&mut self, overrun: &Overrun, _index: u32) -> Result<(), Infallible> {
        self.overruns.push(*overrun);
        Ok(())
    }

    fn on_discarded(&mut self, _index: u32, _reason: &str) -> Result<(), Infallible> {
        Ok(())
    }

    fn is_interrupted(&self) -> bool {
        self.interrupt.is_raised()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_keeps_its_place_and_a_new_one_gets_another() {
        let key = |name: &str| Key::new([("kind", name)]);
        let mut places = KeptPlaces(vec![(key("arm").digest().to_owned(), 2)]);
        assert_eq!(places.of(&key("arm")), 2);
        assert_eq!(places.of(&key("amd")), 3);
        assert_eq!(places.of(&key("intel")), 4);
        assert_eq!(places.of(&key("amd")), 3);
    }

    #[tokio::test]
    async fn the_first_that_ends_is_returned_first_and_all_are() {
        let after = |milliseconds: u64| -> AwaitedFuture<'_, u64> {
            Some(Box::pin(async move {
                for _ in 0..milliseconds {
                    tokio::task::yield_now().await;
                }
                milliseconds
            }))
        };
        let mut under_way = [after(30), after(10), after(20)];
        let mut ended = Vec::new();
        while let Some(one) = next_of(&mut under_way).await {
            ended.push(one);
        }
        assert_eq!(ended, [10, 20, 30]);
    }
}
