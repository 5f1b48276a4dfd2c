//! The builds and gates of a verification, as tasks of one queue.

use super::verify::Verifier;
use crate::{
    AttemptAnswer, Build, BuildResult, BuiltPrototype, Check, ChildAttempt, ChildTasks, ChildWork,
    Lost, OpenTasks, RunContext, RunError, anywhere, core_task, runner_error,
};
use bakeoff_compile::{BuildKind, BuiltComponent};
use bakeoff_domain::queue::TaskKey;
use bakeoff_measure::{GateRecord, RunnerError};
use bakeoff_source::BuildInput;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Component of a verification: built from the variant's code, or the stored one that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    Rebuilt,
    Kept,
}

/// The repeated builds and gates, by the index of their variants.
struct RepeatedGates {
    tasks: ChildTasks,
    open_builds: OpenTasks<(usize, Component), BuildResult>,
    open_checks: OpenTasks<usize, Result<GateRecord, RunnerError>>,
    builds: BTreeMap<usize, BuildResult>,
    gates: BTreeMap<usize, GateRecord>,
}

/// A check once more. What another machine found counts only if it is what was kept: whether something differs is found here.
#[derive(Debug)]
struct RepeatedCheck {
    check: Check,
    kept: GateRecord,
}

impl ChildWork for RepeatedCheck {
    type Answer = Result<GateRecord, RunnerError>;

    async fn attempt(&self, child: &ChildAttempt<'_>) -> Result<AttemptAnswer<Self::Answer>, Lost> {
        let answered = self.check.attempt(child).await?;
        if let (true, AttemptAnswer::Done(Ok(record))) = (child.is_elsewhere(), &answered) {
            let bytes = |record: &GateRecord| Check::portable_answer(&Ok(record.clone()));
            if bytes(record) != bytes(&self.kept) {
                return Err(Lost::from(
                    "another answer than what was kept: it is found here, too".to_owned(),
                ));
            }
        }
        Ok(answered)
    }

    fn portable_answer(answer: &Self::Answer) -> Option<Vec<u8>> {
        Check::portable_answer(answer)
    }
}

fn task_key(index: usize, component: Component) -> TaskKey {
    TaskKey::new(match component {
        Component::Rebuilt => format!("build {index}"),
        Component::Kept => format!("build what was kept of {index}"),
    })
}

impl RepeatedGates {
    fn add_build(
        &mut self,
        context: &RunContext,
        index: usize,
        component: Component,
        (code, swept): (BuildInput, bool),
    ) -> Result<(), RunError> {
        let key = task_key(index, component);
        let request = context.prototype(code, BuildKind::Release, swept);
        let ticket = self
            .tasks
            .add(core_task("build", key, None), Build(request))?;
        self.open_builds.insert(ticket, (index, component));
        Ok(())
    }
}

