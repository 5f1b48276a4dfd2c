//! Keys of `[[approach]]`.

use super::field::{Absent, Field, NONE, Table};
use super::kinds::{File, Flag, List, Number, Text};
use super::tables::{Inline, Map, OneOf};

/// The most characters of a name.
pub const NAME_CHARS_MAX: usize = 100;
/// The most characters of the problem or a description.
pub const PROSE_CHARS_MAX: usize = 4000;
/// The most characters of a sentence of an author.
pub(crate) const SENTENCE_CHARS_MAX: usize = 600;
/// The most sentences of a list.
pub(crate) const SENTENCES_MAX: usize = 8;
/// The most words of a command.
pub(crate) const WORDS_MAX: usize = 64;
/// The most bytes of one word.
pub(crate) const WORD_BYTES_MAX: usize = 4096;
/// The most folders that an approach is granted.
pub const GRANTS_MAX: usize = 16;
/// The most parameters of an approach.
pub(crate) const PARAMETERS_MAX: usize = 8;
/// The most values of a parameter.
pub(crate) const VALUES_MAX: usize = 10_000;
/// The most characters of a value that is a text.
pub(crate) const VALUE_CHARS_MAX: usize = 100;

/// The rule for approaches without one kind of code.
const ONE_OF_FOUR: Absent = Absent::Otherwise("one of the four");

/// All keys of `[[approach]]`.
pub(crate) const APPROACH: Table = Table {
    keys: &[
        &NAME,
        &DESCRIPTION,
        &WRITE,
        &INSTRUCTIONS,
        &SOURCE,
        &COMPONENT,
        &COMMAND,
        &TEXT,
        &GRANT,
        &SWEEP,
        &RATIONALE,
        &CHARACTERISTICS,
        &PROS,
        &CONS,
    ],
};

pub(crate) const NAME: Field<Text> = Field {
    key: "name",
    about: "the name that reports show; two must not read alike",
    absent: Absent::Needed,
    example: "name = \"heap\"",
    kind: Text(NAME_CHARS_MAX),
};

pub(crate) const DESCRIPTION: Field<Text> = Field {
    key: "description",
    about: "the idea, in a sentence",
    absent: NONE,
    example: "description = \"Keep a bounded heap.\"",
    kind: Text(PROSE_CHARS_MAX),
};

pub(crate) const WRITE: Field<Flag> = Field {
    key: "write",
    about: "whether a model is to write it, from name and description, in the place of code \
            ([models](models.md#ideas-of-your-own))",
    absent: ONE_OF_FOUR,
    example: "write = true",
    kind: Flag,
};

pub(crate) const INSTRUCTIONS: Field<File> = Field {
    key: "instructions",
    about: "a file with wishes for the model that writes it",
    absent: NONE,
    example: "instructions = \"functional.md\"",
    kind: File,
};

pub(crate) const SOURCE: Field<File> = Field {
    key: "source",
    about: "a Rust file, with what it declares as `mod helper;` in `helper.rs` or `helper/mod.rs` beside it, or one in C, \
            C++ or Zig ([languages](languages.md#a-source-in-c-c-or-zig))",
    absent: ONE_OF_FOUR,
    example: "source = \"approaches/heap.rs\"",
    kind: File,
};

pub(crate) const COMPONENT: Field<File> = Field {
    key: "component",
    about: "a component in any language ([recipes](languages.md)), or [one in a \
            registry](plugging-in.md#a-component-in-a-registry), `oci://registry/name:tag@sha256:…`",
    absent: ONE_OF_FOUR,
    example: "component = \"heap.wasm\"",
    kind: File,
};

pub(crate) const COMMAND: Field<List<Text>> = Field {
    key: "command",
    about: "the command that starts a program in any language, one of whose words names its file \
            ([programs](programs.md)); it runs with `--programs`",
    absent: ONE_OF_FOUR,
    example: "command = [\"python3\", \"heap.py\"]",
    kind: List {
        of: Text(WORD_BYTES_MAX),
        count: 1..=WORDS_MAX,
        is_set: false,
    },
};

