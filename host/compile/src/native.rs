//! Sources that the parent has built for this machine, as programs that answer in JSON.

use super::build_protocol::{BuildKind, BuildPlace, BuildTask, TaskInput};
use super::builder::{Builder, check_size, interface_parts};
use super::cache::Name;
use super::child_job::{closed_fence, job};
use super::child_output::{ChildOutput, watch};
use super::crates::{BuildLimits, BuiltCrates, CratesError, LibraryTarget, OwnPackage};
use super::failures::build_failure;
use super::limits::WALL;
use super::request::BuildRequest;
use super::{host_tools, native_child, native_glue, rustc};
use bakeoff_confine::Fence;
use bakeoff_domain::crates::Crates;
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::language::Language;
use bakeoff_files::Scratch;
use bakeoff_source::BuildInput;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl Builder {
    /// Builds the crates of an experiment for this machine, or takes them from the cache.
    ///
    /// # Errors
    /// The crates cannot be built, or there is no cache.
    pub async fn crates_natively(&self, crates: &Crates) -> Result<BuiltCrates, CratesError> {
        let Some(cache) = &self.cache else {
            return Err(CratesError::NotFetched);
        };
        let (toolchain, confinement) = (&self.worker.toolchain, &self.worker.confinement);
        let (target, limits) = (LibraryTarget::ThisMachine, BuildLimits::default());
        BuiltCrates::open(toolchain, confinement, cache, crates, target, limits).await
    }

    /// Builds a package of the user's for this machine, or takes it from the cache.
    ///
    /// # Errors
    /// The package cannot be built, or crates that it needs were not fetched.
    pub async fn package_natively(
        &self,
        package: OwnPackage<'_>,
    ) -> Result<BuiltCrates, CratesError> {
        let (toolchain, confinement) = (&self.worker.toolchain, &self.worker.confinement);
        let (target, limits) = (LibraryTarget::ThisMachine, BuildLimits::default());
        let cache = self.cache.as_ref();
        BuiltCrates::of_package(toolchain, confinement, cache, package, target, limits).await
    }

    /// Builds the Rust source of a prototype to a program of this machine, or takes it from the cache if the same was
    /// built before. It answers as docs/programs.md says, and waits for its turn before and after each call. Of crates
    /// it can use those that were built for this machine.
    ///
    /// # Errors
    /// The class of the failure, and a message for the author of the code.
    pub async fn build_native(
        &self,
        request: &BuildRequest,
        crates: Option<&BuiltCrates>,
    ) -> Result<Vec<u8>, Failure> {
        check_size(request)?;
        let (BuildInput::Source { text, path_shown }, Some(Language::Rust)) =
            (&request.code, request.code.language())
        else {
            return Err(build_failure(
                FailureClass::BuildFailed,
                format!(
                    "{} is no Rust source, and only that is built for this machine",
                    request.code.path_shown()
                ),
            ));
        };
        // A panic names the file, so that the program depends on its name.
        let name = self.native_name(request, text, path_shown, crates);
        let known = self.cache.as_ref().and_then(|cache| cache.get(&name));
        if let Some(known) = known {
            return Ok(known);
        }
        let built = self.run_native(request, text, path_shown, crates).await?;
        if let Some(cache) = &self.cache {
            cache.put(&name, &built);
        }
        Ok(built)
    }

    /// Returns the name of the cache entry: a hash of everything on which the program depends.
    fn native_name(
        &self,
        request: &BuildRequest,
        text: &str,
        shown: &str,
        crates: Option<&BuiltCrates>,
    ) -> Name {
        let toolchain = &self.worker.toolchain;
        let compiler = &toolchain.compiler;
        let call = request.interface.call().path();
        let mut parts: Vec<&[u8]> = vec![
            b"native",
            call.as_bytes(),
            text.as_bytes(),
            shown.as_bytes(),
            compiler.rustc.as_os_str().as_bytes(),
            compiler.sysroot.as_os_str().as_bytes(),
            toolchain.version().as_bytes(),
            self.worker.confinement.level().name().as_bytes(),
            rustc::edition(compiler, request.world).name().as_bytes(),
        ];
        parts.extend(
            native_glue::fingerprint()
                .iter()
                .map(|part| part.as_bytes()),
        );
        parts.extend(native_child::FLAGS.map(str::as_bytes));
        if let Some(crates) = crates {
            parts.extend([b"crates".as_slice(), crates.digest().as_bytes()]);
        }
        parts.extend(interface_parts(&request.interface));
        Name::of(&parts)
    }

    async fn run_native(
        &self,
        request: &BuildRequest,
        text: &Arc<str>,
        shown: &str,
        crates: Option<&BuiltCrates>,
    ) -> Result<Vec<u8>, Failure> {
        let machine = |error: &dyn std::fmt::Display| {
            build_failure(FailureClass::MachineFailed, format!("{shown}: {error}"))
        };
        let scratch = Scratch::new().map_err(|error| machine(&error))?;
        let task = BuildTask {
            files: request.interface.files().to_vec(),
            call: request.interface.call().path(),
            world: request.world,
            kind: BuildKind::Release,
            code: TaskInput::Source {
                text: text.to_string(),
                language: Language::Rust,
                place: Some(Box::new(BuildPlace {
                    compiler: self.worker.toolchain.compiler.clone(),
                    clang: None,
                    scratch: scratch.work().to_owned(),
                })),
            },
            path_shown: shown.to_owned(),
            granted: Vec::new(),
            parameters: false,
            wasi: self.wasi,
            memory_bytes: request.memory_bytes,
            crates: crates.map(BuiltCrates::linked),
            code_is_wanted: true,
        };
        let task = postcard::to_stdvec(&task).map_err(|error| machine(&error))?;
        let payload = [task.as_slice()];
        let mut job = job(&payload, self.native_fence(scratch.work(), crates));
        job.role = native_child::ROLE;
        // The outer layer would hide the devices that the linker's driver opens; the fence itself is the same without.
        let confinement = self.worker.confinement.clone().without_outer_layer();
        let child = confinement.spawn(job).await;
        let child = child.map_err(|error| machine(&error))?;
        let mut output = ChildOutput::default();
        let (exit, wall_time) = watch(child, WALL, &mut |frame| output.take(frame)).await;
        output.into_program(shown, &exit, wall_time)
    }

    /// Returns the fence of a build: that of any other one, and the host's linker.
    fn native_fence(&self, scratch: &Path, crates: Option<&BuiltCrates>) -> Fence {
        let toolchain = &self.worker.toolchain;
        let mut execute = toolchain.execute.clone();
        execute.push(toolchain.compiler.sysroot.clone());
        execute.extend(host_tools::folders());
        let mut read = toolchain.read.clone();
        read.extend(crates.map(|crates| crates.folder().to_owned()));
        Fence {
            execute,
            read,
            write: vec![scratch.to_owned(), PathBuf::from("/dev/null")],
            working_dir: scratch.to_owned(),
            ..closed_fence(true)
        }
    }
}
