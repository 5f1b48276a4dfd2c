//! The context of a run, opened before any variant is read: confinement, compiler, interface, and the problem's own
//! components.

use super::aggregators;
use super::assess_criteria;
use super::crates;
use super::elsewhere::RemoteWorkers;
use super::error::RunError;
use super::evaluators::{self, BuiltEvaluator};
use super::options::{CompilerNeed, HostOptions, Tools, wasi_imports};
use bakeoff_compile::engine::{self, Profile};
use bakeoff_compile::{BuildKind, BuildRequest, Builder, BuiltComponent};
use bakeoff_config::{CasePart, ConfigError, ConfigPlace, LoadedExperiment, Policy};
use bakeoff_domain::crates::LockedCrate;
use bakeoff_domain::failure::Failure;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::{CaseLabel, Environment};
use bakeoff_domain::spec::{self, Code, Workers};
use bakeoff_measure::{RunnerConfig, RunnerError, RunnerWorker};
use bakeoff_runner::{Arguments, Requests, RunnerInputs, WaveCase};
use bakeoff_source::interface::{self, InputRequest, Interface, InterfaceError, World};
use bakeoff_source::{BuildInput, RunFiles, digest_of_parts};
use std::path::Path;
use std::sync::Arc;

/// Values that are the same for all variants of a run.
pub struct RunContext {
    /// The confinement and the compiler.
    pub tools: Tools,
    /// The problem's interface.
    pub interface: Arc<Interface>,
    /// The names of the interface's files, relative to the folder that contains them all.
    pub wit_names: Vec<String>,
    /// The configuration that all runners of the problem share.
    pub config: RunnerConfig,
    /// A component of the call's signature that does nothing.
    pub calibrator: Arc<BuiltComponent>,
    /// The labels of the cases.
    pub cases: Vec<CaseLabel>,
    /// Cores that may be used, by number.
    pub cores: Vec<usize>,
    /// Workers on other machines, if there may be any.
    pub workers: Option<Arc<RemoteWorkers>>,
    /// Digest of the workload component or of the file of cases.
    pub workload_digest: String,
    /// The evaluators, in the order of declaration.
    pub evaluators: Vec<BuiltEvaluator>,
    /// The aggregators, in the order of declaration.
    pub aggregators: Vec<Arc<BuiltComponent>>,
    /// The crates that sources may use, and their dependencies.
    pub crates: Vec<LockedCrate>,
}

