//! One runner as a worker's client sees it: a request with its bounds, which a worker runs, and the replies.

use super::protocol::Reply;
use super::runner_end::{Ended, Failed, RunnerBounds, RunnerEnd, RunnerError};
use bakeoff_confine::tasks::{RequestError, WorkerJob, WorkerLink, wire};

/// A runner for a worker to run.
#[derive(Debug)]
pub(super) struct RunnerJob<'a> {
    pub(super) worker: &'a WorkerLink,
    /// The whole request.
    pub(super) message: Vec<u8>,
    /// The core to which the runner is pinned.
    pub(super) core: Option<usize>,
    /// The runner's bounds.
    pub(super) bounds: RunnerBounds,
}

impl RunnerJob<'_> {
    /// Has a worker run the runner, and reads the replies to the end. Replies other than failures are passed to `hear`.
    pub(super) async fn run(
        &mut self,
        hear: &mut (dyn FnMut(Reply) + Send),
    ) -> Result<Ended, RunnerError> {
        let length = self.message.len();
        let task = wire::sealed(std::mem::take(&mut self.message), &self.bounds);
        let job = WorkerJob {
            core: self.core,
            task: &task,
        };
        let mut failed = Vec::new();
        let ended = self
            .worker
            .request(job, &mut |reply| {
                match postcard::from_bytes(&reply) {
                    Ok(Reply::Failed {
                        variant,
                        calls,
                        error,
                    }) => failed.push(Failed {
                        variant,
                        calls,
                        error,
                    }),
                    Ok(reply) => hear(reply),
                    Err(error) => return Err(format!("it said something unreadable: {error}")),
                }
                Ok(())
            })
            .await;
        self.message = task;
        self.message.truncate(length);
        let end = ended.map_err(|error| match error {
            RequestError::Lost(reason) => RunnerError::WorkerLost(reason),
            RequestError::Refused(what) => RunnerError::Silent(what),
        })?;
        let end = postcard::from_bytes(&end).map_err(|error| {
            RunnerError::WorkerLost(format!("its last frame is unreadable: {error}"))
        })?;
        match end {
            // What it said explains how it ended.
            RunnerEnd::Ended(Ended::Done | Ended::Died(_)) if !failed.is_empty() => {
                let mut all = failed.iter();
                match all.find(|one| one.error.class.is_machine_fault()) {
                    Some(refused) => Err(RunnerError::Machine(refused.error.message.clone())),
                    None => Ok(Ended::Failed(failed)),
                }
            }
            RunnerEnd::Ended(ended) => Ok(ended),
            RunnerEnd::NotStarted(reason) => Err(RunnerError::NotStarted(reason)),
            RunnerEnd::Broke(what) => Err(RunnerError::Silent(what)),
            RunnerEnd::WorkloadHangs => Err(RunnerError::Workload(
                "the workload did not finish in time: generate, check or assess hangs".to_owned(),
            )),
        }
    }
}

#[cfg(test)]
mod tests;
