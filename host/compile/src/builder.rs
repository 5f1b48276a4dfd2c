//! The entry to builds: each is a task for a worker, or an entry of the cache.

use super::build_protocol::{BuildKind, BuildTask, TaskInput};
use super::build_worker::{BuildEnd, BuildWorker, request_build};
use super::c::{self, Clang};
use super::cache::{Cache, Name};
use super::child_output::BuiltComponent;
use super::component_origins::ComponentOrigins;
use super::coverage::COVERAGE_SCHEME;
use super::crates::{BuildLimits, BuiltCrates, CratesError, LibraryTarget, OwnPackage};
use super::failures::{build_failure, with_limit};
use super::function_fuel::FUEL_SCHEME;
use super::imports::WasiImports;
use super::logical_lines::LINES_RULE;
use super::request::BuildRequest;
use super::toolchain::Toolchain;
use super::{glue, layout, reserve, rustc};
use crate::engine::{self, Profile};
use bakeoff_confine::Confinement;
use bakeoff_confine::tasks::{Worker, WorkerLink, wire};
use bakeoff_domain::crates::Crates;
use bakeoff_domain::edition::Edition;
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::language::Language;
use bakeoff_domain::simd::Simd;
use bakeoff_source::interface::{Interface, World};
use bakeoff_source::{
    BuildInput, COMPONENT_BYTES_MAX, SOURCE_BYTES_MAX, oversize_component, shared_folder,
};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// The key under which inputs are remembered on which a file's function differed from another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RememberedInputs {
    /// The path of a compared file.
    pub path: PathBuf,
    /// The name and signature of its function.
    pub function: String,
}

impl RememberedInputs {
    fn name(&self) -> Name {
        let path = self.path.as_os_str().as_bytes();
        Name::of(&[b"differing inputs", path, self.function.as_bytes()])
    }
}

/// Builds components, several at a time, and caches them.
#[derive(Debug)]
pub struct Builder {
    pub(super) worker: Arc<BuildWorker>,
    link: WorkerLink,
    pub(super) cache: Option<Cache>,
    pub(super) turns: Semaphore,
    pub(super) wasi: WasiImports,
    /// Origins of the components of all builds, if other machines may need them.
    origins: Option<Arc<ComponentOrigins>>,
}

impl Builder {
    /// Makes a builder that runs `concurrency` builds at a time (at least one). Without a cache it
    /// builds each request anew.
    pub fn new(
        toolchain: Toolchain,
        confinement: Confinement,
        cache: Option<Cache>,
        concurrency: usize,
    ) -> Self {
        let worker = Arc::new(BuildWorker::new(toolchain, confinement));
        Self {
            link: WorkerLink::new(Arc::clone(&worker) as Arc<dyn Worker>),
            worker,
            cache,
            turns: Semaphore::new(concurrency.max(1)),
            wasi: WasiImports::default(),
            origins: None,
        }
    }

    /// Returns the builder with another rule for the imports of components that users bring.
    #[must_use]
    pub fn with_wasi(self, wasi: WasiImports) -> Self {
        Self { wasi, ..self }
    }

    /// Returns the builder that remembers the components of all its builds there.
    #[must_use]
    pub fn with_origins(self, origins: Arc<ComponentOrigins>) -> Self {
        Self {
            origins: Some(origins),
            ..self
        }
    }

    /// Returns the builder with the compilers for sources in C, C++ and Zig. Crates that were allowed before are dropped: allow
    /// them afterwards.
    #[must_use]
    pub fn with_clang(self, clang: Arc<Clang>) -> Self {
        let toolchain = self.worker.toolchain.clone().with_clang(clang);
        self.with_toolchain(toolchain)
    }

    fn with_toolchain(self, toolchain: Toolchain) -> Self {
        let worker = Arc::new(BuildWorker::new(toolchain, self.worker.confinement.clone()));
        Self {
            link: WorkerLink::new(Arc::clone(&worker) as Arc<dyn Worker>),
            worker,
            ..self
        }
    }

    /// Returns the builder with crates that sources may use.
    #[must_use]
    pub fn with_crates(self, crates: Arc<BuiltCrates>) -> Self {
        let worker = Arc::new(self.worker.with_crates(crates));
        Self {
            link: WorkerLink::new(Arc::clone(&worker) as Arc<dyn Worker>),
            worker,
            ..self
        }
    }