impl RunContext {
    /// Finds the tools and builds the problem's own components. Timed inputs are drawn from `seed`.
    ///
    /// # Errors
    /// See [`RunError`]; an error in the experiment points into its file.
    pub async fn open(
        loaded: &LoadedExperiment,
        files: &RunFiles,
        host: &HostOptions,
        seed: RunSeed,
        report: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Self, RunError> {
        let experiment = &loaded.experiment;
        let interface = Arc::new(parse_interface(loaded, files)?);
        let cores = cores(experiment.measure.workers);
        let wasi = wasi_imports(&host.policy);
        let cache = host.cache.as_deref();
        let machine = &host.machine;
        let need = CompilerNeed::of(files.has_sources());
        let builds = cores.len();
        let tools = Tools::open(host.unconfined, need, wasi, cache, builds, machine, report);
        let mut tools = tools.await?;
        let workers = machine.workers();
        if let Some(workers) = &workers {
            tools = tools.with_origins(workers.origins())?;
        }
        let tools = crates::allow(tools, loaded, report).await?;
        let calibrator = BuildRequest {
            interface: Arc::clone(&interface),
            world: World::Prototype,
            code: BuildInput::Calibrator,
            kind: BuildKind::Release,
            memory_bytes: experiment.limits.memory_bytes,
            parameters: false,
        };
        let (calibrator, inputs) = tokio::join!(
            tools.builder.build(&calibrator),
            open_inputs(loaded, files, &tools.builder, &interface)
        );
        let calibrator = calibrator.map_err(|failure| RunError::Machine(failure.message))?;
        let (inputs, workload_digest) = inputs?;
        let config = RunnerConfig {
            worker: RunnerWorker::link(tools.confinement.clone()),
            elsewhere: false,
            call: call_path(&interface),
            limits: experiment.limits,
            state: experiment.measure.state,
            seed,
            check_seed: experiment.workload.seed.map_or(seed, RunSeed::Named),
            inputs,
            repeats_fuel: None,
        };
        let evaluators = evaluators::open(loaded, files, &tools.builder, &config).await?;
        let aggregators = aggregators::open(loaded, files, &tools.builder).await?;
        let context = Self {
            evaluators,
            aggregators,
            workers,
            tools,
            wit_names: files.wit_names().into_iter().map(str::to_owned).collect(),
            interface,
            cases: config.inputs.labels(),
            config,
            calibrator,
            cores,
            workload_digest,
            crates: crates::locked(loaded)?,
        };
        context.check_cases(loaded).await?;
        Ok(context)
    }

    /// Returns the request for a build of a prototype of this problem.
    pub fn prototype(&self, code: BuildInput, kind: BuildKind, swept: bool) -> BuildRequest {
        BuildRequest {
            interface: Arc::clone(&self.interface),
            world: World::Prototype,
            code,
            kind,
            memory_bytes: self.config.limits.memory_bytes,
            parameters: swept,
        }
    }

    /// Sets the seed of timed inputs and orders, and that of the checks too if the experiment declares none for them.
    pub(super) fn set_seed(&mut self, seed: RunSeed, check_seed: Option<u64>) {
        self.config.seed = seed;
        self.config.check_seed = check_seed.map_or(seed, RunSeed::Named);
    }

    /// Returns the calibrator's code in the timed profile: a single layout.
    pub(super) fn calibrator_code(&self) -> &[u8] {
        self.calibrator.timed.first().map_or(&[], Vec::as_slice)
    }

    /// Returns an error if cases of a file do not fit the call, by asking a component of its
    /// signature.
    async fn check_cases(&self, loaded: &LoadedExperiment) -> Result<(), RunError> {
        let Some(file) = &loaded.cases else {
            return Ok(());
        };
        let results = bakeoff_measure::read_cases(&self.config, &self.calibrator.checked)
            .await
            .map_err(RunError::Runner)?;
        for (case, result) in results.iter().enumerate() {
            if let Err(wrong) = result {
                let part = match wrong.part {
                    bakeoff_runner::WrongPart::Call => CasePart::Call,
                    bakeoff_runner::WrongPart::Expect => CasePart::Expect,
                };
                let help = format!(
                    "the experiment calls {}",
                    self.interface.call().function.signature()
                );
                return Err(file.wrong(case, part, &wrong.reason, &help).into());
            }
        }
        Ok(())
    }
}

/// Returns the name of the processor, the number of its cores, and the system with its kernel.
pub fn machine() -> (String, u32, String) {
    let uname = rustix::system::uname();
    let system = format!(
        "{} {}",
        uname.sysname().to_string_lossy(),
        uname.release().to_string_lossy()
    );
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    (bakeoff_measure::cpu_model(), cores, system)
}

/// Returns the environment in which a run measures.
pub fn environment(context: &RunContext, policy: &Policy) -> Environment {
    let (cpu, cores, system) = machine();
    let compiler = context.tools.compiler.lines().next();
    Environment {
        engine: engine::fingerprint(Profile::Timed).unwrap_or_default(),
        compiler: compiler.unwrap_or_default().to_owned(),
        compiler_choice: context.tools.compiler_choice.words().to_owned(),
        crates: context.crates.clone(),
        cpu,
        cores,
        system,
        confinement: context.tools.confinement.level().name().to_owned(),
        policy: policy.summary(),
        fences: context.tools.confinement.mechanisms().list(),
    }
}

/// Returns the error of a runner as one of the run, with the workload's file if the workload
/// failed.
pub fn runner_error(loaded: &LoadedExperiment, error: RunnerError) -> RunError {
    match error {
        RunnerError::Workload(reason) => {
            let inputs = &loaded.experiment.workload.inputs;
            let cases = match inputs {
                spec::Inputs::Cases(path) => path,
                _ => Path::new(""),
            };
            let file = inputs.code().map_or(cases, Code::path);
            RunError::WorkloadRun {
                file: file.display().to_string(),
                reason,
            }
        }
        other => RunError::Runner(other),
    }
}

/// Returns the path of the export: the interface, if it is in one, and the function.
fn call_path(interface: &Interface) -> Vec<String> {
    let call = interface.call();
    let names = call.interface.iter().chain([&call.function.name]);
    names.cloned().collect()
}

fn parse_interface(loaded: &LoadedExperiment, files: &RunFiles) -> Result<Interface, RunError> {
    let parsed = Interface::parse(files.wit.clone(), &loaded.experiment.interface.call);
    parsed.map_err(|error| {
        let (place, label, help) = match error {
            InterfaceError::Call { .. } => (
                ConfigPlace::Call,
                "this",
                "call one that is exported, or export this one",
            ),
            InterfaceError::Unsupported { .. } => (
                ConfigPlace::Call,
                "this",
                "give it parameters and a result of plain data",
            ),
            _ => (
                ConfigPlace::Wit,
                "read from here",
                "fix the WIT error above",
            ),
        };
        loaded.wrong(place, &error.to_string(), label, help).into()
    })
}

/// The source of inputs, ready for runners, and the digest of the component or file behind it.
type OpenedInputs = (RunnerInputs<Arc<[u8]>>, String);

/// Returns the source of inputs, ready for runners, and the digest of the component or file behind
/// it.
async fn open_inputs(
    loaded: &LoadedExperiment,
    files: &RunFiles,
    builder: &Builder,
    interface: &Arc<Interface>,
) -> Result<OpenedInputs, RunError> {
    let (code, requests) = match &loaded.experiment.workload.inputs {
        spec::Inputs::Generated { code, sizes, texts } => (code, Requests::of_sizes(sizes, texts)),
        spec::Inputs::Instances { code, names, .. } => (code, Requests::Instances(names.clone())),
        spec::Inputs::Cases(path) => return read_cases(loaded, path),
        spec::Inputs::None => {
            let reason = "a question in words has no inputs".to_owned();
            return Err(RunError::Runner(RunnerError::Workload(reason)));
        }
    };
    let fit = workload_functions(loaded, interface)?;
    if fit.assess.is_none() {
        assess_criteria::refuse_assess(loaded)?;
    }
    let file = code.path().display().to_string();
    let failed = |failure: Failure| {
        if failure.class.is_machine_fault() {
            RunError::Machine(failure.message)
        } else {
            RunError::Workload {
                file: file.clone(),
                failure: Box::new(failure),
            }
        }
    };
    let unread = || RunError::Runner(RunnerError::Workload(format!("{file} was not read")));
    let code = files.workload.clone().ok_or_else(unread)?;
    let request = BuildRequest {
        interface: Arc::clone(interface),
        world: World::Workload,
        code: without_temporary_folder(code.map_err(failed)?, &loaded.experiment),
        // It is not timed, so it may as well report its panics.
        kind: BuildKind::Diagnostic,
        memory_bytes: 0,
        parameters: false,
    };
    let built = builder.build(&request).await.map_err(failed)?;
    let inputs = RunnerInputs::Workload {
        code: built.checked.clone().into(),
        requests,
        arguments: match fit.arguments {
            interface::ArgumentsForm::Tuple => Arguments::Tuple,
            interface::ArgumentsForm::Single => Arguments::Single,
        },
        oracle: fit.check.is_some(),
        assesses: fit.assess.is_some(),
    };
    Ok((inputs, built.digest.clone()))
}

/// Returns the code of a workload without the folder in its name, where it was written beside an interface that was
/// read off sources. That folder is another one each time, and a build that reports panics contains the name.
fn without_temporary_folder(code: BuildInput, experiment: &spec::Experiment) -> BuildInput {
    let is_beside = |path: &Path| path.parent() == experiment.interface.wit.parent();
    match code {
        BuildInput::Source { path_shown, text }
            if experiment.declared.is_temporary() && is_beside(Path::new(&*path_shown)) =>
        {
            let name = Path::new(&*path_shown).file_name();
            let name = name.map(|name| name.to_string_lossy().into_owned());
            BuildInput::Source {
                path_shown: name.map_or(path_shown, Into::into),
                text,
            }
        }
        code => code,
    }
}

/// Returns the functions of the workload, of which `generate` must be the one that the experiment's
/// inputs need.
fn workload_functions(
    loaded: &LoadedExperiment,
    interface: &Interface,
) -> Result<interface::WorkloadFunctions, ConfigError> {
    let request = if loaded.experiment.workload.inputs.are_instances() {
        InputRequest::Instance
    } else {
        InputRequest::SizeAndSeed
    };
    interface.workload(request).map_err(|error| {
        // The other `generate` fits the other key of the experiment file.
        let fits_other = interface.workload(request.other()).is_ok();
        let help = match (fits_other, request) {
            (false, _) => "change the world `workload` in the WIT, and the workload with it",
            (true, InputRequest::Instance) => {
                "this one makes inputs of any size: give the workload `sizes` in place of \
                 `instances`, or change `generate` in the WIT and in the workload"
            }
            (true, InputRequest::SizeAndSeed) => {
                "this one makes inputs by their names: give the workload `instances` in place of \
                 `sizes`, or change `generate` in the WIT and in the workload"
            }
        };
        let message = error.to_string();
        loaded.wrong(ConfigPlace::Workload, &message, "for this workload", help)
    })
}

/// Returns the calls of the file of cases, and their digest.
fn read_cases(loaded: &LoadedExperiment, path: &Path) -> Result<OpenedInputs, RunError> {
    let Some(file) = &loaded.cases else {
        let reason = format!("the cases of {} were not read", path.display());
        return Err(RunError::Runner(RunnerError::Workload(reason)));
    };
    let cases = file.cases.iter().map(|case| WaveCase {
        call: case.call.clone(),
        expect: case.expect.clone(),
    });
    let texts = file.cases.iter().flat_map(|case| {
        let expect = case.expect.as_deref().unwrap_or("");
        [case.call.as_bytes(), expect.as_bytes()]
    });
    Ok((RunnerInputs::Cases(cases.collect()), digest_of_parts(texts)))
}

/// Returns the numbers of the cores to use: the wanted number, of those this process may run on.
fn cores(workers: Workers) -> Vec<usize> {
    let mut available = bakeoff_confine::usable_cores();
    if available.is_empty() {
        available.push(0);
    }
    let wanted = match workers {
        Workers::Auto => available.len(),
        Workers::Exactly(count) => (count as usize).max(1),
    };
    available.truncate(wanted);
    available
}
