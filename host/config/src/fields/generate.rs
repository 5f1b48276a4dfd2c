//! Keys of `[generate]`, `[judge]` and `[prompts]`: what a model is asked, and which one.

use super::field::{Absent, Field, NONE, Table};
use super::kinds::{Choice, File, Flag, Number, Text, Time, Whole, WordOr};
use bakeoff_domain::generate::{Depth, Diversity, ProviderKind};
use bakeoff_domain::report::VOTES_MAX;
use std::time::Duration;

/// The most calls of a model at the same time.
pub const CALLS_AT_ONCE_MAX: u32 = 64;
/// The most approaches that a model is asked for.
pub const GENERATED_APPROACHES_MAX: u32 = 10;
/// The most repairs of one approach: requests to write code anew that failed.
pub const REPAIRS_MAX: u32 = 10;
/// The longest name of a model, in bytes.
pub(crate) const MODEL_BYTES_MAX: usize = 200;

/// Place in which approaches are written, and so by whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Workspace {
    /// No place: approaches are replies of the model.
    #[default]
    Reply,
    /// A worktree of the repository for each, in which a coding agent of the user's writes it.
    Worktree,
}

/// All keys of `[generate]`.
pub(crate) const GENERATE: Table = Table {
    keys: &[
        &PROVIDER,
        &MODEL,
        &APPROACHES,
        &USD,
        &TOKENS,
        &REPAIRS,
        &REPAIR_MODEL,
        &REPAIR_PROVIDER,
        &CALLS_AT_ONCE,
        &TIMEOUT,
        &DEPTH,
        &DIVERSITY,
        &WORKSPACE,
        &RESEARCH,
        &INSTRUCTIONS,
        &CASSETTE,
    ],
};

/// All keys of `[judge]`.
pub(crate) const JUDGE: Table = Table {
    keys: &[
        &PROVIDER,
        &MODEL,
        &VOTES,
        &USD,
        &TOKENS,
        &CALLS_AT_ONCE,
        &CASSETTE,
    ],
};

pub(crate) const PROVIDER: Field<Choice<ProviderKind>> = Field {
    key: "provider",
    about: "who is asked; the program of a command is named by the user",
    absent: Absent::Needed,
    example: "provider = \"anthropic\"",
    kind: Choice(&[
        ("anthropic", ProviderKind::Anthropic),
        ("openai", ProviderKind::OpenAi),
        ("ollama", ProviderKind::Ollama),
        ("command", ProviderKind::Command),
        ("replay", ProviderKind::Replay),
    ]),
};

pub(crate) const MODEL: Field<Text> = Field {
    key: "model",
    about: "the model, by the provider's name for it, of letters, digits and signs",
    absent: NONE,
    example: "model = \"claude-sonnet-5-5\"",
    kind: Text(MODEL_BYTES_MAX),
};

pub(crate) const USD: Field<Number> = Field {
    key: "usd",
    about: "the most US dollars",
    absent: NONE,
    example: "usd = 0.5",
    kind: Number(0.000_001..=1_000_000.0),
};

pub(crate) const TOKENS: Field<Whole> = Field {
    key: "tokens",
    about: "the most tokens",
    absent: NONE,
    example: "tokens = 200_000",
    kind: Whole(1..=i64::MAX),
};

pub(crate) const CALLS_AT_ONCE: Field<Whole> = Field {
    key: "calls_at_once",
    about: "the most calls of the model at the same time",
    absent: Absent::Otherwise("4, and 1 for `ollama` and `command`"),
    example: "calls_at_once = 2",
    kind: Whole(1..=CALLS_AT_ONCE_MAX as i64),
};

pub(crate) const CASSETTE: Field<File> = Field {
    key: "cassette",
    about: "a file of recorded replies; for `replay`, and needed there",
    absent: NONE,
    example: "cassette = \"model.jsonl\"",
    kind: File,
};

