//! The code of variants that the checked inputs reach, where a criterion asks for it.

use super::child_tasks::{OpenTasks, build_task, core_task};
use super::child_work::{Build, BuiltPrototype, Cover};
use super::context::runner_error;
use super::error::RunError;
use super::kept_coverage::{KeptCoverage, unreached_by_failure};
use super::session::Run;
use super::variant_state::find;
use bakeoff_compile::BuildKind;
use bakeoff_domain::coverage::Coverage;
use bakeoff_domain::queue::TaskKey;
use bakeoff_domain::spec::Source;
use bakeoff_domain::variant::VariantId;
use bakeoff_measure::RunnerError;
use bakeoff_runner::{Call, gate_calls};
use bakeoff_sandbox::GuestError;
use bakeoff_source::BuildInput;
use bakeoff_store::ResultKind;
use std::sync::Arc;

/// The end of calls whose code leaves marks: the code that they reached, or the error of one of them.
type CallsEnded = Result<Result<Coverage, GuestError>, RunnerError>;

impl Run<'_> {
    /// Finds out which code the checked inputs reach of every variant that passed its checks. Does nothing unless a
    /// criterion asks for it.
    pub(super) async fn cover(&mut self) -> Result<(), RunError> {
        if !self.loaded.experiment.uses(&Source::Coverage) {
            return Ok(());
        }
        let alive = self.variants.iter().filter(|state| state.is_contender());
        let alive: Vec<VariantId> = alive.map(|state| state.id().clone()).collect();
        let config = &self.context.config;
        let calls: Arc<[Call]> = gate_calls(config.check_seed, self.context.cases.len()).into();
        let mut builds = OpenTasks::default();
        let mut covered: OpenTasks<VariantId, CallsEnded> = OpenTasks::default();
        for id in alive {
            let Some(state) = find(&self.variants, &id) else {
                continue;
            };
            let (Some(identity), Some(code)) = (&state.identity, &state.code) else {
                continue;
            };
            let (key, owner) = (self.keys.coverage(identity, code), state.owner());
            let kept: Option<KeptCoverage> = self.store.get(ResultKind::Coverage, &key, owner)?;
            if kept.is_some() {
                continue;
            }
            if matches!(code, BuildInput::Program { .. }) {
                let why = "no engine runs a program's code".to_owned();
                self.keep_coverage(&id, &KeptCoverage::unknown(why))?;
                continue;
            }
            let request =
                (self.context).prototype(code.clone(), BuildKind::Coverage, state.is_swept());
            let files = state.files.clone();
            let build = build_task(&key);
            let task = core_task("build", build.clone(), None);
            builds.insert(self.tasks.add(task, Build(request))?, id.clone());
            let task = core_task(
                "check",
                TaskKey::new(format!("coverage of {id}")),
                Some(&build),
            );
            let work = Cover {
                prototype: BuiltPrototype { build, files },
                calls: Arc::clone(&calls),
            };
            covered.insert(self.tasks.add(task, work)?, id);
        }
        while let Some(ended) = self.tasks.next_ended().await? {
            let (id, kept) = match builds.take(ended) {
                Ok((_, Ok(_))) => continue,
                Ok((id, Err(failure))) if failure.class.is_machine_fault() => {
                    return Err(RunError::Machine(format!("{id}: {}", failure.message)));
                }
                Ok((id, Err(failure))) => (id, KeptCoverage::unknown(failure.message)),
                Err(ended) => match covered.take(ended) {
                    Ok((id, covered)) => {
                        let covered = covered.map_err(|error| runner_error(self.loaded, error))?;
                        let kept = covered.map_or_else(
                            |error| KeptCoverage::unknown(unreached_by_failure(&error.message)),
                            KeptCoverage::from,
                        );
                        (id, kept)
                    }
                    Err(_) => continue,
                },
            };
            self.keep_coverage(&id, &kept)?;
        }
        Ok(())
    }

    fn keep_coverage(&mut self, id: &VariantId, kept: &KeptCoverage) -> Result<(), RunError> {
        let Some(state) = find(&self.variants, id) else {
            return Ok(());
        };
        if let (Some(identity), Some(code)) = (&state.identity, &state.code) {
            let (key, owner) = (self.keys.coverage(identity, code), state.owner());
            self.store.put(ResultKind::Coverage, &key, owner, kept)?;
        }
        Ok(())
    }
}
