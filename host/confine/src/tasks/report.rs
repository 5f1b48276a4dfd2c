//! Reports of a client about an attempt.

use super::worker::HEARTBEAT;
use bakeoff_domain::queue::Attempt;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::{MissedTickBehavior, interval};

/// One report about an attempt.
#[derive(Debug)]
pub(super) enum AttemptNews<A> {
    /// The worker of the attempt is alive.
    Alive,
    /// This number of steps is done.
    Progress(usize),
    /// There is a result.
    Done(A),
    /// The task has no result, and no other attempt will have one.
    Failed(A),
    /// There is a result of another machine, which an attempt on this one is to confirm.
    Unconfirmed,
    /// There is no result, for a reason that another attempt may not meet.
    Lost(String),
}

/// The way from a client back to the queue, for one attempt. Reports to a queue that is gone are dropped.
#[derive(Debug)]
pub struct AttemptReport<A> {
    pub(super) attempt: Attempt,
    pub(super) sender: UnboundedSender<(Attempt, AttemptNews<A>)>,
}

impl<A> Clone for AttemptReport<A> {
    fn clone(&self) -> Self {
        Self {
            attempt: self.attempt.clone(),
            sender: self.sender.clone(),
        }
    }
}

impl<A> AttemptReport<A> {
    /// Returns the attempt.
    pub fn attempt(&self) -> &Attempt {
        &self.attempt
    }

    /// Says that the worker is alive, which extends the lease.
    pub fn alive(&self) {
        self.send(AttemptNews::Alive);
    }

    /// Says that this number of steps is done; this is a sign of life as well.
    pub fn progress(&self, steps: usize) {
        self.send(AttemptNews::Progress(steps));
    }

    /// Answers with a result.
    pub fn done(&self, answer: A) {
        self.send(AttemptNews::Done(answer));
    }

    /// Answers that there is no result, and that no other attempt will have one.
    pub fn failed(&self, answer: A) {
        self.send(AttemptNews::Failed(answer));
    }

    /// Answers that another machine has a result, and that the task is to be done on this one before there is an answer.
    pub fn unconfirmed(&self) {
        self.send(AttemptNews::Unconfirmed);
    }

    /// Answers that there is no result for a reason that another attempt may not meet: a worker that was lost, a rate
    /// limit. The task is tried again after a while, as often as it allows.
    pub fn lost(&self, reason: impl Into<String>) {
        self.send(AttemptNews::Lost(reason.into()));
    }

    /// Does work without a worker, and reports signs of life until it ends.
    pub async fn while_alive<F: Future>(&self, work: F) -> F::Output {
        let mut work = std::pin::pin!(work);
        let mut heartbeat = interval(HEARTBEAT);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                output = &mut work => return output,
                _ = heartbeat.tick() => self.alive(),
            }
        }
    }

    pub(super) fn send(&self, reported: AttemptNews<A>) {
        let _ = self.sender.send((self.attempt.clone(), reported));
    }
}
