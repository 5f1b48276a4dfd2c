//! The declaration of an experiment: the problem, its approaches, the limits and the criteria.
//!
//! These are values after validation: code that holds an [`Experiment`] need not check again that a
//! weight is finite or a size is not zero. Paths are relative to the experiment's folder.

pub use crate::aggregator::Aggregator;
pub use crate::approach::{Approach, AuthorWords, Grant, Parameter};
pub use crate::code::{ApproachText, CallTiming, Code, ProgramCode};
use crate::crates::Crates;
pub use crate::declaring_place::DeclaringPlace;
pub use crate::direction::Direction;
use crate::edition::Edition;
pub use crate::evaluator::{
    EVALUATOR_PREFIX, EvaluatedCriterion, Evaluator, EvaluatorSource, Needs,
};
pub use crate::judge::{JUDGE_PREFIX, JudgeSource, MeasuredBy, WayToMeasure};
use crate::simd::Simd;
use crate::texts::SizedTexts;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A whole experiment, as a user declared it, with every default filled in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// The name of the experiment, and of the folder in which its results are kept.
    pub name: String,
    /// The problem statement, in the user's words.
    pub problem: String,
    /// The function that every prototype must export.
    pub interface: DeclaredInterface,
    /// The source of inputs and expected answers.
    pub workload: Workload,
    /// The approaches to the problem, at least one.
    pub approaches: Vec<Approach>,
    /// The limits of every trial.
    pub limits: Limits,
    /// The options for measuring time.
    pub measure: Measure,
    /// The evaluators that the user brings.
    #[serde(default)]
    pub evaluators: Vec<Evaluator>,
    /// The aggregators that the user brings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aggregators: Vec<Aggregator>,
    /// The crates that its sources may use.
    #[serde(default, skip_serializing_if = "Crates::is_empty")]
    pub crates: Crates,
    /// Use of vectors when its sources are compiled.
    #[serde(default, skip_serializing_if = "Simd::is_default")]
    pub simd: Simd,
    /// The edition of Rust of its approaches' sources.
    #[serde(default, skip_serializing_if = "Edition::is_default")]
    pub edition: Edition,
    /// The criteria of the choice, with their weights.
    pub criteria: Vec<Criterion>,
    /// The contents of the report.
    pub report: ReportOptions,
    /// Place of its declaration.
    #[serde(default)]
    pub declared: DeclaringPlace,
}

impl Experiment {
    /// Returns true if a criterion takes its readings from this source.
    pub fn uses(&self, source: &Source) -> bool {
        let mut criteria = self.criteria.iter();
        criteria.any(|criterion| criterion.source == *source)
    }

    /// Returns true if a criterion takes its readings from what the workload says of answers.
    pub fn assesses(&self) -> bool {
        let mut criteria = self.criteria.iter();
        criteria.any(|criterion| matches!(criterion.source, Source::Assess(_)))
    }

    /// Returns true for a question in words: its approaches are texts, its criteria opinions, and nothing of it is run.
    pub fn is_in_words(&self) -> bool {
        matches!(self.workload.inputs, Inputs::None)
    }
}

/// The function that every prototype exports. Both texts are empty for a question in words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredInterface {
    /// A WIT file, or a folder of them.
    pub wit: PathBuf,
    /// The export that is called: `top-k`, or `interface.function`.
    pub call: String,
}

/// The source of inputs, and the seed for checking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// The way in which inputs are made and answers are judged.
    pub inputs: Inputs,
    /// The seed of the inputs on which every case is checked, so that every run makes the same checks. `None`: the
    /// run's own seed. Timed inputs never depend on it, since the authors of prototypes can read it.
    pub seed: Option<u64>,
}

/// The way in which inputs are made and answers are judged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Inputs {
    /// A component with `generate` and, if it is an oracle, `check`; one case for each size.
    Generated {
        /// The workload's source or component.
        code: Code,
        /// The sizes that `generate` is asked for, ascending and distinct.
        sizes: Vec<u32>,
        /// Further cases, of inputs whose texts are of one kind. Only a workload that bakeoff itself writes for compared
        /// files has such inputs.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        texts: Vec<SizedTexts>,
    },
    /// A component like that, which makes inputs by their names: the same in every run, and together one set.
    Instances {
        /// The workload's source or component.
        code: Code,
        /// The names that `generate` is asked for, distinct.
        names: Vec<String>,
        /// The file that lists the names, if the experiment file does not. They are not known
        /// before it is read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<PathBuf>,
    },
    /// Calls and expected answers in WAVE, from a file; one case for each.
    Cases(PathBuf),
    /// No inputs: the question is one in words, and nothing is called.
    None,
}

impl Inputs {
    /// The code of the workload, if there is any.
    pub fn code(&self) -> Option<&Code> {
        match self {
            Self::Generated { code, .. } | Self::Instances { code, .. } => Some(code),
            Self::Cases(_) | Self::None => None,
        }
    }

    /// The file that lists the names of the instances, if there is one.
    pub fn instances_file(&self) -> Option<&Path> {
        match self {
            Self::Instances { file, .. } => file.as_deref(),
            Self::Generated { .. } | Self::Cases(_) | Self::None => None,
        }
    }

