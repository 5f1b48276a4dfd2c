//! The worker of a race: each replica runs in a confined child of its own.

use super::launch::{ReplicaEnd, RunReplica};
use super::race_types::TimedVariant;
use super::runner_config::RunnerConfig;
use super::watch::RunnerError;
use crate::tasks::{Job, Worker, WorkerFrames};
use bakeoff_domain::plan::ReplicaPlan;
use std::sync::Arc;
use std::time::Instant;

/// What all replicas of a race share.
pub(super) struct ReplicaWorker {
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
pub(super) struct ReplicaJob {
    pub(super) plan: ReplicaPlan,
    /// Whether nothing else is timed meanwhile.
    pub(super) solo: bool,
    /// The time at which the budget ends.
    pub(super) until: tokio::time::Instant,
}

impl Worker for ReplicaWorker {
    type Task = ReplicaJob;
    type Answer = Result<ReplicaEnd, RunnerError>;

    async fn work(&self, job: Job<ReplicaJob>, frames: WorkerFrames<Self::Answer>) {
        let ReplicaJob { plan, solo, until } = job.task;
        let replica = RunReplica {
            config: &self.config,
            timed_variants: &self.timed_variants,
            calibrator: &self.calibrator,
            core: job.core,
            until: Some(until),
            since: self.since,
            before_s: self.before_s,
        };
        let end = frames.while_alive(replica.run(plan, solo)).await;
        frames.done(end);
    }
}
