//! Builds of sources on other machines. A machine is sent the source and the interface, and answers with a component; what is
//! loaded as code is compiled of that on the machine that wanted it.

use super::build_protocol::{BuildKind, BuildTask, TaskInput};
use super::build_worker::{BuildEnd, BuildWorker, request_build};
use super::builder::{Builder, check_size};
use super::cache::Name;
use super::child_output::BuiltComponent;
use super::glue;
use super::imports::WasiImports;
use super::request::BuildRequest;
use bakeoff_confine::tasks::{RequestError, Worker, WorkerFrames, WorkerJob, WorkerLink, wire};
use bakeoff_domain::edition::Edition;
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::language::Language;
use bakeoff_domain::simd::Simd;
use bakeoff_source::interface::{FILES_MAX, WitFile, World};
use bakeoff_source::{
    BuildInput, COMPONENT_BYTES_MAX, SOURCE_BYTES_MAX, content_address, shared_folder,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The most bytes of an interface that is sent with a source.
const INTERFACE_BYTES_MAX: usize = 4 << 20;

/// The longest name of a function that is called, or of a file of an interface, in bytes.
const NAME_BYTES_MAX: usize = 4_096;

/// The most bytes of a build that is sent: what decoding takes in memory is a small multiple.
const BUILD_BYTES_MAX: usize = SOURCE_BYTES_MAX + INTERFACE_BYTES_MAX + (64 << 10);

/// The bytes of a component in one part of an answer.
const PART_BYTES: usize = 1 << 20;

/// The name of a source of another machine in messages.
const SHOWN: &str = "a source of another machine";

/// A build that another machine wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PortableBuild {
    /// The fingerprint of the toolchain that makes the same component.
    toolchain: String,
    simd: Simd,
    edition: Edition,
    /// The interface, as files.
    files: Vec<WitFile>,
    /// The call, as an experiment file writes it.
    call: String,
    text: String,
    /// True if the component is granted the values of parameters.
    parameters: bool,
}

/// End of an answer, behind the bytes of the component.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct PortableBuilt {
    /// The digest of the component.
    digest: String,
    /// True if memory for arguments comes from the allocator that every source gets.
    our_allocator: bool,
}

/// Reason why another machine gave no component.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotBuiltElsewhere {
    /// This machine may find out more: the build failed there, or the machine is lost.
    #[error("{0}")]
    Lost(String),
    /// The machine answered what no honest one answers.
    #[error("{0}")]
    FalseAnswer(String),
}

impl PortableBuild {
    /// Reads the bytes of a build.
    ///
    /// # Errors
    /// They are none, or have more than a build may have.
    fn read(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() > BUILD_BYTES_MAX {
            return Err("it is larger than a build may be".to_owned());
        }
        let build: Self =
            postcard::from_bytes(bytes).map_err(|error| format!("this is no build: {error}"))?;
        let sizes = build.files.iter();
        let interface: usize = sizes.map(|file| file.text.len()).sum();
        let mut names = build.files.iter().map(|file| &file.name);
        let is_within = build.text.len() <= SOURCE_BYTES_MAX
            && build.files.len() <= FILES_MAX
            && interface <= INTERFACE_BYTES_MAX
            && build.call.len() <= NAME_BYTES_MAX
            && names.all(|name| name.len() <= NAME_BYTES_MAX);
        if is_within {
            Ok(build)
        } else {
            Err("its source or interface is larger than one may be".to_owned())
        }
    }

    fn task(&self) -> BuildTask {
        BuildTask {
            files: self.files.clone(),
            call: self.call.clone(),
            world: World::Prototype,
            kind: BuildKind::Release,
            code: TaskInput::Source {
                text: self.text.clone(),
                language: Language::Rust,
                place: None,
            },
            path_shown: SHOWN.to_owned(),
            granted: granted(self.parameters),
            parameters: self.parameters,
            wasi: WasiImports::Refused,
            memory_bytes: 0,
            crates: None,
            code_is_wanted: false,
        }
    }
}

/// Returns the imports that a component has by the values of its parameters.
fn granted(parameters: bool) -> Vec<String> {
    if parameters {
        glue::PARAMETER_IMPORTS.map(str::to_owned).to_vec()
    } else {
        Vec::new()
    }
}

impl Builder {
    /// Returns the [fingerprint](super::Toolchain::fingerprint) of the toolchain.
    pub fn toolchain_fingerprint(&self) -> String {
        self.worker.toolchain.fingerprint()
    }

    /// Returns true if another machine with the same toolchain makes the same component of a request: that of a prototype in
    /// Rust without crates, to be checked.
    pub fn is_portable(&self, request: &BuildRequest) -> bool {
        matches!(request.code, BuildInput::Source { .. })
            && request.code.language() == Some(Language::Rust)
            && (request.world, request.kind) == (World::Prototype, BuildKind::Release)
            && self.worker.crates.is_none()
            && self.worker.toolchain.missing().is_none()
    }

