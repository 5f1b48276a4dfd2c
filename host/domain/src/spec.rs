//! What an experiment is: the problem, the ways to solve it, the limits, and what counts.
//!
//! These are values after validation: whoever holds an [`Experiment`] need not ask again whether a
//! weight is finite or a size is zero. Paths are relative to the experiment's folder.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// A whole experiment, as a user declared it, with every default filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// Names the folder in which results are kept.
    pub name: String,
    /// The question, in the user's words.
    pub problem: String,
    /// Which function is asked for.
    pub interface: Interface,
    /// Where inputs come from and who judges the answers.
    pub workload: Workload,
    /// The ways to solve it, at least one.
    pub approaches: Vec<Approach>,
    /// What a trial may use.
    pub limits: Limits,
    /// How time is measured.
    pub measure: Measure,
    /// What counts, and how much.
    pub criteria: Vec<Criterion>,
    /// What the report contains.
    pub report: ReportOptions,
}

/// The function that every prototype exports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interface {
    /// A WIT file, or a folder of them.
    pub wit: PathBuf,
    /// The export that is called: `top-k`, or `interface.function`.
    pub call: String,
}

/// Where inputs come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// How inputs are made.
    pub inputs: Inputs,
    /// The inputs on which every case is checked follow from this number, so that every run makes
    /// the same checks. `None`: from the run's own seed. What is timed never follows from it, since
    /// the authors of prototypes can read it.
    pub seed: Option<u64>,
}

/// How inputs are made and answers judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Inputs {
    /// A component with `generate` and, if it is an oracle, `check`; one case for each size.
    Generated {
        /// Its source or component.
        code: Code,
        /// The sizes it is asked for, ascending and distinct.
        sizes: Vec<u32>,
    },
    /// Calls and expected answers in WAVE, from a file; one case for each.
    Cases(PathBuf),
}

/// A way to solve the problem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approach {
    /// How it is called in reports. Any text: what shows it must make it inert.
    pub name: String,
    /// The idea, in a sentence.
    pub description: Option<String>,
    /// Its code.
    pub code: Code,
    /// The folders that it may read; for components only.
    #[serde(default)]
    pub grants: Vec<Grant>,
}

/// A folder of files that a component may read, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// The path at which the component sees it.
    pub at: String,
    /// The folder: relative to the experiment's, or absolute where the host's policy allows it.
    pub folder: PathBuf,
}

/// Code as it comes in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Code {
    /// A Rust source file.
    Source(PathBuf),
    /// A WebAssembly component.
    Component(PathBuf),
}

impl Code {
    /// The file, whatever it holds.
    pub fn path(&self) -> &std::path::Path {
        match self {
            Self::Source(path) | Self::Component(path) => path,
        }
    }
}

/// What one trial may use. Exceeding any of these is a result, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Linear memories and tables of an instance, summed, in bytes.
    pub memory_bytes: u64,
    /// Units of fuel (about one for each Wasm instruction) for one call in the gate.
    pub fuel: u64,
    /// Wall time of one call.
    pub wall: Duration,
    /// Bytes an answer may have, and bytes that may be written to an output.
    pub output_bytes: u64,
}

impl Default for Limits {
    /// 256 MiB, 10¹⁰ units of fuel, 10 s, 64 MiB of answer.
    fn default() -> Self {
        Self {
            memory_bytes: 256 << 20,
            fuel: 10_000_000_000,
            wall: Duration::from_secs(10),
            output_bytes: 64 << 20,
        }
    }
}

/// How time is measured, declared before the first sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// 1 − α for every published pairwise claim together, in (0, 1).
    pub confidence: f64,
    /// δ: differences below this fraction do not matter in practice. 0.01 is one per cent.
    pub practical: f64,
    /// Wall time that measuring may take.
    pub budget: Duration,
    /// Cores used at once.
    pub workers: Workers,
    /// What may be carried from one call to the next.
    pub state: State,
    /// Replicas at most.
    pub replicas_max: u32,
    /// A fraction by which the others may be slower than the first variant: measuring goes on until
    /// each of them is surely within it, or beyond. `None`: nobody asked.
    #[serde(default)]
    pub margin: Option<f64>,
    /// How closely a ratio needs to be known: measuring ends once every open pair of the leaders is
    /// known to this fraction, up and down. `None`: it goes on for a verdict.
    #[serde(default)]
    pub precision: Option<f64>,
}

