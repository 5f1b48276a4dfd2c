//! Clients of the queue, which want tasks done.

use super::report::AttemptReport;
use bakeoff_domain::queue::{Attempt, SeatId};

/// One attempt at a task, as a client is given it.
#[derive(Clone, Debug)]
pub struct Job<T> {
    /// The task and the number of the attempt.
    pub attempt: Attempt,
    /// The number of the core for it, if it takes one.
    pub core: Option<usize>,
    /// The seat for it, if it runs on another machine.
    pub seat: Option<SeatId>,
    /// The task itself.
    pub task: T,
}

/// A client: it makes the bytes of a task, has a [worker](super::Worker) do them, and makes an answer of the frames
/// that come back.
pub trait TaskClient: Send + Sync + 'static {
    /// Content that the bytes of a task are made from: values, or contents that are shared and do not change.
    type Task: Clone + Send + 'static;
    /// Answer to a task.
    type Answer: Send + 'static;

    /// Makes an attempt, and reports its result. The attempt is lost if this ends without an answer, or if nothing is
    /// heard of its worker for as long as its lease. It must be safe to drop at any moment: then nothing goes on.
    fn attempt(
        &self,
        job: Job<Self::Task>,
        report: AttemptReport<Self::Answer>,
    ) -> impl Future<Output = ()> + Send;
}