    /// Returns the builder with a compiler that may use vector instructions, or not, and compiles prototypes in this
    /// edition. Crates that were allowed before are dropped: allow them afterwards.
    #[must_use]
    pub fn compiling_for(self, simd: Simd, edition: Edition) -> Self {
        let toolchain = self.worker.toolchain.clone().compiling_for(simd, edition);
        self.with_toolchain(toolchain)
    }

    /// Builds the crates of an experiment, or takes them from the cache, for all builds that follow.
    ///
    /// # Errors
    /// The crates cannot be built, or there is no cache.
    pub async fn allow(self, crates: &Crates) -> Result<Self, CratesError> {
        let Some(cache) = &self.cache else {
            return Err(CratesError::NotFetched);
        };
        let limits = BuildLimits::default();
        let (toolchain, confinement) = (&self.worker.toolchain, &self.worker.confinement);
        let target = LibraryTarget::Component;
        let built =
            BuiltCrates::open(toolchain, confinement, cache, crates, target, limits).await?;
        Ok(self.with_crates(Arc::new(built)))
    }

    /// Builds a package of the user's, or takes it from the cache, for all builds that follow.
    ///
    /// # Errors
    /// The package cannot be built, or crates that it needs were not fetched.
    pub async fn with_package(self, package: OwnPackage<'_>) -> Result<Self, CratesError> {
        let limits = BuildLimits::default();
        let (toolchain, confinement) = (&self.worker.toolchain, &self.worker.confinement);
        let cache = self.cache.as_ref();
        let target = LibraryTarget::Component;
        let built =
            BuiltCrates::of_package(toolchain, confinement, cache, package, target, limits).await?;
        Ok(self.with_crates(Arc::new(built)))
    }

    /// Returns the inputs that are remembered, in WAVE; none without a cache.
    pub fn remembered(&self, key: &RememberedInputs) -> Vec<String> {
        let cache = self.cache.as_ref();
        let found = cache.and_then(|cache| cache.get::<Vec<String>>(&key.name()));
        found.unwrap_or_default()
    }

    /// Remembers inputs in place of those remembered before, if there is a cache.
    pub fn remember(&self, key: &RememberedInputs, inputs: &[String]) {
        if let Some(cache) = &self.cache {
            cache.put(&key.name(), &inputs.to_vec());
        }
    }

    /// Returns the link to the worker that builds.
    pub fn worker(&self) -> &WorkerLink {
        &self.link
    }

    /// Builds a component, or takes it from the cache if the same was built before.
    ///
    /// # Errors
    /// The class of the failure, and a message for the author of the code.
    pub async fn build(&self, request: &BuildRequest) -> Result<Arc<BuiltComponent>, Failure> {
        let built = self.build_by(&self.link, request).await;
        built.unwrap_or_else(|lost| Err(build_failure(FailureClass::MachineFailed, lost)))
    }

    /// Builds a component as [`Builder::build`] does, by the given worker, in an attempt at a task.
    ///
    /// # Errors
    /// The worker is lost, for this reason.
    pub async fn build_by(
        &self,
        worker: &WorkerLink,
        request: &BuildRequest,
    ) -> Result<Result<Arc<BuiltComponent>, Failure>, String> {
        let checked = check_size(request).and_then(|()| self.check_language(request));
        let name = match checked.and_then(|()| self.cache_name(request)) {
            Ok(name) => name,
            Err(failure) => return Ok(Err(failure)),
        };
        let known = self
            .cache
            .as_ref()
            .and_then(|cache| cache.get::<BuiltComponent>(&name));
        if let Some(known) = known {
            self.remember_origin(&known);
            return Ok(Ok(Arc::new(BuiltComponent {
                cached: true,
                ..known
            })));
        }
        let turn = self.turns.acquire().await;
        let built = self.run(worker, request).await?;
        drop(turn);
        if let (Ok(built), Some(cache)) = (&built, &self.cache) {
            cache.put(&name, built);
        }
        built.iter().for_each(|built| self.remember_origin(built));
        Ok(built.map(Arc::new))
    }

