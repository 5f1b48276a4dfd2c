//! The states of tasks, and what is said about attempts.

use super::needs::SeatId;
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
    /// The seat for it, if it runs on another machine.
    pub seat: Option<SeatId>,
    /// Time at which the attempt is lost if nothing was heard of it since the lease or its last
    /// sign of life.
    pub deadline: Duration,
}

/// The state of a task. All times are since the queue began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskState {
    /// The task depends on tasks that have not ended.
    Waiting {
        /// The number of dependencies that are open.
        open: usize,
    },
    /// The task can start as soon as there is all that it needs.
    Ready,
    /// The task is leased: a worker is at it.
    Leased {
        /// Start of the lease.
        since: Duration,
        /// End of the lease: the attempt is lost if nothing is heard of it until then.
        deadline: Duration,
        /// Core of the task, if it takes one.
        core: Option<usize>,
        /// Seat of the task, if it runs on another machine.
        seat: Option<SeatId>,
    },
    /// An attempt was lost, and the next one starts at this time at the earliest.
    WaitingForRetry {
        /// The earliest time.
        at: Duration,
    },
    /// The task has a result.
    Done,
    /// The task has no result, for a reason that every attempt would have.
    Failed,
    /// The task has no result, as all attempts at it were lost.
    DeadLetter,
    /// The task never starts, since a task that it depends on has no result.
    Unreachable {
        /// The task without a result.
        because: TaskKey,
    },
    /// The task is no longer wanted.
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

/// End of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The attempt has a result.
    Done,
    /// The attempt failed, as every other attempt would.
    Failed,
    /// The attempt has a result on another machine, which an attempt on this one is to confirm.
    Unconfirmed,
    /// The attempt was lost, for a reason that lies in the worker or the moment, such as a child
    /// that was killed: another attempt may have a result.
    Lost,
}

/// Next step of a task after an attempt.
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
    /// The end counts, and the task goes on with this step.
    Accepted(NextStep),
    /// The end comes after the lease of its attempt, and does not count.
    Late,
    /// The end has been counted before.
    Repeated,
    /// No such attempt was ever leased.
    NeverLeased,
}

/// An attempt whose lease ran out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The attempt.
    pub attempt: Attempt,
    /// Next step of the task.
    pub next: NextStep,
}
