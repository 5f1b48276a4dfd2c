//! Calls of all approaches on the same inputs, before anything is raced: they show whether the answers agree, and how
//! much work an input of each size is.

mod bounded;
mod checked;
mod coverage;
mod function_fuel;
mod proposers;
mod smaller;
mod work;

pub use coverage::SurveyedCoverage;
pub use function_fuel::SurveyedFuel;
pub use proposers::BuiltProposer;
pub use smaller::SmallerFailure;

use super::child_tasks::{ChildTasks, OpenTasks, core_task};
use super::child_work::{Build, BuildResult, Repeat, TestOracle};
use super::context::RunContext;
use super::error::RunError;
use super::grants::read_granted;
use super::options::HostOptions;
use bakeoff_compile::{BuildKind, Builder};
use bakeoff_config::LoadedExperiment;
use bakeoff_domain::edition::Edition;
use bakeoff_domain::failure::Failure;
use bakeoff_domain::measurement::CaseIndex;
use bakeoff_domain::oracle::{ApproachAnswers, OracleTest};
use bakeoff_domain::plan::{InputPurpose, RunSeed, sample_seeds};
use bakeoff_domain::queue::TaskKey;
use bakeoff_domain::report::CaseLabel;
use bakeoff_domain::simd::Simd;
use bakeoff_domain::spec::Experiment;
use bakeoff_domain::variant;
use bakeoff_measure::RunnerConfig;
use bakeoff_runner::{Call, CallTexts, RepeatedCall, Requests, RunnerInputs, WaveCase};
use bakeoff_source::interface::Interface;
use bakeoff_source::{BuildInput, PackedFolders, RunFiles};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// The most approaches whose answers are changed to test an oracle: the first ones.
const ORACLE_APPROACHES_MAX: usize = 8;

/// The calls of one approach, in the order of the request, or the reason why it was not called. There are fewer calls
/// than were asked for if calls broke a limit, one a large or many a small one: the last is such a call.
pub type SurveyedCalls = Result<Vec<RepeatedCall>, Failure>;

/// The values of a prototype's parameters, by name.
pub type SurveyedValues = BTreeMap<String, String>;

/// The approaches of an experiment, built on demand and called.
pub struct Survey {
    loaded: LoadedExperiment,
    pub(super) context: RunContext,
    files: RunFiles,
    /// The approaches of the experiment, each with the first values of its parameters.
    own: Vec<SurveyedPrototype>,
}

/// A prototype that a survey calls.
#[derive(Clone, Debug)]
pub struct SurveyedPrototype {
    /// Name of the prototype.
    pub name: String,
    /// Code of the prototype, or the failure to read it.
    pub code: Result<BuildInput, Failure>,
    /// True if the prototype may ask for the values of parameters.
    swept: bool,
    /// The files and parameter values that the prototype is granted, if any.
    files: Option<PackedFolders>,
}

impl SurveyedPrototype {
    /// Makes a prototype that the experiment need not name: it has no parameters and no grant.
    pub fn new(name: impl Into<String>, code: BuildInput) -> Self {
        Self {
            name: name.into(),
            code: Ok(code),
            swept: false,
            files: None,
        }
    }

    /// Returns true if the prototype is a program, which no engine runs.
    fn is_program(&self) -> bool {
        matches!(self.code, Ok(BuildInput::Program { .. }))
    }

    /// Returns the prototype with values of its parameters, if it has any.
    ///
    /// # Errors
    /// The values do not fit into a grant.
    pub fn with_values(self, values: &SurveyedValues) -> Result<Self, RunError> {
        Ok(Self {
            swept: !values.is_empty(),
            files: granted(values)?,
            ..self
        })
    }
}

