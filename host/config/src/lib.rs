//! The experiment file: TOML in, a checked [`Experiment`](bakeoff_domain::spec::Experiment) out,
//! or all errors, each at its place.
//!
//! Every key stands once, as a field with its kind, bounds, default and meaning (`fields`): the parser reads by these, and
//! [`schema`] and the tables of `docs/experiment.md` ([`reference_tables`]) are made of them.
//!
//! All paths are relative to the experiment's folder and stay inside it; only a granted folder may be
//! another one, where the host's [policy](Policy) allows it. A component in a registry is one that was fetched before.

mod agent_tasks;
mod aggregators;
mod amounts;
mod asked_model;
mod bounds;
mod cases;
mod cells;
mod crates;
mod criteria;
mod criteria_set;
mod described_criteria;
mod error;
mod evaluators;
mod experiment;
mod fields;
mod generate;
mod grant;
mod guests;
mod instances;
mod judge;
mod load;
mod lock;
mod options;
mod paths;
mod policy;
mod problem;
mod program;
mod prompt_template;
mod prompts;
mod prose;
mod question;
mod reading_gate;
mod reference;
mod round_width;
mod rounds;
mod search_choices;
mod section;
mod suggest;
mod sweep;
mod text_file;
pub mod units;
mod user_scale;
mod wished_approaches;
mod withdraw;
mod write;
mod write_options;

pub use agent_tasks::{
    AGENT_TASKS_MAX, AgentTask, AgentTaskTexts, CHECKS_MAX, ESTIMATE_MINUTES, ESTIMATE_RANGE,
    PRIORITY_MAX, PROMPT_CHARS_MAX, RESULT_NAME, TASKS_FILE_NAME, TaskWork, agent_task_entries,
    is_branch_part, parse_agent_tasks,
};
pub use asked_model::{AskedModel, RepairModel};
pub use bounds::{MEASURE_REPLICAS_MAX, within_bounds};
pub use cases::{CASES_MAX, Case, CaseFile, CasePart, parse_cases};
pub use criteria::{built_in_criterion, default_criteria, unit_of};
pub use criteria_set::{criteria_text, is_of_any_experiment, parse_criteria};
pub use error::{ConfigError, Finding, Findings};
pub use experiment::{ConfigPlace, GROWTH_SIZES_MIN, LimitKey, parse};
pub use fields::approach::{GRANTS_MAX, NAME_CHARS_MAX, PROSE_CHARS_MAX};
pub use fields::build::CRATES_MAX;
pub use fields::experiment::{
    AGGREGATORS_MAX, APPROACHES_MAX, CRITERIA_MAX, EVALUATORS_MAX, reference_tables, schema,
};
pub use fields::generate::{CALLS_AT_ONCE_MAX, GENERATED_APPROACHES_MAX, REPAIRS_MAX, Workspace};
pub use fields::guests::EVALUATOR_NAME_CHARS_MAX;
pub use fields::problem::{INSTANCE_CHARS_MAX, INSTANCES_MAX, SIZES_MAX};
pub use fields::rounds::{CELL_SOURCES, KEPT_MAX, ROUNDS_MAX, WIDTH_MAX};
pub use generate::Generate;
pub use guests::is_evaluator_name;
pub use instances::{INSTANCES_BYTES_MAX, parse_instances};
pub use judge::JudgeTable;
pub use load::{
    DeclaredExperiment, FILE_NAME, LoadedExperiment, declared, file_of, load, load_any, references,
};
pub use lock::{
    LOCK_BYTES_MAX, LOCK_FILE, LockError, PackageLock, check_lock_form, read_lock,
    read_package_lock,
};
pub use options::budget;
pub use policy::{GenerateBounds, POLICY_VARIABLE, PermittedFolder, Policy, PolicyWorkers};
pub use problem::read_alike;
pub use prompt_template::{PROMPT_BYTES_MAX, PromptKind, PromptPlace, PromptTemplate};
pub use prompts::{OwnPrompt, Prompts};
pub use reference::{NamedReference, References};
pub use round_width::Width;
pub use rounds::{ROUNDS_DEFAULT, RoundsTable};
pub use search_choices::{AfterFailure, Allocate, Propose, Select, Wish};
pub use suggest::nearest;
pub use sweep::sweep_of;
pub use text_file::FILE_BYTES_MAX;
pub use units::show_duration;
pub use wished_approaches::{WishedApproach, with_wishes_written};
pub use withdraw::without_approach;
pub use write::{
    NewApproach, approach_entries, entry, quoted, with_approaches, with_component, with_idea,
    words_entries,
};
pub use write_options::{limits_text, measure_text};
