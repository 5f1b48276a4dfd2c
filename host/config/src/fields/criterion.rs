//! Keys of `[[criterion]]`.

use super::approach::{NAME_CHARS_MAX, SENTENCE_CHARS_MAX};
use super::field::{Absent, Field, Kind, NONE, Table};
use super::json::Keywords;
use super::kinds::{ANY_NUMBER, Amount, Choice, List, MAGNITUDE_MAX, Number, Text, any_of, words};
use super::tables::{Inline, OneOf};
use crate::user_scale::ScaleKind;
use bakeoff_domain::spec::{Direction, EVALUATOR_PREFIX, MeasuredBy, Source};

/// The value of `from` of a criterion that is an opinion.
pub(crate) const JUDGE_SOURCE: &str = "judge";
/// The beginning of the value of `from` of a criterion from `assess`.
pub(crate) const ASSESS_PREFIX: &str = "assess:";
/// The most characters of a unit.
pub(crate) const UNIT_CHARS_MAX: usize = 20;

/// All keys of `[[criterion]]`.
pub(crate) const CRITERION: Table = Table {
    keys: &[
        &NAME,
        &WEIGHT,
        &FROM,
        &COULD_MEASURE,
        &QUESTION,
        &DIRECTION,
        &UNIT,
        &SCALE,
        &BASE,
        &RANGE,
        &GATE,
    ],
};

pub(crate) const NAME: Field<Text> = Field {
    key: "name",
    about: "the name that reports show; no two are the same",
    absent: Absent::Needed,
    example: "name = \"performance\"",
    kind: Text(NAME_CHARS_MAX),
};

pub(crate) const WEIGHT: Field<Number> = Field {
    key: "weight",
    about: "how much it counts; not all may be 0",
    absent: Absent::Default("1.0"),
    example: "weight = 0.5",
    kind: Number(0.0..=MAGNITUDE_MAX),
};

pub(crate) const FROM: Field<Sources> = Field {
    key: "from",
    about: "where its readings come from",
    absent: Absent::Needed,
    example: "from = \"time\"",
    kind: Sources,
};

/// A source of readings.
pub(crate) struct Sources;

impl Kind for Sources {
    fn schema(&self) -> Keywords {
        let built_in = Source::BUILT_IN.iter().map(|(name, _)| *name);
        let named = [ASSESS_PREFIX, EVALUATOR_PREFIX].map(|prefix| {
            let pattern = format!("^{prefix}.+");
            vec![
                ("type", "string".into()),
                ("pattern", pattern.as_str().into()),
            ]
        });
        any_of(
            [words(built_in.chain([JUDGE_SOURCE]))]
                .into_iter()
                .chain(named),
        )
    }

    fn phrase(&self) -> String {
        "a source of the table below".to_owned()
    }
}

pub(crate) const COULD_MEASURE: Field<Inline> = Field {
    key: "could_measure",
    about: "how it could be measured, by this command; in a [question in words](opinions.md)",
    absent: NONE,
    example: "could_measure = { by = \"time\", what = \"a load of requests\" }",
    kind: Inline(&WAY),
};

/// All keys of `could_measure`.
pub(crate) const WAY: Table = Table {
    keys: &[&BY, &WHAT],
};

pub(crate) const BY: Field<Choice<MeasuredBy>> = Field {
    key: "by",
    about: "the command that would measure it",
    absent: Absent::Needed,
    example: "by = \"explore\"",
    kind: Choice(&[
        ("explore", MeasuredBy::Explore),
        ("time", MeasuredBy::Time),
        ("judge", MeasuredBy::Judge),
    ]),
};

pub(crate) const WHAT: Field<Text> = Field {
    key: "what",
    about: "what it would measure, in a line: for `explore` a narrower problem that a function solves",
    absent: Absent::Needed,
    example: "what = \"Serve a trace of keys from a cache of n entries.\"",
    kind: Text(SENTENCE_CHARS_MAX),
};

