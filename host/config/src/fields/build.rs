//! Keys of `[build]`.

use super::field::{Absent, Field, NONE, Table};
use super::kinds::{Choice, Flag, Form, List};
use super::tables::{Inline, OneOf};
use bakeoff_domain::edition::Edition;

/// The most crates that an experiment allows.
pub const CRATES_MAX: usize = 16;
/// The most features of one crate that an experiment names.
pub(crate) const FEATURES_MAX: usize = 32;

/// All keys of `[build]`.
pub(crate) const BUILD: Table = Table {
    keys: &[&CRATES, &SIMD, &EDITION],
};

pub(crate) const CRATES: Field<List<OneOf>> = Field {
    key: "crates",
    about: "crates of crates.io that Rust files may use beside the standard library; `bakeoff vendor` fetches them",
    absent: NONE,
    example: "crates = [\"hashbrown@0.15\"]",
    kind: List {
        of: OneOf(&[
            &Form(
                "`NAME@VERSION`",
                "^[A-Za-z][A-Za-z0-9_-]{0,63}@[0-9][0-9A-Za-z.-]{0,63}$",
            ),
            &Inline(&CRATE),
        ]),
        count: 0..=CRATES_MAX,
        is_set: true,
    },
};

pub(crate) const SIMD: Field<Flag> = Field {
    key: "simd",
    about: "whether the compiler may use vectors of 128 bits, in Rust files and in crates",
    absent: Absent::Default("true"),
    example: "simd = false",
    kind: Flag,
};

pub(crate) const EDITION: Field<Choice<Edition>> = Field {
    key: "edition",
    about: "the edition of Rust of the approaches' files; a workload and whatever else goes with them has the newest",
    absent: Absent::Default("\"2024\""),
    example: "edition = \"2021\"",
    kind: Choice(&[("2021", Edition::Rust2021), ("2024", Edition::Rust2024)]),
};

/// All keys of a crate.
pub(crate) const CRATE: Table = Table {
    keys: &[
        &CRATE_NAME,
        &CRATE_VERSION,
        &CRATE_FEATURES,
        &CRATE_DEFAULT_FEATURES,
    ],
};

pub(crate) const CRATE_NAME: Field<Form> = Field {
    key: "name",
    about: "its name, as crates.io has it",
    absent: Absent::Needed,
    example: "name = \"serde\"",
    kind: Form("text", "^[A-Za-z][A-Za-z0-9_-]{0,63}$"),
};

pub(crate) const CRATE_VERSION: Field<Form> = Field {
    key: "version",
    about: "any version that is compatible with this one, as cargo reads it",
    absent: Absent::Needed,
    example: "version = \"1\"",
    kind: Form("text", "^[0-9][0-9A-Za-z.-]{0,63}$"),
};

pub(crate) const CRATE_FEATURES: Field<List<Form>> = Field {
    key: "features",
    about: "features that are switched on",
    absent: NONE,
    example: "features = [\"derive\"]",
    kind: List {
        of: Form("text", "^[A-Za-z0-9_][A-Za-z0-9_+.-]{0,63}$"),
        count: 0..=FEATURES_MAX,
        is_set: true,
    },
};

pub(crate) const CRATE_DEFAULT_FEATURES: Field<Flag> = Field {
    key: "default-features",
    about: "whether its default features are switched on",
    absent: Absent::Default("true"),
    example: "default-features = false",
    kind: Flag,
};
