//! Calls of all approaches on the same inputs, before anything is raced: do their answers agree, and how
//! much work is an input of each size?

use super::child_client::{ChildAnswer, ChildClient, ChildTask, core_task, wrong_task};
use super::context::{RunContext, runner_error};
use super::error::RunError;
use super::options::HostOptions;
use crate::compile::{BuildKind, BuildRequest};
use crate::config::LoadedExperiment;
use crate::interface::{Interface, World};
use crate::measure::{self, RepeatedCall};
use crate::sandbox::{GivenProposal, ProposerTask};
use crate::source::{self, BuildInput, PackedFolders, RunFiles};
use crate::tasks::TaskEvent;
use bakeoff_domain::failure::Failure;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::queue::TaskKey;
use bakeoff_domain::report::CaseLabel;
use bakeoff_domain::spec::Approach;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The calls of one approach, in the order in which they were asked for, or why it was not called. There
/// are fewer than were asked for if one broke a limit: it is the last.
pub type SurveyedCalls = Result<Vec<RepeatedCall>, Failure>;

/// The values of a prototype's parameters, by name.
pub type Values = BTreeMap<String, String>;

/// What came of asking a proposer.
#[derive(Debug)]
pub enum ProposerAnswer<T> {
    /// What it proposes.
    Proposals(Vec<T>),
    /// It cannot be built.
    NotBuilt(Failure),
    /// It proposes nothing, and why.
    Nothing(String),
}

/// The approaches of an experiment, which can be called.
pub struct Survey<'a> {
    loaded: &'a LoadedExperiment,
    context: RunContext,
    files: RunFiles,
}

