//! The parent's side of the race. Replicas run side by side, one for each core, and verdicts are
//! computed after each. A variant that is beaten leaves; one that fails leaves at once, and its
//! replica runs again without it.

use super::core_reading::CoreReading;
use super::deaths::{AfterDeath, Deaths};
use super::launch::{Finished, ReplicaEnd, group_max};
use super::pilot;
use super::race_types::{
    Dropout, Pilot, RaceOptions, Raced, STALLS_MAX, StoredRace, TimedVariant, layouts,
    with_all_who_disagree,
};
use super::replica_tasks::{Launched, RaceShared, ReplicaJob, ReplicaQueue, ReplicaTasks};
use super::runner_config::RunnerConfig;
use super::runner_end::RunnerError;
use super::tally::{self, Tally, declare};
use crate::tasks::Driver;
use bakeoff_domain::measurement::{Replica, VariantIndex};
use bakeoff_domain::plan::{self, Correction, Isolation, LiveVariant, ReplicaSpec, ReplicaStage};
use bakeoff_domain::race::{Analysis, Basis, ClaimScope, NextReplica, NextStep, StopReason};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A receiver of a race's events, which stores them.
pub trait RaceListener {
    /// The error of storing an event, which stops the race.
    type Error;
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
pub async fn race<L: RaceListener, C: ReplicaQueue>(
    config: &RunnerConfig,
    timed_variants: &[TimedVariant],
    calibrator: &[u8],
    options: &RaceOptions<'_>,
    stored: StoredRace,
    tasks: &mut Driver<C>,
    listener: &mut L,
) -> Result<Raced, RaceError<L::Error>> {
    let started = Instant::now();
    let shared = Arc::new(RaceShared {
        config: config.clone(),
        timed_variants: timed_variants.to_vec().into(),
        calibrator: calibrator.into(),
    });
    let mut replicas = ReplicaTasks::new(tasks, options.key);
    let mut core_readings = Vec::new();
    let settings = declare(timed_variants.len(), config.inputs.cases(), options);
    let pilot = match stored.pilot {
        Some(pilot) => pilot,
        None => {
            let threshold = settings.threshold(ClaimScope::AllCases);
            match pilot::pilot(
                &shared,
                options,
                threshold,
                &mut replicas,
                &mut core_readings,
            )
            .await?
            {
                Ok(pilot) => {
                    listener.on_pilot(&pilot).map_err(RaceError::Listener)?;
                    pilot
                }
                Err(over) => return Ok(Raced::without_pilot(over)),
            }
        }
    };
    let mut driver = RaceDriver {
        shared,
        options,
        tally: Tally::new(settings, &pilot),
        failed: Vec::new(),
        replicas: Vec::new(),
        next: 0,
        again: VecDeque::new(),
        under_way: BTreeSet::new(),
        deaths: Deaths::default(),
        stalls: 0,
        started,
        before: Duration::from_secs_f64(stored.seconds.max(0.0)),
        correction: Correction::default(),
        listener,
        pilot,
        core_readings,
    };
    driver.resume(stored.replicas, stored.dropped);
    let stop = driver.run(&mut replicas).await?;
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
        core_readings: driver.core_readings,
    })
}

