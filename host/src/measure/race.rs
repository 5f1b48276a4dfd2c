//! In the parent: the race itself. Replicas side by side, one for each core; verdicts after each;
//! whoever is beaten leaves; whoever fails leaves at once and its replica runs again without it.

use super::launch::{Finished, ReplicaEnd, RunReplica};
use super::pilot::{self, Pilot, Unpiloted};
use super::protocol::Instances;
use super::setting::Setting;
use super::tally::{self, Tally, declare};
use super::watch::RunnerError;
use crate::artifact::PackedFolders;
use bakeoff_domain::failure::Failure;
use bakeoff_domain::measurement::{CaseIndex, Replica, VariantIndex};
use bakeoff_domain::plan::{self, Company, Entrant, ReplicaSpec, Stage};
use bakeoff_domain::race::{Analysis, Basis, Next, Remaining, StopReason};
use bakeoff_domain::spec::Measure;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// How many replicas in a row may stall before the race is given up.
pub(super) const STALLS_MAX: u32 = 5;

/// A variant at the start.
#[derive(Clone, Debug)]
pub struct Contender {
    /// Its code, timed profile, in versions that differ in where it lies; at least one.
    pub timed: Arc<[Vec<u8>]>,
    /// The files that it is granted, if any.
    pub files: Option<PackedFolders>,
    /// How its instances are used.
    pub instances: Instances,
}

/// A variant that failed while it was timed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dropout {
    /// Which.
    pub variant: VariantIndex,
    /// How.
    pub failure: Failure,
    /// The calls that repeat the failure, in one instance: case and seed of each. Empty where
    /// nothing was called, and where repeating has nothing to tell.
    #[serde(default)]
    pub calls: Vec<(CaseIndex, u64)>,
}

/// How a race is run.
#[derive(Clone, Copy, Debug)]
pub struct RaceOptions<'a> {
    /// What was declared.
    pub measure: &'a Measure,
    /// Cores to pin runners to.
    pub cores: &'a [usize],
    /// By case, its size; empty if cases have none.
    pub sizes: &'a [u32],
    /// By how many clocks verdicts are given.
    pub clocks: u32,
}

/// Hears what happens in a race, and keeps it.
pub trait Listener: Send {
    /// Why keeping failed: the race stops with it.
    type Error: Send;
    /// The pilot is done.
    fn piloted(&mut self, pilot: &Pilot) -> Result<(), Self::Error>;
    /// A replica is done.
    fn finished(&mut self, replica: &Replica) -> Result<(), Self::Error>;
    /// What follows from the replicas so far, and who is still in the race.
    fn analysed(&mut self, analysis: &Analysis, live: usize) -> Result<(), Self::Error>;
    /// A variant failed, and the replica with this index is run again without it.
    fn dropped(&mut self, dropout: &Dropout, index: u32) -> Result<(), Self::Error>;
    /// Whether the user asked to stop.
    fn is_interrupted(&self) -> bool;
}

/// What was kept from an earlier session.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// The pilot.
    pub pilot: Option<Pilot>,
    /// The replicas, in the order of their index.
    pub replicas: Vec<Replica>,
    /// Who failed in the race.
    pub dropped: Vec<Dropout>,
    /// Seconds that were measured already.
    pub seconds: f64,
}

/// What a race found out.
#[derive(Clone, Debug)]
pub struct Raced {
    /// What follows from the replicas. `None` if nobody was left to measure.
    pub analysis: Option<Analysis>,
    /// The replicas.
    pub replicas: Vec<Replica>,
    /// How it was measured.
    pub pilot: Option<Pilot>,
    /// Who failed on the way.
    pub failed: Vec<Dropout>,
    /// Why it ended.
    pub stop: StopReason,
    /// Calls of guest code that this rests on: all of the pilot's, and those of every replica's
    /// samples. What is kept says how many, so it does not matter in how many sessions they were
    /// made. Warm-ups of replicas, and replicas that never ended, are not among them.
    pub calls: u64,
}

impl Raced {
    fn without_pilot(over: Unpiloted) -> Self {
        Self {
            analysis: None,
            replicas: Vec::new(),
            pilot: None,
            failed: over.failed,
            stop: over.stop,
            calls: over.calls,
        }
    }
}