    /// Builds a component as [`Builder::build_by`] does, of a source on another machine. `far` is the link to it, and `own` that to
    /// the worker here, which inspects what comes and compiles it. The component is not kept in the cache: what is there was
    /// made here.
    ///
    /// # Errors
    /// There is no component that counts.
    pub async fn build_elsewhere(
        &self,
        (far, own): (&WorkerLink, &WorkerLink),
        request: &BuildRequest,
    ) -> Result<Arc<BuiltComponent>, NotBuiltElsewhere> {
        let lost = |failure: Failure| NotBuiltElsewhere::Lost(failure.message);
        check_size(request).map_err(lost)?;
        let name = self.cache_name(request).map_err(lost)?;
        let known = self.cache.as_ref();
        if let Some(known) = known.and_then(|cache| cache.get::<BuiltComponent>(&name)) {
            self.remember_origin(&known);
            return Ok(Arc::new(BuiltComponent {
                cached: true,
                ..known
            }));
        }
        let (component, our_allocator) = self.ask_elsewhere(far, request).await?;
        let turn = self.turns.acquire().await;
        let built = self.finish(own, request, (component, our_allocator)).await;
        drop(turn);
        let built = built.map_err(NotBuiltElsewhere::Lost)?;
        let built = built.map_err(|failure| {
            let why = format!("its build is none of that source: {}", failure.message);
            if is_of_component(failure.class) {
                NotBuiltElsewhere::FalseAnswer(why)
            } else {
                NotBuiltElsewhere::Lost(failure.message)
            }
        })?;
        self.remember_origin(&built);
        Ok(Arc::new(built))
    }

    /// Asks another machine for the component of a source. Nothing of it was believed yet but its size.
    async fn ask_elsewhere(
        &self,
        far: &WorkerLink,
        request: &BuildRequest,
    ) -> Result<(Vec<u8>, bool), NotBuiltElsewhere> {
        let task = self.portable(request).map_err(NotBuiltElsewhere::Lost)?;
        let job = WorkerJob {
            core: None,
            task: &task,
        };
        let mut component = Vec::new();
        let mut take = |part: Vec<u8>| {
            if component.len() + part.len() > COMPONENT_BYTES_MAX {
                return Err("its build is larger than a component may be".to_owned());
            }
            component.extend(part);
            Ok(())
        };
        let end = far.request(job, &mut take).await;
        let end = end.map_err(|error| match error {
            RequestError::Lost(reason) => NotBuiltElsewhere::Lost(reason),
            RequestError::Refused(why) => NotBuiltElsewhere::FalseAnswer(why),
        })?;
        let refused = |why: &str| NotBuiltElsewhere::FalseAnswer(why.to_owned());
        let PortableBuilt {
            digest,
            our_allocator,
        } = postcard::from_bytes(&end)
            .map_err(|_| refused("the end of its build is unreadable"))?;
        if content_address(&component) != digest {
            return Err(refused("its build has another digest than it says"));
        }
        Ok((component, our_allocator))
    }

    /// Returns a build as bytes for another machine.
    fn portable(&self, request: &BuildRequest) -> Result<Vec<u8>, String> {
        let text = match &request.code {
            BuildInput::Source { text, .. } if self.is_portable(request) => text.to_string(),
            _ => return Err("it is built on this machine alone".to_owned()),
        };
        let files = request.interface.files();
        let folder = shared_folder(files).len();
        let files = files.iter().map(|file| WitFile {
            name: file.name[folder..].to_owned(),
            text: file.text.clone(),
        });
        let compiler = &self.worker.toolchain.compiler;
        let build = PortableBuild {
            toolchain: self.toolchain_fingerprint(),
            simd: compiler.simd,
            edition: compiler.edition,
            files: files.collect(),
            call: request.interface.call().path(),
            text,
            parameters: request.parameters,
        };
        postcard::to_stdvec(&build).map_err(|error| error.to_string())
    }

    /// Inspects a component of another machine as one that was built here, and compiles it.
    async fn finish(
        &self,
        own: &WorkerLink,
        request: &BuildRequest,
        (component, our_allocator): (Vec<u8>, bool),
    ) -> Result<Result<BuiltComponent, Failure>, String> {
        let (task, _) = self.task(request);
        let BuildInput::Source { text, .. } = &request.code else {
            return Err("it is no source".to_owned());
        };
        let task = BuildTask {
            code: TaskInput::BuiltElsewhere {
                text: text.to_string(),
                our_allocator,
            },
            wasi: WasiImports::Refused,
            ..task
        };
        self.build_task(own, request, &wire::sealed(component, &task))
            .await
    }

    /// Does a build of another machine here, behind the fence of builds and within its limits, and answers in frames.
    pub async fn serve_build(&self, task: &[u8], frames: WorkerFrames) {
        match frames.while_alive(self.built_for_another(task)).await {
            Ok((component, our_allocator)) => {
                let built = PortableBuilt {
                    digest: content_address(&component),
                    our_allocator,
                };
                let parts = component.chunks(PART_BYTES);
                parts.for_each(|part| frames.part(part.to_vec()));
                match postcard::to_stdvec(&built) {
                    Ok(end) => frames.end(end),
                    Err(error) => frames.lost(error.to_string()),
                }
            }
            Err(why) => frames.lost(why),
        }
    }

