//! The state of a run in progress.

use super::beginning::stopped;
use super::child_tasks::ChildTasks;
use super::coarse_times::CoarseRace;
use super::context::RunContext;
use super::error::RunError;
use super::keys::Keys;
use super::options::RunOptions;
use super::variant_state::{VariantState, find_mut};
use super::work::Work;
use bakeoff_config::LoadedExperiment;
use bakeoff_domain::failure::Failure;
use bakeoff_domain::variant::VariantId;
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
        if self.options.interrupt.is_raised() {
            Err(RunError::Interrupted)
        } else {
            Ok(())
        }
    }

    /// Returns the state of a variant. Ids come from the run's own list.
    pub(super) fn state_mut(&mut self, id: &VariantId) -> Option<&mut VariantState> {
        find_mut(&mut self.variants, id)
    }

    /// Records a failure of a variant, and emits it.
    pub(super) fn fail(&mut self, id: &VariantId, failure: Failure) -> Result<(), RunError> {
        if let Some(state) = self.state_mut(id) {
            state.failure = Some(failure.clone());
        }
        self.store.emit(Event::VariantFailed {
            variant_id: id.as_str().to_owned(),
            failure,
        })?;
        Ok(())
    }

    /// Emits that the run stops without a report. Errors on the way are dropped, since they must
    /// not hide the first one.
    pub(super) fn stopped(&mut self, error: &RunError) {
        let _ = self.keep_work();
        stopped(&mut self.store, self.options, error);
    }
}
