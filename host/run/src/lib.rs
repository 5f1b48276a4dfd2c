//! Runs: every variant is built and checked, those that pass are timed against each other, and a
//! report is computed. Builds, checks and replicas are tasks of one queue. This module has the order of the
//! stages; each stage is implemented elsewhere.
//!
//! Every finished result is stored at once, under a key of everything that it depends on, so that a
//! run that was killed can continue, and a run whose inputs changed repeats only what depends on
//! them. The report is computed from [`Evidence`] alone, by [`conclude`].

mod aggregation;
mod aggregations;
mod aggregators;
mod agreement;
mod assess_criteria;
mod assessments;
pub mod audit;
mod beginning;
mod budget;
mod build_rounds;
mod build_times;
mod builds;
mod changes;
mod checks;
mod child_attempt;
mod child_tasks;
mod child_work;
mod coarse_race;
mod coarse_times;
mod conclude;
mod constant_arguments;
mod context;
mod cost;
mod coverages;
mod crates;
pub mod doctor;
mod elsewhere;
mod ending;
mod error;
mod evaluations;
mod evaluator_readings;
mod evaluators;
mod evidence;
mod execute;
mod grants;
mod guest_builds;
mod in_words;
mod instances;
mod judge;
mod kept_coverage;
mod keys;
mod leader_ratios;
mod look;
mod machine_races;
mod machine_verdicts;
mod missing_readings;
mod native_race;
mod natively;
mod notes;
mod open_totals;
mod opinions;
mod options;
mod oracle_warning;
mod preparation;
mod race;
mod race_options;
mod race_outcome;
mod reading_verdicts;
mod repeat;
mod samples;
mod screening;
mod seed;
mod session;
mod shared_cores;
mod shown_names;
mod standing;
mod stop;
mod summary;
mod survey;
mod task_server;
mod task_states;
mod undecided_totals;
mod unended_samples;
mod unfinished;
mod unjudged_answers;
mod variant_state;
mod verdicts;
mod vote_requests;
mod work;

pub(crate) use aggregation::of_components;
pub use aggregation::{Aggregation, aggregate, report_for_aggregators};
pub use build_rounds::{BuildRound, BuildTime};
pub(crate) use child_attempt::{AttemptAnswer, ChildAttempt, ChildWork, Lost};
pub(crate) use child_tasks::{ChildTasks, OpenTasks, anywhere, core_task};
pub(crate) use child_work::{Build, BuildResult, BuiltPrototype, Check};
pub use coarse_race::asks_for_time;
pub use coarse_times::{CoarsePair, CoarseRace, CoarseTimes, CoarseVerdict};
pub use conclude::conclude;
pub use context::{RunContext, environment, machine, runner_error};
pub use elsewhere::{RemoteWorkers, worker_facts};
pub use error::RunError;
pub use evaluations::{has_source, known_evidence};
pub use evaluators::BuiltEvaluator;
pub use evidence::{
    Evidence, EvidenceError, KeptMachineRace, MachineOutcome, RaceRecord, Record, RunInputs,
    is_built_from,
};
pub use execute::{RunResult, read_variants, run};
pub use judge::{
    Judge, JudgeQuestion, JudgedKind, JudgedNumber, JudgedSource, PendingVote, RunJudge,
};
pub use kept_coverage::KeptCoverage;
pub use keys::{Keys, SEED_RULE};
pub use look::{Look, LookOptions, Looked, TIMED_MAX, look, look_budget};
pub use native_race::{BuiltProgram, NativeRace, NativeResult, NativeWatcher};
pub use options::{
    CompilerNeed, HostOptions, Interrupt, KnownMachine, RunOptions, Tools, Unconfined, wasi_imports,
};
pub use repeat::{RepeatOutcome, repeat};
pub use samples::samples_of;
pub use seed::draw as draw_seed;
pub use shared_cores::SharedCores;
pub use survey::{
    BuiltProposer, SmallerFailure, Survey, SurveyedCalls, SurveyedCoverage, SurveyedFuel,
    SurveyedPrototype, SurveyedValues,
};
pub use task_server::PortableServer;
pub use unfinished::RunState;
pub use variant_state::{Identity, VariantState};
pub use work::StoredWork;
