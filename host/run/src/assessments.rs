//! The assessments of a run, one on each core: the workload gives numbers for many answers of a variant.

use super::child_tasks::{OpenTasks, anywhere, build_task, core_task};
use super::child_work::{Assess, BuiltPrototype};
use super::context::runner_error;
use super::error::RunError;
use super::session::Run;
use super::standing::Step;
use super::variant_state::find;
use bakeoff_domain::queue::TaskKey;
use bakeoff_domain::variant::VariantId;
use bakeoff_measure::{Assessment, RunnerError};

impl Run<'_> {
    /// Assesses the answers of every variant that passed the gate, where a criterion asks for it. Answers to a set of
    /// instances were all assessed in the gate.
    pub(super) async fn assess(&mut self) -> Result<(), RunError> {
        let experiment = &self.loaded.experiment;
        if !experiment.assesses() || experiment.workload.inputs.are_instances() {
            return Ok(());
        }
        let alive = self.variants.iter().filter(|state| state.is_contender());
        let alive: Vec<VariantId> = alive.map(|state| state.id().clone()).collect();
        let mut open = OpenTasks::default();
        for id in alive {
            match self.kept_assessment(&id)? {
                Some(kept) => self.apply(Step::Assessed(&id, &kept))?,
                None => self.add_assessment(id, &mut open)?,
            }
        }
        while let Some((id, result)) = self.tasks.next_of(&mut open).await? {
            let mut assessment = result.map_err(|error| runner_error(self.loaded, error))?;
            if let Some(failure) = &mut assessment.failure {
                let call = assessment.calls.last().copied();
                self.explain_unjudged(&id, call, failure).await?;
                self.diagnose(&id, failure, &assessment.calls).await?;
            }
            self.keep_assessment(&id, &assessment)?;
            self.apply(Step::Assessed(&id, &assessment))?;
        }
        Ok(())
    }

    /// Adds the task of an assessment, if the variant was built.
    fn add_assessment(
        &mut self,
        id: VariantId,
        open: &mut OpenTasks<VariantId, Result<Assessment, RunnerError>>,
    ) -> Result<(), RunError> {
        let state = find(&self.variants, &id).filter(|state| state.built.is_some());
        let Some((state, identity)) = state.and_then(|one| Some((one, one.identity.as_ref()?)))
        else {
            return Ok(());
        };
        let digest = self.keys.assessment(identity);
        let key = TaskKey::new(format!("assessment of {id} {}", digest.digest()));
        let build = build_task(&self.keys.build(state));
        let task = core_task("assess", key, Some(&build));
        let task = anywhere(task, state.files.as_ref());
        let work = Assess {
            prototype: BuiltPrototype {
                build,
                files: state.files.clone(),
            },
            seed: self.context.config.seed,
        };
        open.insert(self.tasks.add(task, work)?, id);
        Ok(())
    }

    pub(super) fn kept_assessment(
        &mut self,
        id: &VariantId,
    ) -> Result<Option<Assessment>, RunError> {
        let Some(state) = find(&self.variants, id) else {
            return Ok(None);
        };
        let Some(identity) = &state.identity else {
            return Ok(None);
        };
        let (key, owner) = (self.keys.assessment(identity), state.owner());
        Ok(self
            .store
            .get(bakeoff_store::ResultKind::Assessment, &key, owner)?)
    }

    fn keep_assessment(&mut self, id: &VariantId, assessment: &Assessment) -> Result<(), RunError> {
        let Some(state) = find(&self.variants, id) else {
            return Ok(());
        };
        if let Some(identity) = &state.identity {
            let (key, owner) = (self.keys.assessment(identity), state.owner());
            self.store.put(
                bakeoff_store::ResultKind::Assessment,
                &key,
                owner,
                assessment,
            )?;
        }
        Ok(())
    }
}
