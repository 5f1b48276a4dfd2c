//! Keys at the top of the experiment file; its schema, and the tables of its reference.

use super::approach::{APPROACH, NAME_CHARS_MAX, PROSE_CHARS_MAX};
use super::build::BUILD;
use super::criterion::CRITERION;
use super::field::{Absent, Field, NONE, Table};
use super::generate::{GENERATE, JUDGE};
use super::guests::{AGGREGATOR, EVALUATOR};
use super::json::Json;
use super::kinds::{Choice, Text, any_of, words};
use super::options::{LIMITS, MEASURE, REPORT};
use super::problem::{INTERFACE, WORKLOAD};
use super::prompts::PROMPTS;
use super::rounds::ROUNDS;
use super::tables::{Section, Sections};

/// The most approaches of an experiment.
pub const APPROACHES_MAX: usize = 64;
/// The most evaluators of an experiment.
pub const EVALUATORS_MAX: usize = 16;
/// The most aggregators of an experiment.
pub const AGGREGATORS_MAX: usize = 16;
/// The most criteria of an experiment.
pub const CRITERIA_MAX: usize = 32;

/// The kind of an experiment file that is a question in words.
const OPINION: &str = "opinion";

/// The rule for files without a table of which all keys have defaults.
const ALL_DEFAULTS: Absent = Absent::Otherwise("all defaults");
/// The rule for files without a table that only a question in words does without.
const NEEDED_TO_RUN: Absent = Absent::Otherwise("needed where something is run");

/// All keys at the top.
pub(crate) const TOP: Table = Table {
    keys: &[
        &NAME,
        &PROBLEM,
        &KIND,
        &INTERFACE_TABLE,
        &WORKLOAD_TABLE,
        &APPROACH_TABLES,
        &EVALUATOR_TABLES,
        &AGGREGATOR_TABLES,
        &BUILD_TABLE,
        &GENERATE_TABLE,
        &PROMPTS_TABLE,
        &ROUNDS_TABLE,
        &JUDGE_TABLE,
        &LIMITS_TABLE,
        &MEASURE_TABLE,
        &CRITERION_TABLES,
        &REPORT_TABLE,
    ],
};

/// Returns the JSON schema of the experiment file, for editors. The parser decides, and refuses more.
pub fn schema() -> String {
    let needed = |keys: &[&str]| {
        let keys = keys.iter().map(|key| Json::from(*key));
        ("required", Json::List(keys.collect()))
    };
    let is_opinion = Json::Object(vec![(KIND.key, Json::Object(words([OPINION])))]);
    let run = vec![needed(&[INTERFACE_TABLE.key, WORKLOAD_TABLE.key])];
    let in_words = vec![
        ("properties", is_opinion),
        needed(&[KIND.key, CRITERION_TABLES.key, JUDGE_TABLE.key]),
    ];
    let about =
        "An experiment: a problem, its approaches, the limits, and what counts in the choice.";
    let draft = "https://json-schema.org/draft/2020-12/schema";
    let mut schema = vec![
        ("$schema", draft.into()),
        ("title", "bakeoff.toml".into()),
        ("description", about.into()),
    ];
    schema.extend(TOP.schema());
    schema.extend(any_of([run, in_words]));
    // A map whose keys are texts has a form in JSON.
    let text = serde_json::to_string_pretty(&Json::Object(schema)).unwrap_or_default();
    text + "\n"
}

/// Returns the tables of keys in the reference, docs/experiment.md, each with the key of its table there; of those at the
/// top that is `top`.
pub fn reference_tables() -> Vec<(&'static str, String)> {
    let tables = TOP.keys.iter();
    let sections = tables.filter_map(|field| Some((field.key, field.kind.section()?.page())));
    [("top", TOP.page())].into_iter().chain(sections).collect()
}

pub(crate) const NAME: Field<Text> = Field {
    key: "name",
    about: "the name of the experiment, and of the folder of its results",
    absent: Absent::Needed,
    example: "name = \"top-k\"",
    kind: Text(NAME_CHARS_MAX),
};

pub(crate) const PROBLEM: Field<Text> = Field {
    key: "problem",
    about: "the question, in your words, with which reports begin",
    absent: Absent::Needed,
    example: "problem = \"Return the k largest values of a list.\"",
    kind: Text(PROSE_CHARS_MAX),
};