    async fn built_for_another(&self, task: &[u8]) -> Result<(Vec<u8>, bool), String> {
        let build = PortableBuild::read(task)?;
        let own = self.toolchain_fingerprint();
        if own.is_empty() {
            return Err("there is no Rust compiler on it".to_owned());
        }
        if build.toolchain != own {
            let of_run = &build.toolchain;
            return Err(format!(
                "its toolchain is {own}, and that of the run is {of_run}"
            ));
        }
        let level = self.worker.confinement.level().name();
        // The fingerprint is in the task.
        let name = Name::of(&[b"built for another machine", level.as_bytes(), task]);
        let known = self.cache.as_ref();
        if let Some(known) = known.and_then(|cache| cache.get::<(Vec<u8>, bool)>(&name)) {
            return Ok(known);
        }
        let toolchain = self.worker.toolchain.clone();
        let toolchain = toolchain.compiling_for(build.simd, build.edition);
        let worker = BuildWorker::new(toolchain, self.worker.confinement.clone());
        let link = WorkerLink::new(Arc::new(worker) as Arc<dyn Worker>);
        let sealed = wire::sealed(Vec::new(), &build.task());
        let turn = self.turns.acquire().await;
        let built = request_build(&link, &sealed).await;
        drop(turn);
        let (output, end) = built?;
        let built = match end {
            BuildEnd::Exited(exit, wall_time) => output.into_component(SHOWN, &exit, wall_time),
            BuildEnd::NotStarted(reason) => return Err(reason),
        };
        // The first line says what failed; whoever sent the source finds out all of it.
        let built = built.map_err(|failure| {
            let first = failure.message.lines().next().unwrap_or_default();
            format!("the build failed there ({}): {first}", failure.class.name())
        })?;
        if let Some(cache) = &self.cache {
            cache.put(&name, &built);
        }
        Ok(built)
    }
}

/// Returns true if a failure is one of the component itself, whichever machine looks at it. A worker looks before it answers.
fn is_of_component(class: FailureClass) -> bool {
    matches!(
        class,
        FailureClass::InvalidComponent
            | FailureClass::OversizeComponent
            | FailureClass::MissingExport
            | FailureClass::WrongWorld
            | FailureClass::ForbiddenImport
    )
}

/// Returns true if a worker would take these bytes for a build, which it then compares with its own toolchain.
pub fn is_portable_build(bytes: &[u8]) -> bool {
    PortableBuild::read(bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build() -> PortableBuild {
        PortableBuild {
            toolchain: "rustc-1".to_owned(),
            simd: Simd::default(),
            edition: Edition::default(),
            files: vec![WitFile {
                name: "a.wit".to_owned(),
                text: "package a:b;".to_owned(),
            }],
            call: "f".to_owned(),
            text: "pub fn f() {}".to_owned(),
            parameters: false,
        }
    }

    fn read(build: &PortableBuild) -> Result<PortableBuild, String> {
        PortableBuild::read(&postcard::to_stdvec(build).unwrap())
    }

    #[test]
    fn case_309_a_build_that_is_larger_than_one_may_be_is_refused_before_anything_is_built() {
        assert_eq!(read(&build()), Ok(build()));
        let file = |text: String, name: String| WitFile { name, text };
        let short = || "a.wit".to_owned();
        for wrong in [
            PortableBuild {
                text: "x".repeat(SOURCE_BYTES_MAX + 1),
                ..build()
            },
            PortableBuild {
                call: "f".repeat(NAME_BYTES_MAX + 1),
                ..build()
            },
            PortableBuild {
                files: vec![file("w".repeat(INTERFACE_BYTES_MAX + 1), short())],
                ..build()
            },
            PortableBuild {
                files: vec![file(String::new(), "n".repeat(NAME_BYTES_MAX + 1))],
                ..build()
            },
            PortableBuild {
                files: vec![file(String::new(), short()); FILES_MAX + 1],
                ..build()
            },
        ] {
            assert!(read(&wrong).is_err());
        }
        assert!(PortableBuild::read(&vec![0; BUILD_BYTES_MAX + 1]).is_err());
        assert!(PortableBuild::read(b"garbage").is_err());
    }

    #[test]
    fn what_is_wrong_with_a_component_everywhere_is_told_from_what_a_machine_may_cause() {
        for class in [FailureClass::InvalidComponent, FailureClass::WrongWorld] {
            assert!(is_of_component(class));
        }
        for class in [
            FailureClass::MachineFailed,
            FailureClass::BuildTimeout,
            FailureClass::BuildMemory,
            FailureClass::LoadCompileLimit,
        ] {
            assert!(!is_of_component(class));
        }
    }
}