    /// Returns true if the inputs are the same in every run: a set of instances, or cases of a file.
    pub fn are_fixed(&self) -> bool {
        matches!(self, Self::Instances { .. } | Self::Cases(_))
    }

    /// Returns true if the inputs are a fixed set, of which every one is checked and each block of a
    /// race draws a few.
    pub fn are_instances(&self) -> bool {
        matches!(self, Self::Instances { .. })
    }
}

/// The resource limits of one trial. A trial that exceeds one of them fails with a failure class;
/// this is a result of the run, not an error of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes that the linear memories and tables of an instance may have in all.
    pub memory_bytes: u64,
    /// Units of fuel (about one for each Wasm instruction) for one call in the gate.
    pub fuel: u64,
    /// Wall time that one call may take.
    pub wall: Duration,
    /// Bytes that an answer may have, and bytes that a call may write to an output.
    pub output_bytes: u64,
}

impl Default for Limits {
    /// Returns the defaults: 256 MiB, 10¹⁰ units of fuel, 10 s, 64 MiB of answer.
    fn default() -> Self {
        Self {
            memory_bytes: 256 << 20,
            fuel: 10_000_000_000,
            wall: Duration::from_secs(10),
            output_bytes: 64 << 20,
        }
    }
}

/// The options for measuring time, declared before the first sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// 1 − α for every published pairwise claim together, in (0, 1).
    pub confidence: f64,
    /// δ: the practical threshold, as a fraction (0.01 is 1 %). Smaller differences do not matter
    /// in practice.
    pub practical: f64,
    /// Wall time that measuring may take.
    pub budget: Duration,
    /// The number of cores that are used at once.
    pub workers: Workers,
    /// The state that calls of an instance may share.
    pub state: State,
    /// The largest number of replicas.
    pub replicas_max: u32,
    /// The fraction by which another variant may be slower than the first. Measuring goes on until
    /// each of them is surely within it, or surely beyond it. `None`: there is no such limit.
    #[serde(default)]
    pub margin: Option<f64>,
    /// The precision to which ratios are measured, as a fraction in either direction: measuring
    /// ends once every open pair of the leaders is known this well. `None`: measuring goes on until
    /// there is a verdict.
    #[serde(default)]
    pub precision: Option<f64>,
    /// The machines that the race takes place on.
    #[serde(default, skip_serializing_if = "RaceMachines::is_here")]
    pub machines: RaceMachines,
}

impl Default for Measure {
    /// Returns the defaults: 95 % confidence, 1 % practical threshold, 20 s, all cores, no state,
    /// 96 replicas.
    fn default() -> Self {
        Self {
            confidence: 0.95,
            practical: 0.01,
            budget: Duration::from_secs(20),
            workers: Workers::Auto,
            state: State::Pure,
            replicas_max: 96,
            margin: None,
            precision: None,
            machines: RaceMachines::Here,
        }
    }
}

/// The machines that a race takes place on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RaceMachines {
    /// The machine of the run alone.
    #[default]
    Here,
    /// The machine of the run, and one of each other kind among its workers, where it is a race of its own.
    Each,
}

impl RaceMachines {
    /// Returns true for the machine of the run alone.
    pub fn is_here(&self) -> bool {
        *self == Self::Here
    }
}

/// The number of cores that work at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Workers {
    /// One for each core of the machine.
    Auto,
    /// This number of cores; 1 is sequential.
    Exactly(u32),
}

/// The state that calls of an instance may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// No state: a prototype is a function, and one that keeps state gets a fresh instance for every
    /// call.
    Pure,
    /// Calls of an instance may share state, and the report says so.
    Kept,
}

/// A criterion: a source of readings, a scale and a weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Criterion {
    /// The name of the criterion, such as `performance`.
    pub name: String,
    /// The weight of the criterion: finite, at least 0.
    pub weight: f64,
    /// The source of its readings.
    pub source: Source,
    /// The direction in which readings are better.
    pub direction: Direction,
    /// The unit of its readings, as reports show it.
    pub unit: String,
    /// The scale that turns a reading into a score.
    pub scale: Scale,
    /// The bounds that a variant must meet to be ranked.
    pub gate: Option<Gate>,
}

/// The source of a criterion's readings.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Source {
    /// Guest CPU time, as a ratio to the best.
    Time,
    /// Wall time of the same calls, as a ratio to the best.
    Wall,
    /// Fuel of the gate's calls.
    Fuel,
    /// Largest size of memories and tables, in bytes.
    PeakMemory,
    /// Size of the component, in bytes.
    ComponentSize,
    /// Lines of source that are neither blank nor comment.
    SourceLines,
    /// Growth of fuel with size, as the effective exponent.
    Growth,
    /// CPU time of the first call on a fresh instance.
    ColdStart,
    /// CPU time of the build.
    BuildTime,
    /// Share of the code that the checked inputs reach, in percent. It judges the inputs.
    Coverage,
    /// A number of this name that the workload's `assess` gives to an answer.
    Assess(String),
    /// A criterion of an evaluator that the user brings.
    Evaluator(EvaluatorSource),
    /// A model's opinion of the sources.
    Judge(JudgeSource),
}

