//! The report as values: `report.json`, version 1. Additions are free; a change of meaning is
//! version 2.

use crate::failure::Failure;
use crate::verdict::Verdict;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format that these types write.
pub const SCHEMA_VERSION: u32 = 1;

/// All that a run found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Always [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// What was asked.
    pub experiment: ExperimentSummary,
    /// Where it was measured.
    pub environment: Environment,
    /// What counts.
    pub criteria: Vec<CriterionSummary>,
    /// Everyone who took part, also those who failed; in order of rank, then of declaration.
    pub variants: Vec<Variant>,
    /// By time, for each pair: all cases together (case `None`), then by case.
    pub verdicts: Vec<VerdictRow>,
    /// Which one to take, and how sure that is.
    pub recommendation: Recommendation,
    /// Ids of the variants that no other dominates.
    pub pareto: Vec<String>,
    /// What the answer cost.
    pub cost: Cost,
    /// What a reader should know about how the numbers came about: too short to time, no oracle,
    /// stateful variants, a busy machine.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// What was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperimentSummary {
    /// Digest of all that decides the result.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The question.
    pub problem: String,
    /// The seed all inputs and orders follow from.
    pub seed: u64,
    /// By case: its size, or its call in WAVE.
    #[serde(default)]
    pub cases: Vec<CaseLabel>,
}

/// How a case is called: by its size, or by the call itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CaseLabel {
    /// What the workload's `generate` was asked for.
    Size(u32),
    /// A call in WAVE, from a file of cases.
    Call(String),
}

impl std::fmt::Display for CaseLabel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Size(size) => write!(f, "{size}"),
            Self::Call(call) => f.write_str(call),
        }
    }
}

/// Where it was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// Engine, version and configuration hash.
    pub engine: String,
    /// Compiler of the prototypes.
    pub compiler: String,
    /// CPU model.
    pub cpu: String,
    /// Cores of the machine.
    pub cores: u32,
    /// Operating system and kernel.
    pub system: String,
    /// Level of confinement: `full`, `standard`, `unconfined`.
    pub confinement: String,
}

/// What counts, as shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CriterionSummary {
    /// Its name.
    pub name: String,
    /// Its weight.
    pub weight: f64,
    /// Where its readings come from: `time`, `assess:quality`.
    pub source: String,
    /// `lower-is-better` or `higher-is-better`.
    pub direction: crate::spec::Direction,
}

/// What became of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It has a total and a rank.
    Ranked,
    /// A gate of a criterion kept it out.
    Eliminated,
    /// It has no result.
    Failed,
    /// A score is missing, so that no total can be given.
    Unranked,
}

/// A number with its interval. An end that is not known is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The value.
    pub value: f64,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// A reading with its unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The value.
    pub value: f64,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// `ns`, `bytes`, `units`, `lines`, …
    pub unit: String,
    /// By case, where the reading differs by case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_case: Vec<Option<f64>>,
}

/// One variant, whatever became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// Safe as a file name, unique within the experiment.
    pub id: String,
    /// As the user wrote it.
    pub name: String,
    /// The approach it came from.
    pub approach: String,
    /// Which revision, from 1.
    pub iteration: u32,
    /// Its parameter values.
    pub parameters: BTreeMap<String, String>,
    /// What became of it.
    pub status: Status,
    /// 1 is best; tied variants share a rank.
    pub rank: Option<u32>,
    /// The weighted mean of its scores, from 0 to 1.
    pub total: Option<Interval>,
    /// By criterion, from 0 to 10.
    pub scores: BTreeMap<String, Interval>,
    /// By source.
    pub readings: BTreeMap<String, Reading>,
    /// Why it failed.
    pub failure: Option<Failure>,
    /// Whether its calls share no state, as seen by fuel; `None` if that was not found out.
    #[serde(default)]
    pub pure: Option<bool>,
    /// The path of its source or component, relative to the experiment's folder.
    #[serde(default)]
    pub file: String,
}

/// A verdict by time about a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerdictRow {
    /// Id of the variant that is spoken of.
    pub a: String,
    /// Id of the variant it is held against.
    pub b: String,
    /// `None`: all cases together.
    pub case: Option<CaseLabel>,
    /// What is said of `a`.
    pub verdict: Verdict,
    /// Sure, but smaller than is practical.
    pub below_threshold: bool,
    /// Time of `a` divided by time of `b`.
    pub ratio: Option<f64>,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// Which one to take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recommendation {
    /// Id of the variant to take, if the verdicts carry one.
    pub winner: Option<String>,
    /// Ids that share the first place.
    pub tied: Vec<String>,
    /// Ids within 0.1 of the best total.
    pub alternatives: Vec<String>,
    /// The least total change of weights that makes another variant win.
    pub flip_distance: Option<f64>,
    /// By id: how often it ranks first when replicas are drawn anew.
    #[serde(default)]
    pub first_share: BTreeMap<String, f64>,
    /// In words.
    pub text: String,
}

/// What the answer cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Wall time of the run.
    pub seconds: f64,
    /// Calls of guest code, timed or not.
    pub trials: u64,
    /// Tokens of models.
    pub tokens: u64,
    /// Money for models.
    pub usd: f64,
    /// By worker.
    pub workers: Vec<WorkerCost>,
    /// Variants with a result, as a share of all.
    pub success_rate: f64,
    /// Source files read.
    pub files: u64,
    /// Lines of source in them.
    pub source_lines: u64,
}

/// What one worker did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerCost {
    /// Builds, checks and replicas.
    pub tasks: u64,
    /// Time spent on them.
    pub busy_seconds: f64,
}