    /// Builds a component anew, without the cache, to measure the time that it takes.
    ///
    /// # Errors
    /// The worker is lost, for this reason.
    pub async fn build_anew_by(
        &self,
        worker: &WorkerLink,
        request: &BuildRequest,
    ) -> Result<Result<BuiltComponent, Failure>, String> {
        let checked = check_size(request).and_then(|()| self.check_language(request));
        if let Err(failure) = checked {
            return Ok(Err(failure));
        }
        let _turn = self.turns.acquire().await;
        self.run(worker, request).await
    }

    pub(super) fn remember_origin(&self, built: &BuiltComponent) {
        if let Some(origins) = &self.origins {
            origins.remember(built);
        }
    }

    /// Refuses a source where there is no compiler, and one in another language than Rust where none can be built.
    fn check_language(&self, request: &BuildRequest) -> Result<(), Failure> {
        let missing = self.worker.toolchain.missing();
        if let (Some(reason), BuildInput::Source { .. }) = (missing, &request.code) {
            return Err(build_failure(FailureClass::MachineFailed, reason));
        }
        let language = request.code.language().unwrap_or_default();
        let why = match (language, request.world, &self.worker.toolchain.clang) {
            (Language::Rust, ..) => return Ok(()),
            (_, World::Prototype, Some(_)) => return Ok(()),
            (_, World::Prototype, None) => {
                "there is no compiler for it here: `bakeoff doctor` says why"
            }
            _ => {
                "only prototypes are built from it: write this one in Rust, or make a component of it"
            }
        };
        let shown = request.code.path_shown();
        let message = format!("{shown} is a source in {}, and {why}", language.name());
        Err(build_failure(FailureClass::BuildFailed, message))
    }

    /// Returns the name of the cache entry: a hash of everything on which the build's result depends.
    pub(super) fn cache_name(&self, request: &BuildRequest) -> Result<Name, Failure> {
        let call = request.interface.call();
        let fingerprint = |profile| engine::fingerprint(profile).map_err(|error| no_engine(&error));
        let engines = [fingerprint(Profile::Checked)?, fingerprint(Profile::Timed)?];
        let flags = rustc::FLAGS.iter().chain(rustc::kind_flags(request.kind));
        let features = rustc::feature_flag(self.worker.toolchain.compiler.simd);
        let edition = rustc::edition(&self.worker.toolchain.compiler, request.world);
        let code: [&[u8]; 3] = match &request.code {
            BuildInput::Source { path_shown, text } => {
                // Only a diagnostic build carries the file's name.
                let path = if request.kind == BuildKind::Diagnostic {
                    &**path_shown
                } else {
                    ""
                };
                [b"source", path.as_bytes(), text.as_bytes()]
            }
            BuildInput::Component { bytes, .. } => match self.wasi {
                WasiImports::Virtual => [b"component", b"wasi", bytes],
                WasiImports::Refused => [b"component", b"", bytes],
            },
            BuildInput::Calibrator | BuildInput::Program { .. } => [b"calibrator", b"", b""],
        };
        let toolchain = &self.worker.toolchain;
        let compiler = &toolchain.compiler;
        let memory_bytes = request.memory_bytes.to_le_bytes();
        let mut parts: Vec<&[u8]> = vec![
            request.world.name().as_bytes(),
            request.kind.name().as_bytes(),
            call.interface.as_deref().unwrap_or_default().as_bytes(),
            call.function.name.as_bytes(),
            compiler.rustc.as_os_str().as_bytes(),
            compiler.sysroot.as_os_str().as_bytes(),
            toolchain.version().as_bytes(),
            self.worker.confinement.level().name().as_bytes(),
            engines[0].as_bytes(),
            engines[1].as_bytes(),
            layout::SCHEME.as_bytes(),
            reserve::SCHEME.as_bytes(),
            COVERAGE_SCHEME.as_bytes(),
            LINES_RULE.as_bytes(),
            edition.name().as_bytes(),
            &memory_bytes,
            if request.parameters {
                b"parameters"
            } else {
                b""
            },
        ];
        parts.extend(code);
        if request.kind == BuildKind::FunctionFuel {
            parts.push(FUEL_SCHEME.as_bytes());
        }
        if let (Some(crates), BuildInput::Source { .. }) = (&self.worker.crates, &request.code) {
            parts.extend([b"crates".as_slice(), crates.digest().as_bytes()]);
        }
        parts.extend(glue::fingerprint().iter().map(|part| part.as_bytes()));
        parts.extend(flags.map(|flag| flag.as_bytes()));
        if let BuildInput::Source { .. } = &request.code {
            parts.push(features.as_bytes());
        }
        let language = request.code.language().unwrap_or_default();
        if let (Language::C | Language::Cpp | Language::Zig, Some(clang)) =
            (language, &toolchain.clang)
        {
            let paths = [clang.path(), clang.zig_path().unwrap_or(Path::new(""))];
            let versions = [
                language.name(),
                clang.version(),
                clang.zig_version().unwrap_or_default(),
            ];
            parts.extend(versions.map(str::as_bytes));
            parts.extend(paths.map(|path| path.as_os_str().as_bytes()));
            parts.extend(c::fingerprint().map(str::as_bytes));
        }
        parts.extend(interface_parts(&request.interface));
        Ok(Name::of(&parts))
    }

