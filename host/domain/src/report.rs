//! The report as values: `report.json`, version 1. Additions are free; a change of meaning is
//! version 2.

mod added_section;
mod archive_map;
mod assemble;
mod candidate_difference;
mod case_label;
mod cost;
mod explore;
mod generation;
mod in_words;
mod machine_races;
mod natively;
mod noise;
mod opinions;
mod rare_inputs;
mod recommendation;
mod rounds;
mod shown_variants;
mod too_short_case;
mod unfinished;
mod verdict_row;
pub mod words;

use crate::attempt::Attempt;
use crate::failure::Failure;
use crate::numbers;
use crate::plan::RunSeed;
pub use crate::reading_verdict::{Claim, ReadingVerdict};
pub use crate::score::{
    CriterionSummary, Interval, RankingOutcome, ReplicaTimes, ScreeningFigures, VariantStatus,
    WeightChange,
};
use crate::spec::{AuthorWords, ReportOptions};
pub use added_section::{AddedColumn, AddedSection, AddedTable, SECTIONS_MAX, check_sections};
pub use archive_map::{ArchiveMap, CELL_AXES_MAX, CELLS_MAX, CellAxis, FilledCell};
pub use assemble::{Facts, assemble, assemble_unfinished, open_by_time, rescore, with_natively};
pub use candidate_difference::{
    CandidateDifference, DIFFERENCE_CHARS_MAX, DIFFERENCE_LINES_MAX, DIFFERENCE_VALUES_MAX,
    DIFFERENCES_BYTES_MAX, DIFFERENCES_MAX, DifferenceLine, ValueDifference,
};
pub use case_label::CaseLabel;
pub use cost::{Cost, MachineCost, Phase, PhaseCost, WorkerCost};
pub use explore::{ExploredSection, Question, ReportView, explore};
pub use generation::{
    ATTEMPTS_MAX, ExpectedCost, GENERATED_MAX, GeneratedApproach, GeneratedIteration, Generation,
    GenerationPlan, GenerationTask, ModelCost, PLAN_TASKS_MAX, TEXT_BYTES_MAX, UsedPrompt,
};
pub use in_words::{APPROACH_TEXT_BYTES_MAX, InWords, MeasurableCriterion};
pub use machine_races::{
    KINDS_MAX, MachineRace, MachineRaces, OnAllMachines, PairOnAll, RacelessMachine, with_machines,
};
pub use natively::Natively;
pub use noise::{Machine, noise};
pub use opinions::{
    CriterionOpinions, JUDGED_SOURCES_MAX, OpinionVote, Opinions, REASON_CHARS_MAX, SourceOpinion,
    VOTES_MAX, VariantOpinion, opinion_of,
};
pub use rare_inputs::{RareInputs, rare_inputs};
pub use recommendation::{FlipTo, Recommendation, StoppedInSearch};
pub use rounds::{
    Against, BestThen, CANDIDATE_TEXT_MAX, CANDIDATES_MAX, FINALISTS_MAX, Finalist, ROUNDS_MAX,
    RoundCandidate, RoundTook, Rounds,
};
use serde::{Deserialize, Serialize};
pub use shown_variants::{ShownVariants, presented};
use std::collections::BTreeMap;
pub use too_short_case::TooShortCase;
pub use unfinished::{UnfinishedRun, UnfinishedStatus};
pub use verdict_row::{Narrowed, VerdictRow};

/// The version of the format that these types write.
pub const SCHEMA_VERSION: u32 = 1;

/// The results of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Version of the format: [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The notice that nothing was run, and what could be measured instead, if the question is one in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_words: Option<InWords>,
    /// The experiment.
    pub experiment: ExperimentSummary,
    /// The machine and tools it was measured with.
    pub environment: Environment,
    /// The criteria.
    pub criteria: Vec<CriterionSummary>,
    /// All variants, failed ones included; in order of rank, then of declaration.
    pub variants: Vec<VariantReport>,
    /// Verdicts by time about each pair: all cases together (case `None`), then by case.
    pub verdicts: Vec<VerdictRow>,
    /// The recommended variant, and the robustness of the choice.
    pub recommendation: Recommendation,
    /// Ids of the variants that no other dominates.
    pub pareto: Vec<String>,
    /// The cost of the run.
    pub cost: Cost,
    /// Notes on how the numbers came about: too short to time, no oracle,
    /// stateful variants, a busy machine.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Verdicts by wall time over all cases, where a criterion asks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wall_verdicts: Vec<VerdictRow>,
    /// Verdicts by the other readings that criteria ask for (`cold-start`, `build-time`, `assess:NAME`), about each
    /// pair.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reading_verdicts: ReadingVerdicts,
    /// The parameters of the measuring, and why it ended.
    #[serde(default)]
    pub protocol: Protocol,
    /// Logarithms of times by replica and variant, from which first places are resampled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<ReplicaTimes>,
    /// The parts that the report shows.
    #[serde(default)]
    pub options: ReportOptions,
    /// The cases that no time rests on, since calls on them are shorter than can be timed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub too_short: Vec<TooShortCase>,
    /// The same sources built for this machine and run as programs, if that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub natively: Option<Natively>,
    /// Races of the same variants on other kinds of machines, if the experiment asks for them. No score, rank or
    /// recommendation follows from them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machines: Option<MachineRaces>,
    /// Sections that the user's aggregators add, in the order of their declaration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<AddedSection>,
    /// The approaches that a search for differences before the run saw stopped where another one answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stopped_in_search: Vec<StoppedInSearch>,
    /// Words of the authors of approaches, by approach.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub author_words: BTreeMap<String, AuthorWords>,
    /// Generation of the approaches, if some were generated: the request, its cost, and each attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<Generation>,
    /// Rounds of a search before the race, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
    /// Opinions of a model, if criteria ask for them: none of it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opinions: Option<Opinions>,
    /// Progress of the run, if it has not ended: nothing is ranked or recommended then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfinished: Option<UnfinishedRun>,
}

