//! Replicas as tasks of a queue: each runs in a confined child of its own.

use super::launch::{ReplicaEnd, RunReplica};
use super::race_types::TimedVariant;
use super::runner_config::RunnerConfig;
use super::runner_end::RunnerError;
use bakeoff_confine::tasks::{AttemptReport, Driver, Job, TaskClient, TaskEvent};
use bakeoff_domain::measurement::VariantIndex;
use bakeoff_domain::plan::ReplicaPlan;
use bakeoff_domain::queue::{Cpu, Needs, Task, TaskKey};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The lease of a replica on this machine. The worker that watches its runner detects stalls of the machine and reports how the runner
/// ended, so the lease is longer than any stall.
const LEASE: Duration = Duration::from_secs(24 * 3600);

/// Data that all replicas of a race share, those of its pilot included.
pub(super) struct RaceShared {
    pub(super) config: RunnerConfig,
    pub(super) timed_variants: Arc<[TimedVariant]>,
    pub(super) calibrator: Arc<[u8]>,
}

/// A replica to be run.
#[derive(Clone)]
pub struct ReplicaJob {
    pub(super) race: Arc<RaceShared>,
    pub(super) plan: ReplicaPlan,
    /// True if nothing else is timed at the same time.
    pub(super) solo: bool,
    /// The time at which the budget ends.
    pub(super) until: tokio::time::Instant,
    /// The time at which this session of the race, or this part of its pilot, began.
    pub(super) since: Instant,
    /// Seconds that were measured before `since`.
    pub(super) before_s: f64,
    /// Time limits of a sample, by variant: a sample beyond its limit took far longer than was predicted.
    pub(super) overrun: Vec<(VariantIndex, Duration)>,
    /// Shares of the time, by variant: the most CPU time of all its calls in a replica that is discarded.
    pub(super) shares: Vec<(VariantIndex, Duration)>,
}

/// Result of a replica.
pub struct ReplicaAnswer(Result<ReplicaEnd, RunnerError>);

impl ReplicaJob {
    /// Runs the replica on a core, in this attempt.
    ///
    /// # Errors
    /// The worker is lost, for this reason.
    pub async fn answer<A: Send + 'static>(
        self,
        core: Option<usize>,
        report: &AttemptReport<A>,
    ) -> Result<ReplicaAnswer, String> {
        let race = &*self.race;
        let now = tokio::time::Instant::now();
        let config = race.config.for_attempt(report);
        let replica = RunReplica {
            config: &config,
            timed_variants: &race.timed_variants,
            calibrator: &race.calibrator,
            core,
            left: Some(self.until.saturating_duration_since(now)),
            started_s: self.before_s + self.since.elapsed().as_secs_f64(),
            overrun: &self.overrun,
            shares: &self.shares,
        };
        match replica.run(self.plan, self.solo).await {
            // A race elsewhere is told why: it decides whether it is begun anew on another machine.
            Err(RunnerError::WorkerLost(reason)) if config.elsewhere => {
                Ok(ReplicaAnswer(Ok(ReplicaEnd::WorkerLost(reason))))
            }
            Err(RunnerError::WorkerLost(reason)) => Err(reason),
            ended => Ok(ReplicaAnswer(ended)),
        }
    }
}

/// Shows the index alone, since the rest is long, or secret.
impl fmt::Debug for ReplicaJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReplicaJob({})", self.plan.index)
    }
}

impl fmt::Debug for ReplicaAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            Ok(_) => "ReplicaAnswer(ended)",
            Err(_) => "ReplicaAnswer(no end)",
        })
    }
}

/// A client whose tasks are replicas and nothing else.
#[derive(Debug)]
pub struct ReplicaClient;

impl TaskClient for ReplicaClient {
    type Task = ReplicaJob;
    type Answer = ReplicaAnswer;

    async fn attempt(&self, job: Job<ReplicaJob>, report: AttemptReport<ReplicaAnswer>) {
        match job.task.answer(job.core, &report).await {
            Ok(answer) => report.done(answer),
            Err(reason) => report.lost(reason),
        }
    }
}

