//! The experiment file: TOML in, a checked [`Experiment`](bakeoff_domain::spec::Experiment) out,
//! or all errors, each at its place.
//!
//! | key | value | default |
//! |---|---|---|
//! | `name` | 1–100 characters; names the folder of results | – |
//! | `problem` | the question, 1–4000 characters | – |
//! | `kind` | `"measured"`, or `"opinion"`: a question in words, with approaches that are texts and criteria from `judge`, and no table but `[judge]` and `[report]` | `"measured"` |
//! | `[interface]` `wit` | a WIT file, or a folder of them | – |
//! | … `call` | `"top-k"`, or `"interface.function"` | – |
//! | `[workload]` `source`, `component` or `cases` | a Rust file, a component, or a file of [cases](CaseFile) | – |
//! | … `sizes` | 1–32 whole numbers, ascending; for code that makes inputs of any size | – |
//! | … `instances` | 1–10,000 different names, 512 KiB in all, or `{ file = "instances.txt" }` with one on each line; for code that makes inputs by name | – |
//! | … `seed` | a whole number from 0: what is checked follows from it, and nothing that is timed | the run's own |
//! | `[[approach]]` (1–64) `name` | 1–100 characters | – |
//! | … `description` | 1–4000 characters | none |
//! | … `source` or `component` | a Rust file, or a component: a file, or `"oci://registry/name:tag@sha256:…"` | – |
//! | … `text` | a file that says what the approach is; in a question in words | its `description` |
//! | … `command` | a program in any language, by the command that starts it: `["python3", "top_k.py"]` | – |
//! | … `grant` | `{ files = { "/data" = "fixtures" } }`: folders that a component reads, by its paths | none |
//! | … `sweep` | `{ arity = [2, 4, 8], fill = { from = 0.5, to = 0.9, step = 0.1 } }`: each combination is a variant | none |
//! | `[[evaluator]]` (0–16) `name` | 1–64 characters of `a-z`, `0-9` and `-` | – |
//! | … `source` or `component` | a Rust file or a component of the world `bakeoff:evaluator/evaluator` | – |
//! | `[[aggregator]]` (0–16) `name` | 1–64 characters of `a-z`, `0-9` and `-` | – |
//! | … `source` or `component` | a Rust file or a component of the world `bakeoff:aggregator/aggregator` | – |
//! | `[build]` `crates` | up to 16 of `"NAME@VERSION"`, or tables with features: what Rust files may use beside the standard library | none |
//! | `[generate]` `provider` | `"anthropic"`, `"openai"`, `"ollama"`, `"command"` or `"replay"`: who is asked for approaches, if the user says so | – |
//! | … `model` | by the provider's name for it | none |
//! | … `approaches` | 1–10, or `"auto"` | `"auto"` |
//! | … `usd`, `tokens` | the most that it may cost | none |
//! | … `repairs` | 0–10 | `2` |
//! | … `timeout_per_approach` | 1 s – 24 h | `"20 min"` |
//! | … `depth` | `"sketch"`, `"proof-of-concept"` or `"production-ready"` | `"proof-of-concept"` |
//! | … `diversity` | `"low"`, `"medium"` or `"high"` | `"medium"` |
//! | … `repair_model`, `repair_provider` | the model that repairs what failed, and its provider | the one that writes |
//! | … `instructions`, `cassette` | files of the experiment's folder | none |
//! | … `research` | `true` or `false`: a question first on what is known of the problem | `false` |
//! | … `workspace` | `"reply"` or `"worktree"`: who writes approaches, the model or coding agents that the user names | `"reply"` |
//! | `[prompts]` `research`, `plan`, `ideas`, `prototype`, `repair`, `combine`, `improve` | files of the experiment's folder: [templates](PromptTemplate) of what a model is asked | those that are built in |
//! | `[rounds]` `count` | 1–1000 rounds of a search before the race | `5` |
//! | … `width` | 1–48 candidates of a round, or `"adaptive"` | `8` |
//! | … `propose` | some of `"climb"`, `"evolve"`, `"draw"`, `"mutate"`, `"model"`, `"component"` | by what there is |
//! | … `mix` | some of `"improve"`, `"combine"`, `"new"` | all of them |
//! | … `proposer` | a file, for `"component"` | none |
//! | … `after_failure` | `"refine-best"` or `"new"` | `"refine-best"` |
//! | … `allocate` | `"racing"` or `"equal"` | `"racing"` |
//! | … `select` | `"top"` or `"passing"` | `"top"` |
//! | … `parents`, `finalists` | 1–8 | `3`, `2` |
//! | … `cells` | 1 or 2 of `{ by = "fuel", bounds = [1_000, 10_000] }`: readings whose ranges keep a best each | none |
//! | … `islands`, `migrate_every` | 1–8 searches beside each other, 1–1000 rounds | `1`, `5` |
//! | … `patience` | 1–1000 rounds without a new best | `3` |
//! | … `until` | `"count"` or `"gates"` | `"count"` |
//! | … `time` | 1 s – 24 h for all rounds | none |
//! | … `seed` | what candidates follow from | `0` |
//! | … `ahead`, `control` | `true` or `false` | `false` |
//! | `[judge]` `provider`, `model`, `usd`, `tokens`, `calls_at_once`, `cassette` | as for `[generate]`: whose opinion is asked for, if the user says so | – |
//! | … `votes` | 1–20 | `4` |
//! | `[limits]` `memory` | 64 KiB – 4 GiB | `"256 MiB"` |
//! | … `fuel` | 1,000 and more | `10_000_000_000` |
//! | … `wall` | 1 ms – 1 h | `"10 s"` |
//! | … `output` | 1 B – 1 GiB | `"64 MiB"` |
//! | `[measure]` `confidence` | 0.5–0.9999, or `"95 %"` | `0.95` |
//! | … `practical` | 0.0001–0.5, or `"1 %"` | `"1 %"` |
//! | … `precision` | as `practical`: how closely a ratio needs to be known | for a verdict |
//! | … `budget` | 100 ms – 24 h | `"20 s"` |
//! | … `workers` | `"auto"`, or 1–1024 cores | `"auto"` |
//! | … `state` | `"pure"` or `"kept"` | `"pure"` |
//! | … `machines` | `"here"` or `"each"` | `"here"` |
//! | `[[criterion]]` (0–32) `name` | 1–100 characters | `performance` |
//! | … `weight` | finite, from 0; not all 0 | `1.0` |
//! | … `from` | a source of the table below, `"assess:NAME"`, `"evaluator:NAME"` (`"evaluator:EVALUATOR.NAME"` where two give it), or `"judge"` | `"time"` |
//! | … `question` | 1–600 characters; for `judge` | – |
//! | … `could_measure` | `{ by = "explore", what = "…" }`, or by `"time"` or `"judge"`; in a question in words | none |
//! | … `direction` | `"lower-is-better"` or `"higher-is-better"`; for `assess`, where it is needed; an evaluator says it itself | lower |
//! | … `unit` | 1–20 characters; for `assess`; an evaluator says it itself | none |
//! | … `scale` | `"ratio"` or `"linear"` | by source |
//! | … `base` | above 1; for `ratio` | `10` |
//! | … `range` | `[low, high]`; for `linear` | by source |
//! | … `gate` | `{ score = { min = 4.0 } }` or `{ reading = { max = 64 } }` | none |
//! | `[report]` `comparison` | `"matrix"`, `"narrative"` or `"both"` | `"both"` |
//! | … `recommendation` | `"decisive"`, `"options"`, `"conditional"` or `"none"` | `"decisive"` |
//! | … `code_samples`, `trade_offs` | `true` or `false` | `true` |
//!
//! | source | unit | scale |
//! |---|---|---|
//! | `time`, `wall`, `cold-start`, `build-time` | ns | ratio |
//! | `fuel` | units | ratio |
//! | `peak-memory`, `component-size` | bytes | ratio |
//! | `source-lines` (logical ones, whatever the layout) | lines | ratio |
//! | `coverage` (share of the code that the checked inputs reach) | % | linear, 0 to 100 |
//! | `growth` (7 sizes or more) | exponent | linear, 0 to 3 |
//! | `assess:NAME` | declared | linear, `range` needed |
//! | `evaluator:NAME` | the evaluator's | linear over the evaluator's range, or over a `range` within it; ratio if it has none |
//! | `judge` | scores, or a declared one | linear, 0 to 10; with a `unit` as for `assess`, by ratio unless said otherwise |
//!
//! Lower readings are better, except that `assess` and `evaluator` declare a direction. A gate's bound is in the
//! reading's unit; where that is bytes or ns, it may have a unit of its own:
//! `gate = { reading = { max = "64 MiB" } }`.
//!
//! All paths are relative to the experiment's folder and stay inside it; only a granted folder may be
//! another one, where the host's [policy](Policy) allows it. A component in a registry is one that was fetched before.