impl Survey {
    /// Reads the files of an experiment, and builds all but its approaches.
    ///
    /// # Errors
    /// See [`RunError`].
    pub async fn open(
        loaded: &LoadedExperiment,
        host: &HostOptions,
        report: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Self, RunError> {
        let files = RunFiles::read(loaded, &host.vendored())?;
        let own = own(loaded, &files, host)?;
        let context = RunContext::open(loaded, &files, host, RunSeed::default(), report).await?;
        Ok(Self {
            loaded: loaded.clone(),
            context,
            files,
            own,
        })
    }

    /// Returns the problem's interface.
    pub fn interface(&self) -> &Interface {
        &self.context.interface
    }

    /// Returns the experiment.
    pub fn experiment(&self) -> &Experiment {
        &self.loaded.experiment
    }

    /// Returns the features that sources are compiled for: with vectors or without, and the edition.
    pub fn compiled_for(&self) -> (Simd, Edition) {
        (self.loaded.experiment.simd, self.loaded.experiment.edition)
    }

    /// Returns the builder of the approaches.
    pub fn builder(&self) -> &Builder {
        &self.context.tools.builder
    }

    /// Returns the labels of the cases.
    pub fn cases(&self) -> &[CaseLabel] {
        &self.context.cases
    }

    /// Returns the problem's files: its WIT, its workload, its cases.
    pub fn files(&self) -> &RunFiles {
        &self.files
    }

    /// Returns inputs to call prototypes on: `of_each` of each case, for the first `cases_max` cases. They are the same
    /// every time, so that messages about them are the same; a run draws others.
    pub fn inputs(&self, of_each: u32, cases_max: usize) -> Vec<(CaseIndex, u64)> {
        let of_each = if self.draws_inputs() { of_each } else { 1 };
        fixed_inputs("survey", self.cases().len().min(cases_max), of_each).collect()
    }

    /// Returns true if inputs follow from seeds.
    pub fn draws_inputs(&self) -> bool {
        let inputs = &self.context.config.inputs;
        matches!(
            inputs,
            RunnerInputs::Workload {
                requests: Requests::Sizes(_),
                ..
            }
        )
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
        self.call_each(&self.own, calls).await
    }

    /// Returns the share of a time that each approach has, where as many run at once as there are cores.
    fn share(&self, left: Duration) -> Duration {
        let rounds = self.own.len().div_ceil(self.context.cores.len().max(1));
        left / u32::try_from(rounds).unwrap_or(u32::MAX).max(1)
    }

    /// Builds every approach, and returns true if all are the same component, byte for byte, with the same grants:
    /// nothing can tell them apart. Returns false if one does not build.
    ///
    /// # Errors
    /// See [`RunError`].
    pub async fn are_one_component(&self) -> Result<bool, RunError> {
        let context = &self.context;
        let mut tasks = ChildTasks::new(
            &context.tools.builder,
            &context.config,
            &context.cores,
            None,
        );
        let mut builds: OpenTasks<(), BuildResult> = OpenTasks::default();
        let mut known = BTreeSet::new();
        for (place, prototype) in self.own.iter().enumerate() {
            let Ok(code) = prototype.code.clone() else {
                return Ok(false);
            };
            if known.insert((code.content_address(), prototype.swept)) {
                let request = context.prototype(code, BuildKind::Release, prototype.swept);
                let task = core_task("build", TaskKey::new(format!("build {place}")), None);
                builds.insert(tasks.add(task, Build(request))?, ());
            }
        }
        let mut digests = BTreeSet::new();
        let mut all_built = true;
        while let Some(((), built)) = tasks.next_of(&mut builds).await? {
            match built {
                Ok(built) => drop(digests.insert(built.digest.clone())),
                Err(_) => all_built = false,
            }
        }
        let grants = self.own.iter().map(|one| one.files.as_ref());
        let grants: BTreeSet<_> = grants.map(|files| files.map(|one| &one.digest)).collect();
        Ok(all_built && digests.len() == 1 && grants.len() == 1)
    }

    /// Makes calls as [`call_all`](Self::call_all) does, of prototypes that the experiment need not name, with the
    /// values of their parameters.
    ///
    /// # Errors
    /// See [`RunError`]; the workload failed, or something that does not depend on the prototypes.
    pub async fn call_each(
        &self,
        prototypes: &[SurveyedPrototype],
        calls: &[(CaseIndex, u64)],
    ) -> Result<Vec<SurveyedCalls>, RunError> {
        self.calls_of(&self.context.config, prototypes, calls, None)
            .await
    }

    async fn calls_of(
        &self,
        config: &RunnerConfig,
        prototypes: &[SurveyedPrototype],
        calls: &[(CaseIndex, u64)],
        left: Option<Duration>,
    ) -> Result<Vec<SurveyedCalls>, RunError> {
        let calls: Arc<[(CaseIndex, u64)]> = calls.into();
        let work = |prototype| Repeat {
            prototype,
            calls: Arc::clone(&calls),
            left,
            texts: CallTexts::Shortened,
        };
        let kind = BuildKind::Release;
        self.each(config, (prototypes, kind), work).await
    }

    /// Makes calls as [`call_all`](Self::call_all) does, and returns arguments and answers whole.
    ///
    /// # Errors
    /// See [`RunError`].
    pub async fn call_wholly(
        &self,
        calls: &[(CaseIndex, u64)],
    ) -> Result<Vec<SurveyedCalls>, RunError> {
        let calls: Arc<[(CaseIndex, u64)]> = calls.into();
        let work = |prototype| Repeat {
            prototype,
            calls: Arc::clone(&calls),
            left: None,
            texts: CallTexts::Whole,
        };
        let built = (&self.own[..], BuildKind::Release);
        self.each(&self.context.config, built, work).await
    }

    /// Makes calls of the interface's function that are written in WAVE, in the place of the experiment's inputs, for
    /// no longer than `left`, if there is such a limit. The answers are not judged.
    ///
    /// # Errors
    /// See [`RunError`]; one of the calls does not fit the interface.
    pub async fn call_written(
        &self,
        written: &[String],
        texts: CallTexts,
        left: Option<Duration>,
    ) -> Result<Vec<SurveyedCalls>, RunError> {
        let calls: Arc<[(CaseIndex, u64)]> = (0..written.len()).map(|case| (case, 0)).collect();
        let left = left.map(|left| self.share(left));
        let config = self.with_written(written);
        let work = |prototype| Repeat {
            prototype,
            calls: Arc::clone(&calls),
            left,
            texts,
        };
        let built = (&self.own[..], BuildKind::Release);
        self.each(&config, built, work).await
    }

    /// Has the oracle judge the answers of all approaches to the same inputs, as they are and changed a little.
    ///
    /// # Errors
    /// See [`RunError`]; the workload failed, or something that does not depend on the approaches.
    pub async fn test_oracle(&self, calls: &[(CaseIndex, u64)]) -> Result<OracleTest, RunError> {
        let most = self.own.len().min(ORACLE_APPROACHES_MAX);
        self.test_oracle_with(&self.own[..most], calls).await
    }

    /// Tests the oracle as [`test_oracle`](Self::test_oracle) does, with prototypes that the experiment need not name.
    ///
    /// # Errors
    /// See [`RunError`]; the workload failed, or something that does not depend on the prototypes.
    pub async fn test_oracle_with(
        &self,
        prototypes: &[SurveyedPrototype],
        calls: &[(CaseIndex, u64)],
    ) -> Result<OracleTest, RunError> {
        let calls: Arc<[(CaseIndex, u64)]> = calls.into();
        let work = |prototype| TestOracle {
            prototype,
            calls: Arc::clone(&calls),
        };
        let config = &self.context.config;
        let built = (prototypes, BuildKind::Release);
        let tested = self.each(config, built, work).await?;
        let named = prototypes.iter().zip(tested);
        let approaches: Vec<ApproachAnswers> = named
            .map(|(prototype, tested)| ApproachAnswers {
                name: prototype.name.clone(),
                answers: match tested {
                    Ok(answers) => answers,
                    Err(failure) => Err(format!("{}: {}", failure.class, failure.message)),
                },
            })
            .collect();
        let has_oracle = self.context.config.inputs.has_oracle();
        Ok(OracleTest::of(&approaches, has_oracle, self.draws_inputs()))
    }

    /// Repeats a call on which an approach trapped, in the approach's diagnostic build, and returns the report of the
    /// panic, if there is one.
    pub async fn panic_of(&self, approach: usize, call: (CaseIndex, u64)) -> Option<String> {
        let prototype = self.own.get(approach)?;
        self.panic_in(prototype, call).await
    }

    /// Returns the panic of an approach as [`panic_of`](Self::panic_of) does, for a call in WAVE.
    pub async fn panic_of_written(&self, approach: usize, written: &str) -> Option<String> {
        let prototype = self.own.get(approach)?;
        let config = self.with_written(&[written.to_owned()]);
        self.panic_with(&config, prototype, (0, 0)).await
    }

    /// Returns the configuration of runners for calls in WAVE.
    fn with_written(&self, written: &[String]) -> RunnerConfig {
        let cases = written.iter().map(|call| WaveCase {
            call: call.clone(),
            expect: None,
        });
        RunnerConfig {
            inputs: RunnerInputs::Cases(cases.collect()),
            ..self.context.config.clone()
        }
    }

    /// Returns the panic of a prototype, which the experiment need not name, as [`panic_of`](Self::panic_of) does.
    pub async fn panic_in(
        &self,
        prototype: &SurveyedPrototype,
        call: (CaseIndex, u64),
    ) -> Option<String> {
        self.panic_with(&self.context.config, prototype, call).await
    }

    async fn panic_with(
        &self,
        config: &RunnerConfig,
        prototype: &SurveyedPrototype,
        call: (CaseIndex, u64),
    ) -> Option<String> {
        let context = &self.context;
        let code = prototype.code.clone().ok()?;
        let request = context.prototype(code, BuildKind::Diagnostic, prototype.swept);
        let built = context.tools.builder.build(&request).await.ok()?;
        let files = prototype.files.as_ref();
        let reports = bakeoff_measure::diagnose(config, &built.checked, files, &[call]).await;
        Some(request.code.in_own_files(reports.ok()?.pop()?))
    }
}

/// Returns inputs that are the same every time: `of_each` of each of the first cases. `purpose` tells them from others.
fn fixed_inputs(purpose: &str, cases: usize, of_each: u32) -> impl Iterator<Item = Call> {
    let secret = RunSeed::Named(0).secret().derive(purpose, &[]);
    (0..cases).flat_map(move |case| {
        let seeds = sample_seeds(&secret, InputPurpose::Gate, 0, 0, case);
        (0..of_each).map(move |input| (case, seeds.of_call(input)))
    })
}

/// Returns the grant of a prototype: the values of its parameters, if it has any.
fn granted(values: &SurveyedValues) -> Result<Option<PackedFolders>, RunError> {
    if values.is_empty() {
        return Ok(None);
    }
    let wrong = |reason: String| RunError::Engine(reason);
    let none = bakeoff_source::read_granted(&[]).map_err(|error| wrong(error.to_string()))?;
    let packed = none.with_parameters(values).pack();
    packed.map(Some).map_err(|error| wrong(error.to_string()))
}

/// Returns the approaches of an experiment with their grants, each with the first values of its parameters.
fn own(
    loaded: &LoadedExperiment,
    files: &RunFiles,
    host: &HostOptions,
) -> Result<Vec<SurveyedPrototype>, RunError> {
    // However many combinations there are, these are all that is made of them.
    let mut first = loaded.clone();
    let approaches = first.experiment.approaches.iter_mut();
    approaches
        .flat_map(|one| &mut one.sweep)
        .for_each(|one| one.values.truncate(1));
    let variants = variant::declare(&first.experiment.approaches);
    let granted = read_granted(&first, &host.policy, &variants, &files.code)?;
    let named = loaded.experiment.approaches.iter().zip(&files.code);
    Ok(named
        .zip(granted)
        .map(|((approach, code), files)| SurveyedPrototype {
            name: approach.name.clone(),
            code: code.clone(),
            swept: !approach.sweep.is_empty(),
            files,
        })
        .collect())
}
