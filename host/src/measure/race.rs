//! The parent's side of the race. Replicas run side by side, one for each core, and verdicts are
//! computed after each. A variant that is beaten leaves; one that fails leaves at once, and its
//! replica runs again without it.

use super::deaths::{AfterDeath, Deaths};
use super::launch::{Finished, ReplicaEnd, group_max};
use super::pilot;
use super::race_types::{
    Dropout, Pilot, RaceOptions, Raced, STALLS_MAX, StoredRace, TimedVariant, layouts,
    with_all_who_disagree,
};
use super::replica_worker::{RaceShared, ReplicaAnswer, ReplicaJob};
use super::runner_config::RunnerConfig;
use super::tally::{self, Tally, declare};
use super::watch::RunnerError;
use crate::tasks::{Driver, TaskEvent, Worker};
use bakeoff_domain::measurement::{Replica, VariantIndex};
use bakeoff_domain::plan::{self, Correction, Isolation, LiveVariant, ReplicaSpec, ReplicaStage};
use bakeoff_domain::queue::{Cpu, Needs, Task, TaskKey};
use bakeoff_domain::race::{Analysis, Basis, ClaimScope, NextReplica, NextStep, StopReason};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The lease of a replica. Whoever watches its runner knows stalls of the machine and says how it ended, so
/// the lease is longer than any stall.
const LEASE: Duration = Duration::from_secs(24 * 3600);

/// A receiver of a race's events, which stores them.
pub trait RaceListener: Send {
    /// The error of storing an event, which stops the race.
    type Error: Send;
    /// Receives the pilot once it is done.
    fn on_pilot(&mut self, pilot: &Pilot) -> Result<(), Self::Error>;
    /// Receives each replica once it is done.
    fn on_replica(&mut self, replica: &Replica) -> Result<(), Self::Error>;
    /// Receives the analysis of the replicas so far, and the number of variants still in the race.
    fn on_analysis(&mut self, analysis: &Analysis, live: usize) -> Result<(), Self::Error>;
    /// Receives the failure of a variant; the replica with this index is run again without it.
    fn on_dropout(&mut self, dropout: &Dropout, index: u32) -> Result<(), Self::Error>;
    /// Receives the reason why the replica with this index is run again, by which nobody fails.
    fn on_discarded(&mut self, index: u32, reason: &str) -> Result<(), Self::Error>;
    /// Returns true if the user asked to stop.
    fn is_interrupted(&self) -> bool;
}

/// The reason why a race has no result.
#[derive(Debug)]
pub enum RaceError<E> {
    /// A runner could not do its work.
    Runner(RunnerError),
    /// The listener could not store an event.
    Listener(E),
    /// The user asked to stop.
    Interrupted,
}

impl<E> From<RunnerError> for RaceError<E> {
    fn from(error: RunnerError) -> Self {
        Self::Runner(error)
    }
}

/// Times variants against each other until there is a verdict or the budget ends. Each replica is a task of
/// the queue that `tasks` drives; no other task of it may be open.
///
/// # Errors
/// A runner could not be started, the workload failed, or the listener did.
pub async fn race<L: RaceListener, W>(
    config: &RunnerConfig,
    timed_variants: &[TimedVariant],
    calibrator: &[u8],
    options: &RaceOptions<'_>,
    stored: StoredRace,
    tasks: &mut Driver<W>,
    listener: &mut L,
) -> Result<Raced, RaceError<L::Error>>
where
    W: Worker<Task: From<ReplicaJob>, Answer: TryInto<ReplicaAnswer>>,
{
    let started = Instant::now();
    let settings = declare(timed_variants.len(), config.inputs.cases(), options);
    let pilot = match stored.pilot {
        Some(pilot) => pilot,
        None => {
            let threshold = settings.threshold(ClaimScope::AllCases);
            match pilot::pilot(config, timed_variants, calibrator, options, threshold).await? {
                Ok(pilot) => {
                    listener.on_pilot(&pilot).map_err(RaceError::Listener)?;
                    pilot
                }
                Err(over) => return Ok(Raced::without_pilot(over)),
            }
        }
    };
    let mut driver = RaceDriver {
        config,
        timed_variants: timed_variants.to_vec().into(),
        calibrator: calibrator.into(),
        options,
        tally: Tally::new(settings, &pilot),
        failed: Vec::new(),
        replicas: Vec::new(),
        next: 0,
        again: VecDeque::new(),
        deaths: Deaths::default(),
        stalls: 0,
        started,
        before: Duration::from_secs_f64(stored.seconds.max(0.0)),
        correction: Correction::default(),
        listener,
        pilot,
    };
    driver.resume(stored.replicas, stored.dropped);
    let stop = driver.run(tasks).await?;
    let stop = tally::over(stop, driver.replicas.len(), &driver.tally.settings);
    let analysis = driver.tally.analysis();
    driver.replicas.sort_by_key(|replica| replica.index);
    Ok(Raced {
        analysis: Some(analysis),
        calls: tally::calls(&driver.pilot, &driver.replicas),
        replicas: driver.replicas,
        failed: driver.failed,
        stop,
        pilot: Some(driver.pilot),
    })
}

