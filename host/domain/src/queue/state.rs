//! The states of tasks, and what is said about attempts.

use super::task::TaskKey;
use std::time::Duration;

/// The place of a task in the order in which they were added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TaskId(pub(super) usize);

/// One attempt at a task: what a result must name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The task.
    pub key: TaskKey,
    /// The number of the attempt, counted from 1.
    pub number: u32,
}

/// Leave to work on a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The task and the number of the attempt.
    pub attempt: Attempt,
    /// The core for it, if it takes one.
    pub core: Option<usize>,
    /// The attempt is lost if nothing is heard of it until then.
    pub deadline: Duration,
}

/// The state of a task. All times are since the queue began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// It depends on tasks that have not ended.
    Waiting {
        /// The number of dependencies that are open.
        open: usize,
    },
    /// It can start as soon as there is what it needs.
    Ready,
    /// A worker is at it.
    Leased {
        /// Since when.
        since: Duration,
        /// Until when something must be heard of it.
        deadline: Duration,
        /// Its core.
        core: Option<usize>,
    },
    /// An attempt was lost, and the next one starts at this time at the earliest.
    WaitingForRetry {
        /// The earliest time.
        at: Duration,
    },
    /// It has a result.
    Done,
    /// It has none, for a reason that every attempt would have.
    Failed,
    /// All attempts at it were lost.
    DeadLetter,
    /// It never starts, since this one that it depends on has no result.
    Unreachable {
        /// The task without a result.
        because: TaskKey,
    },
    /// It is no longer wanted.
    Withdrawn,
}

impl TaskState {
    /// Returns true if the task will not change any more.
    pub fn has_ended(&self) -> bool {
        match self {
            Self::Waiting { .. }
            | Self::Ready
            | Self::Leased { .. }
            | Self::WaitingForRetry { .. } => false,
            Self::Done
            | Self::Failed
            | Self::DeadLetter
            | Self::Unreachable { .. }
            | Self::Withdrawn => true,
        }
    }
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a result.
    Done,
    /// With a failure that every other attempt would have as well.
    Failed,
    /// For a reason that lies in the worker or the moment, such as a child that was killed: another
    /// attempt may have a result.
    Lost,
}

/// What becomes of a task after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// The task has ended.
    Over,
    /// There is another attempt, at this time at the earliest.
    Retry {
        /// The earliest time.
        at: Duration,
    },
    /// All attempts were lost.
    DeadLetter,
}

/// The answer to the end of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receipt {
    /// It counts, and this is what follows.
    Accepted(NextStep),
    /// It comes after the lease of its attempt, and does not count.
    Late,
    /// It has been counted before.
    Repeated,
    /// No such attempt was ever leased.
    NeverLeased,
}

/// An attempt whose lease ran out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The attempt.
    pub attempt: Attempt,
    /// What becomes of the task.
    pub next: NextStep,
}
