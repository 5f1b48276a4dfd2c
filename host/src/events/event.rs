//! The events themselves, with their names and their data.
//!
//! The first five are the orchestrator's contract; the others are the rest of a run's life. A name
//! keeps its meaning: data may gain fields, and a change of meaning is a new name.

use bakeoff_domain::failure::Failure;
use bakeoff_domain::report::CaseLabel;
use bakeoff_domain::verdict::Verdict;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Something that happened. Serialises as `{"name": …, "data": {…}}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", content = "data")]
pub enum Event {
    /// The exploration begins.
    #[serde(rename = "orchestrator:exploration:start")]
    ExplorationStart {
        /// How many variants take part.
        num_approaches: u32,
        /// Names of the criteria.
        criteria: Vec<String>,
    },
    /// An approach is known: declared by the user, or proposed.
    #[serde(rename = "orchestrator:approach:generated")]
    ApproachGenerated {
        /// Id of its variant.
        approach_id: String,
        /// The idea, in a sentence; empty if none was given.
        description: String,
    },
    /// Work on an approach starts.
    #[serde(rename = "orchestrator:approach:start")]
    ApproachStart {
        /// Id of its variant.
        approach_id: String,
    },
    /// All is known about an approach.
    #[serde(rename = "orchestrator:approach:complete")]
    ApproachComplete {
        /// Id of its variant.
        approach_id: String,
        /// By criterion, from 0 to 10; `null` where a score is missing.
        scores: BTreeMap<String, Option<f64>>,
    },
    /// Everything is scored and ranked.
    #[serde(rename = "orchestrator:evaluation:complete")]
    EvaluationComplete {
        /// Id of the recommended variant, if the verdicts carry one.
        top_approach: Option<String>,
        /// By variant, then by criterion, from 0 to 10; `null` where a score is missing.
        comparison_matrix: BTreeMap<String, BTreeMap<String, Option<f64>>>,
    },

    /// A run begins with nothing that it could build on.
    #[serde(rename = "bakeoff:run:start")]
    RunStart {
        /// Name of the experiment.
        experiment: String,
        /// Digest of all that decides the result.
        experiment_id: String,
        /// What is timed follows from it: inputs and orders.
        seed: u64,
    },
    /// A run goes on, or begins with results of an earlier one.
    #[serde(rename = "bakeoff:run:resumed")]
    RunResumed {
        /// Name of the experiment.
        experiment: String,
        /// Digest of all that decides the result.
        experiment_id: String,
        /// Results and replicas that are kept already.
        kept: u64,
    },
    /// Something that results depend on is not what it was: they are done again.
    #[serde(rename = "bakeoff:input:changed")]
    InputChanged {
        /// Id of the variant, or `null` if it concerns all.
        variant_id: Option<String>,
        /// Which stage is done again.
        stage: Stage,
        /// What changed: `source`, `compiler`, `limits`, …
        inputs: Vec<String>,
    },
    /// The run was asked to stop; what is finished is kept.
    #[serde(rename = "bakeoff:run:interrupted")]
    RunInterrupted {
        /// The command that goes on.
        resume: String,
    },
    /// The run cannot go on: the store, the engine or the confinement failed.
    #[serde(rename = "bakeoff:run:failed")]
    RunFailed {
        /// Why, and what to do.
        message: String,
    },
    /// The run is over, and its report is kept.
    #[serde(rename = "bakeoff:run:complete")]
    RunComplete {
        /// Time spent on the run, over all its sessions, in seconds.
        seconds: f64,
    },

    /// A stage begins.
    #[serde(rename = "bakeoff:stage:start")]
    StageStart {
        /// Which.
        stage: Stage,
        /// Steps it has, or has at most: builds, checks, replicas.
        steps: u64,
    },
    /// A stage is over.
    #[serde(rename = "bakeoff:stage:complete")]
    StageComplete {
        /// Which.
        stage: Stage,
    },
    /// The build of a variant starts.
    #[serde(rename = "bakeoff:build:start")]
    BuildStart {
        /// Id of the variant.
        variant_id: String,
    },
    /// A variant is a component.
    #[serde(rename = "bakeoff:build:complete")]
    BuildComplete {
        /// Id of the variant.
        variant_id: String,
        /// Whether it was built now.
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
    /// A variant passed the gate.
    #[serde(rename = "bakeoff:check:complete")]
    CheckComplete {
        /// Id of the variant.
        variant_id: String,
        /// Whether it was checked now.
        origin: Origin,
        /// How many calls were judged.
        trials: u64,
        /// Whether its calls share no state; `null` if that was not found out.
        pure: Option<bool>,
    },
    /// A variant has no result.
    #[serde(rename = "bakeoff:variant:failed")]
    VariantFailed {
        /// Id of the variant.
        variant_id: String,
        /// Why, and where.
        failure: Failure,
    },
    /// A variant leaves the race, because its place is known.
    #[serde(rename = "bakeoff:variant:left")]
    VariantLeft {
        /// Id of the variant.
        variant_id: String,
        /// Why: `beaten by quickselect`.
        reason: String,
    },
    /// The pilot fixed what a replica is.
    #[serde(rename = "bakeoff:pilot:complete")]
    PilotComplete {
        /// Whether it ran now.
        origin: Origin,
        /// Blocks of each replica.
        blocks: u32,
    },
    /// A replica is complete and kept.
    #[serde(rename = "bakeoff:replica:complete")]
    ReplicaComplete {
        /// In the order of launch, from 0.
        index: u32,
        /// Whether it ran now.
        origin: Origin,
        /// Timed samples in it.
        samples: u64,
        /// How long it took, in seconds.
        seconds: f64,
        /// Variants still racing after it.
        live: u32,
    },
    /// A replica was thrown away, for all variants alike, and runs again.
    #[serde(rename = "bakeoff:replica:discarded")]
    ReplicaDiscarded {
        /// In the order of launch, from 0.
        index: u32,
        /// Why: `insertion ran longer than wall = 10 s`.
        reason: String,
    },
    /// What may be said about a pair is not what it was.
    #[serde(rename = "bakeoff:verdict:changed")]
    VerdictChanged {
        /// Id of the variant that is spoken of.
        a: String,
        /// Id of the variant it is held against.
        b: String,
        /// `null`: all cases together.
        case: Option<CaseLabel>,
        /// What is said of `a`.
        verdict: Verdict,
        /// Time of `a` divided by time of `b`.
        ratio: Option<f64>,
        /// Lower end of its interval.
        low: Option<f64>,
        /// Upper end of its interval.
        high: Option<f64>,
        /// How many replicas it rests on.
        replicas: u32,
    },
    /// Something a reader should know about how the numbers come about: a busy machine.
    #[serde(rename = "bakeoff:warning")]
    Warning {
        /// In words, with what to do.
        message: String,
    },
}

/// Whether a result is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Done now.
    New,
    /// Kept from an earlier session or run: what it depends on is unchanged.
    Kept,
}

/// A part of a run that has a progress bar of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Sources become components.
    Build,
    /// Answers are judged.
    Check,
    /// Variants race.
    Measure,
    /// Readings become scores, and scores a report.
    Score,
}

impl Event {
    /// The name as it is written: `orchestrator:approach:start`.
    ///
    /// ```
    /// use bakeoff::events::Event;
    /// let event = Event::ApproachStart { approach_id: "heap".into() };
    /// assert_eq!(event.name(), "orchestrator:approach:start");
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            Self::ExplorationStart { .. } => "orchestrator:exploration:start",
            Self::ApproachGenerated { .. } => "orchestrator:approach:generated",
            Self::ApproachStart { .. } => "orchestrator:approach:start",
            Self::ApproachComplete { .. } => "orchestrator:approach:complete",
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
            Self::CheckComplete { .. } => "bakeoff:check:complete",
            Self::VariantFailed { .. } => "bakeoff:variant:failed",
            Self::VariantLeft { .. } => "bakeoff:variant:left",
            Self::PilotComplete { .. } => "bakeoff:pilot:complete",
            Self::ReplicaComplete { .. } => "bakeoff:replica:complete",
            Self::ReplicaDiscarded { .. } => "bakeoff:replica:discarded",
            Self::VerdictChanged { .. } => "bakeoff:verdict:changed",
            Self::Warning { .. } => "bakeoff:warning",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_what_serde_writes() {
        let events = [
            Event::ExplorationStart {
                num_approaches: 2,
                criteria: vec!["performance".into()],
            },
            Event::EvaluationComplete {
                top_approach: None,
                comparison_matrix: BTreeMap::new(),
            },
            Event::StageComplete {
                stage: Stage::Build,
            },
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
