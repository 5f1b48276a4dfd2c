//! The state of a run in progress.

use super::beginning::stopped;
use super::child_tasks::ChildTasks;
use super::coarse_times::CoarseRace;
use super::context::RunContext;
use super::error::RunError;
use super::keys::Keys;
use super::options::RunOptions;
use super::standing::{Consequences, Standing, Step};
use super::variant_state::{VariantState, find};
use super::work::Work;
use bakeoff_config::LoadedExperiment;
use bakeoff_source::RunFiles;
use bakeoff_store::Store;
use bakeoff_store::events::{Event, Stage};
use std::time::Duration;

/// A run in progress.
pub(super) struct Run<'a> {
    pub(super) loaded: &'a LoadedExperiment,
    pub(super) options: &'a RunOptions,
    pub(super) context: RunContext,
    /// The files that the run is made from.
    pub(super) files: RunFiles,
    pub(super) keys: Keys,
    pub(super) variants: Vec<VariantState>,
    /// The number of instances that count, once all gates have ended, if the inputs are a set of instances.
    pub(super) counted: Option<usize>,
    pub(super) store: Store,
    /// The one queue of the run.
    pub(super) tasks: ChildTasks,
    pub(super) work: Work,
    /// The time that was spent before anything was timed, of a budget that bounds more than timing.
    pub(super) spent: Duration,
    /// The coarse race by which a large sweep was screened, once it is done.
    pub(super) coarse: Option<CoarseRace>,
    /// True if sources may be built on other machines: what races is built on this one.
    pub(super) builds_elsewhere: bool,
    /// The number of repeated calls so far, for the names of their tasks.
    pub(super) questions: u64,
}

impl Run<'_> {
    pub(super) fn stage_started(&mut self, stage: Stage, steps: usize) -> Result<(), RunError> {
        self.store.emit(Event::StageStart {
            stage,
            steps: steps as u64,
        })?;
        Ok(())
    }

    pub(super) fn stage_done(&mut self, stage: Stage) -> Result<(), RunError> {
        self.store.emit(Event::StageComplete { stage })?;
        Ok(())
    }

    pub(super) fn refuse_if_interrupted(&self) -> Result<(), RunError> {
        self.options.interrupt.refuse()
    }

    /// Applies a result to the standing of the variants, and emits nothing.
    pub(super) fn apply_silently(&mut self, step: Step<'_>) -> Consequences {
        let mut standing = Standing {
            experiment: &self.loaded.experiment,
            cases: &self.context.cases,
            oracle: self.context.config.inputs.has_oracle(),
            variants: &mut self.variants,
            counted: self.counted,
        };
        let applied = standing.apply(step);
        self.counted = standing.counted;
        applied
    }

    /// Applies a result to the standing of the variants, and emits who fails by it.
    pub(super) fn apply(&mut self, step: Step<'_>) -> Result<(), RunError> {
        for id in self.apply_silently(step).failed {
            let state = find(&self.variants, &id);
            if let Some(failure) = state.and_then(|state| state.failure.clone()) {
                self.store.emit(Event::VariantFailed {
                    variant_id: id.into(),
                    failure,
                })?;
            }
        }
        Ok(())
    }

    /// Emits that the run stops without a report. Errors on the way are dropped, since they must
    /// not hide the first one.
    pub(super) fn stopped(&mut self, error: &RunError) {
        let _ = self.keep_work();
        stopped(&mut self.store, self.options, error);
    }
}