/// Why a race has no result.
#[derive(Debug)]
pub enum RaceError<E> {
    /// A runner could not do its work.
    Runner(RunnerError),
    /// What happened could not be kept.
    Listener(E),
    /// The user asked to stop.
    Interrupted,
}

impl<E> From<RunnerError> for RaceError<E> {
    fn from(error: RunnerError) -> Self {
        Self::Runner(error)
    }
}

/// Times the contenders against each other until there is a verdict or the budget ends.
///
/// # Errors
/// A runner could not be started, the workload failed, or the listener did.
pub async fn race<L: Listener>(
    setting: &Setting,
    contenders: &[Contender],
    calibrator: &[u8],
    options: &RaceOptions<'_>,
    kept: Kept,
    listener: &mut L,
) -> Result<Raced, RaceError<L::Error>> {
    let started = Instant::now();
    let settings = declare(contenders.len(), setting.source.cases(), options);
    let pilot = match kept.pilot {
        Some(pilot) => pilot,
        None => {
            let threshold = settings.threshold();
            match pilot::pilot(setting, contenders, calibrator, options, threshold).await? {
                Ok(pilot) => {
                    listener.piloted(&pilot).map_err(RaceError::Listener)?;
                    pilot
                }
                Err(over) => return Ok(Raced::without_pilot(over)),
            }
        }
    };
    let mut track = Track {
        setting,
        contenders: contenders.to_vec().into(),
        calibrator: calibrator.into(),
        options,
        tally: Tally::new(settings, &pilot),
        failed: Vec::new(),
        replicas: Vec::new(),
        next: 0,
        again: VecDeque::new(),
        stalls: 0,
        started,
        before: Duration::from_secs_f64(kept.seconds.max(0.0)),
        recent_seconds: 0.0,
        listener,
        pilot,
    };
    track.take_up(kept.replicas, kept.dropped);
    let stop = track.run().await?;
    let stop = tally::over(stop, track.replicas.len(), &track.tally.settings);
    let analysis = track.tally.analysis();
    track.replicas.sort_by_key(|replica| replica.index);
    Ok(Raced {
        analysis: Some(analysis),
        calls: tally::calls(&track.pilot, &track.replicas),
        replicas: track.replicas,
        failed: track.failed,
        stop,
        pilot: Some(track.pilot),
    })
}

/// By contender, how many versions of its code there are.
pub(super) fn layouts(contenders: &[Contender]) -> Vec<u32> {
    let count = |contender: &Contender| contender.timed.len() as u32;
    contenders.iter().map(count).collect()
}

/// A race under way.
struct Track<'a, L> {
    setting: &'a Setting,
    contenders: Arc<[Contender]>,
    calibrator: Arc<[u8]>,
    options: &'a RaceOptions<'a>,
    tally: Tally,
    pilot: Pilot,
    replicas: Vec<Replica>,
    failed: Vec<Dropout>,
    next: u32,
    again: VecDeque<u32>,
    stalls: u32,
    started: Instant,
    /// Measured in earlier sessions.
    before: Duration,
    recent_seconds: f64,
    listener: &'a mut L,
}

struct Launched {
    index: u32,
    core: Option<usize>,
    end: Result<ReplicaEnd, RunnerError>,
}

