//! Measuring: running guests in processes of their own, checking answers, and timing variants
//! against each other.
//!
//! The parent's side ([`check()`], [`race`](race::race)) starts runners and watches them; the
//! child's side ([`role`]) runs guests and reports. The order of execution is a plan that
//! [`bakeoff_domain::plan`] draws, and verdicts are computed from the samples by
//! [`bakeoff_domain::race`].

mod aggregation;
mod aggregator;
pub mod announcement;
mod answers;
mod assess;
mod assessment;
mod bounds;
mod check;
mod check_budget;
mod check_set;
mod checked_case;
mod contention_probe;
mod deaths;
pub mod evaluate;
mod evaluation;
mod evaluator;
mod gate;
mod instances;
mod judging;
mod launch;
mod lowering_clock;
mod machine;
mod oracle;
mod oracle_test;
mod overheads;
mod part_totals;
mod pilot;
mod probes;
mod proposer;
mod proposing;
pub mod protocol;
mod race;
mod race_types;
mod racer;
mod rehearsal;
mod repeat;
mod repeated_call;
mod replica;
mod replica_facts;
mod replica_tasks;
mod requests;
mod runner;
mod runner_config;
mod runner_end;
mod runner_job;
mod runner_worker;
mod scouted;
mod stop;
mod tally;
mod watch;
mod wave_case;
mod workload;

// Both rooms whose children these tests stand in for share it.
#[cfg(test)]
#[path = "../../confine/testing/scripted_child.rs"]
mod scripted_child;

pub use aggregation::aggregate;
pub use assessment::{Assessment, assess};
pub use check::{GateRecord, RepeatInput, check, diagnose, read_cases, repeat};
pub use checked_case::{AssessedAnswer, CheckedCase, Rehearsal};
pub use contention_probe::{ContentionReadings, contention_probe_ns};
pub use evaluation::{EvaluationInput, EvaluatorAnswer, describe, evaluate};
pub use gate::gate_seed;
pub use instances::Instances;
pub use lowering_clock::LoweringClock;
pub use machine::{available_bytes, cpu_model, load, machine_name, probe_name, usable_cores};
pub use oracle_test::test_oracle;
pub use proposing::propose;
pub use protocol::{Arguments, Inputs};
pub use race::{RaceError, RaceListener, race};
pub use race_types::{Dropout, Pilot, RaceOptions, Raced, StoredRace, TimedVariant, Unpiloted};
pub use repeated_call::{CallTexts, RepeatedCall};
pub use replica_tasks::{ReplicaAnswer, ReplicaClient, ReplicaJob, ReplicaQueue};
pub use requests::Requests;
pub use runner::{ROLE, role};
pub use runner_config::RunnerConfig;
pub use runner_end::RunnerError;
pub use runner_worker::RunnerWorker;
pub use tally::replay;
pub use wave_case::{WaveCase, WrongCase, WrongPart};
