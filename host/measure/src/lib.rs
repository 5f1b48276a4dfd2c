//! Measuring: checking answers, and timing variants against each other, by calls of runners.
//!
//! This is the parent's side: it starts runners and watches them ([`bakeoff_runner`] is what they do). The order of
//! execution is a plan that [`bakeoff_domain::plan`] draws, and verdicts are computed from the samples by
//! [`bakeoff_domain::race`].

mod aggregator;
mod assessment;
mod bounds;
mod count_fuel;
mod coverage;
mod deaths;
pub mod evaluate;
mod evaluator;
mod gate;
mod hosted_program;
mod launch;
mod machine;
mod oracle;
mod pilot;
mod portable;
mod program_hosts;
mod proposer;
mod race;
mod race_types;
mod remote_replica;
mod repeat;
mod replica_tasks;
mod runner_config;
mod runner_end;
mod runner_job;
mod runner_worker;
mod scouted_variants;
mod spending;
mod tally;
mod watch;

// Both rooms whose children these tests stand in for share it.
#[cfg(test)]
#[path = "../../confine/testing/scripted_child.rs"]
mod scripted_child;

pub use aggregator::aggregate;
pub use assessment::{Assessment, assess};
pub use count_fuel::count_fuel;
pub use coverage::cover;
pub use evaluator::{EvaluationInput, EvaluatorAnswer, describe, evaluate};
pub use gate::{GateRecord, check, read_cases};
pub use machine::{available_bytes, cpu_model, load, machine_name, probe_name};
pub use oracle::test_oracle;
pub use portable::{PortableCode, PortableRequest, portable};
pub use proposer::propose;
pub use race::{RaceError, RaceListener, race};
pub use race_types::{Dropout, Pilot, RaceOptions, Raced, StoredRace, TimedVariant, Unpiloted};
pub use repeat::{RepeatInput, diagnose, repeat};
pub use replica_tasks::{ReplicaAnswer, ReplicaClient, ReplicaJob, ReplicaQueue};
pub use runner_config::RunnerConfig;
pub use runner_end::RunnerError;
pub use runner_worker::RunnerWorker;
pub use tally::replay;