impl<'a> Survey<'a> {
    /// Reads the files of an experiment, and builds what is not an approach.
    ///
    /// # Errors
    /// See [`RunError`].
    pub async fn open(
        loaded: &'a LoadedExperiment,
        host: &HostOptions,
        report: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Self, RunError> {
        let files = RunFiles::read(loaded)?;
        let context = RunContext::open(loaded, &files, host, RunSeed::default(), report).await?;
        Ok(Self {
            loaded,
            context,
            files,
        })
    }

    /// The problem's interface.
    pub fn interface(&self) -> &Interface {
        &self.context.interface
    }

    /// The labels of the cases.
    pub fn cases(&self) -> &[CaseLabel] {
        &self.context.cases
    }

    /// The problem's files: its WIT, its workload, its cases.
    pub fn files(&self) -> &RunFiles {
        &self.files
    }

    /// Builds every approach, and makes the same calls of each, every one on a fresh instance with fuel
    /// counted: a case and the seed of the input. The results are in the order of the approaches.
    ///
    /// # Errors
    /// See [`RunError`]; the workload failed, or something that does not depend on the approaches.
    pub async fn call_all(
        &self,
        calls: &[(CaseIndex, u64)],
    ) -> Result<Vec<SurveyedCalls>, RunError> {
        let first = |approach: &Approach| -> Values {
            let values = approach.sweep.iter();
            values
                .filter_map(|one| Some((one.name.clone(), one.values.first()?.clone())))
                .collect()
        };
        let values = self.loaded.experiment.approaches.iter().map(first);
        let code = self.files.code.iter().cloned();
        let code: Vec<_> = code.zip(values).collect();
        self.call_each(&code, calls).await
    }

    /// As [`call_all`](Self::call_all), of prototypes that the experiment need not name, with the values of
    /// their parameters.
    ///
    /// # Errors
    /// See [`RunError`]; the workload failed, or something that does not depend on the prototypes.
    pub async fn call_each(
        &self,
        code: &[(Result<BuildInput, Failure>, Values)],
        calls: &[(CaseIndex, u64)],
    ) -> Result<Vec<SurveyedCalls>, RunError> {
        let calls: Arc<[(CaseIndex, u64)]> = calls.into();
        let context = &self.context;
        let mut driver =
            ChildClient::driver(&context.tools.builder, &context.config, &context.cores);
        let mut surveyed: Vec<Option<SurveyedCalls>> = Vec::new();
        // Of both its tasks, the place of the approach.
        let mut places = BTreeMap::new();
        for (place, (code, values)) in code.iter().cloned().enumerate() {
            surveyed.push(None);
            let code = match code {
                Ok(code) => code,
                Err(failure) => {
                    surveyed[place] = Some(Err(failure));
                    continue;
                }
            };
            let build = TaskKey::new(format!("build {place}"));
            let request = context.prototype(code, BuildKind::Release, !values.is_empty());
            let task = core_task("build", build.clone(), None);
            driver
                .add(task, ChildTask::Build(request))
                .map_err(wrong_task)?;
            let key = TaskKey::new(format!("calls {place}"));
            let task = core_task("check", key.clone(), Some(&build));
            let content = ChildTask::Repeat {
                build: build.clone(),
                files: granted(&values)?,
                calls: Arc::clone(&calls),
            };
            driver.add(task, content).map_err(wrong_task)?;
            places.extend([(build, place), (key, place)]);
        }
        while let Some(event) = driver.next().await {
            let (key, calls) = match event {
                TaskEvent::Ended(key, ChildAnswer::Built(Err(failure))) => (key, Err(failure)),
                TaskEvent::Ended(key, ChildAnswer::Repeated(calls)) => {
                    let calls = calls.map_err(|error| runner_error(self.loaded, error))?;
                    (key, Ok(calls))
                }
                TaskEvent::DeadLetter(key, reason) => {
                    return Err(RunError::dead_letter(&key, &reason));
                }
                _ => continue,
            };
            if let Some(place) = places.get(&key) {
                surveyed[*place] = Some(calls);
            }
        }
        Ok(surveyed.into_iter().flatten().collect())
    }

    /// Makes a call on which an approach trapped once more in its diagnostic build, which reports a panic:
    /// what it says, if it says something.
    pub async fn panic_of(&self, approach: usize, call: (CaseIndex, u64)) -> Option<String> {
        let code = self.files.code.get(approach)?.clone().ok()?;
        self.panic_in(code, &Values::new(), call).await
    }

    /// As [`panic_of`](Self::panic_of), of a prototype that the experiment need not name.
    pub async fn panic_in(
        &self,
        code: BuildInput,
        values: &Values,
        call: (CaseIndex, u64),
    ) -> Option<String> {
        let context = &self.context;
        let request = context.prototype(code, BuildKind::Diagnostic, !values.is_empty());
        let files = granted(values).ok()?;
        let built = context.tools.builder.build(&request).await.ok()?;
        let reports =
            measure::diagnose(&context.config, &built.checked, files.as_ref(), &[call]).await;
        reports.ok()?.pop()
    }

    /// Builds a proposer, and asks it for approaches.
    ///
    /// # Errors
    /// Something failed that does not depend on the proposer.
    pub async fn ask(
        &self,
        proposer: BuildInput,
        task: &ProposerTask,
    ) -> Result<ProposerAnswer<GivenProposal>, RunError> {
        let Some(interface) = Interface::of_own_world(World::Proposer) else {
            return Ok(ProposerAnswer::Nothing("there is no such world".to_owned()));
        };
        let request = BuildRequest {
            interface: Arc::new(interface),
            world: World::Proposer,
            code: proposer,
            // It is not timed, so it may as well report its panics.
            kind: BuildKind::Diagnostic,
            memory_bytes: 0,
            parameters: false,
        };
        let built = match self.context.tools.builder.build(&request).await {
            Ok(built) => built,
            Err(failure) if failure.class.is_machine_fault() => {
                return Err(RunError::Machine(failure.message));
            }
            Err(failure) => return Ok(ProposerAnswer::NotBuilt(failure)),
        };
        let given = measure::propose(&self.context.config, &built.checked, task).await;
        Ok(match given.map_err(RunError::Runner)? {
            Ok(given) => ProposerAnswer::Proposals(given),
            Err(why) => ProposerAnswer::Nothing(why),
        })
    }
}

/// What a prototype is granted: the values of its parameters, if it has any.
fn granted(values: &Values) -> Result<Option<PackedFolders>, RunError> {
    if values.is_empty() {
        return Ok(None);
    }
    let wrong = |reason: String| RunError::Engine(reason);
    let none = source::read_granted(&[]).map_err(|error| wrong(error.to_string()))?;
    let packed = none.with_parameters(values).pack();
    packed.map(Some).map_err(|error| wrong(error.to_string()))
}