impl Source {
    /// The built-in sources, with the names that the experiment file uses.
    ///
    /// ```
    /// # use bakeoff_domain::spec::Source;
    /// assert!(Source::BUILT_IN.iter().all(|(name, source)| source.name() == *name));
    /// ```
    pub const BUILT_IN: [(&'static str, Source); 10] = [
        ("time", Source::Time),
        ("wall", Source::Wall),
        ("fuel", Source::Fuel),
        ("peak-memory", Source::PeakMemory),
        ("component-size", Source::ComponentSize),
        ("source-lines", Source::SourceLines),
        ("growth", Source::Growth),
        ("cold-start", Source::ColdStart),
        ("build-time", Source::BuildTime),
        ("coverage", Source::Coverage),
    ];

    /// Returns true if a reading of it varies from replica to replica, from build to build or from
    /// input to input, so that what it says of two variants needs a verdict.
    pub fn is_uncertain(&self) -> bool {
        match self {
            Self::Time | Self::Wall | Self::ColdStart | Self::BuildTime | Self::Assess(_) => true,
            Self::Evaluator(source) => !source.exact,
            Self::Fuel
            | Self::PeakMemory
            | Self::ComponentSize
            | Self::SourceLines
            | Self::Growth
            | Self::Coverage
            | Self::Judge(_) => false,
        }
    }

    /// Returns the name of the number that the workload's `assess` gives, if it is the source.
    pub fn assessed(&self) -> Option<&str> {
        match self {
            Self::Assess(name) => Some(name),
            _ => None,
        }
    }

    /// Returns the evaluator's criterion, if it is the source.
    pub fn evaluated(&self) -> Option<&EvaluatorSource> {
        match self {
            Self::Evaluator(source) => Some(source),
            _ => None,
        }
    }

    /// Returns true if whoever gives its readings says their unit: an evaluator or a model.
    pub fn has_own_unit(&self) -> bool {
        matches!(self, Self::Evaluator(_) | Self::Judge(_))
    }

    /// Returns the question to a model, if its opinion is the source.
    pub fn judged(&self) -> Option<&JudgeSource> {
        match self {
            Self::Judge(source) => Some(source),
            _ => None,
        }
    }

    /// Returns the name that the experiment file uses, such as `peak-memory` or `assess:NAME`.
    pub fn name(&self) -> String {
        let built_in = match self {
            Self::Time => "time",
            Self::Wall => "wall",
            Self::Fuel => "fuel",
            Self::PeakMemory => "peak-memory",
            Self::ComponentSize => "component-size",
            Self::SourceLines => "source-lines",
            Self::Growth => "growth",
            Self::ColdStart => "cold-start",
            Self::BuildTime => "build-time",
            Self::Coverage => "coverage",
            Self::Assess(name) => return format!("assess:{name}"),
            Self::Evaluator(source) => return source.name(),
            Self::Judge(source) => return source.name(),
        };
        built_in.to_owned()
    }
}

/// A scale that turns a reading into a score from 0 to 10.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scale {
    /// 10 − 10·log_R(ratio to the best): each factor of R costs 10 points. For positive numbers.
    Ratio {
        /// R, the ratio that costs 10 points: above 1, and 10 by default.
        base: f64,
    },
    /// Linear from the worst end of a declared range (score 0) to the best end (score 10).
    Linear {
        /// The range's lower end.
        low: f64,
        /// The range's upper end.
        high: f64,
    },
}

/// The bounds that a variant must meet to be ranked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gate {
    /// The value that the bounds apply to.
    pub on: GateOn,
    /// The least value that is allowed, if there is one.
    pub min: Option<f64>,
    /// The greatest value that is allowed, if there is one.
    pub max: Option<f64>,
}

/// The value that the bounds of a gate apply to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GateOn {
    /// The score, from 0 to 10.
    Score,
    /// The reading, in the unit of the criterion.
    Reading,
}

/// The contents of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportOptions {
    /// The form of the comparison.
    pub comparison: ComparisonForm,
    /// The kind of advice.
    pub recommendation: RecommendationStyle,
    /// `true` if the report shows the source of the prototypes.
    pub code_samples: bool,
    /// `true` if the report shows the trade-off analysis.
    pub trade_offs: bool,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self {
            comparison: ComparisonForm::Both,
            recommendation: RecommendationStyle::Decisive,
            code_samples: true,
            trade_offs: true,
        }
    }
}

/// The form in which the variants are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComparisonForm {
    /// A table.
    Matrix,
    /// Prose.
    Narrative,
    /// A table, then prose.
    Both,
}

/// The kind of advice that a report gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecommendationStyle {
    /// The name of one variant, where the verdicts support it.
    Decisive,
    /// The closest variants side by side, without a choice.
    Options,
    /// Conditional advice: "If … matters most, take …".
    Conditional,
    /// No advice.
    None,
}
