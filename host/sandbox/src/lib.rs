//! The sandbox: stores with limits, and calls of guests in them.
//!
//! A guest has no access to the machine: no clock, file, network, environment, argument or randomness.
//! A component of a user that imports WASI gets a virtual world. This room limits the memory, stack
//! and fuel of a guest; [`bakeoff_confine`] limits what it could do to the process, and the parent
//! limits the time of a timed call from outside.

mod aggregator;
mod attempt_log;
mod completion;
mod cpu_wall_time;
mod evaluator;
mod evidence;
mod evidence_desk;
mod guest_error;
mod guest_timer;
mod instance;
pub mod invoke;
mod limiter;
mod limits;
mod lowering_timer;
mod program;
mod proposal;
mod proposer;
mod wasi;

pub use completion::{
    COMPLETIONS_MAX, CompletionQuestion, CompletionRefusal, Completions, KnownCompletion,
};
pub use cpu_wall_time::CpuWallTime;
pub use evidence::{GivenReading, KnownAnswer, KnownEvidence, TimedCalls};
pub use evidence_desk::EvidenceHandle;
pub use guest_error::GuestError;
pub use guest_timer::{GuestTime, Lowering, UNTIMED};
pub use instance::{CallResult, GuestState, Imports, Instance, PreparedComponent, Sandbox};
pub use limiter::PeakMemory;
pub use limits::MESSAGE_BYTES_MAX;
pub use proposal::{
    GivenProposal, KnownApproach, KnownOutcome, KnownProblem, ProposerReply, ProposerTask,
};
