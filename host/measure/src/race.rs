//! The parent's side of the race. Replicas run side by side, one for each core, and verdicts are
//! computed after each. A variant that is beaten leaves; one that fails leaves at once, and its
//! replica runs again without it.

use super::deaths::{AfterDeath, Deaths};
use super::launch::{FinishedReplica, ReplicaEnd, group_max};
use super::pilot;
use super::race_types::{
    Dropout, Pilot, RaceOptions, Raced, STALLS_MAX, StoredRace, TimedVariant, layouts,
    with_all_who_disagree,
};
use super::replica_tasks::{Launched, RaceShared, ReplicaJob, ReplicaQueue, ReplicaTasks};
use super::runner_config::RunnerConfig;
use super::runner_end::RunnerError;
use super::tally::{self, Tally, declare};
use bakeoff_confine::tasks::Driver;
use bakeoff_domain::measurement::{Overrun, Replica, VariantIndex};
use bakeoff_domain::plan::{self, Correction, ReplicaSpec, ReplicaStage};
use bakeoff_domain::race::{Analysis, ClaimScope, NextStep, RemainingBudget, StopReason};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Factor by which a sample may exceed its predicted time before its runner is ended and its variant set aside.
const OVERRUN_FACTOR: f64 = 20.0;
/// Shortest time after which a sample ends its runner in this way.
const OVERRUN_MIN: Duration = Duration::from_millis(500);

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
    /// Returns the variants of which more times are wanted although the verdicts by time are settled: their totals are
    /// not. None, unless a listener knows of totals.
    ///
    /// # Errors
    /// What was stored cannot be read.
    fn undecided(&mut self, _analysis: &Analysis) -> Result<Vec<VariantIndex>, Self::Error> {
        Ok(Vec::new())
    }
    /// Receives the failure of a variant; the replica with this index is run again without it.
    fn on_dropout(&mut self, dropout: &Dropout, index: u32) -> Result<(), Self::Error>;
    /// Receives a sample that took far longer than was predicted; the replica with this index is run again without its
    /// variant.
    fn on_overrun(&mut self, overrun: &Overrun, index: u32) -> Result<(), Self::Error>;
    /// Receives the reason why the replica with this index is run again, for which no variant fails.
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
    let mut replicas = ReplicaTasks::new(tasks, options.key, config.elsewhere);
    let settings = declare(timed_variants.len(), config.inputs.cases(), options);
    let pilot = match stored.pilot {
        Some(pilot) => pilot,
        None => {
            let thresholds = [
                settings.threshold(ClaimScope::AllCases),
                settings.block_threshold(ClaimScope::AllCases),
            ];
            match pilot::pilot(&shared, options, thresholds, &mut replicas).await? {
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
    };
    driver.resume(stored.replicas, stored.dropped, stored.overruns);
    let stop = driver.run(&mut replicas).await?;
    let stop = tally::over(stop, driver.replicas.len(), driver.tally.settings());
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
    /// The time that earlier sessions measured.
    before: Duration,
    correction: Correction,
    listener: &'a mut L,
}

impl<L: RaceListener> RaceDriver<'_, L> {
    /// Continues a race where an earlier session stopped.
    fn resume(&mut self, replicas: Vec<Replica>, dropped: Vec<Dropout>, overruns: Vec<Overrun>) {
        for dropout in tally::known(dropped, &self.pilot) {
            self.withdraw(dropout);
        }
        for overrun in overruns {
            self.tally.push_overrun(overrun);
        }
        let kept: BTreeMap<u32, Replica> = replicas
            .into_iter()
            .map(|replica| (replica.index, replica))
            .collect();
        self.next = kept.last_key_value().map_or(0, |(last, _)| last + 1);
        self.again = (0..self.next)
            .filter(|index| !kept.contains_key(index))
            .collect();
        kept.values().for_each(|replica| self.tally.push(replica));
        self.replicas.extend(kept.into_values());
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
            let remaining = self.remaining();
            let by_time = analysis.next(remaining, |group| self.predicted(group));
            let by_totals = self.by_totals(&by_time, &analysis, remaining)?;
            let is_settled_by_time = by_totals.is_some();
            let step = by_totals.unwrap_or(by_time);
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
                NextStep::Run { live_variants } => {
                    let may_be_over = !is_settled_by_time;
                    self.launch(&live_variants, remaining, may_be_over, tasks)?;
                }
            }
            let Some((launched, end)) = tasks.next_end().await? else {
                return Ok(StopReason::ReplicaLimit);
            };
            self.on_end(&launched, end)?;
        }
    }

    /// Returns the predicted duration of the next replica with these variants, in seconds.
    fn predicted(&self, variants: &[VariantIndex]) -> f64 {
        let group = self.group(self.next, variants);
        let seconds = self.pilot.sampling.of_replica(&group).seconds;
        self.correction.apply(seconds)
    }

    /// Returns the next step where the race would end by its verdicts, while totals are open that more times would settle.
    fn by_totals(
        &mut self,
        by_time: &NextStep,
        analysis: &Analysis,
        remaining: RemainingBudget,
    ) -> Result<Option<NextStep>, RaceError<L::Error>> {
        let is_settled = [StopReason::Winner, StopReason::Tied, StopReason::Settled]
            .map(NextStep::Stop)
            .contains(by_time);
        if !is_settled {
            return Ok(None);
        }
        let wanted = self.listener.undecided(analysis);
        let mut wanted = wanted.map_err(RaceError::Listener)?;
        wanted.retain(|variant| self.is_taking_part(*variant));
        let next = || analysis.next_of(&wanted, remaining, |group| self.predicted(group));
        Ok((!wanted.is_empty()).then(next))
    }

    /// Starts replicas on the free cores, unless the race `may_be_over` with those that run. Orders are drawn only for
    /// what can start at once, since later replicas have fewer variants.
    fn launch<C: ReplicaQueue>(
        &mut self,
        live_variants: &[VariantIndex],
        remaining: RemainingBudget,
        may_be_over: bool,
        tasks: &mut ReplicaTasks<'_, C>,
    ) -> Result<(), RunnerError> {
        while tasks.under_way() < self.options.cores.len() {
            if may_be_over
                && !self.under_way.is_empty()
                && self
                    .tally
                    .would_be_over(&self.under_way, &self.replicas, remaining)
            {
                return Ok(());
            }
            let index = self.again.front().copied().unwrap_or(self.next);
            if index >= self.tally.settings().replicas_max {
                return Ok(());
            }
            if self.again.pop_front().is_none() {
                self.next += 1;
            }
            self.under_way.insert(index);
            let group = self.group(index, live_variants);
            let (launched, job) = self.replica(index, &group);
            tasks.launch(launched, job)?;
        }
        Ok(())
    }

    fn replica(&self, index: u32, live_variants: &[VariantIndex]) -> (Launched, ReplicaJob) {
        let sampling = &self.pilot.sampling;
        let own = sampling.of_replica(live_variants);
        let plan = plan::draw(&ReplicaSpec {
            secret: self.shared.config.seed.race_secret(),
            index,
            stage: ReplicaStage::Race,
            calls: &own.calls,
            instances_per_block: sampling.instances_per_block,
            blocks: own.blocks,
            warm_up: sampling.warm_up,
            short_cases: &sampling.short_cases,
            live_variants,
            layouts: &layouts(&self.shared.timed_variants),
        });
        let slack = self.correction.apply(own.block_seconds);
        let slack = Duration::from_secs_f64(slack.max(0.0));
        let budget = self.options.measure.budget.saturating_sub(self.before);
        let until = tokio::time::Instant::from_std(self.started + budget + slack);
        let launched = Launched {
            index,
            predicted_seconds: own.seconds,
        };
        let job = ReplicaJob {
            race: Arc::clone(&self.shared),
            plan,
            solo: self.options.cores.len() == 1,
            until,
            since: self.started,
            before_s: self.before.as_secs_f64(),
            overrun: self.overrun(live_variants, &own.calls),
            shares: Vec::new(),
        };
        (launched, job)
    }

    /// Returns the time limit of a sample for each variant that was not set aside, [`OVERRUN_FACTOR`] times its longest
    /// prediction: in replicas of its own a variant may take as long as it needs.
    fn overrun(
        &self,
        live_variants: &[VariantIndex],
        calls: &[u32],
    ) -> Vec<(VariantIndex, Duration)> {
        let aside = &self.tally.settings().aside;
        let own = live_variants.iter().filter(|one| !aside.contains(one));
        let overrun = |variant: &VariantIndex| {
            let samples = calls.iter().enumerate();
            let seconds = samples.map(|(case, calls)| {
                let sampling = &self.pilot.sampling;
                sampling.sample_seconds(*variant, case, *calls)
            });
            let longest = seconds.fold(0.0, f64::max);
            let allowed = Duration::from_secs_f64(OVERRUN_FACTOR * longest);
            (*variant, allowed.max(OVERRUN_MIN))
        };
        own.map(overrun).collect()
    }

    fn on_end(&mut self, launched: &Launched, end: ReplicaEnd) -> Result<(), RaceError<L::Error>> {
        self.under_way.remove(&launched.index);
        match end {
            ReplicaEnd::Finished(finished) => {
                self.stalls = 0;
                self.deaths.survived(launched.index);
                let FinishedReplica { replica, .. } = *finished;
                let seconds = replica.surroundings.seconds;
                self.correction.observe(launched.predicted_seconds, seconds);
                self.listener
                    .on_replica(&replica)
                    .map_err(RaceError::Listener)?;
                self.tally.push(&replica);
                self.replicas.push(replica);
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
            // Nobody has a share of a replica that counts.
            ReplicaEnd::OutOfBudget(_) | ReplicaEnd::Overspent(_) => {
                self.again.push_back(launched.index)
            }
            ReplicaEnd::Overran(call) => {
                self.again.push_back(launched.index);
                let overrun = Overrun::from(call);
                // Of two that ran at the same time, the first one counts.
                let mut known = self.tally.settings().overruns.iter();
                if known.all(|one| one.variant != overrun.variant) {
                    let told = self.listener.on_overrun(&overrun, launched.index);
                    told.map_err(RaceError::Listener)?;
                    self.tally.push_overrun(overrun);
                }
            }
        }
        Ok(())
    }

    /// Returns the live variants that take part in the replica of this index.
    fn group(&self, index: u32, live_variants: &[VariantIndex]) -> Vec<VariantIndex> {
        let group_max = group_max(&self.shared.timed_variants, &self.shared.config);
        plan::group_of_replica(
            &self.shared.config.seed.race_secret(),
            index,
            live_variants,
            group_max,
        )
    }

    fn remaining(&self) -> RemainingBudget {
        let spent = self.before + self.started.elapsed();
        let budget = self.options.measure.budget;
        RemainingBudget {
            seconds: budget.saturating_sub(spent).as_secs_f64(),
            whole_seconds: budget.as_secs_f64(),
        }
    }
}