/// The values are true for a question in words.
pub(crate) const KIND: Field<Choice<bool>> = Field {
    key: "kind",
    about: "`opinion` for a [question in words](opinions.md): approaches are texts, criteria are opinions of a model, \
            nothing is run, and there are no tables but `[[approach]]`, `[[criterion]]`, `[judge]` and `[report]`",
    absent: Absent::Default("\"measured\""),
    example: "kind = \"opinion\"",
    kind: Choice(&[("measured", false), (OPINION, true)]),
};

pub(crate) const INTERFACE_TABLE: Field<Section> = Field {
    key: "interface",
    about: "the function that every prototype exports",
    absent: NEEDED_TO_RUN,
    example: "[interface]",
    kind: Section(&INTERFACE),
};

pub(crate) const WORKLOAD_TABLE: Field<Section> = Field {
    key: "workload",
    about: "where inputs come from, and who judges the answers",
    absent: NEEDED_TO_RUN,
    example: "[workload]",
    kind: Section(&WORKLOAD),
};

pub(crate) const APPROACH_TABLES: Field<Sections> = Field {
    key: "approach",
    about: "the ways to solve the problem",
    absent: Absent::Needed,
    example: "[[approach]]",
    kind: Sections {
        one: "a way to solve the problem",
        table: &APPROACH,
        count: 1..=APPROACHES_MAX,
    },
};

pub(crate) const EVALUATOR_TABLES: Field<Sections> = Field {
    key: "evaluator",
    about: "what gives readings of its own, for criteria `from = \"evaluator:NAME\"`",
    absent: NONE,
    example: "[[evaluator]]",
    kind: Sections {
        one: "an evaluator",
        table: &EVALUATOR,
        count: 0..=EVALUATORS_MAX,
    },
};

pub(crate) const AGGREGATOR_TABLES: Field<Sections> = Field {
    key: "aggregator",
    about: "what adds sections of its own to the report",
    absent: NONE,
    example: "[[aggregator]]",
    kind: Sections {
        one: "an aggregator",
        table: &AGGREGATOR,
        count: 0..=AGGREGATORS_MAX,
    },
};

pub(crate) const BUILD_TABLE: Field<Section> = Field {
    key: "build",
    about: "how Rust files are built",
    absent: ALL_DEFAULTS,
    example: "[build]",
    kind: Section(&BUILD),
};

pub(crate) const GENERATE_TABLE: Field<Section> = Field {
    key: "generate",
    about: "approaches that a model is asked for, if the user lets it be asked",
    absent: NONE,
    example: "[generate]",
    kind: Section(&GENERATE),
};

pub(crate) const PROMPTS_TABLE: Field<Section> = Field {
    key: "prompts",
    about: "templates of the questions to a model, in the place of those that are built in (`bakeoff prompts`)",
    absent: NONE,
    example: "[prompts]",
    kind: Section(&PROMPTS),
};

pub(crate) const ROUNDS_TABLE: Field<Section> = Field {
    key: "rounds",
    about: "a search for better approaches before the race, in rounds",
    absent: Absent::Otherwise("none: no search"),
    example: "[rounds]",
    kind: Section(&ROUNDS),
};

pub(crate) const JUDGE_TABLE: Field<Section> = Field {
    key: "judge",
    about: "the model whose opinion criteria with `from = \"judge\"` are, if the user lets it be asked",
    absent: NONE,
    example: "[judge]",
    kind: Section(&JUDGE),
};

pub(crate) const LIMITS_TABLE: Field<Section> = Field {
    key: "limits",
    about: "what one call may take",
    absent: ALL_DEFAULTS,
    example: "[limits]",
    kind: Section(&LIMITS),
};

pub(crate) const MEASURE_TABLE: Field<Section> = Field {
    key: "measure",
    about: "how time is measured",
    absent: ALL_DEFAULTS,
    example: "[measure]",
    kind: Section(&MEASURE),
};

pub(crate) const CRITERION_TABLES: Field<Sections> = Field {
    key: "criterion",
    about: "what counts in the choice",
    absent: Absent::Otherwise("one: `performance`, from `time`"),
    example: "[[criterion]]",
    kind: Sections {
        one: "a criterion",
        table: &CRITERION,
        count: 0..=CRITERIA_MAX,
    },
};

pub(crate) const REPORT_TABLE: Field<Section> = Field {
    key: "report",
    about: "what the report contains",
    absent: ALL_DEFAULTS,
    example: "[report]",
    kind: Section(&REPORT),
};
