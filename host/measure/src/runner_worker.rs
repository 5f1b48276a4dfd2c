//! The worker that runs runners: it confines each of them, and reports how it ended.

use super::runner_end::{RunnerBounds, RunnerEnd};
use super::watch::Watch;
use bakeoff_confine::Confinement;
use bakeoff_confine::tasks::{WorkFuture, Worker, WorkerFrames, WorkerJob, WorkerLink, wire};
use std::sync::Arc;

/// A worker whose tasks are requests of runners with their bounds, and whose frames are a runner's replies.
#[derive(Debug)]
pub struct RunnerWorker {
    confinement: Confinement,
}

impl RunnerWorker {
    /// Returns a link to a worker in this process that confines runners in this manner.
    pub fn link(confinement: Confinement) -> WorkerLink {
        WorkerLink::new(Arc::new(Self::new(confinement)))
    }

    /// Returns a worker that confines runners in this manner.
    pub fn new(confinement: Confinement) -> Self {
        Self { confinement }
    }

    async fn run(&self, job: WorkerJob<'_>, frames: &WorkerFrames) -> RunnerEnd {
        let Some((bounds, message)) = wire::opened::<RunnerBounds>(job.task) else {
            return RunnerEnd::NotStarted("this is no task for a runner".to_owned());
        };
        let watch = Watch::new(&self.confinement, message, job.core, bounds);
        watch.run(&mut |reply| frames.part(reply)).await
    }
}

impl Worker for RunnerWorker {
    fn work<'a>(&'a self, job: WorkerJob<'a>, frames: WorkerFrames) -> WorkFuture<'a> {
        Box::pin(async move {
            let end = frames.while_alive(self.run(job, &frames)).await;
            match postcard::to_stdvec(&end) {
                Ok(end) => frames.end(end),
                Err(error) => frames.lost(error.to_string()),
            }
        })
    }
}
