//! Keys of `[rounds]`.

use super::field::{Absent, Field, Kind, NONE, Table};
use super::json::Keywords;
use super::kinds::{ANY_NUMBER, Bytes, Choice, File, Flag, List, Time, Whole, WordOr};
use super::tables::{Inline, OneOf};
use crate::search_choices::{AfterFailure, Allocate, Propose, Select, Wish};
use bakeoff_domain::report::{CELL_AXES_MAX, CELLS_MAX};
use std::time::Duration;

/// The most rounds of a search.
pub const ROUNDS_MAX: u32 = 1_000;
/// The most candidates of a round.
pub const WIDTH_MAX: u32 = 48;
/// The most candidates that a round begins with, and the most that race when a search is over.
pub const KEPT_MAX: u32 = 8;
/// The most islands of a search.
const ISLANDS_MAX: i64 = 8;
/// The sources of readings that every candidate has before it is timed.
pub const CELL_SOURCES: [&str; 4] = ["fuel", "peak-memory", "component-size", "source-lines"];

/// All keys of `[rounds]`.
pub(crate) const ROUNDS: Table = Table {
    keys: &[
        &COUNT,
        &WIDTH,
        &PROPOSE,
        &MIX,
        &PROPOSER,
        &AFTER_FAILURE,
        &ALLOCATE,
        &SELECT,
        &PARENTS,
        &CELLS,
        &ISLANDS,
        &MIGRATE_EVERY,
        &FINALISTS,
        &PATIENCE,
        &UNTIL,
        &TIME,
        &SEED,
        &AHEAD,
        &CONTROL,
    ],
};

pub(crate) const COUNT: Field<Whole> = Field {
    key: "count",
    about: "the most rounds",
    absent: Absent::Default("5"),
    example: "count = 20",
    kind: Whole(1..=ROUNDS_MAX as i64),
};

pub(crate) const WIDTH: Field<WordOr> = Field {
    key: "width",
    about: "the candidates of a round; `adaptive` is 4, and twice as many after each round without a new best, up to 32",
    absent: Absent::Default("8"),
    example: "width = 4",
    kind: WordOr("adaptive", 1..=WIDTH_MAX as i64),
};

pub(crate) const PROPOSE: Field<List<Choice<Propose>>> = Field {
    key: "propose",
    about: "who makes candidates; several share a round",
    absent: Absent::Otherwise("`\"climb\"` where an approach has a `sweep`, else `\"mutate\"`"),
    example: "propose = [\"climb\", \"mutate\"]",
    kind: List {
        of: Choice(&Propose::ALL),
        count: 1..=Propose::ALL.len(),
        is_set: true,
    },
};

pub(crate) const MIX: Field<List<Choice<Wish>>> = Field {
    key: "mix",
    about: "what a model is asked for, in turn within a round: a better version of the best, the best of two in one, \
            another idea than those that were tried",
    absent: Absent::Otherwise("all of them"),
    example: "mix = [\"improve\"]",
    kind: List {
        of: Choice(&Wish::ALL),
        count: 1..=Wish::ALL.len(),
        is_set: true,
    },
};

pub(crate) const PROPOSER: Field<File> = Field {
    key: "proposer",
    about: "the source or the component, or [one in a registry](plugging-in.md#a-component-in-a-registry), that \
            `component` in `propose` asks ([proposers](plugging-in.md))",
    absent: NONE,
    example: "proposer = \"proposers/grid.rs\"",
    kind: File,
};

pub(crate) const AFTER_FAILURE: Field<Choice<AfterFailure>> = Field {
    key: "after_failure",
    about: "what a round without a new best is followed by: one like any other, or one that begins from what the search \
            began with",
    absent: Absent::Default("\"refine-best\""),
    example: "after_failure = \"new\"",
    kind: Choice(&[
        ("refine-best", AfterFailure::RefineBest),
        ("new", AfterFailure::New),
    ]),
};

pub(crate) const ALLOCATE: Field<Choice<Allocate>> = Field {
    key: "allocate",
    about: "which candidates of a round are timed: the eight best by fuel, or all that passed their checks",
    absent: Absent::Default("\"racing\""),
    example: "allocate = \"equal\"",
    kind: Choice(&[("racing", Allocate::Racing), ("equal", Allocate::Equal)]),
};

pub(crate) const SELECT: Field<Choice<Select>> = Field {
    key: "select",
    about: "which candidates race when the search is over: the best, or the best of those that pass the gates of all \
            criteria",
    absent: Absent::Default("\"top\""),
    example: "select = \"passing\"",
    kind: Choice(&[("top", Select::Top), ("passing", Select::Passing)]),
};

