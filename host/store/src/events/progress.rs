//! The progress of a run, computed from its events: the content of `progress.json`.

use super::envelope::Envelope;
use super::event::{Event, Stage, TasksState};
use super::run_status::RunStatus;
use bakeoff_domain::failure::Phase;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The progress of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// The number of the run; 0 before it began.
    pub run: i64,
    /// Name of the experiment.
    pub experiment: String,
    /// Status of the run.
    pub status: RunStatus,
    /// Number of the last event that is included.
    pub sequence: u64,
    /// Time spent on the run, over all its sessions, in seconds.
    pub seconds: f64,
    /// Time of the last event that is included, as RFC 3339 in UTC.
    pub updated: String,
    /// The stage that is going on.
    pub stage: Option<Stage>,
    /// The progress of each stage.
    pub stages: BTreeMap<Stage, StageProgress>,
    /// Progress of the tasks of this session.
    #[serde(default)]
    pub tasks: TasksState,
    /// The progress of each variant, by id.
    pub variants: BTreeMap<String, VariantProgress>,
    /// Reason why the run stopped, or the command that resumes it; `None` while it runs.
    pub message: Option<String>,
}

/// The progress of a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageProgress {
    /// Steps done.
    pub done: u64,
    /// Number of steps; of replicas, the largest number.
    pub steps: u64,
}

/// The progress of a variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariantProgress {
    /// State of the variant.
    pub state: VariantStage,
    /// Class of the failure; `None` for a variant that did not fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The state of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VariantStage {
    /// The build of the variant has not started.
    Waiting,
    /// The variant is being built.
    Building,
    /// The variant is built.
    Built,
    /// The answers of the variant are being judged.
    Checking,
    /// The answers of the variant are right, and it is timed.
    Racing,
    /// The variant failed.
    Failed,
    /// The variant is evaluated.
    Complete,
}

impl Progress {
    /// Includes an event. The first event of another run resets the progress.
    pub fn apply(&mut self, envelope: &Envelope) {
        if self.run != envelope.run {
            *self = Self {
                run: envelope.run,
                ..Self::default()
            };
        }
        self.sequence = envelope.sequence;
        self.seconds = envelope.at_ms as f64 / 1_000.0;
        self.updated.clone_from(&envelope.time);
        self.apply_event(&envelope.event);
    }

    fn apply_event(&mut self, event: &Event) {
        match event {
            Event::RunStart { experiment, .. } | Event::RunResumed { experiment, .. } => {
                self.experiment.clone_from(experiment);
                self.set_status(RunStatus::Running, None);
                // Each session sends the events of its stages and variants again.
                self.stages.clear();
                self.variants.clear();
                self.tasks = TasksState::default();
            }
            Event::RunInterrupted { resume } => {
                self.set_status(RunStatus::Interrupted, Some(resume))
            }
            Event::RunFailed { message } => self.set_status(RunStatus::Failed, Some(message)),
            Event::RunComplete { .. } => self.set_status(RunStatus::Finished, None),
            Event::StageStart { stage, steps } => {
                self.stage = Some(*stage);
                let progress = self.stages.entry(*stage).or_default();
                progress.steps = *steps;
            }
            Event::StageComplete { stage } => {
                if self.stage == Some(*stage) {
                    self.stage = None;
                }
            }
            Event::ApproachGenerated { approach_id, .. } => {
                self.set(approach_id, VariantStage::Waiting, None);
            }
            Event::BuildStart { variant_id } => self.set(variant_id, VariantStage::Building, None),
            Event::BuildComplete { variant_id, .. } => {
                self.set(variant_id, VariantStage::Built, None);
                self.step(Stage::Build);
            }
            Event::CheckStart { variant_id } => self.set(variant_id, VariantStage::Checking, None),
            Event::CheckComplete { variant_id, .. } => {
                self.set(variant_id, VariantStage::Racing, None);
                self.step(Stage::Check);
            }
            Event::VariantFailed {
                variant_id,
                failure,
            } => {
                let before = self.variants.get(variant_id).map(|variant| variant.state);
                let reason = failure.class.name().to_owned();
                self.set(variant_id, VariantStage::Failed, Some(reason));
                match failure.phase {
                    Phase::Build | Phase::Load => {
                        self.step(Stage::Build);
                        // It is not checked, whatever was expected when checking began.
                        if let Some(check) = self.stages.get_mut(&Stage::Check) {
                            check.steps = check.steps.saturating_sub(1).max(check.done);
                        }
                    }
                    Phase::Check if before != Some(VariantStage::Racing) => self.step(Stage::Check),
                    Phase::Check | Phase::Measure => {}
                }
            }
            Event::Tasks(state) => self.tasks.clone_from(state),
            Event::ReplicaComplete { .. } => self.step(Stage::Measure),
            Event::ApproachComplete { approach_id, .. } => {
                let failed = self.variants.get(approach_id);
                if failed.is_none_or(|variant| variant.state != VariantStage::Failed) {
                    self.set(approach_id, VariantStage::Complete, None);
                }
                self.step(Stage::Score);
            }
            Event::ExplorationStart { .. }
            | Event::ApproachStart { .. }
            // Those of a model at work are in a log of their own: see `WritingProgress`.
            | Event::CallStart { .. }
            | Event::CallComplete { .. }
            | Event::AttemptComplete { .. }
            | Event::ApproachWritten { .. }
            | Event::WritingComplete { .. }
            | Event::EvaluationComplete { .. }
            | Event::InputChanged { .. }
            | Event::CheckProgress { .. }
            | Event::PilotComplete { .. }
            | Event::ReplicaDiscarded { .. }
            | Event::VerdictChanged { .. }
            | Event::Standings { .. }
            | Event::Ratios { .. }
            | Event::Warning { .. } => {}
        }
    }

