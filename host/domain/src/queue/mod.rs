//! One queue of tasks for everything that a run does: tasks wait for what they depend on, are leased to
//! workers in the order of their critical path, and each result is counted once.
//!
//! The queue does nothing itself. The time is an argument, as the time since the queue began, so that the same calls
//! give the same order on every machine. The driver of the queue asks for leases, starts workers, and returns what
//! became of each attempt. The contract between the two is `docs/tasks.md`.
//!
//! A task is added after those that it depends on, so there are no circles. Every operation takes a time
//! that grows with the logarithm of the number of tasks, on average over all operations.

mod ending;
mod estimate;
mod level;
mod needs;
mod rate;
mod ready;
mod slots;
mod state;
mod task;
mod task_queue;
#[cfg(test)]
mod tests;
mod waiting;

pub use needs::{Cpu, Needs, Place, SeatId, Tokens};
pub use rate::Rate;
pub use slots::Capacity;
pub use state::{Attempt, Ending, Lease, Lost, NextStep, Receipt, TaskState};
pub use task::{Dependency, Retries, Task, TaskKey, Until};
pub use task_queue::{AddError, Load, SeatLoad, TASKS_MAX, TaskQueue};
pub use waiting::{Counts, WaitsFor};
