//! The assessments of a run, one on each core: what the workload says of many answers.

use super::context::runner_error;
use super::error::RunError;
use super::on_cores::OnCores;
use super::session::Run;
use super::variant_state::find;
use crate::measure::{self, Assessment, RunnerError};
use crate::store;
use bakeoff_domain::variant::VariantId;
use std::collections::VecDeque;

/// A finished assessment: the variant and the result.
type Assessed = (VariantId, Result<Assessment, RunnerError>);

impl Run<'_> {
    /// Assesses the answers of every variant that passed the gate, where a criterion asks for it. Those
    /// to a set of instances were all assessed in the gate.
    pub(super) async fn assess(&mut self) -> Result<(), RunError> {
        let experiment = &self.loaded.experiment;
        if !experiment.assesses() || experiment.workload.inputs.are_instances() {
            return Ok(());
        }
        let alive = self.variants.iter().filter(|state| state.is_alive());
        let mut waiting: VecDeque<VariantId> = alive.map(|state| state.id().clone()).collect();
        let mut assessing = OnCores::new(&self.context.cores);
        loop {
            while assessing.has_free_core()
                && let Some(id) = waiting.pop_front()
            {
                match self.kept_assessment(&id)? {
                    Some(kept) => self.on_assessment(&id, kept)?,
                    None => self.start_assessment(&id, &mut assessing),
                }
            }
            let Some((id, result)) = assessing.next().await? else {
                return Ok(());
            };
            let mut assessment = result.map_err(|error| runner_error(self.loaded, error))?;
            if let Some(failure) = &mut assessment.failure {
                let call = assessment.calls.last().copied();
                self.explain_unjudged(&id, call, failure).await?;
                self.diagnose(&id, failure, &assessment.calls).await;
            }
            self.keep_assessment(&id, &assessment)?;
            self.on_assessment(&id, assessment)?;
            // Only now: what is finished is kept also when the user asks to stop.
            self.refuse_if_interrupted()?;
        }
    }

    fn start_assessment(&self, id: &VariantId, assessing: &mut OnCores<Assessed>) {
        let Some(state) = find(&self.variants, id) else {
            return;
        };
        if let Some(built) = state.built.clone() {
            let (id, files) = (id.clone(), state.files.clone());
            let config = self.context.config.clone();
            assessing.start(|core| async move {
                let files = files.as_ref();
                let result = measure::assess(&config, &built.checked, files, Some(core)).await;
                (id, result)
            });
        }
    }

    fn kept_assessment(&mut self, id: &VariantId) -> Result<Option<Assessment>, RunError> {
        let Some(state) = find(&self.variants, id) else {
            return Ok(None);
        };
        let Some(identity) = &state.identity else {
            return Ok(None);
        };
        let (key, owner) = (self.keys.assessment(identity), state.owner());
        Ok(self.store.get(store::ResultKind::Assessment, &key, owner)?)
    }

    fn keep_assessment(&mut self, id: &VariantId, assessment: &Assessment) -> Result<(), RunError> {
        let Some(state) = find(&self.variants, id) else {
            return Ok(());
        };
        if let Some(identity) = &state.identity {
            let (key, owner) = (self.keys.assessment(identity), state.owner());
            self.store
                .put(store::ResultKind::Assessment, &key, owner, assessment)?;
        }
        Ok(())
    }

    fn on_assessment(&mut self, id: &VariantId, assessment: Assessment) -> Result<(), RunError> {
        match assessment.failure {
            Some(failure) => self.fail(id, failure),
            None => Ok(()),
        }
    }
}