/// A race in progress.
struct RaceDriver<'a, L> {
    shared: Arc<RaceShared>,
    options: &'a RaceOptions<'a>,
    tally: Tally,
    pilot: Pilot,
    replicas: Vec<Replica>,
    failed: Vec<Dropout>,
    next: u32,
    again: VecDeque<u32>,
    /// The replicas that have started and not ended.
    under_way: BTreeSet<u32>,
    deaths: Deaths,
    stalls: u32,
    started: Instant,
    /// The time that was measured in earlier sessions.
    before: Duration,
    correction: Correction,
    core_readings: Vec<CoreReading>,
    listener: &'a mut L,
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

    async fn run<C: ReplicaQueue>(
        &mut self,
        tasks: &mut ReplicaTasks<'_, C>,
    ) -> Result<StopReason, RaceError<L::Error>> {
        loop {
            if self.listener.is_interrupted() {
                tasks.driver.stop().await;
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
                NextStep::Stop(StopReason::Budget) if tasks.under_way() > 0 => {}
                NextStep::Stop(reason) => {
                    tasks.driver.stop().await;
                    return Ok(reason);
                }
                NextStep::Run { .. } => self.launch(&next, tasks)?,
            }
            let Some((launched, end)) = tasks.next_end().await? else {
                return Ok(StopReason::ReplicaLimit);
            };
            self.on_end(&launched, end)?;
        }
    }

    /// Starts replicas on the free cores, unless those that run will presumably end the race. A solo replica
    /// waits until all cores are free, and then runs alone on the machine. Orders are drawn only for what
    /// can start at once, since later replicas have fewer variants.
    fn launch<C: ReplicaQueue>(
        &mut self,
        next: &NextReplica,
        tasks: &mut ReplicaTasks<'_, C>,
    ) -> Result<(), RunnerError> {
        let workers = self.options.cores.len();
        while tasks.under_way() < workers {
            if !self.under_way.is_empty()
                && self
                    .tally
                    .would_be_over(&self.under_way, &self.replicas, next.remaining)
            {
                return Ok(());
            }
            let index = self.again.front().copied().unwrap_or(self.next);
            let isolation = match self.tally.settings.basis {
                Basis::Solo => Isolation::Solo,
                Basis::All | Basis::Quiet => plan::isolation(index, workers as u32),
            };
            if index >= self.tally.settings.replicas_max
                || (isolation == Isolation::Solo && tasks.under_way() > 0)
            {
                return Ok(());
            }
            if self.again.pop_front().is_none() {
                self.next += 1;
            }
            self.under_way.insert(index);
            let group = self.group(index, &next.live_variants);
            let (launched, job) = self.replica(index, isolation, &group);
            tasks.launch(launched, job)?;
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
    ) -> (Launched, ReplicaJob) {
        let sampling = &self.pilot.sampling;
        let plan = plan::draw(&ReplicaSpec {
            secret: self.shared.config.seed.race_secret(),
            index,
            stage: ReplicaStage::Race,
            calls: &sampling.calls,
            instances_per_block: sampling.instances_per_block,
            blocks: sampling.blocks,
            warm_up: sampling.warm_up,
            short_cases: &sampling.short_cases,
            live_variants,
            layouts: &layouts(&self.shared.timed_variants),
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
            race: Arc::clone(&self.shared),
            plan,
            solo,
            until,
            since: self.started,
            before_s: self.before.as_secs_f64(),
            quiet: self.pilot.quiet,
        };
        (launched, job)
    }

    fn on_end(&mut self, launched: &Launched, end: ReplicaEnd) -> Result<(), RaceError<L::Error>> {
        self.under_way.remove(&launched.index);
        match end {
            ReplicaEnd::Finished(finished) => {
                self.stalls = 0;
                self.deaths.survived(launched.index);
                let Finished { replica, facts } = *finished;
                self.core_readings.extend(facts.core_reading());
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
                let all = 0..self.shared.timed_variants.len();
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
            ReplicaEnd::WorkerLost(reason) => {
                self.stalls += 1;
                if self.stalls > STALLS_MAX {
                    return Err(RunnerError::WorkerLost(reason).into());
                }
                self.again.push_back(launched.index);
                let told = self.listener.on_discarded(launched.index, &reason);
                told.map_err(RaceError::Listener)?;
            }
            ReplicaEnd::OutOfBudget(_) => self.again.push_back(launched.index),
        }
        Ok(())
    }

    /// Returns those of the live variants that the replica of this index has.
    fn group(&self, index: u32, live_variants: &[LiveVariant]) -> Vec<LiveVariant> {
        let group_max = group_max(&self.shared.timed_variants, &self.shared.config);
        plan::group_of_replica(
            &self.shared.config.seed.race_secret(),
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
