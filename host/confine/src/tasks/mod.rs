//! Tasks and their workers. A [`Driver`] leases the tasks of a queue on tokio; a [`TaskClient`] makes the bytes of
//! each, and an answer of the frames that come back; a [`Worker`] takes bytes and gives frames. The contract of each is
//! in `docs/tasks.md`.

mod client;
mod driver;
mod link;
mod report;
#[cfg(test)]
mod tests;
pub mod wire;
mod worker;

pub use client::{Job, TaskClient};
pub use driver::{Driver, SeatChange, TaskEvent};
pub use link::{RequestEnd, RequestError, WorkerLink, one_line, request_end};
pub use report::AttemptReport;
pub use worker::{WorkFuture, Worker, WorkerFrames, WorkerJob};