/// A race in progress.
struct RaceDriver<'a, L> {
    config: &'a RunnerConfig,
    timed_variants: Arc<[TimedVariant]>,
    calibrator: Arc<[u8]>,
    options: &'a RaceOptions<'a>,
    tally: Tally,
    pilot: Pilot,
    replicas: Vec<Replica>,
    failed: Vec<Dropout>,
    next: u32,
    again: VecDeque<u32>,
    deaths: Deaths,
    stalls: u32,
    started: Instant,
    /// The time that was measured in earlier sessions.
    before: Duration,
    correction: Correction,
    listener: &'a mut L,
}

/// A replica that was launched.
struct Launched {
    index: u32,
    predicted_seconds: f64,
}

/// The replicas that are being run, each a task of its own.
struct UnderWay<'a, W: Worker> {
    driver: &'a mut Driver<W>,
    race: Arc<RaceShared>,
    /// What tells these tasks from those of any other race.
    key: Arc<str>,
    replicas: BTreeMap<TaskKey, Launched>,
    launches: u64,
}

impl<W> UnderWay<'_, W>
where
    W: Worker<Task: From<ReplicaJob>, Answer: TryInto<ReplicaAnswer>>,
{
    fn add(&mut self, launched: Launched, job: ReplicaJob) -> Result<(), RunnerError> {
        self.launches += 1;
        let (index, launch) = (launched.index, self.launches);
        let key = TaskKey::new(format!("replica {index}, launch {launch}, of {}", self.key));
        let cpu = match job.solo {
            true => Cpu::WholeMachine,
            false => Cpu::QuietCore,
        };
        let task = Task {
            lease: LEASE,
            ..Task::new(key.clone(), "replica", Needs::cpu(cpu))
        };
        let added = self.driver.add(task, job.into());
        added.map_err(|error| RunnerError::Request(error.to_string()))?;
        self.replicas.insert(key, launched);
        Ok(())
    }

    /// Waits for the next replica that ends; `None` if none is being run.
    async fn next_end(&mut self) -> Result<Option<(Launched, ReplicaEnd)>, RunnerError> {
        while let Some(event) = self.driver.next().await {
            let (key, end) = match event {
                TaskEvent::Ended(key, answer) => match answer.try_into() {
                    Ok(ReplicaAnswer(end)) => (key, end?),
                    Err(_) => continue,
                },
                TaskEvent::Retry(_, reason) | TaskEvent::DeadLetter(_, reason) => {
                    return Err(RunnerError::Silent(reason));
                }
                TaskEvent::Starting(_) | TaskEvent::Progress(..) => continue,
            };
            if let Some(launched) = self.replicas.remove(&key) {
                return Ok(Some((launched, end)));
            }
        }
        Ok(None)
    }
}

