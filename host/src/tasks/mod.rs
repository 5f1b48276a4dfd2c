//! Tasks and who does them: a [`Worker`] is given a task and sends frames back, and a [`Driver`] leases the
//! tasks of a queue to it on tokio. What each may rely on is `docs/tasks.md`.

mod driver;
mod frames;
#[cfg(test)]
mod tests;
mod worker;

pub use driver::{Driver, TaskEvent};
pub use frames::WorkerFrames;
pub use worker::{Job, Worker};
