//! In the parent: one confined child per build, or an entry of the cache.

use super::build_protocol::{BuildKind, BuildTask, LinkedCrates, TaskInput};
use super::cache::{Cache, Name};
use super::child_job::{closed_fence, job};
use super::child_output::{BuiltComponent, watch};
use super::crates::{BuildLimits, BuiltCrates, CratesError};
use super::failures::{build_failure, with_limit};
use super::imports::WasiImports;
use super::limits::WALL;
use super::logical_lines::LINES_RULE;
use super::request::BuildRequest;
use super::toolchain::Toolchain;
use super::{glue, layout, reserve, rustc};
use crate::confine::{Confinement, Fence};
use crate::engine::{self, Profile};
use crate::files::{Scratch, remove_abandoned};
use crate::source::{BuildInput, COMPONENT_BYTES_MAX, SOURCE_BYTES_MAX, oversize_component};
use bakeoff_domain::crates::Crates;
use bakeoff_domain::failure::{Failure, FailureClass};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Once};
use tokio::sync::Semaphore;

/// Builds components, several at a time, and caches them.
#[derive(Debug)]
pub struct Builder {
    toolchain: Toolchain,
    confinement: Confinement,
    cache: Option<Cache>,
    turns: Semaphore,
    wasi: WasiImports,
    crates: Option<Arc<BuiltCrates>>,
    /// Removal of the folders that killed builds left behind.
    abandoned: Once,
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
        Self {
            toolchain,
            confinement,
            cache,
            turns: Semaphore::new(concurrency.max(1)),
            wasi: WasiImports::default(),
            crates: None,
            abandoned: Once::new(),
        }
    }

    /// The builder with another rule for the imports of components that users bring.
    #[must_use]
    pub fn with_wasi(self, wasi: WasiImports) -> Self {
        Self { wasi, ..self }
    }

    /// The builder with crates that sources may use.
    #[must_use]
    pub fn with_crates(self, crates: Arc<BuiltCrates>) -> Self {
        Self {
            crates: Some(crates),
            ..self
        }
    }

    /// Builds the crates of an experiment, or takes them from the cache, for all builds that follow.
    ///
    /// # Errors
    /// They cannot be built, or there is no cache.
    pub async fn allow(self, crates: &Crates) -> Result<Self, CratesError> {
        let Some(cache) = &self.cache else {
            return Err(CratesError::NotFetched);
        };
        let limits = BuildLimits::default();
        let (toolchain, confinement) = (&self.toolchain, &self.confinement);
        let built = BuiltCrates::open(toolchain, confinement, cache, crates, limits).await?;
        Ok(self.with_crates(Arc::new(built)))
    }

    /// Builds a component, or takes it from the cache if the same was built before.
    ///
    /// # Errors
    /// The class of the failure, and a message for the author of the code.
    pub async fn build(&self, request: &BuildRequest) -> Result<Arc<BuiltComponent>, Failure> {
        check_size(request)?;
        let name = self.cache_name(request)?;
        let known = self
            .cache
            .as_ref()
            .and_then(|cache| cache.get::<BuiltComponent>(&name));
        if let Some(known) = known {
            return Ok(Arc::new(BuiltComponent {
                cached: true,
                ..known
            }));
        }
        let turn = self.turns.acquire().await;
        let built = self.run(request).await;
        drop(turn);
        let built = built?;
        if let Some(cache) = &self.cache {
            cache.put(&name, &built);
        }
        Ok(Arc::new(built))
    }

    /// Builds a component anew, alone and without the cache, for the time that it takes.
    ///
    /// # Errors
    /// As for [`build`](Self::build).
    pub async fn build_anew(&self, request: &BuildRequest) -> Result<BuiltComponent, Failure> {
        check_size(request)?;
        let _turn = self.turns.acquire().await;
        self.run(request).await
    }

    /// The name of the cache entry: a hash of everything that decides what is built.
    fn cache_name(&self, request: &BuildRequest) -> Result<Name, Failure> {
        let call = request.interface.call();
        let fingerprint = |profile| engine::fingerprint(profile).map_err(|error| no_engine(&error));
        let engines = [fingerprint(Profile::Checked)?, fingerprint(Profile::Timed)?];
        let flags = rustc::FLAGS.iter().chain(rustc::kind_flags(request.kind));
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
            BuildInput::Calibrator => [b"calibrator", b"", b""],
        };
        let compiler = &self.toolchain.compiler;
        let memory_bytes = request.memory_bytes.to_le_bytes();
        let mut parts: Vec<&[u8]> = vec![
            request.world.name().as_bytes(),
            if request.kind == BuildKind::Diagnostic {
                b"diagnostic"
            } else {
                b"release"
            },
            call.interface.as_deref().unwrap_or_default().as_bytes(),
            call.function.name.as_bytes(),
            compiler.rustc.as_os_str().as_bytes(),
            compiler.sysroot.as_os_str().as_bytes(),
            self.toolchain.version().as_bytes(),
            self.confinement.level().name().as_bytes(),
            engines[0].as_bytes(),
            engines[1].as_bytes(),
            layout::SCHEME.as_bytes(),
            reserve::SCHEME.as_bytes(),
            LINES_RULE.as_bytes(),
            &memory_bytes,
            match request.parameters {
                true => b"parameters",
                false => b"",
            },
        ];
        parts.extend(code);
        if let (Some(crates), BuildInput::Source { .. }) = (&self.crates, &request.code) {
            parts.extend([b"crates".as_slice(), crates.digest().as_bytes()]);
        }
        parts.extend(glue::fingerprint().map(str::as_bytes));
        parts.extend(flags.map(|flag| flag.as_bytes()));
        for file in request.interface.files() {
            parts.extend([file.name.as_bytes(), file.text.as_bytes()]);
        }
        Ok(Name::of(&parts))
    }

    async fn run(&self, request: &BuildRequest) -> Result<BuiltComponent, Failure> {
        self.abandoned.call_once(remove_abandoned);
        let scratch = Scratch::new().map_err(|error| {
            let message = format!(
                "cannot make a folder to build in: {error}; make room in {}, or name another \
                 folder by TMPDIR",
                std::env::temp_dir().display()
            );
            build_failure(FailureClass::MachineFailed, message)
        })?;
        let (task, bytes) = self.task(request, scratch.work());
        let task = postcard::to_stdvec(&task).map_err(|error| {
            build_failure(
                FailureClass::MachineFailed,
                format!("cannot encode the task of a build: {error}"),
            )
        })?;
        let length = (task.len() as u64).to_le_bytes();
        let payload = [&length[..], &task, bytes];
        let job = job(&payload, self.fence(request, scratch.work()));
        let child = self.confinement.spawn(job).await.map_err(|error| {
            let message = format!("{}: {error}", request.code.path_shown());
            build_failure(FailureClass::MachineFailed, message)
        })?;
        let (output, exit, wall_time) = watch(child, WALL).await;
        output.into_built(request, &exit, wall_time)
    }

    fn task<'a>(&self, request: &'a BuildRequest, scratch: &Path) -> (BuildTask, &'a [u8]) {
        let (code, bytes): (TaskInput, &[u8]) = match &request.code {
            BuildInput::Source { text, .. } => {
                let compiler = self.toolchain.compiler.clone();
                let (text, scratch) = (text.to_string(), scratch.to_owned());
                (
                    TaskInput::Source {
                        text,
                        compiler,
                        scratch,
                    },
                    &[],
                )
            }
            BuildInput::Component { bytes, .. } => (TaskInput::Component, bytes),
            BuildInput::Calibrator => (TaskInput::NoOp, &[]),
        };
        let task = BuildTask {
            files: request.interface.files().to_vec(),
            call: request.interface.call().path(),
            world: request.world,
            kind: request.kind,
            code,
            path_shown: request.code.path_shown().to_owned(),
            granted: match request.parameters {
                true => glue::PARAMETER_IMPORTS.map(str::to_owned).to_vec(),
                false => Vec::new(),
            },
            parameters: request.parameters,
            wasi: self.wasi,
            memory_bytes: request.memory_bytes,
            crates: self.crates.as_ref().map(|crates| LinkedCrates {
                folder: crates.folder().to_owned(),
                externs: crates.externs(),
            }),
        };
        (task, bytes)
    }

    /// What a compiler may read: the standard library, and the crates that are allowed.
    fn readable(&self) -> Vec<std::path::PathBuf> {
        let crates = self.crates.iter().map(|crates| crates.folder().to_owned());
        self.toolchain.read.iter().cloned().chain(crates).collect()
    }

    fn fence(&self, request: &BuildRequest, scratch: &Path) -> Fence {
        let closed = closed_fence(&request.code);
        match request.code {
            BuildInput::Source { .. } => Fence {
                execute: self.toolchain.execute.clone(),
                read: self.readable(),
                write: vec![scratch.to_owned()],
                working_dir: scratch.to_owned(),
                ..closed
            },
            _ => closed,
        }
    }
}

fn no_engine(error: &wasmtime::Error) -> Failure {
    let message = format!("the WebAssembly engine does not run on this machine: {error:#}");
    build_failure(FailureClass::MachineFailed, message)
}

/// Refuses what is too large, before anything is copied.
fn check_size(request: &BuildRequest) -> Result<(), Failure> {
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