impl<L: RaceListener> RaceDriver<'_, L> {
    /// Continues a race where an earlier session stopped.
    fn resume(&mut self, replicas: Vec<Replica>, dropped: Vec<Dropout>) {
        for dropout in tally::known(dropped, &self.pilot) {
            self.withdraw(dropout);
        }
        let kept: BTreeMap<u32, Replica> = replicas
            .into_iter()
            .map(|replica| (replica.index, replica))
            .collect();
        self.next = kept.last_key_value().map_or(0, |(last, _)| last + 1);
        self.again = (0..self.next)
            .filter(|index| !kept.contains_key(index))
            .collect();
        self.replicas.extend(kept.into_values());
        self.tally.count(&self.replicas);
    }

    fn is_taking_part(&self, variant: VariantIndex) -> bool {
        self.failed.iter().all(|dropout| dropout.variant != variant)
    }

    fn withdraw(&mut self, dropout: Dropout) {
        self.tally.withdraw(dropout.variant, &self.replicas);
        self.failed.push(dropout);
    }

    async fn run<W>(&mut self, tasks: &mut Driver<W>) -> Result<StopReason, RaceError<L::Error>>
    where
        W: Worker<Task: From<ReplicaJob>, Answer: TryInto<ReplicaAnswer>>,
    {
        let mut under_way = self.nothing_under_way(tasks);
        loop {
            if self.listener.is_interrupted() {
                under_way.driver.stop().await;
                return Err(RaceError::Interrupted);
            }
            let analysis = self.tally.analysis();
            let next = self.next_replica(&analysis);
            let step = analysis.next(next.remaining);
            let live = match &step {
                NextStep::Run { live_variants } => live_variants.len(),
                NextStep::Stop(_) => 0,
            };
            self.listener
                .on_analysis(&analysis, live)
                .map_err(RaceError::Listener)?;
            match step {
                NextStep::Stop(StopReason::Budget) if !under_way.replicas.is_empty() => {}
                NextStep::Stop(reason) => {
                    under_way.driver.stop().await;
                    return Ok(reason);
                }
                NextStep::Run { .. } => self.launch(&next.live_variants, &mut under_way)?,
            }
            let Some((launched, end)) = under_way.next_end().await? else {
                return Ok(StopReason::ReplicaLimit);
            };
            self.on_end(&launched, end)?;
        }
    }

    fn nothing_under_way<'t, W: Worker>(&self, tasks: &'t mut Driver<W>) -> UnderWay<'t, W> {
        let race = RaceShared {
            config: self.config.clone(),
            timed_variants: Arc::clone(&self.timed_variants),
            calibrator: Arc::clone(&self.calibrator),
            since: self.started,
            before_s: self.before.as_secs_f64(),
        };
        UnderWay {
            driver: tasks,
            race: Arc::new(race),
            key: self.options.key.into(),
            replicas: BTreeMap::new(),
            launches: 0,
        }
    }

    /// Starts replicas on the free cores. A solo replica waits until all cores are free, and then
    /// runs alone on the machine. Orders are drawn only for what can start at once, since later
    /// replicas have fewer variants.
    fn launch<W>(
        &mut self,
        live_variants: &[LiveVariant],
        under_way: &mut UnderWay<'_, W>,
    ) -> Result<(), RunnerError>
    where
        W: Worker<Task: From<ReplicaJob>, Answer: TryInto<ReplicaAnswer>>,
    {
        let workers = self.options.cores.len();
        while under_way.replicas.len() < workers {
            let index = self.again.front().copied().unwrap_or(self.next);
            let isolation = match self.tally.settings.basis {
                Basis::Solo => Isolation::Solo,
                Basis::All => plan::isolation(index, workers as u32),
            };
            if index >= self.tally.settings.replicas_max
                || (isolation == Isolation::Solo && !under_way.replicas.is_empty())
            {
                return Ok(());
            }
            if self.again.pop_front().is_none() {
                self.next += 1;
            }
            let group = self.group(index, live_variants);
            let (launched, job) = self.replica(index, isolation, &group, &under_way.race);
            under_way.add(launched, job)?;
            if isolation == Isolation::Solo {
                return Ok(());
            }
        }
        Ok(())
    }

    fn replica(
        &self,
        index: u32,
        isolation: Isolation,
        live_variants: &[LiveVariant],
        race: &Arc<RaceShared>,
    ) -> (Launched, ReplicaJob) {
        let sampling = &self.pilot.sampling;
        let plan = plan::draw(&ReplicaSpec {
            secret: self.config.seed.race_secret(),
            index,
            stage: ReplicaStage::Race,
            calls: &sampling.calls,
            instances_per_block: sampling.instances_per_block,
            blocks: sampling.blocks,
            warm_up: sampling.warm_up,
            short_cases: &sampling.short_cases,
            live_variants,
            layouts: &layouts(&self.timed_variants),
        });
        let slack = self.correction.apply(sampling.block_seconds(live_variants));
        let slack = Duration::from_secs_f64(slack.max(0.0));
        let predicted_seconds = sampling.replica_seconds(live_variants, index);
        let budget = self.options.measure.budget.saturating_sub(self.before);
        let until = tokio::time::Instant::from_std(self.started + budget + slack);
        let solo = isolation == Isolation::Solo;
        let launched = Launched {
            index,
            predicted_seconds,
        };
        let job = ReplicaJob {
            race: Arc::clone(race),
            plan,
            solo,
            until,
        };
        (launched, job)
    }

    fn on_end(&mut self, launched: &Launched, end: ReplicaEnd) -> Result<(), RaceError<L::Error>> {
        match end {
            ReplicaEnd::Finished(finished) => {
                self.stalls = 0;
                self.deaths.survived(launched.index);
                let Finished { replica, .. } = *finished;
                let seconds = replica.surroundings.seconds;
                self.correction.observe(launched.predicted_seconds, seconds);
                self.listener
                    .on_replica(&replica)
                    .map_err(RaceError::Listener)?;
                self.replicas.push(replica);
                self.tally.count(&self.replicas);
            }
            ReplicaEnd::Failed(failed) => {
                self.again.push_back(launched.index);
                let all = 0..self.timed_variants.len();
                for dropout in with_all_who_disagree(failed, all) {
                    if self.is_taking_part(dropout.variant) {
                        let told = self.listener.on_dropout(&dropout, launched.index);
                        told.map_err(RaceError::Listener)?;
                        self.withdraw(dropout);
                    }
                }
            }
            ReplicaEnd::Died(death) => {
                self.again.push_back(launched.index);
                let reason = death.error.message.clone();
                if let AfterDeath::Failed(variant, error) =
                    self.deaths.add(launched.index, death)?
                {
                    if self.is_taking_part(variant) {
                        let dropout = Dropout::of_death(variant, error);
                        let told = self.listener.on_dropout(&dropout, launched.index);
                        told.map_err(RaceError::Listener)?;
                        self.withdraw(dropout);
                    }
                } else {
                    let told = self.listener.on_discarded(launched.index, &reason);
                    told.map_err(RaceError::Listener)?;
                }
            }
            ReplicaEnd::Stalled => {
                self.stalls += 1;
                if self.stalls > STALLS_MAX {
                    return Err(RunnerError::Stalled.into());
                }
                self.again.push_back(launched.index);
            }
            ReplicaEnd::OutOfBudget(_) => self.again.push_back(launched.index),
        }
        Ok(())
    }

    /// Returns those of the live variants that the replica of this index has.
    fn group(&self, index: u32, live_variants: &[LiveVariant]) -> Vec<LiveVariant> {
        let group_max = group_max(&self.timed_variants, self.config);
        plan::group_of_replica(
            &self.config.seed.race_secret(),
            index,
            live_variants,
            group_max,
        )
    }

    fn next_replica(&self, analysis: &Analysis) -> NextReplica {
        let spent = self.before + self.started.elapsed();
        let left = self.options.measure.budget.saturating_sub(spent);
        let index = self.again.front().copied().unwrap_or(self.next);
        let sampling = &self.pilot.sampling;
        let left = left.as_secs_f64();
        let predict = |live_variants: &[LiveVariant]| {
            let group = self.group(index, live_variants);
            self.correction
                .apply(sampling.replica_seconds(&group, index))
        };
        let workers = self.options.cores.len() as u32;
        NextReplica::new(left, workers, index, analysis, predict)
    }
}
