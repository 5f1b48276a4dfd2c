//! The places in which something is planted, and the commands that open them.

use super::planting::Plant;

/// The arguments that compare two files on a file of cases, and these.
macro_rules! comparing {
    ($($more:literal),*) => {
        &[
            "compare",
            "approaches/select.rs",
            "approaches/reversed.rs",
            "--wit",
            "wit",
            "--call",
            "top-k",
            "--cases",
            "cases.toml",
            "--budget",
            "100ms",
            $($more),*
        ]
    };
}

/// Everything that is planted.
pub(super) const ALL: [Plant; 9] = [
    Plant::Link,
    Plant::SecondName,
    Plant::Pipe,
    Plant::DeviceLink,
    Plant::Device,
    Plant::Huge,
    Plant::Unreadable,
    Plant::OtherKind,
    Plant::Changing,
];

/// What leads out in ways of its own, or makes a command wait.
pub(super) const OUT: [Plant; 3] = [Plant::Link, Plant::SecondName, Plant::Pipe];

/// The same for those that read an experiment.
pub(super) const READ: [Plant; 2] = [Plant::Link, Plant::Changing];

/// What a folder of results may have, and what lies beside it.
pub(super) const KEPT: [&str; 31] = [
    ".bakeoff",
    ".bakeoff/planted-cases",
    ".bakeoff/planted-cases/bakeoff.db",
    ".bakeoff/planted-cases/bakeoff.db-wal",
    ".bakeoff/planted-cases/bakeoff.db-shm",
    ".bakeoff/planted-cases/bakeoff.db-journal",
    ".bakeoff/planted-cases/bakeoff.db.new",
    ".bakeoff/planted-cases/bakeoff.db.new-wal",
    ".bakeoff/planted-cases/lock",
    ".bakeoff/planted-cases/events.jsonl",
    ".bakeoff/planted-cases/progress.json",
    ".bakeoff/planted-cases/report.json",
    ".bakeoff/planted-cases/report.md",
    ".bakeoff/planted-cases/report.html",
    ".bakeoff/planted-cases/summary.md",
    ".bakeoff/planted-cases/.report.json.tmp",
    ".bakeoff/planted-cases/contents",
    ".bakeoff/planted-cases/variants",
    ".bakeoff/planted-cases/variants/sort.json",
    ".bakeoff/planted-cases/variants/sort/iteration-1/source.rs",
    ".bakeoff/planted-cases/charts",
    ".bakeoff/planted-cases/aside-1",
    ".bakeoff/models.jsonl",
    ".bakeoff/models.jsonl.under-way",
    ".bakeoff/models.progress.json",
    ".bakeoff/generation.json",
    ".bakeoff/generation.attempts",
    "baselines",
    "it.bundle",
    "new.db",
    "times",
];

/// What an experiment consists of.
pub(super) const OWN: [&str; 19] = [
    "bakeoff.toml",
    "bakeoff.lock",
    "cases.toml",
    "wit",
    "wit/top-k.wit",
    "wit/deps",
    "approaches",
    "approaches/sort.rs",
    "granted.wasm",
    "data",
    "data/table",
    "evaluators/panics.rs",
    "aggregators/summary.rs",
    "replies.jsonl",
    "instructions.md",
    "prototype.md",
    ".bakeoff/models.jsonl",
    ".bakeoff/generation.json",
    ".bakeoff/generation.attempts",
];

/// What may be in the place of a folder that is written into, or take it meanwhile.
pub(super) const FOLDERS: [Plant; 3] = [Plant::Link, Plant::SecondName, Plant::Changing];

/// The folders that a run writes into.
pub(super) const WRITTEN_INTO: [&str; 5] = [
    ".bakeoff",
    ".bakeoff/planted-cases",
    ".bakeoff/planted-cases/variants",
    ".bakeoff/planted-cases/contents",
    ".bakeoff/planted-cases/charts",
];

/// The files that a run writes, or goes on with.
pub(super) const WRITTEN: [&str; 9] = [
    ".bakeoff/planted-cases/bakeoff.db",
    ".bakeoff/planted-cases/bakeoff.db-wal",
    ".bakeoff/planted-cases/bakeoff.db-shm",
    ".bakeoff/planted-cases/bakeoff.db.new",
    ".bakeoff/planted-cases/lock",
    ".bakeoff/planted-cases/events.jsonl",
    ".bakeoff/planted-cases/progress.json",
    ".bakeoff/planted-cases/report.md",
    ".bakeoff/planted-cases/.report.json.tmp",
];

