//! Keys of `[interface]` and `[workload]`.

use super::approach::NAME_CHARS_MAX;
use super::field::{Absent, Field, NONE, Table};
use super::kinds::{File, List, Text, Whole};
use super::tables::{Inline, OneOf};

/// The most sizes of a workload.
pub const SIZES_MAX: usize = 32;
/// The most instances of a workload.
pub const INSTANCES_MAX: usize = 10_000;
/// The most characters of an instance's name.
pub const INSTANCE_CHARS_MAX: usize = 200;

/// All keys of `[interface]`.
pub(crate) const INTERFACE: Table = Table {
    keys: &[&WIT, &CALL],
};

pub(crate) const WIT: Field<File> = Field {
    key: "wit",
    about: "a WIT file, or a folder of them",
    absent: Absent::Needed,
    example: "wit = \"wit\"",
    kind: File,
};

pub(crate) const CALL: Field<Text> = Field {
    key: "call",
    about: "the function that prototypes export, `function` or `interface.function`; or a resource that is [called in \
            three parts](plugging-in.md#inputs-that-are-too-large-to-pass-by-value), `interface.resource`",
    absent: Absent::Needed,
    example: "call = \"top-k\"",
    kind: Text(NAME_CHARS_MAX),
};

/// All keys of `[workload]`.
pub(crate) const WORKLOAD: Table = Table {
    keys: &[&SOURCE, &COMPONENT, &CASES, &SIZES, &INSTANCES, &SEED],
};

pub(crate) const SOURCE: Field<File> = Field {
    key: "source",
    about: "a Rust file with `generate`, and if it can, `check` and `assess`",
    absent: NONE,
    example: "source = \"workload.rs\"",
    kind: File,
};

pub(crate) const COMPONENT: Field<File> = Field {
    key: "component",
    about: "a component of the world `workload`, or [one in a registry](plugging-in.md#a-component-in-a-registry), \
            `oci://registry/name:tag@sha256:…`",
    absent: NONE,
    example: "component = \"workload.wasm\"",
    kind: File,
};

pub(crate) const CASES: Field<File> = Field {
    key: "cases",
    about: "a file of calls and expected answers, instead of code",
    absent: NONE,
    example: "cases = \"cases.toml\"",
    kind: File,
};

pub(crate) const SIZES: Field<List<Whole>> = Field {
    key: "sizes",
    about: "the sizes that `generate` is asked for, ascending",
    absent: NONE,
    example: "sizes = [1_000, 16_000]",
    kind: List {
        of: Whole(1..=u32::MAX as i64),
        count: 1..=SIZES_MAX,
        is_set: false,
    },
};

pub(crate) const INSTANCES: Field<OneOf> = Field {
    key: "instances",
    about: "the names of fixed inputs that `generate` is asked for, instead of `sizes`: different ones, with 512 KiB in \
            all, or those of a file, `{ file = \"instances.txt\" }`",
    absent: NONE,
    example: "instances = [\"small-1\", \"small-2\"]",
    kind: OneOf(&[
        &List {
            of: Text(INSTANCE_CHARS_MAX),
            count: 1..=INSTANCES_MAX,
            is_set: false,
        },
        &Inline(&INSTANCES_FILE),
    ]),
};

/// All keys of `instances` that a file lists.
pub(crate) const INSTANCES_FILE: Table = Table { keys: &[&FILE] };

pub(crate) const FILE: Field<File> = Field {
    key: "file",
    about: "a file that lists the names, one on each line",
    absent: Absent::Needed,
    example: "file = \"instances.txt\"",
    kind: File,
};

pub(crate) const SEED: Field<Whole> = Field {
    key: "seed",
    about: "the seed from which the inputs follow that are *checked*, and nothing that is timed",
    absent: Absent::Otherwise("the run's own"),
    example: "seed = 1",
    kind: Whole(0..=i64::MAX),
};
