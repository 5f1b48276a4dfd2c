//! The options of a run, and the tools that every build needs.

use super::elsewhere::RemoteWorkers;
use super::error::RunError;
use super::judge::Judge;
use super::native_race::NativeRace;
use bakeoff_compile::{
    Builder, Cache, Clang, ComponentOrigins, Toolchain, ToolchainChoice, WasiImports,
};
use bakeoff_config::Policy;
use bakeoff_confine::Confinement;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::report::{Generation, Rounds, StoppedInSearch};
use bakeoff_source::VendoredComponents;
use bakeoff_store::{ResultsPlace, Start};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::OnceCell;

/// The options of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The folder in which results are kept.
    pub folder: ResultsPlace,
    /// The use of earlier results.
    pub start: Start,
    /// The seed of the run, if the user gave one.
    pub seed: Option<RunSeed>,
    /// The host's own options.
    pub host: HostOptions,
    /// The command that continues the run, for the message of an interruption.
    pub resume: String,
    /// The flag that is raised when the user asks to stop.
    pub interrupt: Interrupt,
    /// Generation of the approaches, if some were generated, for the report.
    pub generation: Option<Generation>,
    /// The rounds of a search before the run, for the report.
    pub rounds: Option<Rounds>,
    /// Whoever may be asked for opinions, if the user lets a model be asked.
    pub judge: Option<Arc<dyn Judge>>,
    /// The approaches that a search before the run saw stopped where another one answers.
    pub stopped_in_search: Vec<StoppedInSearch>,
    /// The time that was spent before the run, if the budget bounds that too.
    pub spent: Duration,
    /// The wish that the sources are raced as programs of this machine, too.
    pub natively: Option<NativeRace>,
}

impl RunOptions {
    /// Returns the options of a run of nothing but what its experiment says: with a seed that is drawn, and nobody who stops
    /// it.
    pub fn new(folder: ResultsPlace, start: Start, host: HostOptions) -> Self {
        Self {
            folder,
            start,
            seed: None,
            host,
            resume: String::new(),
            interrupt: Interrupt::default(),
            generation: None,
            rounds: None,
            judge: None,
            stopped_in_search: Vec::new(),
            spent: Duration::ZERO,
            natively: None,
        }
    }
}

/// The options that belong to the host and not to the experiment.
#[derive(Clone, Debug)]
pub struct HostOptions {
    /// The decision for a host on which nothing confines untrusted code.
    pub unconfined: Unconfined,
    /// The policy that the experiment must satisfy.
    pub policy: Policy,
    /// The folder of the build cache, if it is not the user's own.
    pub cache: Option<PathBuf>,
    /// Confinement and toolchain of the machine, if they were probed before.
    pub machine: KnownMachine,
}

impl HostOptions {
    /// Returns the components of registries that this user fetched.
    pub fn vendored(&self) -> VendoredComponents {
        VendoredComponents::of_cache(self.cache.as_deref())
    }
}

/// Confinement and toolchain of the machine, and workers of others. Copies share them, so that a command that opens several
/// experiments probes them once.
#[derive(Clone, Debug, Default)]
pub struct KnownMachine(Arc<MachineCells>);

#[derive(Debug, Default)]
struct MachineCells {
    probed: OnceCell<Confinement>,
    toolchain: OnceCell<Toolchain>,
    usable: OnceCell<Confinement>,
    /// Workers on other machines, if the user named a server of them.
    workers: OnceLock<Arc<RemoteWorkers>>,
}

impl KnownMachine {
    /// Lets what is done with these facts use workers on other machines, too. The first ones count.
    pub fn set_workers(&self, workers: Arc<RemoteWorkers>) {
        let _ = self.0.workers.set(workers);
    }

    /// Returns the workers on other machines, if there may be any.
    pub fn workers(&self) -> Option<Arc<RemoteWorkers>> {
        self.0.workers.get().cloned()
    }

    /// Returns the confinement of child processes, which is probed at first.
    ///
    /// # Errors
    /// [`RunError::Confinement`], with a remedy.
    pub async fn confinement(&self, unconfined: Unconfined) -> Result<Confinement, RunError> {
        let probe = async || match unconfined {
            Unconfined::Refused => Confinement::probe().await,
            Unconfined::Allowed => Confinement::allow_unconfined().await,
        };
        Ok(self.0.probed.get_or_try_init(probe).await?.clone())
    }

    /// Returns the fingerprint of the toolchain, by which another machine knows if it makes the same components of sources; empty
    /// where there is none.
    ///
    /// # Errors
    /// [`RunError::Confinement`], with a remedy.
    pub async fn toolchain_fingerprint(
        &self,
        unconfined: Unconfined,
        report: &mut (dyn FnMut(&str) + Send),
    ) -> Result<String, RunError> {
        let (toolchain, _) = self.toolchain(unconfined, report).await?;
        Ok(toolchain.fingerprint())
    }