pub(crate) const QUESTION: Field<Text> = Field {
    key: "question",
    about: "what a model is asked about each source; for `judge`",
    absent: Absent::Otherwise("needed for `judge`"),
    example: "question = \"How easily could a newcomer change this?\"",
    kind: Text(SENTENCE_CHARS_MAX),
};

pub(crate) const DIRECTION: Field<Choice<Direction>> = Field {
    key: "direction",
    about: "which readings are better; for `assess:NAME` and `judge`, or as an evaluator says",
    absent: Absent::Otherwise("needed for `assess`, and for `judge` with a `unit`"),
    example: "direction = \"higher-is-better\"",
    kind: Choice(&[
        ("lower-is-better", Direction::LowerIsBetter),
        ("higher-is-better", Direction::HigherIsBetter),
    ]),
};

pub(crate) const UNIT: Field<Text> = Field {
    key: "unit",
    about: "the unit of its readings; for `assess:NAME` and `judge`, or as an evaluator says",
    absent: NONE,
    example: "unit = \"%\"",
    kind: Text(UNIT_CHARS_MAX),
};

pub(crate) const SCALE: Field<Choice<ScaleKind>> = Field {
    key: "scale",
    about: "how readings become scores",
    absent: Absent::Otherwise("by source"),
    example: "scale = \"linear\"",
    kind: Choice(&[("ratio", ScaleKind::Ratio), ("linear", ScaleKind::Linear)]),
};

pub(crate) const BASE: Field<Number> = Field {
    key: "base",
    about: "the ratio that costs ten points; for the scale `ratio`",
    absent: Absent::Default("10"),
    example: "base = 2",
    kind: Number(1.0 + 1e-6..=1e6),
};

pub(crate) const RANGE: Field<List<Number>> = Field {
    key: "range",
    about: "the ends of the scale, which score 0 and 10, the lower one first; for the scale `linear`",
    absent: Absent::Otherwise("by source"),
    example: "range = [0, 100]",
    kind: List {
        of: ANY_NUMBER,
        count: 2..=2,
        is_set: false,
    },
};

pub(crate) const GATE: Field<Inline> = Field {
    key: "gate",
    about: "bounds that a variant must meet to be ranked, `min`, `max` or both, on one of the two",
    absent: NONE,
    example: "gate = { reading = { max = \"64 MiB\" } }",
    kind: Inline(&GATES),
};

/// All keys of `gate`.
pub(crate) const GATES: Table = Table {
    keys: &[&SCORE, &READING],
};

pub(crate) const SCORE: Field<Inline> = Field {
    key: "score",
    about: "bounds on the score, from 0 to 10",
    absent: NONE,
    example: "score = { min = 4.0 }",
    kind: Inline(&Table {
        keys: &[&SCORE_MIN, &SCORE_MAX],
    }),
};

pub(crate) const SCORE_MIN: Field<Number> = Field {
    key: "min",
    about: "the least score",
    absent: NONE,
    example: "min = 4.0",
    kind: ANY_NUMBER,
};

pub(crate) const SCORE_MAX: Field<Number> = Field {
    key: "max",
    about: "the greatest score",
    absent: NONE,
    example: "max = 8.0",
    kind: ANY_NUMBER,
};

pub(crate) const READING: Field<Inline> = Field {
    key: "reading",
    about: "bounds on the reading, in its unit or with one",
    absent: NONE,
    example: "reading = { max = 64 }",
    kind: Inline(&Table {
        keys: &[&READING_MIN, &READING_MAX],
    }),
};

pub(crate) const READING_MIN: Field<OneOf> = Field {
    key: "min",
    about: "the least reading: a number in its unit, or a text with a unit",
    absent: NONE,
    example: "min = 90",
    kind: OneOf(&[&ANY_NUMBER, &Amount]),
};

pub(crate) const READING_MAX: Field<OneOf> = Field {
    key: "max",
    about: "the greatest reading: a number in its unit, or a text with a unit",
    absent: NONE,
    example: "max = \"64 MiB\"",
    kind: OneOf(&[&ANY_NUMBER, &Amount]),
};