impl Default for Measure {
    /// 95 % confidence, 1 % practical threshold, 60 s, all cores, no state, 96 replicas.
    fn default() -> Self {
        Self {
            confidence: 0.95,
            practical: 0.01,
            budget: Duration::from_secs(60),
            workers: Workers::Auto,
            state: State::Pure,
            replicas_max: 96,
            margin: None,
            precision: None,
        }
    }
}

/// How many cores work at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Workers {
    /// One for each core of the machine.
    Auto,
    /// So many; 1 is sequential.
    Exactly(u32),
}

/// Whether calls of an instance may share state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// A prototype is a function; one that is not gets a fresh instance for every call.
    Pure,
    /// Calls of an instance may share state, and the report says so.
    Kept,
}

/// Something that counts in the choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Criterion {
    /// How it is called: `performance`.
    pub name: String,
    /// How much it counts: finite, at least 0.
    pub weight: f64,
    /// Where its numbers come from.
    pub source: Source,
    /// Which way is better.
    pub direction: Direction,
    /// The unit of its readings, for people.
    pub unit: String,
    /// How a reading becomes a score.
    pub scale: Scale,
    /// What a variant must reach to be ranked at all.
    pub gate: Option<Gate>,
}

/// Where a criterion's readings come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Source {
    /// Guest CPU time, as a ratio to the best.
    Time,
    /// Wall time over the same brackets.
    Wall,
    /// Fuel of the gate's calls.
    Fuel,
    /// Peak of memories and tables, in bytes.
    PeakMemory,
    /// Size of the component, in bytes.
    ComponentSize,
    /// Lines of source that are neither blank nor comment.
    SourceLines,
    /// How fuel grows with size: the effective exponent.
    Growth,
    /// CPU time of the first call on a fresh instance.
    ColdStart,
    /// CPU time of the build.
    BuildTime,
    /// A number that the workload's `assess` gives an answer, by name.
    Assess(String),
}

impl Source {
    /// The built-in sources by the names that the experiment file uses.
    pub const BUILT_IN: [(&'static str, Source); 9] = [
        ("time", Source::Time),
        ("wall", Source::Wall),
        ("fuel", Source::Fuel),
        ("peak-memory", Source::PeakMemory),
        ("component-size", Source::ComponentSize),
        ("source-lines", Source::SourceLines),
        ("growth", Source::Growth),
        ("cold-start", Source::ColdStart),
        ("build-time", Source::BuildTime),
    ];

    /// The name that the experiment file uses: `peak-memory`, `assess:NAME`.
    pub fn name(&self) -> String {
        if let Source::Assess(name) = self {
            return format!("assess:{name}");
        }
        let found = Self::BUILT_IN.iter().find(|(_, source)| source == self);
        found
            .map(|(name, _)| (*name).to_owned())
            .unwrap_or_default()
    }
}

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Less is better.
    LowerIsBetter,
    /// More is better.
    HigherIsBetter,
}

/// How a reading becomes a score from 0 to 10.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// 10 − 10·log_R(ratio to the best): each factor of R costs 10 points. For positive numbers.
    Ratio {
        /// R, above 1. 10 by default.
        base: f64,
    },
    /// Straight from the worst end of a declared range (0) to the best (10).
    Linear {
        /// The range's lower end.
        low: f64,
        /// The range's upper end.
        high: f64,
    },
}

/// What a variant must reach to be ranked at all.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    /// What the bounds are about.
    pub on: GateOn,
    /// At least this, if given.
    pub min: Option<f64>,
    /// At most this, if given.
    pub max: Option<f64>,
}

/// What a gate looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateOn {
    /// The score, 0 to 10.
    Score,
    /// The reading, in its own unit.
    Reading,
}

/// What the report contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportOptions {
    /// As a table, in prose, or both.
    pub comparison: Comparison,
    /// What kind of advice is given.
    pub recommendation: RecommendationStyle,
    /// Whether the source of the prototypes is shown.
    pub code_samples: bool,
    /// Whether the trade-off analysis is shown.
    pub trade_offs: bool,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self {
            comparison: Comparison::Both,
            recommendation: RecommendationStyle::Decisive,
            code_samples: true,
            trade_offs: true,
        }
    }
}

/// How the variants are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Comparison {
    /// A table.
    Matrix,
    /// Prose.
    Narrative,
    /// A table, then prose.
    Both,
}

/// What kind of advice is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecommendationStyle {
    /// One name, where the verdicts carry it.
    Decisive,
    /// The close ones side by side, without choosing.
    Options,
    /// "If … matters most, take …".
    Conditional,
    /// None.
    None,
}