impl Report {
    /// Returns what a search before the run saw of a variant's approach, if it was stopped there.
    pub fn stopped_in_search_of(&self, id: &str) -> Option<&StoppedInSearch> {
        let variant = self.variants.iter().find(|variant| variant.id == id)?;
        let mut stopped = self.stopped_in_search.iter();
        stopped.find(|one| one.approach == variant.approach)
    }
}

/// Verdicts about pairs of variants, named by their ids, by the source of the reading.
pub type ReadingVerdicts = BTreeMap<String, Vec<ReadingVerdict<String>>>;

/// The parameters of the measuring.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Protocol {
    /// 1 − α for every published pairwise claim together.
    pub confidence: f64,
    /// δ: differences below this fraction do not matter in practice.
    pub practical: f64,
    /// Wall time that measuring might take, in seconds.
    pub budget_seconds: f64,
    /// Replicas that verdicts rest on.
    pub replicas: u32,
    /// The most replicas that a race has, whatever its budget; not known of older reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas_max: Option<u32>,
    /// The reason why measuring ended.
    pub ended: MeasuringEnd,
    /// The number of different inputs that were timed on the case with the fewest: of what is rarer than one in that
    /// many nothing is known. Not known of older reports, and where nothing was timed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<u64>,
    /// True if all of every call was timed, what the host does for it included, since a variant brings an allocator.
    #[serde(default, skip_serializing_if = "is_default")]
    pub all_timed: bool,
}

impl Default for Protocol {
    /// 95 % confidence, 1 % practical threshold; nothing measured.
    fn default() -> Self {
        Self {
            confidence: 0.95,
            practical: 0.01,
            budget_seconds: 0.0,
            replicas: 0,
            replicas_max: None,
            ended: MeasuringEnd::NotMeasured,
            inputs: None,
            all_timed: false,
        }
    }
}

/// The reason why measuring ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MeasuringEnd {
    /// Every verdict was reached.
    Settled,
    /// The budget of time ran out.
    Budget,
    /// The largest number of replicas ran.
    ReplicaLimit,
    /// The intervals of all open pairs are as narrow as was asked for.
    Precision,
    /// Nothing was timed.
    NotMeasured,
    /// Measuring has not ended: the run was stopped, or goes on.
    Unfinished,
}

/// Name of the class of growth where none fits.
pub const NO_CLASS: &str = "other";

/// Growth of a variant's work with size, as classified by fuel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// The class that fits best: `1`, `log n`, `n`, `n log n`, `n²`, `n³`; `other` if none fits.
    pub class: String,
    /// Classes that cannot be told from the one that fits best.
    #[serde(default)]
    pub alternatives: Vec<String>,
    /// The slope of log time over log size.
    pub exponent: Option<Interval>,
}

/// The experiment in a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExperimentSummary {
    /// Digest of all that decides the result.
    pub id: String,
    /// Name of the experiment.
    pub name: String,
    /// The question.
    pub problem: String,
    /// The seed of all timed inputs and orders; `--seed` repeats them.
    pub seed: RunSeed,
    /// The seed of the inputs on which every case was checked.
    #[serde(default)]
    pub check_seed: RunSeed,
    /// Labels of the cases: sizes, or calls in WAVE. Empty for a set of instances.
    #[serde(default)]
    pub cases: Vec<CaseLabel>,
    /// Options of the command line that name the called function and the inputs, where no file declares the experiment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// True if the interface and the inputs were read off the sources.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_sources: bool,
    /// The set of instances, if the inputs are one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instances: Option<InstanceSet>,
}

