//! The runner: a child process that runs guests, for one call of the parent.
//!
//! A [`call`] is a request with the replies that belong to it. Its file has both, and the work that the runner does.
//! The next step of a runner is an [announcement], not a reply.

mod aggregator;
pub mod announcement;
mod answers;
mod any_call;
mod assess;
pub mod call;
mod check_budget;
mod check_set;
mod checked_case;
mod contention_probe;
mod diagnose;
mod evaluator;
mod failed;
mod gate;
mod gate_call;
mod instances;
mod judging;
mod lowering_clock;
mod oracle;
mod overheads;
mod part_totals;
mod probes;
mod proposer;
pub mod protocol;
mod racer;
mod read_cases;
mod rehearsal;
mod repeat;
mod repeated_call;
mod replica;
mod replica_call;
mod replica_facts;
mod requests;
mod role;
mod runner;
mod stop;
mod wave_case;
mod workload;

pub use aggregator::AggregateCall;
pub use any_call::AnyCall;
pub use assess::{AssessCall, ROUNDS_MAX};
pub use checked_case::{AssessedAnswer, CheckedCase, Rehearsal};
pub use contention_probe::{ContentionReadings, contention_probe_ns};
pub use diagnose::DiagnoseCall;
pub use evaluator::{ANSWERS_BYTES_MAX, DescribeCall, EVALUATOR, EvaluateCall, EvaluateReply};
pub use failed::{Call, Failed};
pub use gate::{GateReply, gate_seed};
pub use gate_call::GateCall;
pub use instances::Instances;
pub use lowering_clock::LoweringClock;
pub use oracle::OracleCall;
pub use overheads::{OverheadTotals, fill_unknown};
pub use proposer::{ProposeCall, ProposeReply};
pub use protocol::{Arguments, Inputs};
pub use read_cases::ReadCasesCall;
pub use repeat::RepeatCall;
pub use repeated_call::{CallTexts, RepeatedCall};
pub use replica_call::{ReplicaCall, ReplicaReply, VariantPayload};
pub use replica_facts::ReplicaFacts;
pub use requests::Requests;
pub use role::{ROLE, role};
pub use runner::Runner;
pub use wave_case::{WaveCase, WrongCase, WrongPart};
