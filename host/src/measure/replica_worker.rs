//! Replicas as tasks: each runs in a confined child of its own.

use super::launch::{ReplicaEnd, RunReplica};
use super::race_types::TimedVariant;
use super::runner_config::RunnerConfig;
use super::watch::RunnerError;
use crate::tasks::{Job, Worker, WorkerFrames};
use bakeoff_domain::plan::ReplicaPlan;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// What all replicas of a race share.
pub(super) struct RaceShared {
    pub(super) config: RunnerConfig,
    pub(super) timed_variants: Arc<[TimedVariant]>,
    pub(super) calibrator: Arc<[u8]>,
    /// The time at which this session of the race began.
    pub(super) since: Instant,
    /// Seconds that earlier sessions measured.
    pub(super) before_s: f64,
}

/// A replica to be run.
#[derive(Clone)]
pub struct ReplicaJob {
    pub(super) race: Arc<RaceShared>,
    pub(super) plan: ReplicaPlan,
    /// Whether nothing else is timed meanwhile.
    pub(super) solo: bool,
    /// The time at which the budget ends.
    pub(super) until: tokio::time::Instant,
}

/// What became of a replica.
pub struct ReplicaAnswer(pub(super) Result<ReplicaEnd, RunnerError>);

impl ReplicaJob {
    /// Runs it on a core, in a confined child, which ends if this is dropped.
    pub async fn run(self, core: Option<usize>) -> ReplicaAnswer {
        let race = &*self.race;
        let replica = RunReplica {
            config: &race.config,
            timed_variants: &race.timed_variants,
            calibrator: &race.calibrator,
            core,
            until: Some(self.until),
            since: race.since,
            before_s: race.before_s,
        };
        ReplicaAnswer(replica.run(self.plan, self.solo).await)
    }
}

/// The index, since the rest is long or nobody's business.
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

/// A worker that runs replicas and nothing else.
#[derive(Debug)]
pub struct ReplicaWorker;

impl Worker for ReplicaWorker {
    type Task = ReplicaJob;
    type Answer = ReplicaAnswer;

    async fn work(&self, job: Job<ReplicaJob>, frames: WorkerFrames<ReplicaAnswer>) {
        let answer = frames.while_alive(job.task.run(job.core)).await;
        frames.done(answer);
    }
}
