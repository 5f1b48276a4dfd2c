//! What workers send.

use bakeoff_domain::queue::Attempt;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::{MissedTickBehavior, interval};

/// How often a worker says that it is alive.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// A part of what a worker says about an attempt.
#[derive(Debug)]
pub(super) enum Frame<A> {
    /// It is at work.
    Heartbeat,
    /// It has done so many steps.
    Progress(usize),
    /// There is a result.
    Done(A),
    /// The task has none, and no other attempt will have one.
    Failed(A),
    /// There is no result, for a reason that another attempt may not meet.
    Lost(String),
}

/// The way from a worker back to the queue, for one attempt. Where nobody listens any more, frames go
/// nowhere.
#[derive(Debug)]
pub struct WorkerFrames<A> {
    pub(super) attempt: Attempt,
    pub(super) sender: UnboundedSender<(Attempt, Frame<A>)>,
}

impl<A> Clone for WorkerFrames<A> {
    fn clone(&self) -> Self {
        Self {
            attempt: self.attempt.clone(),
            sender: self.sender.clone(),
        }
    }
}

impl<A> WorkerFrames<A> {
    /// Says that so many steps are done; this is a sign of life as well.
    pub fn progress(&self, steps: usize) {
        self.send(Frame::Progress(steps));
    }

    /// Answers with a result.
    pub fn done(&self, answer: A) {
        self.send(Frame::Done(answer));
    }

    /// Answers that there is no result, and that no other attempt will have one.
    pub fn failed(&self, answer: A) {
        self.send(Frame::Failed(answer));
    }

    /// Answers that there is no result for a reason that another attempt may not meet: a rate limit, a
    /// connection that broke. It is tried again after a while, as often as the task allows.
    pub fn lost(&self, reason: impl Into<String>) {
        self.send(Frame::Lost(reason.into()));
    }

    /// Does the work, and says that it goes on until it ends.
    pub async fn while_alive<F: Future>(&self, work: F) -> F::Output {
        let mut work = std::pin::pin!(work);
        let mut heartbeat = interval(HEARTBEAT);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                output = &mut work => return output,
                _ = heartbeat.tick() => self.send(Frame::Heartbeat),
            }
        }
    }

    pub(super) fn send(&self, frame: Frame<A>) {
        let _ = self.sender.send((self.attempt.clone(), frame));
    }
}
