//! What a run needs before it looks at any prototype: confinement, compiler, interface, and the
//! problem's own components.

use super::Unconfined;
use super::candidate::read_code;
use super::error::RunError;
use crate::build::{self, Builder, Built, Cache, CodeBytes, Kind, Request, Toolchain, WasiImports};
use crate::config::{CasePart, Loaded, Place, Policy};
use crate::confine::Confinement;
use crate::interface::{self, Interface, InterfaceError, World};
use crate::measure::{self, Arguments, InputSource, RunnerError, Setting, WaveCase};
use bakeoff_domain::failure::Failure;
use bakeoff_domain::report::CaseLabel;
use bakeoff_domain::spec::{Inputs, Workers};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Confinement and compiler: what every build needs.
#[derive(Clone)]
pub struct Tools {
    /// Builds, fenced.
    pub builder: Arc<Builder>,
    /// How children are fenced.
    pub confinement: Confinement,
    /// Compiler of the prototypes.
    pub compiler: String,
}

impl Tools {
    /// Probes the confinement, finds the compiler, opens the build cache.
    ///
    /// # Errors
    /// [`RunError::Confinement`] or [`RunError::Toolchain`], each with what to do about it.
    pub async fn open(
        unconfined: Unconfined,
        wasi: WasiImports,
        cache: Option<&Path>,
        builds_at_once: usize,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Self, RunError> {
        let confinement = match unconfined {
            Unconfined::Refused => Confinement::probe().await?,
            Unconfined::Allowed => Confinement::allow_unconfined().await?,
        };
        let toolchain = Toolchain::find(say)
            .await
            .map_err(|error| RunError::Toolchain(error.to_string()))?;
        let confinement = build::fit(&toolchain, confinement).await;
        let compiler = toolchain.version().to_owned();
        let cache = cache.map_or_else(Cache::open_default, Cache::open);
        let cache = match cache {
            Ok(cache) => Some(cache),
            Err(error) => {
                say(&format!("building without a cache: {error}"));
                None
            }
        };
        let builder = Builder::new(toolchain, confinement.clone(), cache, builds_at_once);
        let builder = builder.with_wasi(wasi);
        Ok(Self {
            builder: Arc::new(builder),
            confinement,
            compiler,
        })
    }
}

/// What the host's policy says of components that import WASI.
pub fn wasi_imports(policy: &Policy) -> WasiImports {
    match policy.allows_wasi() {
        true => WasiImports::Virtual,
        false => WasiImports::Refused,
    }
}

/// With what a workshop is opened.
#[derive(Clone, Debug)]
pub struct Means {
    /// What to do where nothing confines untrusted code.
    pub unconfined: Unconfined,
    /// What the host allows; the experiment is within it.
    pub policy: Policy,
    /// The folder of the build cache, if not the user's own.
    pub cache: Option<PathBuf>,
}

/// Everything that is the same for all variants of a run.
pub struct Workshop {
    /// Confinement and compiler.
    pub tools: Tools,
    /// The problem's interface.
    pub interface: Arc<Interface>,
    /// How runners are asked.
    pub setting: Setting,
    /// A component of the call's signature that does nothing.
    pub calibrator: Arc<Built>,
    /// By case: what it is called.
    pub cases: Vec<CaseLabel>,
    /// Cores that may be used, by number.
    pub cores: Vec<usize>,
    /// Digest of the component or file that inputs come from.
    pub workload_digest: String,
    /// The component that makes inputs, if one does.
    pub workload: Option<Arc<Built>>,
}

impl Workshop {
    /// Finds the tools and builds the problem's own components. What is timed follows from `seed`.
    ///
    /// # Errors
    /// See [`RunError`]; what is wrong with the experiment points into its file.
    pub async fn open(
        loaded: &Loaded,
        means: &Means,
        seed: u64,
        say: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Self, RunError> {
        let experiment = &loaded.experiment;
        let interface = Arc::new(read_interface(loaded)?);
        let cores = cores(experiment.measure.workers);
        let wasi = wasi_imports(&means.policy);
        let cache = means.cache.as_deref();
        let tools = Tools::open(means.unconfined, wasi, cache, cores.len(), say).await?;
        let calibrator = tools
            .builder
            .build(&Request {
                interface: Arc::clone(&interface),
                world: World::Prototype,
                code: CodeBytes::Calibrator,
                kind: Kind::Release,
            })
            .await
            .map_err(|failure| RunError::Machine(failure.message))?;
        let Opened {
            source,
            cases,
            digest,
            workload,
        } = open_inputs(loaded, &tools.builder, &interface).await?;
        let setting = Setting {
            confinement: tools.confinement.clone(),
            call: call_path(&interface),
            limits: experiment.limits,
            source,
            seed,
            check_seed: experiment.workload.seed.unwrap_or(seed),
        };
        let workshop = Self {
            tools,
            interface,
            setting,
            calibrator,
            cases,
            cores,
            workload_digest: digest,
            workload,
        };
        workshop.read_cases(loaded).await?;
        Ok(workshop)
    }

    /// Lets what is timed follow from another seed, and with it what is checked, if the experiment
    /// says nothing else.
    pub(super) fn take_seed(&mut self, seed: u64, of_checks: Option<u64>) {
        self.setting.seed = seed;
        self.setting.check_seed = of_checks.unwrap_or(seed);
    }

    /// The calibrator's code as it is timed: a single version.
    pub(super) fn calibrator_code(&self) -> &[u8] {
        self.calibrator.timed.first().map_or(&[], Vec::as_slice)
    }

    /// Whether the cases of a file fit the call, by asking a component of its signature.
    async fn read_cases(&self, loaded: &Loaded) -> Result<(), RunError> {
        let Some(file) = &loaded.cases else {
            return Ok(());
        };
        let results = measure::read_cases(&self.setting, &self.calibrator.checked)
            .await
            .map_err(RunError::Runner)?;
        for (case, result) in results.iter().enumerate() {
            if let Err(reason) = result {
                let part = match reason.starts_with("expect") {
                    true => CasePart::Expect,
                    false => CasePart::Call,
                };
                let help = format!(
                    "the experiment calls {}",
                    self.interface.call().function.signature()
                );
                return Err(file.wrong(case, part, reason, &help).into());
            }
        }
        Ok(())
    }
}

/// The names that lead to the export: of the interface, if it is in one, and of the function.
fn call_path(interface: &Interface) -> Vec<String> {
    let call = interface.call();
    call.interface
        .iter()
        .chain([&call.function.name])
        .cloned()
        .collect()
}

fn read_interface(loaded: &Loaded) -> Result<Interface, RunError> {
    let declared = &loaded.experiment.interface;
    let interface = Interface::load(&loaded.dir.join(&declared.wit), &declared.call);
    interface.map_err(|error| {
        let (place, label, help) = match error {
            InterfaceError::Call { .. } => (
                Place::Call,
                "this",
                "call one that is exported, or export this one",
            ),
            InterfaceError::Unsupported { .. } => (
                Place::Call,
                "this",
                "give it parameters and a result of plain data",
            ),
            InterfaceError::Read { .. } => {
                (Place::Wit, "here", "name a WIT file, or a folder of them")
            }
            _ => (
                Place::Wit,
                "read from here",
                "mend the WIT at the place that is named above",
            ),
        };
        loaded.wrong(place, &error.to_string(), label, help).into()
    })
}

/// Where inputs come from.
struct Opened {
    source: InputSource,
    cases: Vec<CaseLabel>,
    digest: String,
    workload: Option<Arc<Built>>,
}

async fn open_inputs(
    loaded: &Loaded,
    builder: &Builder,
    interface: &Arc<Interface>,
) -> Result<Opened, RunError> {
    match (&loaded.experiment.workload.inputs, &loaded.cases) {
        (Inputs::Generated { code, sizes }, _) => {
            let fit = interface.workload().map_err(|error| {
                let help = "change the world `workload` in the WIT, and the workload with it";
                loaded.wrong(
                    Place::Workload,
                    &error.to_string(),
                    "for this workload",
                    help,
                )
            })?;
            let file = code.path().display().to_string();
            let failed = |failure: Failure| match failure.class.is_of_the_machine() {
                true => RunError::Machine(failure.message),
                false => RunError::Workload {
                    file: file.clone(),
                    failure: Box::new(failure),
                },
            };
            let code = read_code(code, &loaded.dir).map_err(failed)?;
            let request = Request {
                interface: Arc::clone(interface),
                world: World::Workload,
                code,
                // It is not timed, so it may as well tell of its panics.
                kind: Kind::Diagnostic,
            };
            let built = builder.build(&request).await.map_err(failed)?;
            let source = InputSource::Workload {
                checked: built.checked.clone().into(),
                sizes: sizes.clone(),
                arguments: match fit.arguments {
                    interface::Arguments::Tuple => Arguments::Tuple,
                    interface::Arguments::Single => Arguments::Single,
                },
                oracle: fit.check.is_some(),
                assesses: fit.assess.is_some(),
            };
            Ok(Opened {
                source,
                cases: sizes.iter().map(|size| CaseLabel::Size(*size)).collect(),
                digest: built.digest.clone(),
                workload: Some(built),
            })
        }
        (Inputs::Cases(_), Some(file)) => {
            let cases: Vec<WaveCase> = file
                .cases
                .iter()
                .map(|case| WaveCase {
                    call: case.call.clone(),
                    expect: case.expect.clone(),
                })
                .collect();
            let labels = cases
                .iter()
                .map(|case| CaseLabel::Call(case.call.clone()))
                .collect();
            let digest = super::keys::digest(cases.iter().flat_map(|case| {
                [
                    case.call.as_bytes(),
                    case.expect.as_deref().unwrap_or("").as_bytes(),
                ]
            }));
            Ok(Opened {
                source: InputSource::Cases(cases),
                cases: labels,
                digest,
                workload: None,
            })
        }
        (Inputs::Cases(path), None) => Err(RunError::Runner(RunnerError::Workload(format!(
            "the cases of {} were not read",
            path.display()
        )))),
    }
}

/// The cores to use, by number: as many as were asked for, of those this process may run on.
fn cores(workers: Workers) -> Vec<usize> {
    let available = measure::usable_cores();
    let available = if available.is_empty() {
        vec![0]
    } else {
        available
    };
    let wanted = match workers {
        Workers::Auto => available.len(),
        Workers::Exactly(count) => (count as usize).max(1),
    };
    available.into_iter().take(wanted).collect()
}