pub(crate) const VOTES: Field<Whole> = Field {
    key: "votes",
    about: "how often each question is asked, every second time with the sources in the opposite order",
    absent: Absent::Default("4"),
    example: "votes = 6",
    kind: Whole(1..=VOTES_MAX as i64),
};

pub(crate) const APPROACHES: Field<WordOr> = Field {
    key: "approaches",
    about: "how many approaches; `auto` is as many as the plan finds the problem worth",
    absent: Absent::Default("\"auto\""),
    example: "approaches = 4",
    kind: WordOr("auto", 0..=GENERATED_APPROACHES_MAX as i64),
};

pub(crate) const REPAIRS: Field<Whole> = Field {
    key: "repairs",
    about: "how often what failed is written anew",
    absent: Absent::Default("2"),
    example: "repairs = 3",
    kind: Whole(0..=REPAIRS_MAX as i64),
};

pub(crate) const REPAIR_MODEL: Field<Text> = Field {
    key: "repair_model",
    about: "the model that writes anew what failed when it was tried out ([how](models.md#another-model-for-repairs))",
    absent: Absent::Otherwise("the one that writes"),
    example: "repair_model = \"claude-opus-5\"",
    kind: Text(MODEL_BYTES_MAX),
};

pub(crate) const REPAIR_PROVIDER: Field<Choice<ProviderKind>> = Field {
    key: "repair_provider",
    about: "the provider of `repair_model`, if it is another one",
    absent: Absent::Otherwise("`provider`"),
    example: "repair_provider = \"ollama\"",
    kind: Choice(&[
        ("anthropic", ProviderKind::Anthropic),
        ("openai", ProviderKind::OpenAi),
        ("ollama", ProviderKind::Ollama),
    ]),
};

pub(crate) const TIMEOUT: Field<Time> = Field {
    key: "timeout_per_approach",
    about: "the time for one approach with all its repairs",
    absent: Absent::Default("\"20 min\""),
    example: "timeout_per_approach = \"5 min\"",
    kind: Time(Duration::from_secs(1)..=Duration::from_secs(86_400)),
};

pub(crate) const DEPTH: Field<Choice<Depth>> = Field {
    key: "depth",
    about: "how far prototypes are worked out",
    absent: Absent::Default("\"proof-of-concept\""),
    example: "depth = \"sketch\"",
    kind: Choice(&[
        ("sketch", Depth::Sketch),
        ("proof-of-concept", Depth::ProofOfConcept),
        ("production-ready", Depth::ProductionReady),
    ]),
};

pub(crate) const DIVERSITY: Field<Choice<Diversity>> = Field {
    key: "diversity",
    about: "how far apart approaches are",
    absent: Absent::Default("\"medium\""),
    example: "diversity = \"high\"",
    kind: Choice(&[
        ("low", Diversity::Low),
        ("medium", Diversity::Medium),
        ("high", Diversity::High),
    ]),
};

pub(crate) const WORKSPACE: Field<Choice<Workspace>> = Field {
    key: "workspace",
    about: "who writes approaches: the model, by its reply, or coding agents in worktrees, which `bakeoff generate --agent \
            COMMAND` names and starts ([how](worktrees.md#approaches-of-an-experiment)); `run --generate` is refused then",
    absent: Absent::Default("\"reply\""),
    example: "workspace = \"worktree\"",
    kind: Choice(&[
        ("reply", Workspace::Reply),
        ("worktree", Workspace::Worktree),
    ]),
};

pub(crate) const RESEARCH: Field<Flag> = Field {
    key: "research",
    about: "whether it is asked first [what is known of the problem](models.md#what-is-known-of-the-problem): algorithms, \
            pitfalls, edge cases; all other questions come with the answer",
    absent: Absent::Default("false"),
    example: "research = true",
    kind: Flag,
};

pub(crate) const INSTRUCTIONS: Field<File> = Field {
    key: "instructions",
    about: "a text with wishes for every prototype, read anew for each",
    absent: NONE,
    example: "instructions = \"wishes.md\"",
    kind: File,
};