    /// Returns the toolchain, which may lack a compiler, and the confinement in which it works.
    ///
    /// # Errors
    /// [`RunError::Confinement`], with a remedy.
    async fn toolchain(
        &self,
        unconfined: Unconfined,
        report: &mut (dyn FnMut(&str) + Send),
    ) -> Result<(Toolchain, Confinement), RunError> {
        let find = async || Toolchain::find_or_missing(report).await;
        let toolchain = self.0.toolchain.get_or_init(find);
        // Both are processes that are waited for.
        let (confinement, toolchain) = tokio::join!(self.confinement(unconfined), toolchain);
        let confinement = confinement?;
        let try_it = async || bakeoff_compile::usable_confinement(toolchain, confinement).await;
        let usable = self.0.usable.get_or_init(try_it).await;
        Ok((toolchain.clone(), usable.clone()))
    }
}

/// The decision for a host on which nothing confines untrusted code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unconfined {
    /// Nothing is built or run.
    Refused,
    /// The user allowed running without confinement.
    Allowed,
}

/// The time between two looks at the flag of an interrupt.
const LOOK_PERIOD: Duration = Duration::from_millis(50);

/// A flag that is raised when the user asks to stop.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Raises the flag.
    pub fn raise(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Returns true if the flag was raised.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Refuses to go on once the flag was raised.
    ///
    /// # Errors
    /// The user asked to stop.
    pub(crate) fn refuse(&self) -> Result<(), RunError> {
        if self.is_raised() {
            Err(RunError::Interrupted)
        } else {
            Ok(())
        }
    }

    /// Waits until the flag is raised.
    pub async fn raised(&self) {
        while !self.is_raised() {
            tokio::time::sleep(LOOK_PERIOD).await;
        }
    }
}

/// The need for a compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompilerNeed {
    /// There are sources, or may be some.
    Sources,
    /// There are components alone, for which none is needed.
    Components,
}

impl CompilerNeed {
    /// Returns the need of code of which some is a source, or none.
    pub fn of(has_sources: bool) -> Self {
        if has_sources {
            Self::Sources
        } else {
            Self::Components
        }
    }
}

/// The tools that every build needs: confinement and compiler.
#[derive(Clone)]
pub struct Tools {
    /// The confined builder.
    pub builder: Arc<Builder>,
    /// The confinement of child processes.
    pub confinement: Confinement,
    /// The version of the compiler of the prototypes.
    pub compiler: String,
    /// The reason why this compiler was chosen.
    pub compiler_choice: ToolchainChoice,
    /// The folder of the build cache, if there is one.
    pub cache_folder: Option<PathBuf>,
}

impl Tools {
    /// Probes the confinement and finds the compiler, unless that is known, and opens the build cache. Components alone can
    /// do without a compiler.
    ///
    /// # Errors
    /// [`RunError::Confinement`] or [`RunError::Toolchain`], each with a remedy.
    pub async fn open(
        unconfined: Unconfined,
        need: CompilerNeed,
        wasi: WasiImports,
        cache: Option<&Path>,
        builds_at_once: usize,
        machine: &KnownMachine,
        report: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Self, RunError> {
        let (toolchain, confinement) = machine.toolchain(unconfined, report).await?;
        if let (CompilerNeed::Sources, Some(reason)) = (need, toolchain.missing()) {
            return Err(RunError::Toolchain(reason.to_owned()));
        }
        let compiler = toolchain.version().to_owned();
        let compiler_choice = toolchain.choice();
        let cache = match cache.map_or_else(Cache::open_default, Cache::open) {
            Ok(cache) => Some(cache),
            Err(error) => {
                report(&format!("building without a cache: {error}"));
                None
            }
        };
        let cache_folder = cache.as_ref().map(|cache| cache.folder().to_owned());
        let builder = Builder::new(toolchain, confinement.clone(), cache, builds_at_once);
        Ok(Self {
            builder: Arc::new(builder.with_wasi(wasi)),
            confinement,
            compiler,
            compiler_choice,
            cache_folder,
        })
    }

    /// Returns the tools whose builder remembers there what components code was made of.
    ///
    /// # Errors
    /// The builder is in use.
    pub(super) fn with_origins(self, origins: Arc<ComponentOrigins>) -> Result<Self, RunError> {
        let builder = Arc::into_inner(self.builder);
        let builder =
            builder.ok_or_else(|| RunError::Machine("the builder is in use".to_owned()))?;
        Ok(Self {
            builder: Arc::new(builder.with_origins(origins)),
            ..self
        })
    }

    /// Returns the tools with a compiler for C and C++, and for Zig if it has that.
    ///
    /// # Errors
    /// The builder is in use.
    pub fn with_clang(self, clang: Clang) -> Result<Self, RunError> {
        // Its first line is what reports show, and all of it is in the keys of results.
        let (first, rest) = (self.compiler.split_once('\n')).unwrap_or((&self.compiler, ""));
        let zig = clang.zig_version();
        let zig = zig.map_or_else(String::new, |version| format!(", Zig {version}"));
        let compiler = format!(
            "{first}, {} for C and C++{zig}\n{rest}{}\n",
            clang.version(),
            clang.path().display()
        );
        let builder = Arc::into_inner(self.builder);
        let builder =
            builder.ok_or_else(|| RunError::Machine("the builder is in use".to_owned()))?;
        Ok(Self {
            builder: Arc::new(builder.with_clang(Arc::new(clang))),
            compiler,
            ..self
        })
    }
}

/// Returns the policy's treatment of components that import WASI.
pub fn wasi_imports(policy: &Policy) -> WasiImports {
    if policy.allows_wasi() {
        WasiImports::Virtual
    } else {
        WasiImports::Refused
    }
}
