//! The events, with their names and their data.
//!
//! The first five are the contract of the orchestrator. A name keeps its meaning: data may gain
//! fields, and an event of another meaning gets a new name.

use bakeoff_domain::failure::Failure;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::{CaseLabel, MachineCost, WorkerCost};
use bakeoff_domain::verdict::{RatioInterval, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A pair of a race without a verdict, and what is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenPair {
    /// Id of a variant.
    pub a: String,
    /// Id of the other.
    pub b: String,
    /// Time of `a` divided by time of `b`, with the ends of its interval.
    pub ratio: RatioInterval,
}

/// An event of a run. Serialises as `{"name": …, "data": {…}}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", content = "data")]
pub enum Event {
    /// The exploration begins.
    #[serde(rename = "orchestrator:exploration:start")]
    ExplorationStart {
        /// Number of variants.
        num_approaches: u32,
        /// Names of the criteria.
        criteria: Vec<String>,
    },
    /// An approach is known: declared by the user, or proposed.
    #[serde(rename = "orchestrator:approach:generated")]
    ApproachGenerated {
        /// Id of the approach's variant.
        approach_id: String,
        /// The idea, in a sentence; empty if none was given.
        description: String,
    },
    /// Work on an approach starts.
    #[serde(rename = "orchestrator:approach:start")]
    ApproachStart {
        /// Id of the approach's variant.
        approach_id: String,
    },
    /// An approach is evaluated.
    #[serde(rename = "orchestrator:approach:complete")]
    ApproachComplete {
        /// Id of the approach's variant.
        approach_id: String,
        /// Scores by criterion, from 0 to 10; `null` where a score is missing.
        scores: BTreeMap<String, Option<f64>>,
    },
    /// A question to a model is sent.
    #[serde(rename = "bakeoff:call:start")]
    CallStart {
        /// Purpose of the question: `prototype`.
        purpose: String,
        /// Subject of the question: `approach 2`.
        subject: String,
    },
    /// The reply to a question is there.
    #[serde(rename = "bakeoff:call:complete")]
    CallComplete {
        /// Purpose of the question.
        purpose: String,
        /// Subject of the question.
        subject: String,
        /// True if the reply was received before, and cost nothing now.
        recorded: bool,
    },
    /// A source that was written for an approach was built and called.
    #[serde(rename = "bakeoff:attempt:complete")]
    AttemptComplete {
        /// Name of the approach.
        approach_id: String,
        /// Number of the attempt, from 1.
        attempt: u32,
        /// `passed`, or the class of the failure.
        outcome: String,
    },
    /// An approach is written, or given up. Once more, with `duplicate`, if its work turns out to be that of another.
    #[serde(rename = "bakeoff:approach:written")]
    ApproachWritten {
        /// Name of the approach.
        approach_id: String,
        /// `passed`, `duplicate`, or the class of the failure.
        outcome: String,
    },
    /// No more approaches are written.
    #[serde(rename = "bakeoff:writing:complete")]
    WritingComplete {
        /// False if a budget or the model ended it, or tasks wait for answers: the same command goes on.
        is_complete: bool,
    },
    /// Everything is scored and ranked.
    #[serde(rename = "orchestrator:evaluation:complete")]
    EvaluationComplete {
        /// Id of the recommended variant, if the verdicts carry one.
        top_approach: Option<String>,
        /// Scores by variant, then by criterion, from 0 to 10; `null` where a score is missing.
        comparison_matrix: BTreeMap<String, BTreeMap<String, Option<f64>>>,
    },

    /// A run begins without earlier results.
    #[serde(rename = "bakeoff:run:start")]
    RunStart {
        /// Name of the experiment.
        experiment: String,
        /// Digest of all that decides the result.
        experiment_id: String,
        /// Seed from which inputs and orders are derived.
        seed: RunSeed,
    },
    /// A run is resumed, or begins with results of an earlier one.
    #[serde(rename = "bakeoff:run:resumed")]
    RunResumed {
        /// Name of the experiment.
        experiment: String,
        /// Digest of all that decides the result.
        experiment_id: String,
        /// Number of results and replicas that are reused.
        kept: u64,
    },
    /// An input of results changed: their stage is done again.
    #[serde(rename = "bakeoff:input:changed")]
    InputChanged {
        /// Id of the variant, or `null` if the change concerns all variants.
        variant_id: Option<String>,
        /// The stage that is done again.
        stage: Stage,
        /// Names of the inputs that changed: `source`, `compiler`, `limits`, …
        inputs: Vec<String>,
    },
    /// The run was asked to stop; all finished results are stored.
    #[serde(rename = "bakeoff:run:interrupted")]
    RunInterrupted {
        /// The command that resumes it.
        resume: String,
    },
    /// The run cannot go on: the store, the engine or the confinement failed.
    #[serde(rename = "bakeoff:run:failed")]
    RunFailed {
        /// The error, and what to do.
        message: String,
    },
    /// The run is finished, and its report is stored.
    #[serde(rename = "bakeoff:run:complete")]
    RunComplete {
        /// Time spent on the run, over all its sessions, in seconds.
        seconds: f64,
    },

    /// A stage begins. Checking begins while others are still being built.
    #[serde(rename = "bakeoff:stage:start")]
    StageStart {
        /// The stage.
        stage: Stage,
        /// Number of builds of the stage, or the largest number of its checks or replicas.
        steps: u64,
    },
    /// A stage is finished.
    #[serde(rename = "bakeoff:stage:complete")]
    StageComplete {
        /// The stage.
        stage: Stage,
    },
    /// The build of a variant starts.
    #[serde(rename = "bakeoff:build:start")]
    BuildStart {
        /// Id of the variant.
        variant_id: String,
    },
    /// A variant was built to a component.
    #[serde(rename = "bakeoff:build:complete")]
    BuildComplete {
        /// Id of the variant.
        variant_id: String,
        /// Origin of the component: built now, or reused.
        origin: Origin,
        /// CPU time of the build, in seconds.
        cpu_seconds: f64,
        /// Size of the component, in bytes.
        component_bytes: u64,
    },
    /// The gate of a variant starts: every case once, judged by the oracle.
    #[serde(rename = "bakeoff:check:start")]
    CheckStart {
        /// Id of the variant.
        variant_id: String,
    },
    /// A gate that takes long is under way; at most once a second for each variant.
    #[serde(rename = "bakeoff:check:progress")]
    CheckProgress {
        /// Id of the variant.
        variant_id: String,
        /// Number of cases that are checked. Once all are, the calls of the rehearsal follow.
        done: u64,
        /// Number of cases.
        cases: u64,
    },
    /// A variant passed the gate.
    #[serde(rename = "bakeoff:check:complete")]
    CheckComplete {
        /// Id of the variant.
        variant_id: String,
        /// Origin of the result: checked now, or reused.
        origin: Origin,
        /// Number of calls that were judged.
        trials: u64,
        /// False if calls would take less work on an instance that has been called before; `null` if that is not known.
        pure: Option<bool>,
    },
    /// Progress of the tasks of this session: at most once a second, and when all known tasks have ended.
    #[serde(rename = "bakeoff:tasks:state")]
    Tasks(TasksState),
    /// A variant failed.
    #[serde(rename = "bakeoff:variant:failed")]
    VariantFailed {
        /// Id of the variant.
        variant_id: String,
        /// Class and message of the failure.
        failure: Failure,
    },
    /// The pilot determined the size of a replica.
    #[serde(rename = "bakeoff:pilot:complete")]
    PilotComplete {
        /// Origin of the pilot: run now, or reused.
        origin: Origin,
        /// Number of blocks in each replica.
        blocks: u32,
    },
    /// A replica is complete and stored.
    #[serde(rename = "bakeoff:replica:complete")]
    ReplicaComplete {
        /// Index of the replica in the order of launch, from 0.
        index: u32,
        /// Origin of the replica: run now, or reused.
        origin: Origin,
        /// Number of timed samples of the replica.
        samples: u64,
        /// Duration of the replica, in seconds.
        seconds: f64,
        /// Number of variants that are still racing after it.
        live: u32,
    },
    /// A replica was discarded, for all variants alike, and runs again.
    #[serde(rename = "bakeoff:replica:discarded")]
    ReplicaDiscarded {
        /// Index of the replica in the order of launch, from 0.
        index: u32,
        /// The reason: `insertion ran longer than wall = 10 s`.
        reason: String,
    },
    /// The verdict of a pair changed.
    #[serde(rename = "bakeoff:verdict:changed")]
    VerdictChanged {
        /// Id of the variant that the verdict is about.
        a: String,
        /// Id of the variant it is compared with.
        b: String,
        /// Case of the verdict; `null` for all cases together.
        case: Option<CaseLabel>,
        /// The verdict of `a`.
        verdict: Verdict,
        /// Time of `a` divided by time of `b`.
        ratio: Option<f64>,
        /// Lower end of the interval of the ratio.
        low: Option<f64>,
        /// Upper end of the interval of the ratio.
        high: Option<f64>,
        /// Number of replicas that the verdict is computed from.
        replicas: u32,
    },
    /// Standings of the race after the replicas so far, sent when they change.
    #[serde(rename = "bakeoff:race:standings")]
    Standings {
        /// Number of replicas that count so far.
        replicas: u32,
        /// Number of pairs with a verdict over all cases.
        decided: u32,
        /// Number of all pairs.
        pairs: u32,
        /// Ids of the variants that no other variant surely beats.
        unbeaten: Vec<String>,
        /// First pairs without a verdict over all cases.
        open: Vec<OpenPair>,
    },
    /// Ratios of the racing variants to the leader after the replicas so far. They are estimates that a later replica
    /// changes: a verdict is an event of its own.
    #[serde(rename = "bakeoff:race:ratios")]
    Ratios {
        /// Number of replicas that count so far.
        replicas: u32,
        /// Id of the leader: of the unbeaten variants, the one with the smallest time so far.
        leader: String,
        /// The other variants, in their order in the experiment; the first [`RATIOS_MAX`].
        ratios: Vec<LeaderRatio>,
    },
    /// A warning about the measurement: a busy machine.
    #[serde(rename = "bakeoff:warning")]
    Warning {
        /// The warning, with what to do.
        message: String,
    },
}

/// The most variants that [`Event::Ratios`] has.
pub const RATIOS_MAX: usize = 64;

/// Ratio of a variant's time to that of the leader, over all cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeaderRatio {
    /// Id of the variant.
    pub variant_id: String,
    /// Verdict of the variant against the leader so far.
    pub verdict: Verdict,
    /// Time of the variant divided by time of the leader.
    pub ratio: RatioInterval,
}