mod agent_tasks;
mod aggregators;
mod asked_model;
mod bounds;
mod cases;
mod cells;
mod crates;
mod criteria;
mod criteria_set;
mod described;
mod error;
mod evaluators;
mod experiment;
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
mod section;
mod suggest;
mod sweep;
mod text_file;
pub mod units;
mod user_scale;
mod wished;
mod withdraw;
mod write;
mod write_options;

pub use agent_tasks::{
    AGENT_TASKS_MAX, AgentTask, AgentTaskTexts, CHECKS_MAX, ESTIMATE_MINUTES, ESTIMATE_RANGE,
    PRIORITY_MAX, PROMPT_CHARS_MAX, RESULT_NAME, TASKS_FILE_NAME, TaskWork, agent_task_entries,
    is_branch_part, parse_agent_tasks,
};
pub use aggregators::AGGREGATORS_MAX;
pub use asked_model::{AskedModel, CALLS_AT_ONCE_MAX, RepairModel};
pub use bounds::{MEASURE_REPLICAS_MAX, within_bounds};
pub use cases::{CASES_MAX, Case, CaseFile, CasePart, parse_cases};
pub use cells::CELL_SOURCES;
pub use crates::CRATES_MAX;
pub use criteria::{CRITERIA_MAX, built_in_criterion, default_criteria, unit_of};
pub use criteria_set::{criteria_text, is_of_any_experiment, parse_criteria};
pub use error::{ConfigError, Finding, Findings};
pub use evaluators::EVALUATORS_MAX;
pub use experiment::{ConfigPlace, GROWTH_SIZES_MIN, LimitKey, parse};
pub use generate::{GENERATED_APPROACHES_MAX, Generate, REPAIRS_MAX, Workspace};
pub use grant::GRANTS_MAX;
pub use guests::{EVALUATOR_NAME_CHARS_MAX, is_evaluator_name};
pub use instances::{INSTANCE_CHARS_MAX, INSTANCES_BYTES_MAX, INSTANCES_MAX, parse_instances};
pub use judge::Judge;
pub use load::{
    DeclaredExperiment, FILE_NAME, LoadedExperiment, declared, file_of, load, load_any, references,
};
pub use lock::{
    LOCK_BYTES_MAX, LOCK_FILE, Lock, LockError, check_lock_form, read_lock, read_package_lock,
};
pub use options::budget;
pub use policy::{GenerateBounds, POLICY_VARIABLE, PermittedFolder, Policy, PolicyWorkers};
pub use problem::read_alike;
pub use problem::{APPROACHES_MAX, NAME_CHARS_MAX, PROSE_CHARS_MAX, SIZES_MAX};
pub use prompt_template::{PROMPT_BYTES_MAX, PromptKind, PromptPlace, PromptTemplate};
pub use prompts::{OwnPrompt, Prompts};
pub use reference::{NamedReference, References};
pub use round_width::{WIDTH_MAX, Width};
pub use rounds::{
    AfterFailure, Allocate, KEPT_MAX, Propose, ROUNDS_DEFAULT, ROUNDS_MAX, Rounds, Select, Wish,
};
pub use suggest::nearest;
pub use sweep::sweep_of;
pub use text_file::FILE_BYTES_MAX;
pub use units::show_duration;
pub use wished::{WishedApproach, with_wishes_written};
pub use withdraw::without_approach;
pub use write::{
    NewApproach, approach_entries, entry, quoted, with_approaches, with_component, with_idea,
    words_entries,
};
pub use write_options::{limits_text, measure_text};

/// The JSON schema of the experiment file, for editors. The parser decides; a test compares the two.
pub const SCHEMA: &str = include_str!("experiment.schema.json");
