//! One runner as a worker's client sees it: a request with its bounds, which a worker runs, and the replies.

use super::deaths;
use super::runner_end::{RunnerBounds, RunnerEnd, RunnerError, RunnerExit};
use bakeoff_confine::tasks::{RequestError, WorkerJob, WorkerLink, wire};
use bakeoff_runner::GuestFailure;
use bakeoff_runner::call::{RunnerCall, RunnerMessage};
use bakeoff_sandbox::GuestError;
use std::marker::PhantomData;

/// The most times that a runner on a stalled machine is started again.
const STALLS_MAX: u32 = 3;

/// A runner for a worker to run, which serves a call.
pub(super) struct RunnerJob<'a, C> {
    worker: &'a WorkerLink,
    /// The whole request.
    message: Vec<u8>,
    /// The core to which the runner is pinned.
    core: Option<usize>,
    /// The runner's bounds.
    pub(super) bounds: RunnerBounds,
    call: PhantomData<fn(C)>,
}

impl<'a, C: RunnerCall> RunnerJob<'a, C> {
    pub(super) fn new(
        worker: &'a WorkerLink,
        message: Vec<u8>,
        core: Option<usize>,
        bounds: RunnerBounds,
    ) -> Self {
        Self {
            worker,
            message,
            core,
            bounds,
            call: PhantomData,
        }
    }

    /// Runs the runner until it ends otherwise than by a stall of the machine, and starts one that died once more.
    /// Returns what `hear` makes of the replies, and the failures that ended it, if any did.
    ///
    /// # Errors
    /// It could not be run, died before a guest ran, or stalled several times in a row.
    pub(super) async fn settle<A: Default + Send>(
        &mut self,
        mut hear: impl FnMut(&mut A, C::Reply) + Send,
    ) -> Result<(A, Vec<GuestFailure>), RunnerError> {
        let mut died = None;
        for _ in 0..STALLS_MAX {
            let mut answer = A::default();
            match self.run(&mut |reply| hear(&mut answer, reply)).await? {
                RunnerExit::Done => return Ok((answer, Vec::new())),
                RunnerExit::Failed(failed) => return Ok((answer, failed)),
                RunnerExit::Died(death) => {
                    if let Some(failed) = deaths::of_single_variant(&mut died, death)? {
                        return Ok((answer, failed));
                    }
                }
                RunnerExit::Stalled
                | RunnerExit::OutOfBudget(_)
                | RunnerExit::Overran(_)
                | RunnerExit::Overspent(_) => {}
            }
        }
        Err(RunnerError::Stalled)
    }

    /// Runs the runner once. Returns the error of the prototype that ended it early, if one did; its budget may have
    /// ended it as well.
    ///
    /// # Errors
    /// It could not be run, the machine stalled, or the workload failed.
    pub(super) async fn once(
        &mut self,
        hear: &mut (dyn FnMut(C::Reply) + Send),
    ) -> Result<Option<GuestError>, RunnerError> {
        match self.run(hear).await? {
            RunnerExit::Done | RunnerExit::OutOfBudget(_) => Ok(None),
            RunnerExit::Failed(failed) => match failed.into_iter().next() {
                Some(failed) if failed.variant.is_some() => Ok(Some(failed.error)),
                Some(failed) => Err(RunnerError::Workload(failed.error.message)),
                None => Err(RunnerError::Silent("it failed without an error".into())),
            },
            RunnerExit::Died(death) if death.running().is_some() => Ok(Some(death.error)),
            RunnerExit::Died(death) => Err(RunnerError::Silent(death.error.message)),
            RunnerExit::Stalled | RunnerExit::Overran(_) | RunnerExit::Overspent(_) => {
                Err(RunnerError::Stalled)
            }
        }
    }

    /// Has a worker run the runner, and reads the replies to the end.
    pub(super) async fn run(
        &mut self,
        hear: &mut (dyn FnMut(C::Reply) + Send),
    ) -> Result<RunnerExit, RunnerError> {
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
                    Ok(RunnerMessage::Failed(one)) => failed.push(one),
                    Ok(RunnerMessage::Reply(reply)) => hear(reply),
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
            RunnerEnd::Ended(RunnerExit::Done | RunnerExit::Died(_)) if !failed.is_empty() => {
                let mut all = failed.iter();
                match all.find(|one| one.error.class.is_machine_fault()) {
                    Some(refused) => Err(RunnerError::Machine(refused.error.message.clone())),
                    None => Ok(RunnerExit::Failed(failed)),
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