impl<L: Listener> Track<'_, L> {
    /// Goes on where an earlier session stopped.
    fn take_up(&mut self, replicas: Vec<Replica>, dropped: Vec<Dropout>) {
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

    async fn run(&mut self) -> Result<StopReason, RaceError<L::Error>> {
        let mut running: JoinSet<Launched> = JoinSet::new();
        let mut free: Vec<Option<usize>> = self
            .options
            .cores
            .iter()
            .rev()
            .map(|core| Some(*core))
            .collect();
        loop {
            if self.listener.is_interrupted() {
                running.shutdown().await;
                return Err(RaceError::Interrupted);
            }
            let analysis = self.tally.analysis();
            let step = analysis.next(self.remaining());
            let live = match &step {
                Next::Run { entrants } => entrants.len(),
                Next::Stop(_) => 0,
            };
            self.listener
                .analysed(&analysis, live)
                .map_err(RaceError::Listener)?;
            match step {
                Next::Stop(StopReason::Budget) if !running.is_empty() => {}
                Next::Stop(reason) => {
                    running.shutdown().await;
                    return Ok(reason);
                }
                Next::Run { entrants } => self.launch(&entrants, &mut running, &mut free),
            }
            let Some(launched) = running.join_next().await else {
                return Ok(StopReason::ReplicaLimit);
            };
            let launched = launched
                .map_err(|error| RunnerError::Silent(format!("its watcher ended: {error}")))?;
            free.push(launched.core);
            self.take_in(launched)?;
        }
    }

    /// Fills the free cores; a solo replica waits until all are free, and then has the machine.
    fn launch(
        &mut self,
        entrants: &[Entrant],
        running: &mut JoinSet<Launched>,
        free: &mut Vec<Option<usize>>,
    ) {
        let workers = self.options.cores.len() as u32;
        while !free.is_empty() {
            let index = self.again.front().copied().unwrap_or(self.next);
            let company = match self.tally.settings.basis {
                Basis::Solo => Company::Solo,
                Basis::All => plan::company(index, workers),
            };
            if index >= self.tally.settings.replicas_max
                || (company == Company::Solo && !running.is_empty())
            {
                return;
            }
            let Some(core) = free.pop() else { return };
            if self.again.pop_front().is_none() {
                self.next += 1;
            }
            self.spawn(index, core, company, entrants, running);
            if company == Company::Solo {
                return;
            }
        }
    }

    fn spawn(
        &self,
        index: u32,
        core: Option<usize>,
        company: Company,
        entrants: &[Entrant],
        running: &mut JoinSet<Launched>,
    ) {
        let plan = plan::draw(&ReplicaSpec {
            seed: self.setting.seed,
            index,
            stage: Stage::Race,
            calls: &self.pilot.sampling.calls,
            blocks: self.pilot.sampling.blocks,
            warm_up: self.pilot.sampling.warm_up,
            entrants,
            layouts: &layouts(&self.contenders),
        });
        let slack = Duration::from_secs_f64(self.pilot.sampling.block_seconds(entrants).max(0.0));
        let budget = self.options.measure.budget.saturating_sub(self.before);
        let until = tokio::time::Instant::from_std(self.started + budget + slack);
        let setting = self.setting.clone();
        let contenders = Arc::clone(&self.contenders);
        let calibrator = Arc::clone(&self.calibrator);
        let (since, before_s) = (self.started, self.before.as_secs_f64());
        running.spawn(async move {
            let run = RunReplica {
                setting: &setting,
                contenders: &contenders,
                calibrator: &calibrator,
                core,
                until: Some(until),
                since,
                before_s,
            };
            let end = run.run(plan, company == Company::Solo).await;
            Launched { index, core, end }
        });
    }

    fn take_in(&mut self, launched: Launched) -> Result<(), RaceError<L::Error>> {
        match launched.end? {
            ReplicaEnd::Finished(finished) => {
                self.stalls = 0;
                let Finished { replica, .. } = *finished;
                self.recent_seconds = replica.surroundings.seconds;
                self.listener
                    .finished(&replica)
                    .map_err(RaceError::Listener)?;
                self.replicas.push(replica);
                self.tally.count(&self.replicas);
            }
            ReplicaEnd::Failed(failed) => {
                self.again.push_back(launched.index);
                for dropout in failed {
                    if self.is_taking_part(dropout.variant) {
                        let told = self.listener.dropped(&dropout, launched.index);
                        told.map_err(RaceError::Listener)?;
                        self.withdraw(dropout);
                    }
                }
            }
            ReplicaEnd::Stalled => {
                self.stalls += 1;
                if self.stalls > STALLS_MAX {
                    return Err(RunnerError::Stalled.into());
                }
                self.again.push_back(launched.index);
            }
            ReplicaEnd::OutOfBudget => self.again.push_back(launched.index),
        }
        Ok(())
    }

    fn remaining(&self) -> Remaining {
        let spent = self.before + self.started.elapsed();
        let left = self.options.measure.budget.saturating_sub(spent);
        let entrants: Vec<Entrant> = (0..self.contenders.len())
            .filter(|variant| !self.tally.settings.withdrawn.contains(variant))
            .map(|variant| Entrant {
                variant,
                brief: self.pilot.sampling.brief.contains(&variant),
            })
            .collect();
        let predicted = self.pilot.sampling.replica_seconds(&entrants);
        Remaining {
            seconds: left.as_secs_f64(),
            replica_seconds: predicted.max(self.recent_seconds),
        }
    }
}