pub(crate) const TEXT: Field<File> = Field {
    key: "text",
    about: "a file of up to 16 KiB that says what the approach is; in a [question in words](opinions.md), where there are \
            no other kinds",
    absent: Absent::Otherwise("its `description`"),
    example: "text = \"approaches/cdn.md\"",
    kind: File,
};

pub(crate) const GRANT: Field<Inline> = Field {
    key: "grant",
    about: "the folders that a *component* or a program reads, by the absolute paths at which it finds them",
    absent: NONE,
    example: "grant = { files = { \"/data\" = \"fixtures\" } }",
    kind: Inline(&GRANTED),
};

/// All keys of `grant`.
pub(crate) const GRANTED: Table = Table { keys: &[&FILES] };

pub(crate) const FILES: Field<Map<File>> = Field {
    key: "files",
    about: "folders by the absolute paths at which they are found",
    absent: Absent::Needed,
    example: "files = { \"/data\" = \"fixtures\" }",
    kind: Map {
        of: File,
        count: 1..=GRANTS_MAX,
    },
};

pub(crate) const SWEEP: Field<Map<OneOf>> = Field {
    key: "sweep",
    about: "parameters, each with a list of values (numbers, texts, `true`, `false`) or with a range of them: each \
            combination is a variant",
    absent: NONE,
    example: "sweep = { arity = [2, 4, 8] }",
    kind: Map {
        of: OneOf(&[
            &List {
                of: OneOf(&[&FINITE, &Text(VALUE_CHARS_MAX), &Flag]),
                count: 1..=VALUES_MAX,
                is_set: false,
            },
            &Inline(&RANGE),
        ]),
        count: 1..=PARAMETERS_MAX,
    },
};

/// A number without bounds.
const FINITE: Number = Number(f64::MIN..=f64::MAX);

/// All keys of a range of values.
pub(crate) const RANGE: Table = Table {
    keys: &[&FROM, &TO, &STEP],
};

pub(crate) const FROM: Field<Number> = Field {
    key: "from",
    about: "the first value",
    absent: Absent::Needed,
    example: "from = 2",
    kind: FINITE,
};

pub(crate) const TO: Field<Number> = Field {
    key: "to",
    about: "the end, which is a value where a step meets it",
    absent: Absent::Needed,
    example: "to = 8",
    kind: FINITE,
};

pub(crate) const STEP: Field<Number> = Field {
    key: "step",
    about: "the distance between two values, above 0",
    absent: Absent::Needed,
    example: "step = 2",
    kind: FINITE,
};

pub(crate) const RATIONALE: Field<Text> = Field {
    key: "rationale",
    about: "when it is the better choice, in its author's words",
    absent: NONE,
    example: "rationale = \"k is small.\"",
    kind: Text(SENTENCE_CHARS_MAX),
};

pub(crate) const CHARACTERISTICS: Field<List<Text>> = Field {
    key: "characteristics",
    about: "what tells it from the others, in its author's words",
    absent: NONE,
    example: "characteristics = [\"one pass\"]",
    kind: SENTENCES,
};

pub(crate) const PROS: Field<List<Text>> = Field {
    key: "pros",
    about: "what speaks for it, in its author's words",
    absent: NONE,
    example: "pros = [\"no copy of the list\"]",
    kind: SENTENCES,
};

pub(crate) const CONS: Field<List<Text>> = Field {
    key: "cons",
    about: "what speaks against it, in its author's words",
    absent: NONE,
    example: "cons = [\"slow for a large k\"]",
    kind: SENTENCES,
};

const SENTENCES: List<Text> = List {
    of: Text(SENTENCE_CHARS_MAX),
    count: 0..=SENTENCES_MAX,
    is_set: false,
};
