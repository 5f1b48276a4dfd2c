//! What a worker is.

use super::frames::WorkerFrames;
use bakeoff_domain::queue::Attempt;

/// One attempt at a task, as a worker is given it.
#[derive(Clone, Debug)]
pub struct Job<T> {
    /// The task and the number of the attempt.
    pub attempt: Attempt,
    /// The number of the core for it, if it takes one.
    pub core: Option<usize>,
    /// The task itself.
    pub task: T,
}

/// Somebody who does tasks. In this process, it starts a confined child for each; on another machine, it
/// would be at the other end of a wire, with tasks and answers as bytes.
pub trait Worker: Send + Sync + 'static {
    /// All that is to be known for doing a task: values, or names of contents that do not change.
    type Task: Clone + Send + 'static;
    /// What came of it.
    type Answer: Send + 'static;

    /// Makes an attempt, and sends what comes of it. The attempt is lost if this ends without an answer or
    /// says nothing for as long as its lease. It must be safe to drop at any moment: then nothing that it
    /// started goes on.
    fn work(
        &self,
        job: Job<Self::Task>,
        frames: WorkerFrames<Self::Answer>,
    ) -> impl Future<Output = ()> + Send;
}
