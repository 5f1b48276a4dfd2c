//! Bounds of a runner, and its end: the messages between a worker and its client about a runner, beside the runner's
//! own replies.

use super::hosted_program::HostedProgram;
use bakeoff_domain::measurement::{CaseIndex, Overrun, VariantIndex};
use bakeoff_runner::GuestFailure;
use bakeoff_runner::announcement::Doing;
use bakeoff_sandbox::GuestError;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The bounds of one runner process, which the client of the worker sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct RunnerBounds {
    /// The time that one call of a variant may take.
    pub(super) call_max: Duration,
    /// The time that each other step may take.
    pub(super) workload_max: Duration,
    /// The wall limit as the experiment file writes it.
    pub(super) wall_limit: String,
    /// The time in which a runner has to end after it closed its pipe.
    pub(super) exit_max: Duration,
    /// The variants that it may call.
    pub(super) participants: Vec<VariantIndex>,
    /// The number of cases.
    pub(super) cases: usize,
    /// Bytes of memory that all guests together may have.
    pub(super) guests_bytes: u64,
    /// The time until the budget ends, if it does.
    pub(super) left: Option<Duration>,
    /// Time limits of a sample, by variant: a sample beyond its limit took far longer than was predicted. A variant
    /// that is missing may take as long as its calls may.
    pub(super) overrun: Vec<(VariantIndex, Duration)>,
    /// The CPU time that all calls of a variant may take together, by variant. A variant that is missing has no such
    /// bound.
    pub(super) shares: Vec<(VariantIndex, Duration)>,
    /// The programs for which hosts are started beside the runner, in the order in which it loads them.
    pub(super) programs: Vec<HostedProgram>,
}

/// A worker's last message about a runner, after the runner's frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum RunnerEnd {
    /// The runner ended in one of the ways that runners may.
    Ended(RunnerExit),
    /// The runner did not start.
    NotStarted(String),
    /// The runner broke the protocol.
    Broke(String),
    /// The workload did not finish in time.
    WorkloadHangs,
}

/// The end of a runner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum RunnerExit {
    /// The runner completed its task.
    Done,
    /// Variants failed, or the workload (`None`), with the calls that reproduce each failure.
    Failed(Vec<GuestFailure>),
    /// The process died, and none of its messages explains it. The guest that was running may have caused it, or
    /// something outside.
    Died(Death),
    /// The machine stalled.
    Stalled,
    /// The budget ended; in the middle of the call, if there is one.
    OutOfBudget(Option<LongCall>),
    /// A sample took far longer than was predicted.
    Overran(LongCall),
    /// The calls of a variant took more time together than its share.
    Overspent(VariantIndex),
}

impl From<RunnerExit> for RunnerEnd {
    fn from(ended: RunnerExit) -> Self {
        Self::Ended(ended)
    }
}

/// A call that had not ended when its runner was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LongCall {
    /// The variant that was called.
    pub(super) variant: VariantIndex,
    /// The case that it was called on.
    pub(super) case: CaseIndex,
    /// The number of calls of the step; 255 stands for more.
    pub(super) calls: u32,
    /// The time that the call had taken.
    pub(super) lasted: Duration,
    /// CPU time of the process during the call; the elapsed time, where that is not known.
    pub(super) ran: Duration,
}

impl From<LongCall> for Overrun {
    fn from(call: LongCall) -> Self {
        let ns = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        Self {
            variant: call.variant,
            case: call.case,
            calls: call.calls,
            cpu_ns: ns(call.ran),
            wall_ns: ns(call.lasted),
        }
    }
}

/// The death of a runner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Death {
    /// The last step that the runner announced, if any.
    pub(super) doing: Option<Doing>,
    /// The error that describes the death, for the case that a variant is to blame.
    pub(super) error: GuestError,
}

impl Death {
    /// Returns the variant that was running.
    pub(super) fn running(&self) -> Option<VariantIndex> {
        self.doing.and_then(Doing::variant)
    }
}

/// The error of a runner that could not be started, or broke the protocol.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The process did not start.
    #[error("{0}")]
    NotStarted(String),
    /// The worker that was to run it is lost.
    #[error("the worker that runs it is lost: {0}")]
    WorkerLost(String),
    /// The process ended without a reply while no guest was running.
    #[error("a runner process ended before it ran anything: {0}")]
    Silent(String),
    /// The machine stalled several times in a row.
    #[error(
        "the machine stalls: nothing ran for seconds, several times over; run again when it has \
         time to spare"
    )]
    Stalled,
    /// A request could not be written.
    #[error("cannot write a request for a runner: {0}")]
    Request(String),
    /// The workload failed, so that nothing can be measured.
    #[error("{0}")]
    Workload(String),
    /// The machine refused a runner something that it needs.
    #[error("{0}")]
    Machine(String),
}