    fn set_status(&mut self, status: RunStatus, message: Option<&String>) {
        self.status = status;
        self.message = message.cloned();
        self.stage = None;
    }

    fn set(&mut self, variant: &str, state: VariantStage, reason: Option<String>) {
        let progress = VariantProgress { state, reason };
        self.variants.insert(variant.to_owned(), progress);
    }

    fn step(&mut self, stage: Stage) {
        let progress = self.stages.entry(stage).or_default();
        progress.done += 1;
        progress.steps = progress.steps.max(progress.done);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::{Origin, Stamper};
    use bakeoff_domain::failure::{Failure, FailureClass, Phase};

    fn progress_after(events: Vec<Event>) -> Progress {
        let mut stamper = Stamper::new(0);
        stamper.enter(1, 0);
        let mut progress = Progress::default();
        for event in events {
            let envelope = stamper.wrap(event);
            stamper.accept(&envelope);
            progress.apply(&envelope);
        }
        progress
    }

    #[test]
    fn variants_and_stages_follow_the_events() {
        let failure = Failure {
            class: FailureClass::BuildFailed,
            message: "expected `;`".into(),
            phase: Phase::Build,
            limit: None,
        };
        let progress = progress_after(vec![
            Event::RunStart {
                experiment: "top-k".into(),
                experiment_id: "e".into(),
                seed: bakeoff_domain::plan::RunSeed::Named(1),
            },
            Event::StageStart {
                stage: Stage::Build,
                steps: 3,
            },
            Event::ApproachGenerated {
                approach_id: "sort".into(),
                description: String::new(),
            },
            Event::BuildComplete {
                variant_id: "heap".into(),
                origin: Origin::New,
                cpu_seconds: 0.2,
                component_bytes: 9,
            },
            Event::VariantFailed {
                variant_id: "broken".into(),
                failure,
            },
            Event::ApproachComplete {
                approach_id: "broken".into(),
                scores: BTreeMap::new(),
            },
        ]);
        assert_eq!(progress.status, RunStatus::Running);
        assert_eq!(progress.sequence, 6);
        assert_eq!(
            progress.stages[&Stage::Build],
            StageProgress { done: 2, steps: 3 }
        );
        assert_eq!(progress.variants["sort"].state, VariantStage::Waiting);
        assert_eq!(progress.variants["heap"].state, VariantStage::Built);
        assert_eq!(progress.variants["broken"].state, VariantStage::Failed);
        assert_eq!(
            progress.variants["broken"].reason.as_deref(),
            Some("build-failed")
        );
    }

    #[test]
    fn a_build_that_fails_while_others_are_checked_counts_as_a_build() {
        let id = |id: &str| id.to_owned();
        let failed = |variant: &str, phase| Event::VariantFailed {
            variant_id: id(variant),
            failure: Failure {
                class: FailureClass::BuildFailed,
                message: "failed".into(),
                phase,
                limit: None,
            },
        };
        let start = |stage| Event::StageStart { stage, steps: 3 };
        let checked = |variant: &str| Event::CheckComplete {
            variant_id: id(variant),
            origin: Origin::New,
            trials: 9,
            pure: None,
        };
        let progress = progress_after(vec![
            start(Stage::Build),
            start(Stage::Check),
            failed("broken", Phase::Build),
            Event::StageComplete {
                stage: Stage::Build,
            },
            checked("heap"),
            failed("wrong", Phase::Check),
            // It was checked, and then its answers did not agree with others'.
            failed("heap", Phase::Check),
        ]);
        let steps = |done, steps| StageProgress { done, steps };
        assert_eq!(progress.stage, Some(Stage::Check), "builds have ended");
        assert_eq!(progress.stages[&Stage::Build], steps(1, 3));
        assert_eq!(progress.stages[&Stage::Check], steps(2, 2));
    }

    #[test]
    fn an_interrupted_run_has_the_command_that_resumes_it() {
        let progress = progress_after(vec![Event::RunInterrupted {
            resume: "bakeoff run examples/top-k".into(),
        }]);
        assert_eq!(progress.status, RunStatus::Interrupted);
        assert_eq!(
            progress.message.as_deref(),
            Some("bakeoff run examples/top-k")
        );
    }
}
