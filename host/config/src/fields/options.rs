//! Keys of `[limits]`, `[measure]` and `[report]`.

use super::field::{Absent, Field, Table};
use super::kinds::{Bytes, Choice, Flag, Fraction, Time, Whole, WordOr};
use bakeoff_domain::spec::{ComparisonForm, RaceMachines, RecommendationStyle, State};
use std::time::Duration;

/// All keys of `[limits]`.
pub(crate) const LIMITS: Table = Table {
    keys: &[&MEMORY, &FUEL, &WALL, &OUTPUT],
};

/// The bounds reach from one page of WebAssembly memory to all that 32 bits can address.
pub(crate) const MEMORY: Field<Bytes> = Field {
    key: "memory",
    about: "all memories and tables of an instance",
    absent: Absent::Default("\"256 MiB\""),
    example: "memory = \"64 MiB\"",
    kind: Bytes(64 << 10..=4 << 30),
};

/// With less than a thousand units, no call completes.
pub(crate) const FUEL: Field<Whole> = Field {
    key: "fuel",
    about: "units of fuel of one checked call, about one for each instruction",
    absent: Absent::Default("10_000_000_000"),
    example: "fuel = 1_000_000_000",
    kind: Whole(1_000..=i64::MAX),
};

pub(crate) const WALL: Field<Time> = Field {
    key: "wall",
    about: "wall time of one call",
    absent: Absent::Default("\"10 s\""),
    example: "wall = \"500 ms\"",
    kind: Time(Duration::from_millis(1)..=Duration::from_secs(3600)),
};

pub(crate) const OUTPUT: Field<Bytes> = Field {
    key: "output",
    about: "the size of an answer, and of what a call writes",
    absent: Absent::Default("\"64 MiB\""),
    example: "output = \"1 MiB\"",
    kind: Bytes(1..=1 << 30),
};

/// All keys of `[measure]`.
pub(crate) const MEASURE: Table = Table {
    keys: &[
        &CONFIDENCE,
        &PRACTICAL,
        &PRECISION,
        &BUDGET,
        &WORKERS,
        &STATE,
        &MACHINES,
    ],
};

pub(crate) const CONFIDENCE: Field<Fraction> = Field {
    key: "confidence",
    about: "1 − α for all claims of the report together",
    absent: Absent::Default("0.95"),
    example: "confidence = \"99 %\"",
    kind: Fraction(0.5..=0.9999),
};

pub(crate) const PRACTICAL: Field<Fraction> = Field {
    key: "practical",
    about: "the difference below which nothing matters to you",
    absent: Absent::Default("\"1 %\""),
    example: "practical = \"5 %\"",
    kind: Fraction(0.0001..=0.5),
};

pub(crate) const PRECISION: Field<Fraction> = Field {
    key: "precision",
    about: "measuring ends once the leaders' ratios are known this well",
    absent: Absent::Otherwise("until there is a verdict"),
    example: "precision = \"10 %\"",
    kind: Fraction(0.0001..=0.5),
};

pub(crate) const BUDGET: Field<Time> = Field {
    key: "budget",
    about: "wall time for all but building: checks, and timing, which has at least half of it. What is under way is \
            ended, but each variant answers once on each case, and is called once to know its cost, however long that \
            takes. `run --quick` is five seconds, `run --careful` three times this",
    absent: Absent::Default("\"20 s\""),
    example: "budget = \"10 min\"",
    kind: Time(Duration::from_millis(100)..=Duration::from_secs(86_400)),
};

pub(crate) const WORKERS: Field<WordOr> = Field {
    key: "workers",
    about: "the cores that are used at once",
    absent: Absent::Default("\"auto\""),
    example: "workers = 2",
    kind: WordOr("auto", 1..=1024),
};

pub(crate) const STATE: Field<Choice<State>> = Field {
    key: "state",
    about: "whether timed calls may share state: with `pure` each has a fresh instance, with `kept` they share one",
    absent: Absent::Default("\"pure\""),
    example: "state = \"kept\"",
    kind: Choice(&[("pure", State::Pure), ("kept", State::Kept)]),
};

pub(crate) const MACHINES: Field<Choice<RaceMachines>> = Field {
    key: "machines",
    about: "the machines that the race takes place on: that of the run, and with `each` once more each other kind among \
            its [workers](workers.md#each-kind-of-machine)",
    absent: Absent::Default("\"here\""),
    example: "machines = \"each\"",
    kind: Choice(&[("here", RaceMachines::Here), ("each", RaceMachines::Each)]),
};

/// All keys of `[report]`.
pub(crate) const REPORT: Table = Table {
    keys: &[&COMPARISON, &RECOMMENDATION, &CODE_SAMPLES, &TRADE_OFFS],
};

pub(crate) const COMPARISON: Field<Choice<ComparisonForm>> = Field {
    key: "comparison",
    about: "the form of the comparison",
    absent: Absent::Default("\"both\""),
    example: "comparison = \"matrix\"",
    kind: Choice(&[
        ("matrix", ComparisonForm::Matrix),
        ("narrative", ComparisonForm::Narrative),
        ("both", ComparisonForm::Both),
    ]),
};

pub(crate) const RECOMMENDATION: Field<Choice<RecommendationStyle>> = Field {
    key: "recommendation",
    about: "the kind of advice",
    absent: Absent::Default("\"decisive\""),
    example: "recommendation = \"options\"",
    kind: Choice(&[
        ("decisive", RecommendationStyle::Decisive),
        ("options", RecommendationStyle::Options),
        ("conditional", RecommendationStyle::Conditional),
        ("none", RecommendationStyle::None),
    ]),
};

pub(crate) const CODE_SAMPLES: Field<Flag> = Field {
    key: "code_samples",
    about: "whether the report shows the sources, in Markdown and HTML",
    absent: Absent::Default("true"),
    example: "code_samples = false",
    kind: Flag,
};

pub(crate) const TRADE_OFFS: Field<Flag> = Field {
    key: "trade_offs",
    about: "whether the report shows what each alternative is better at, and for whom",
    absent: Absent::Default("true"),
    example: "trade_offs = false",
    kind: Flag,
};