impl Verifier<'_> {
    /// Builds every variant again, and runs every gate again as soon as its component is there. Then compares both with
    /// the stored results.
    pub(super) async fn build_and_check(&mut self) -> Result<(), RunError> {
        let mut again = RepeatedGates {
            tasks: ChildTasks::new(
                &self.context.tools.builder,
                &self.context.config,
                &self.context.cores,
                self.context.workers.as_ref(),
            ),
            open_builds: OpenTasks::default(),
            open_checks: OpenTasks::default(),
            builds: BTreeMap::new(),
            gates: BTreeMap::new(),
        };
        for index in 0..self.variants.len() {
            let state = &self.variants[index];
            if self.kept.evidence.record.build(state.id()).is_none() {
                continue;
            }
            match (&state.code, &state.failure) {
                (Some(code), _) => {
                    let code = (code.clone(), state.is_swept());
                    again.add_build(&self.context, index, Component::Rebuilt, code)?;
                }
                (None, Some(failure)) => {
                    let failure = failure.clone();
                    self.on_rebuilt(&mut again, index, Err(failure))?;
                }
                (None, None) => {}
            }
        }
        while let Some(ended) = again.tasks.next_ended().await? {
            if let Some(workers) = &self.context.workers {
                workers.refuse_false_answers()?;
            }
            let key = ended.key.clone();
            match again.open_builds.take(ended) {
                Ok(((index, Component::Rebuilt), built)) => {
                    self.on_rebuilt(&mut again, index, built)?;
                }
                Ok(((index, Component::Kept), Ok(built))) => {
                    self.add_check(&mut again, index, built, &key)?;
                }
                Ok(((_, Component::Kept), Err(_))) => {}
                Err(ended) => {
                    if let Ok((index, here)) = again.open_checks.take(ended) {
                        let here = here.map_err(|error| runner_error(self.loaded, error))?;
                        again.gates.insert(index, here);
                    }
                }
            }
        }
        if let Some(workers) = &self.context.workers {
            self.machines = workers.work(again.tasks.seat_loads());
        }
        self.compare(&again);
        Ok(())
    }

    /// Checks the rebuilt component, if it is the one that ran. Otherwise builds and checks the stored component: all
    /// of its results can still be repeated.
    fn on_rebuilt(
        &mut self,
        again: &mut RepeatedGates,
        index: usize,
        built: BuildResult,
    ) -> Result<(), RunError> {
        let record = &self.kept.evidence.record;
        let kept = record.build(self.variants[index].id());
        let digest = kept.and_then(|kept| kept.value.digest.clone());
        match &built {
            Ok(component) if Some(&component.digest) == digest.as_ref() => {
                let key = task_key(index, Component::Rebuilt);
                self.add_check(again, index, Arc::clone(component), &key)?;
            }
            _ => {
                let component = digest.and_then(|digest| self.kept.component(&digest));
                if let Some(code) = component {
                    let code = (code, self.variants[index].is_swept());
                    again.add_build(&self.context, index, Component::Kept, code)?;
                }
            }
        }
        again.builds.insert(index, built);
        Ok(())
    }

    /// Adds the gate of a component that is the one that ran.
    fn add_check(
        &mut self,
        again: &mut RepeatedGates,
        index: usize,
        built: Arc<BuiltComponent>,
        build: &TaskKey,
    ) -> Result<(), RunError> {
        self.variants[index].take_built(built);
        let state = &self.variants[index];
        let Some(gate) = self.kept.evidence.record.gate(state.id()) else {
            return Ok(());
        };
        let key = TaskKey::new(format!("check {index}"));
        let check = Check {
            prototype: BuiltPrototype {
                build: build.clone(),
                files: state.files.clone(),
            },
            // A gate that was kept from an earlier run was rehearsed with that run's seed.
            seed: gate
                .value
                .rehearsal_seed
                .unwrap_or(self.context.config.seed),
            repeats_fuel: gate.value.repeats_fuel,
        };
        let work = RepeatedCheck {
            check,
            kept: gate.value.clone(),
        };
        let task = anywhere(core_task("check", key, Some(build)), state.files.as_ref());
        again
            .open_checks
            .insert(again.tasks.add(task, work)?, index);
        Ok(())
    }

    /// Compares the repeated builds and gates with the stored ones, in the order of the variants.
    fn compare(&mut self, again: &RepeatedGates) {
        for index in 0..self.variants.len() {
            let id = self.variants[index].id().clone();
            let Some(kept) = self.kept.evidence.record.build(&id) else {
                let why = "no build of it was kept";
                self.figures.skip(id.as_str(), "component", why);
                continue;
            };
            let kept = kept.value.clone();
            match again.builds.get(&index) {
                Some(Ok(built)) if kept.digest.as_ref() == Some(&built.digest) => {
                    self.compare_builds(&id, &kept, built);
                }
                Some(built) => self.other_component(&id, &kept, built),
                None => {}
            }
        }
        for index in 0..self.variants.len() {
            let state = &self.variants[index];
            let Some(kept) = self.kept.evidence.record.gate(state.id()) else {
                continue;
            };
            match again.gates.get(&index) {
                Some(here) => {
                    let kept = kept.value.clone();
                    self.compare_gates(index, &kept, here);
                }
                None => {
                    let why = "the component that ran was not kept";
                    self.figures.skip(state.id().as_str(), "check", why);
                }
            }
        }
    }
}