pub(crate) const PARENTS: Field<Whole> = Field {
    key: "parents",
    about: "how many of the best others are made from",
    absent: Absent::Default("3"),
    example: "parents = 1",
    kind: Whole(1..=KEPT_MAX as i64),
};

pub(crate) const CELLS: Field<List<Inline>> = Field {
    key: "cells",
    about: "readings whose ranges each keep their best, so that different programs stay in play \
            ([how](rounds.md#different-programs-in-play))",
    absent: NONE,
    example: "cells = [{ by = \"source-lines\", bounds = [20, 40, 80] }]",
    kind: List {
        of: Inline(&CELL),
        count: 1..=CELL_AXES_MAX,
        is_set: false,
    },
};

/// All keys of one of the `cells`.
pub(crate) const CELL: Table = Table {
    keys: &[&BY, &BOUNDS],
};

pub(crate) const BY: Field<CellSource> = Field {
    key: "by",
    about: "a reading that is known before anything is timed; of assess and evaluators, one that a criterion is from",
    absent: Absent::Needed,
    example: "by = \"source-lines\"",
    kind: CellSource,
};

/// The source of a reading that makes cells.
pub(crate) struct CellSource;

impl Kind for CellSource {
    fn schema(&self) -> Keywords {
        let built_in = CELL_SOURCES.join("|");
        let pattern = format!("^({built_in}|assess:.+|evaluator:.+)$");
        vec![
            ("type", "string".into()),
            ("pattern", pattern.as_str().into()),
        ]
    }

    fn phrase(&self) -> String {
        format!("{}, assess:NAME or evaluator:NAME", CELL_SOURCES.join(", "))
    }
}

pub(crate) const BOUNDS: Field<List<OneOf>> = Field {
    key: "bounds",
    about: "where one cell ends and the next begins, ascending",
    absent: Absent::Needed,
    example: "bounds = [20, 40]",
    kind: List {
        of: OneOf(&[&ANY_NUMBER, &Bytes(0..=u64::MAX)]),
        count: 1..=CELLS_MAX - 1,
        is_set: false,
    },
};

pub(crate) const ISLANDS: Field<Whole> = Field {
    key: "islands",
    about: "how many searches go on beside each other, each from its own best",
    absent: Absent::Default("1"),
    example: "islands = 3",
    kind: Whole(1..=ISLANDS_MAX),
};

pub(crate) const MIGRATE_EVERY: Field<Whole> = Field {
    key: "migrate_every",
    about: "after how many rounds the best of each island is copied to the next",
    absent: Absent::Default("5"),
    example: "migrate_every = 10",
    kind: Whole(1..=ROUNDS_MAX as i64),
};

pub(crate) const FINALISTS: Field<Whole> = Field {
    key: "finalists",
    about: "how many candidates race beside the approaches of the file, of those that the last round saw",
    absent: Absent::Default("2"),
    example: "finalists = 4",
    kind: Whole(1..=KEPT_MAX as i64),
};

pub(crate) const PATIENCE: Field<Whole> = Field {
    key: "patience",
    about: "how many rounds in a row without a new best end the search",
    absent: Absent::Default("3"),
    example: "patience = 5",
    kind: Whole(1..=ROUNDS_MAX as i64),
};

/// The values are true where the search also ends at gates.
pub(crate) const UNTIL: Field<Choice<bool>> = Field {
    key: "until",
    about: "when the search ends; with `gates` also as soon as the best passes the gates of all criteria",
    absent: Absent::Default("\"count\""),
    example: "until = \"gates\"",
    kind: Choice(&[("count", false), ("gates", true)]),
};

pub(crate) const TIME: Field<Time> = Field {
    key: "time",
    about: "the time for all rounds: none begins that would not end within it",
    absent: NONE,
    example: "time = \"10 min\"",
    kind: Time(Duration::from_secs(1)..=Duration::from_secs(86_400)),
};

pub(crate) const SEED: Field<Whole> = Field {
    key: "seed",
    about: "the seed from which candidates follow",
    absent: Absent::Default("0"),
    example: "seed = 7",
    kind: Whole(0..=i64::MAX),
};

pub(crate) const AHEAD: Field<Flag> = Field {
    key: "ahead",
    about: "whether a model is asked for the next round while one is looked at, and is told what was known before that one",
    absent: Absent::Default("false"),
    example: "ahead = true",
    kind: Flag,
};

pub(crate) const CONTROL: Field<Flag> = Field {
    key: "control",
    about: "whether as many candidates are drawn without regard to any result, so that the race says whether rounds helped",
    absent: Absent::Default("false"),
    example: "control = true",
    kind: Flag,
};