    async fn run(
        &self,
        worker: &WorkerLink,
        request: &BuildRequest,
    ) -> Result<Result<BuiltComponent, Failure>, String> {
        let (task, component) = self.task(request);
        let task = wire::sealed(component.to_vec(), &task);
        self.build_task(worker, request, &task).await
    }

    /// Has a worker do a task that builds the component of a request.
    pub(super) async fn build_task(
        &self,
        worker: &WorkerLink,
        request: &BuildRequest,
        task: &[u8],
    ) -> Result<Result<BuiltComponent, Failure>, String> {
        let (output, end) = request_build(worker, task).await?;
        Ok(match end {
            BuildEnd::Exited(exit, wall_time) => output.into_built(request, &exit, wall_time),
            BuildEnd::NotStarted(reason) => Err(build_failure(FailureClass::MachineFailed, reason)),
        })
    }

    pub(super) fn task<'a>(&self, request: &'a BuildRequest) -> (BuildTask, &'a [u8]) {
        let (code, bytes): (TaskInput, &[u8]) = match &request.code {
            BuildInput::Source { text, .. } => {
                let task = TaskInput::Source {
                    text: text.to_string(),
                    language: request.code.language().unwrap_or_default(),
                    place: None,
                };
                (task, &[])
            }
            BuildInput::Component { bytes, .. } => (TaskInput::Component, bytes),
            BuildInput::Calibrator | BuildInput::Program { .. } => (TaskInput::NoOp, &[]),
        };
        let task = BuildTask {
            files: request.interface.files().to_vec(),
            call: request.interface.call().path(),
            world: request.world,
            kind: request.kind,
            code,
            path_shown: request.code.path_shown().to_owned(),
            granted: if request.parameters {
                glue::PARAMETER_IMPORTS.map(str::to_owned).to_vec()
            } else {
                Vec::new()
            },
            parameters: request.parameters,
            wasi: self.wasi,
            memory_bytes: request.memory_bytes,
            crates: None,
            code_is_wanted: true,
        };
        (task, bytes)
    }
}

/// Returns the names and texts of an interface's files, for a name of the cache: the same files in another folder make the
/// same component.
pub(super) fn interface_parts(interface: &Interface) -> impl Iterator<Item = &[u8]> {
    let files = interface.files();
    let folder = shared_folder(files).len();
    files
        .iter()
        .flat_map(move |file| [&file.name.as_bytes()[folder..], file.text.as_bytes()])
}

fn no_engine(error: &wasmtime::Error) -> Failure {
    let message = format!("the WebAssembly engine does not run on this machine: {error:#}");
    build_failure(FailureClass::MachineFailed, message)
}

/// Refuses a source or component that is too large, before anything is copied.
pub(super) fn check_size(request: &BuildRequest) -> Result<(), Failure> {
    match &request.code {
        BuildInput::Source { path_shown, text } if text.len() > SOURCE_BYTES_MAX => {
            let bytes = text.len();
            let message =
                format!("{path_shown} has {bytes} bytes, and a source may have {SOURCE_BYTES_MAX}");
            let failure = build_failure(FailureClass::BuildFailed, message);
            Err(with_limit(
                failure,
                format!("source = {SOURCE_BYTES_MAX} bytes"),
            ))
        }
        BuildInput::Component { path_shown, bytes } if bytes.len() > COMPONENT_BYTES_MAX => {
            Err(oversize_component(path_shown, bytes.len() as u64))
        }
        _ => Ok(()),
    }
}