/// A queue that takes replicas.
pub trait ReplicaQueue: TaskClient<Task: From<ReplicaJob>, Answer: TryInto<ReplicaAnswer>> {}

impl<C: TaskClient<Task: From<ReplicaJob>, Answer: TryInto<ReplicaAnswer>>> ReplicaQueue for C {}

/// A replica that was launched.
pub(super) struct Launched {
    pub(super) index: u32,
    pub(super) predicted_seconds: f64,
}

/// The replicas of a race as tasks of a queue, with those that are being run.
pub(super) struct ReplicaTasks<'t, C: ReplicaQueue> {
    pub(super) driver: &'t mut Driver<C>,
    /// Digest that tells these tasks from those of any other race.
    key: Arc<str>,
    lease: Duration,
    under_way: BTreeMap<TaskKey, Launched>,
    launches: u64,
}

impl<'t, C: ReplicaQueue> ReplicaTasks<'t, C> {
    /// Returns the tasks of the race of this key, which has none yet. A worker elsewhere is lost when it is silent.
    pub(super) fn new(driver: &'t mut Driver<C>, key: &str, elsewhere: bool) -> Self {
        Self {
            driver,
            key: key.into(),
            lease: if elsewhere { Task::LEASE } else { LEASE },
            under_way: BTreeMap::new(),
            launches: 0,
        }
    }

    /// Returns the number of running replicas.
    pub(super) fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// Adds the task of a replica of the race.
    pub(super) fn launch(
        &mut self,
        launched: Launched,
        job: ReplicaJob,
    ) -> Result<(), RunnerError> {
        let key = self.add("replica", launched.index, job)?;
        self.under_way.insert(key, launched);
        Ok(())
    }

    /// Runs a replica of the pilot, and waits for it. Nothing else runs meanwhile.
    pub(super) async fn run_pilot(&mut self, job: ReplicaJob) -> Result<ReplicaEnd, RunnerError> {
        let key = self.add("pilot", job.plan.index, job)?;
        let answer = self.driver.answer(&key).await;
        match answer.map(TryInto::try_into) {
            Some(Ok(ReplicaAnswer(end))) => end,
            Some(Err(_)) | None => Ok(ReplicaEnd::WorkerLost("it said nothing of it".to_owned())),
        }
    }

    fn add(
        &mut self,
        kind: &'static str,
        index: u32,
        job: ReplicaJob,
    ) -> Result<TaskKey, RunnerError> {
        self.launches += 1;
        let launch = self.launches;
        let key = TaskKey::new(format!("{kind} {index}, launch {launch}, of {}", self.key));
        let cpu = if job.solo {
            Cpu::WholeMachine
        } else {
            Cpu::QuietCore
        };
        let task = Task {
            lease: self.lease,
            ..Task::new(key.clone(), kind, Needs::cpu(cpu))
        };
        let added = self.driver.add(task, job.into());
        added.map_err(|error| RunnerError::Request(error.to_string()))?;
        Ok(key)
    }

    /// Waits for the next replica of the race that ends; `None` if none is running.
    pub(super) async fn next_end(&mut self) -> Result<Option<(Launched, ReplicaEnd)>, RunnerError> {
        while let Some(event) = self.driver.next().await {
            let (key, end) = match event {
                TaskEvent::Ended(key, answer) => match answer.try_into() {
                    Ok(ReplicaAnswer(end)) => (key, end?),
                    Err(_) => continue,
                },
                TaskEvent::Retry(key, reason) | TaskEvent::DeadLetter(key, reason) => {
                    (key, ReplicaEnd::WorkerLost(reason))
                }
                TaskEvent::Starting(_) | TaskEvent::Progress(..) => continue,
            };
            if let Some(launched) = self.under_way.remove(&key) {
                return Ok(Some((launched, end)));
            }
        }
        Ok(None)
    }
}