/// Progress of the tasks of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TasksState {
    /// Number of tasks that have ended.
    pub done: u64,
    /// Number of tasks that are being done.
    pub running: u64,
    /// Number of tasks that have not started.
    pub waiting: u64,
    /// First tasks that have not started.
    pub waits: Vec<WaitingTask>,
    /// Work of each worker for the run: its number of tasks and their time.
    pub workers: Vec<WorkerCost>,
    /// Work of each other machine for the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<MachineCost>,
}

/// A task that has not started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingTask {
    /// Name of the task: `check of heap`.
    pub task: String,
    /// Task or resource that the task waits for, in words: `build of heap`, `a core`.
    pub waits_for: String,
}

/// Origin of a result: new, or reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The result was made now.
    New,
    /// The result is reused from an earlier session or run: its inputs are unchanged.
    Kept,
}

/// A part of a run with a progress bar of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Sources are built to components.
    Build,
    /// Answers are judged.
    Check,
    /// Variants are timed against each other.
    Measure,
    /// Scores and the report are computed.
    Score,
}

impl Event {
    /// Returns the name as it is stored: `orchestrator:approach:start`.
    ///
    /// ```
    /// use bakeoff_store::events::Event;
    /// let event = Event::ApproachStart { approach_id: "heap".into() };
    /// assert_eq!(event.name(), "orchestrator:approach:start");
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            Self::ExplorationStart { .. } => "orchestrator:exploration:start",
            Self::ApproachGenerated { .. } => "orchestrator:approach:generated",
            Self::ApproachStart { .. } => "orchestrator:approach:start",
            Self::ApproachComplete { .. } => "orchestrator:approach:complete",
            Self::CallStart { .. } => "bakeoff:call:start",
            Self::CallComplete { .. } => "bakeoff:call:complete",
            Self::AttemptComplete { .. } => "bakeoff:attempt:complete",
            Self::ApproachWritten { .. } => "bakeoff:approach:written",
            Self::WritingComplete { .. } => "bakeoff:writing:complete",
            Self::EvaluationComplete { .. } => "orchestrator:evaluation:complete",
            Self::RunStart { .. } => "bakeoff:run:start",
            Self::RunResumed { .. } => "bakeoff:run:resumed",
            Self::InputChanged { .. } => "bakeoff:input:changed",
            Self::RunInterrupted { .. } => "bakeoff:run:interrupted",
            Self::RunFailed { .. } => "bakeoff:run:failed",
            Self::RunComplete { .. } => "bakeoff:run:complete",
            Self::StageStart { .. } => "bakeoff:stage:start",
            Self::StageComplete { .. } => "bakeoff:stage:complete",
            Self::BuildStart { .. } => "bakeoff:build:start",
            Self::BuildComplete { .. } => "bakeoff:build:complete",
            Self::CheckStart { .. } => "bakeoff:check:start",
            Self::CheckProgress { .. } => "bakeoff:check:progress",
            Self::CheckComplete { .. } => "bakeoff:check:complete",
            Self::Tasks(_) => "bakeoff:tasks:state",
            Self::VariantFailed { .. } => "bakeoff:variant:failed",
            Self::PilotComplete { .. } => "bakeoff:pilot:complete",
            Self::ReplicaComplete { .. } => "bakeoff:replica:complete",
            Self::ReplicaDiscarded { .. } => "bakeoff:replica:discarded",
            Self::VerdictChanged { .. } => "bakeoff:verdict:changed",
            Self::Standings { .. } => "bakeoff:race:standings",
            Self::Ratios { .. } => "bakeoff:race:ratios",
            Self::Warning { .. } => "bakeoff:warning",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_the_serialised_name() {
        let events = [
            Event::ExplorationStart {
                num_approaches: 2,
                criteria: vec!["performance".into()],
            },
            Event::CallComplete {
                purpose: "repair".into(),
                subject: "approach 2".into(),
                recorded: true,
            },
            Event::AttemptComplete {
                approach_id: "heap".into(),
                attempt: 1,
                outcome: "passed".into(),
            },
            Event::WritingComplete { is_complete: true },
            Event::EvaluationComplete {
                top_approach: None,
                comparison_matrix: BTreeMap::new(),
            },
            Event::StageComplete {
                stage: Stage::Build,
            },
            Event::CheckProgress {
                variant_id: "heap".into(),
                done: 3,
                cases: 7,
            },
            Event::Tasks(TasksState {
                waiting: 1,
                waits: vec![WaitingTask {
                    task: "check of heap".into(),
                    waits_for: "a core".into(),
                }],
                ..TasksState::default()
            }),
            Event::Warning {
                message: "busy".into(),
            },
        ];
        for event in events {
            let value = serde_json::to_value(&event).unwrap();
            assert_eq!(value["name"], event.name());
            assert!(value["data"].is_object());
            assert_eq!(serde_json::from_value::<Event>(value).unwrap(), event);
        }
    }
}