/// What commands that read look into themselves: for all that is planted.
pub(super) const LOOKED_INTO: [&str; 7] = [
    ".bakeoff/planted-cases/bakeoff.db",
    ".bakeoff/planted-cases/report.json",
    ".bakeoff/planted-cases/lock",
    ".bakeoff/planted-cases/contents",
    ".bakeoff/models.jsonl",
    ".bakeoff/models.progress.json",
    ".bakeoff/generation.json",
];

/// What a tool of an agent opens by itself, or has a command open.
pub(super) const OF_AGENTS: [&str; 6] = [
    "bakeoff.toml",
    ".bakeoff",
    ".bakeoff/planted-cases/bakeoff.db",
    ".bakeoff/planted-cases/report.json",
    ".bakeoff/planted-cases/contents",
    "approaches/sort.rs",
];

/// Commands that read what is kept.
pub(super) const READING: [&[&str]; 10] = [
    &["report", "."],
    &["report", ".bakeoff/planted-cases", "--format", "html"],
    &["pick", "."],
    &["runs", "."],
    &["status", "."],
    &["compare", "1", ".bakeoff/planted-cases:1"],
    &["export", ".", "--format", "jsonl", "--table", "samples"],
    &["export", ".", "--format", "criterion", "--out", "times"],
    &["pack", ".", "--out", "it.bundle"],
    &["baseline", ".", "sort", "--name", "kept"],
];

/// Commands that read an experiment, and take next to no time.
pub(super) const CHECKING: [&[&str]; 5] = [
    &["check", "."],
    &[
        "check",
        "approaches/sort.rs",
        "--wit",
        "wit",
        "--call",
        "top-k",
        "--cases",
        "cases.toml",
        "--case",
        "top-k([3, 1, 2], 2)",
    ],
    &[
        "build",
        "approaches/sort.rs",
        "--wit",
        "wit",
        "--call",
        "top-k",
        "-o",
        "built.wasm",
    ],
    &[
        "generate",
        ".",
        "--approaches",
        "1",
        "--provider",
        "replay",
        "--cassette",
        "none.jsonl",
        "--yes",
    ],
    &["vendor", "."],
];

/// Commands that make something of it.
pub(super) const MAKING: [&[&str]; 2] = [
    &["run", ".", "--budget", "100ms"],
    &["run", ".", "--budget", "100ms", "--generate", "--yes"],
];

/// What belongs to the user, not to an experiment: the cache, the keys, and files that are named.
pub(super) const OF_THE_USERS: [&str; 6] = [
    "of-user/cache/key",
    "of-user/cache/crates",
    "of-user/cache/bakeoff-work-abc123",
    "of-user/keys/bakeoff/results.key",
    "packed.bundle",
    "man/bakeoff.1",
];

/// Commands that use these.
pub(super) const USING: [&[&str]; 6] = [
    &["verify", "packed.bundle"],
    &["report", "."],
    &["man", "--out", "man"],
    &["completions", "bash"],
    &["schema"],
    &["vendor", "."],
];

/// Commands that measure files of the user's, and keep what came of it.
pub(super) const KEEPING: [&[&str]; 2] = [
    comparing!("--out", ".bakeoff/planted-cases"),
    &[
        "compare",
        "approaches/select.rs",
        "approaches/sort.rs",
        "--call",
        "top_k",
        "--budget",
        "100ms",
        "--save-inputs",
        "saved/inputs.toml",
        "--save-case",
        "saved/case.toml",
    ],
];

/// What these write.
pub(super) const KEPT_BY_THEM: [&str; 2] = [
    ".bakeoff/planted-cases/bakeoff.db",
    ".bakeoff/planted-cases/contents",
];

/// The examination of a machine, with the folder of results in it.
pub(super) const EXAMINING: [&[&str]; 1] = [&["doctor", "."]];

/// Commands that start a run, or go on with it.
pub(super) const RUNNING: [&[&str]; 2] = [
    &["run", ".", "--budget", "100ms"],
    &["run", ".", "--budget", "100ms", "--fresh"],
];

/// Commands that make something of results, or of files.
pub(super) const REPEATING: [&[&str]; 4] = [
    &["verify", "."],
    comparing!(),
    &["init", "."],
    &[
        "explore",
        "A statement.",
        "--out",
        ".",
        "--provider",
        "replay",
        "--cassette",
        "replies.jsonl",
        "--no-run",
    ],
];

/// What these open.
pub(super) const REPEATED: [&str; 6] = [
    "bakeoff.toml",
    "wit",
    "cases.toml",
    ".bakeoff/planted-cases/contents",
    ".bakeoff/generation.json",
    ".bakeoff/models.jsonl",
];