/// The fixed inputs of an experiment: one set, about which all claims are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstanceSet {
    /// The number of instances.
    pub count: u32,
    /// The number that count: most variants were checked and assessed on them. Fewer if all would take too
    /// long.
    pub checked: u32,
    /// SHA-256 of the names, each with its length before it, in hexadecimal.
    pub sha256: String,
    /// The names in their order; empty if there are more than 256. The database has all of them.
    pub names: Vec<String>,
}

impl ExperimentSummary {
    /// Returns the scope of claims without a case: `all cases together`, or `over 12 instances`.
    pub fn scope(&self) -> String {
        match &self.instances {
            Some(set) => format!("over {} instances", numbers::count(u64::from(set.count))),
            None => "all cases together".to_owned(),
        }
    }
}

/// The machine and tools of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// Engine, version and configuration hash.
    pub engine: String,
    /// Compiler of the prototypes.
    pub compiler: String,
    /// Reason why this compiler was used, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub compiler_choice: String,
    /// The crates that sources could use, and those that these need.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub crates: Vec<crate::crates::LockedCrate>,
    /// CPU model.
    pub cpu: String,
    /// Cores of the machine.
    pub cores: u32,
    /// Operating system and kernel.
    pub system: String,
    /// Level of confinement: `full`, `standard`, `unconfined`.
    pub confinement: String,
    /// Policy of the host, as to what experiments may have: `defaults`, or the file's restrictions in words.
    #[serde(default)]
    pub policy: String,
    /// Fences of the confinement: `landlock 7`, `seccomp`, `bubblewrap`, `cgroup (memory, processes)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fences: Vec<String>,
}

/// A reading with its unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The value.
    #[serde(deserialize_with = "null_is_nan")]
    pub value: f64,
    /// Lower end.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Unit: `ns`, `bytes`, `units`, `lines`, …
    pub unit: String,
    /// Values by case, where the reading differs by case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_case: Vec<Option<f64>>,
    /// Note of the evaluator that gave the reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A variant in the report, with a result or a failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariantReport {
    /// Id: safe as a file name, unique within the experiment.
    pub id: String,
    /// Name, as the user wrote it.
    pub name: String,
    /// The approach it came from.
    pub approach: String,
    /// Number of the revision, from 1.
    pub iteration: u32,
    /// Parameter values, by name.
    pub parameters: BTreeMap<String, String>,
    /// Status after scoring.
    pub status: VariantStatus,
    /// Rank: 1 is best; tied variants share one.
    pub rank: Option<u32>,
    /// The weighted mean of its scores, from 0 to 1.
    pub total: Option<Interval>,
    /// Scores by criterion, from 0 to 10.
    pub scores: BTreeMap<String, Interval>,
    /// Readings by source.
    pub readings: BTreeMap<String, Reading>,
    /// Reasons why there is no reading, or one that ranks nobody, by source.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub missing_readings: BTreeMap<String, String>,
    /// Failure of a variant without a result.
    pub failure: Option<Failure>,
    /// The call that failed, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_call: Option<FailedCall>,
    /// False if calls would take less work on an instance that has been called before; `None` if that
    /// is unknown. Every timed call has the same kind of instance, so nothing follows from it.
    #[serde(default)]
    pub pure: Option<bool>,
    /// The path of its source or component, relative to the experiment's folder.
    #[serde(default)]
    pub file: String,
    /// The idea, in a sentence.
    #[serde(default)]
    pub description: Option<String>,
    /// Reason why it is eliminated or unranked, in words.
    #[serde(default)]
    pub reason: Option<String>,
    /// Growth of its work with size, if enough sizes were run.
    #[serde(default)]
    pub growth: Option<Growth>,
    /// The imports of its component, as components name them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<String>,
    /// The operations that it tried in the gate and was refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<Attempt>,
    /// Screening of the variant, if it is part of a large sweep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screening: Option<Screening>,
}

/// Result of a screening for one variant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Screening {
    /// Figures of the variant.
    #[serde(flatten)]
    pub figures: ScreeningFigures,
    /// True if the variant was chosen to race.
    pub chosen: bool,
}

impl VariantReport {
    /// Returns true if it did not race, since a screening chose others.
    pub fn is_screened_out(&self) -> bool {
        self.screening.is_some_and(|screening| !screening.chosen)
    }
}

/// A call that failed, by the case and the seed of its input. It may fail again only after the calls before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedCall {
    /// The case.
    pub case: CaseLabel,
    /// The seed of the input.
    pub seed: u64,
}

/// Returns true for a default, which is left out of a report: fields that reports of earlier versions lack.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Reads null as NaN, which JSON does not have: a reading that is not a number is written as null.
fn null_is_nan<'de, D: serde::Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(from)?.unwrap_or(f64::NAN))
}

impl Reading {
    /// The number with its interval, without the unit.
    pub fn interval(&self) -> Interval {
        Interval {
            value: self.value,
            low: self.low,
            high: self.high,
        }
    }
}
