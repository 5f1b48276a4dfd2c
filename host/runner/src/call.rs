//! Calls of a runner: each is a request with the replies that belong to it.

use super::announcement::Doing;
use super::runner::Runner;
use super::stop::Halt;
use super::{
    aggregator::AggregateCall,
    assess::AssessCall,
    diagnose::DiagnoseCall,
    evaluator::{DescribeCall, EvaluateCall},
    gate::GateCall,
    oracle::OracleCall,
    proposer::ProposeCall,
    read_cases::ReadCasesCall,
    repeat::RepeatCall,
    replica_call::ReplicaCall,
};
use bakeoff_confine::Frames;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::{CaseIndex, VariantIndex};
use bakeoff_sandbox::GuestError;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::marker::PhantomData;

/// A call of a runner. The request is the value itself; the parent collects the replies.
pub trait RunnerCall: Into<AnyCall> {
    /// A reply to the call. A runner may send several.
    type Reply: Serialize + DeserializeOwned;

    /// Does the work of the call, inside a runner.
    ///
    /// # Errors
    /// The runner itself is at fault: the channel to the parent is closed, or the request is none.
    fn serve(&self, runner: &Runner<'_>, replies: Replies<'_, Self::Reply>) -> Result<(), String>;
}

/// Defines [`AnyCall`] from the calls that there are.
macro_rules! any_call {
    ($($(#[$doc:meta])* $name:ident($call:ty),)*) => {
        /// A call on its way to a runner.
        #[derive(Clone, Debug, Serialize, Deserialize)]
        pub enum AnyCall {
            $($(#[$doc])* $name($call),)*
        }

        $(impl From<$call> for AnyCall {
            fn from(call: $call) -> Self {
                Self::$name(call)
            }
        })*

        impl AnyCall {
            /// Does the work of the call, inside a runner.
            pub(super) fn serve(&self, runner: &Runner<'_>, frames: &mut Frames) -> Result<(), String> {
                match self {
                    $(Self::$name(call) => call.serve(runner, Replies::new(frames)),)*
                }
            }
        }
    };
}

any_call! {
    /// Parse the cases of a file.
    ReadCases(ReadCasesCall),
    /// Check a variant.
    Gate(GateCall),
    /// Let the workload assess a variant's answers.
    Assess(AssessCall),
    /// Repeat the calls of a failure in a diagnostic build.
    Diagnose(DiagnoseCall),
    /// Make calls of a prototype, each on a fresh instance.
    Repeat(RepeatCall),
    /// Let the oracle judge answers as they are and changed.
    Oracle(OracleCall),
    /// Time several variants against each other.
    Replica(ReplicaCall),
    /// Ask an evaluator for its criteria.
    Describe(DescribeCall),
    /// Ask an evaluator for its readings of a variant.
    Evaluate(EvaluateCall),
    /// Ask an aggregator for its sections of a report.
    Aggregate(AggregateCall),
    /// Ask a proposer for approaches.
    Propose(ProposeCall),
}

/// A message of a runner: a reply to its call, or a failure of a guest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RunnerMessage<R> {
    /// A reply.
    Reply(R),
    /// The failure of a guest. A runner ends with it, or with one for each variant that failed.
    Failed(Failed),
}

/// A failure of a guest, with the calls that reproduce it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failed {
    /// The variant that failed; `None` for the workload.
    pub variant: Option<VariantIndex>,
    /// The last calls on the same instance, up to the failing one: case and seed of each.
    pub calls: Vec<Call>,
    /// The error of the call.
    pub error: GuestError,
}

impl Failed {
    /// Makes the failure of the only variant of a call, or of the workload if the error is one of those.
    fn of_single_variant(error: GuestError, calls: Vec<Call>) -> Self {
        let is_workload = error.class == FailureClass::WorkloadFailed;
        Self {
            variant: (!is_workload).then_some(0),
            calls,
            error,
        }
    }
}

/// A call of a guest, by its case and the seed of its input.
pub type Call = (CaseIndex, u64);

/// The parent as a runner sees it: it hears replies of one kind, and what is about to be done.
pub struct Replies<'f, R> {
    frames: &'f mut Frames,
    kind: PhantomData<fn(R)>,
}

impl<'f, R: Serialize> Replies<'f, R> {
    fn new(frames: &'f mut Frames) -> Self {
        Self {
            frames,
            kind: PhantomData,
        }
    }

    /// Announces a step on a case, before it begins.
    pub(super) fn announce(&self, step: Doing, case: CaseIndex) {
        step.announce(case, self.frames);
    }

    /// Sends a reply.
    pub(super) fn send(&mut self, reply: R) -> Result<(), String> {
        self.send_message(&RunnerMessage::Reply(reply))
    }

    /// Sends the failure of a guest.
    pub(super) fn fail(&mut self, failed: Failed) -> Result<(), String> {
        self.send_message(&RunnerMessage::Failed(failed))
    }

    /// Ends a call about a single variant that was halted after these calls of it.
    pub(super) fn halt(&mut self, halt: Halt, calls: Vec<Call>) -> Result<(), String> {
        match halt {
            Halt::Channel(error) => Err(error),
            Halt::GuestError(error) => self.fail(Failed::of_single_variant(error, calls)),
        }
    }

    fn send_message(&mut self, message: &RunnerMessage<R>) -> Result<(), String> {
        let bytes = postcard::to_stdvec(message).map_err(|error| error.to_string())?;
        self.frames.send(&bytes).map_err(|error| error.to_string())
    }
}
