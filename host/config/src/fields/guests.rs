//! Keys of `[[evaluator]]` and `[[aggregator]]`.

use super::field::{Absent, Field, Table};
use super::kinds::{File, Slug};

/// The most characters of the name of an evaluator, of one of its criteria, or of an aggregator.
pub const EVALUATOR_NAME_CHARS_MAX: usize = 64;

/// All keys of `[[evaluator]]`.
pub(crate) const EVALUATOR: Table = Table {
    keys: &[&EVALUATOR_NAME, &EVALUATOR_SOURCE, &EVALUATOR_COMPONENT],
};

pub(crate) const EVALUATOR_NAME: Field<Slug> = Field {
    key: "name",
    about: "its name, by which criteria call it; no two are the same",
    absent: Absent::Needed,
    example: "name = \"source-size\"",
    kind: Slug(EVALUATOR_NAME_CHARS_MAX),
};

pub(crate) const EVALUATOR_SOURCE: Field<File> = Field {
    key: "source",
    about: "a Rust file with `describe` and `evaluate`",
    absent: Absent::Otherwise("this or `component`"),
    example: "source = \"evaluators/fullness.rs\"",
    kind: File,
};

pub(crate) const EVALUATOR_COMPONENT: Field<File> = Field {
    key: "component",
    about: "a component of the world `bakeoff:evaluator/evaluator@0.1.0`: a file, or [one in a \
            registry](plugging-in.md#a-component-in-a-registry)",
    absent: Absent::Otherwise("this or `source`"),
    example: "component = \"style.wasm\"",
    kind: File,
};

/// All keys of `[[aggregator]]`.
pub(crate) const AGGREGATOR: Table = Table {
    keys: &[&AGGREGATOR_NAME, &AGGREGATOR_SOURCE, &AGGREGATOR_COMPONENT],
};

pub(crate) const AGGREGATOR_NAME: Field<Slug> = Field {
    key: "name",
    about: "its name, by which the report calls it; no two are the same",
    absent: Absent::Needed,
    example: "name = \"summary\"",
    kind: Slug(EVALUATOR_NAME_CHARS_MAX),
};

pub(crate) const AGGREGATOR_SOURCE: Field<File> = Field {
    key: "source",
    about: "a Rust file with `aggregate`",
    absent: Absent::Otherwise("this or `component`"),
    example: "source = \"aggregators/summary.rs\"",
    kind: File,
};

pub(crate) const AGGREGATOR_COMPONENT: Field<File> = Field {
    key: "component",
    about: "a component of the world `bakeoff:aggregator/aggregator@0.1.0`: a file, or [one in a \
            registry](plugging-in.md#a-component-in-a-registry)",
    absent: Absent::Otherwise("this or `source`"),
    example: "component = \"summary.wasm\"",
    kind: File,
};
