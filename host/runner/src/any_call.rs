//! All calls of a runner as one type, which passes between processes.

use super::aggregator::AggregateCall;
use super::assess::AssessCall;
use super::call::{Replies, RunnerCall};
use super::count_fuel::CountFuelCall;
use super::cover::CoverCall;
use super::diagnose::DiagnoseCall;
use super::evaluator::{DescribeCall, EvaluateCall};
use super::gate_call::GateCall;
use super::oracle::OracleCall;
use super::proposer::ProposeCall;
use super::read_cases::ReadCasesCall;
use super::repeat::RepeatCall;
use super::replica_call::ReplicaCall;
use super::runner::Runner;
use bakeoff_confine::Frames;
use serde::{Deserialize, Serialize};

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
    /// Find out which code calls of a prototype reach.
    Cover(CoverCall),
    /// Find out in which functions calls of a prototype use up fuel.
    CountFuel(CountFuelCall),
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
