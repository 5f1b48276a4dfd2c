//! In the parent: one confined child per build, what it may touch, and what its end means.

use super::bounds::{bounded, job, processes_max};
use super::cache::{Cache, Name};
use super::imports::WasiImports;
use super::limits::{SOURCE_BYTES_MAX, WALL};
use super::order::{Code, Event, Facts, Kind, Order, Stage, build_failure, with_limit};
use super::scratch::{self, Scratch};
use super::toolchain::Toolchain;
use super::verdict::{self, Cut};
use super::{compile, diagnostics, glue, inspect, layout};
use crate::confine::{Child, Confinement, Ending, Exit, Fence};
use crate::engine::{self, Profile};
use crate::interface::{Interface, World};
use bakeoff_domain::failure::{Failure, FailureClass};
use bakeoff_domain::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::{Arc, Once};
use std::time::Duration;
use tokio::sync::Semaphore;

/// The name of the builder's role.
pub(super) const ROLE: &str = "builder";

/// How long a child may take to end once it is killed. The kernel takes milliseconds.
const AFTERWARDS: Duration = Duration::from_secs(5);

/// What to build.
#[derive(Clone, Debug)]
pub struct Request {
    /// The problem's interface.
    pub interface: Arc<Interface>,
    /// Which of its worlds the code is for.
    pub world: World,
    /// The code.
    pub code: CodeBytes,
    /// What the build is for.
    pub kind: Kind,
}

/// Code, as it comes.
#[derive(Clone, Debug)]
pub enum CodeBytes {
    /// A Rust file.
    Source {
        /// The file, as the user names it: messages show it.
        path_shown: String,
        /// What is in it.
        text: String,
    },
    /// A component.
    Component {
        /// The file, as the user names it: messages show it.
        path_shown: String,
        /// What is in it.
        bytes: Arc<[u8]>,
    },
    /// The interface's own no-op: each function forgets its arguments and answers zeros. What a
    /// call of it costs, any call of this interface costs.
    Calibrator,
}

impl CodeBytes {
    fn path_shown(&self) -> &str {
        match self {
            Self::Source { path_shown, .. } | Self::Component { path_shown, .. } => path_shown,
            Self::Calibrator => "the calibrator",
        }
    }
}

/// What was built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Built {
    /// The component.
    pub component: Vec<u8>,
    /// SHA-256 of the component, in hexadecimal.
    pub digest: String,
    /// Its machine code for [`Profile::Checked`].
    pub checked: Vec<u8>,
    /// Its machine code for [`Profile::Timed`], in versions that differ in where it lies. Empty for
    /// what is never timed: workloads and diagnostic builds.
    pub timed: Vec<Vec<u8>>,
    /// What it imports, as components name it; interfaces that hold nothing but types left out.
    pub imports: Vec<String>,
    /// What it exports, with signatures: `top-k: func(…) -> …`.
    pub exports: Vec<String>,
    /// Functions of all its modules.
    pub functions: u32,
    /// The largest body of a function, in bytes.
    pub function_bytes_max: u64,
    /// The most locals of a function.
    pub locals_max: u32,
    /// Lines of its source that are neither empty nor only a comment, where there is a source.
    pub source_lines: Option<u64>,
    /// CPU time of the whole build, in all its processes, the first time it was built.
    pub cpu: Duration,
    /// CPU time from source to component, the compiler's included; zero for a component that the
    /// user brought.
    pub source_cpu: Duration,
    /// Whether it came from the cache.
    pub cached: bool,
}

/// Builds, several at a time, and remembers what was built.
#[derive(Debug)]
pub struct Builder {
    toolchain: Toolchain,
    confinement: Confinement,
    cache: Option<Cache>,
    turns: Semaphore,
    wasi: WasiImports,
    /// Whether what killed builds left was removed.
    swept: Once,
}

impl Builder {
    /// A builder with a toolchain, a way to confine, a cache or none, and a number of builds that
    /// run at a time (at least one).
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
            swept: Once::new(),
        }
    }

    /// The same, with another rule for components that users bring.
    #[must_use]
    pub fn with_wasi(self, wasi: WasiImports) -> Self {
        Self { wasi, ..self }
    }

    /// Builds, or takes from the cache what was built before from the same.
    ///
    /// # Errors
    /// Why not: the class, and a message for the author of the code.
    pub async fn build(&self, request: &Request) -> Result<Arc<Built>, Failure> {
        check_size(request)?;
        let name = self.name(request)?;
        let known = self
            .cache
            .as_ref()
            .and_then(|cache| cache.get::<Built>(&name));
        if let Some(known) = known {
            return Ok(Arc::new(Built {
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

    /// Everything that decides what comes out, as the name of a cache's entry.
    fn name(&self, request: &Request) -> Result<Name, Failure> {
        let call = request.interface.call();
        let fingerprint = |profile| engine::fingerprint(profile).map_err(|error| no_engine(&error));
        let engines = [fingerprint(Profile::Checked)?, fingerprint(Profile::Timed)?];
        let flags = compile::FLAGS
            .iter()
            .chain(compile::kind_flags(request.kind));
        let code: [&[u8]; 3] = match &request.code {
            CodeBytes::Source { path_shown, text } => {
                // Only a diagnostic build carries the file's name.
                let path = if request.kind == Kind::Diagnostic {
                    &**path_shown
                } else {
                    ""
                };
                [b"source", path.as_bytes(), text.as_bytes()]
            }
            CodeBytes::Component { bytes, .. } => match self.wasi {
                WasiImports::Virtual => [b"component", b"wasi", bytes],
                WasiImports::Refused => [b"component", b"", bytes],
            },
            CodeBytes::Calibrator => [b"calibrator", b"", b""],
        };
        let compiler = format!("{:?}{}", self.toolchain.compiler, self.toolchain.version());
        let mut parts: Vec<&[u8]> = vec![
            request.world.name().as_bytes(),
            if request.kind == Kind::Diagnostic {
                b"diagnostic"
            } else {
                b"release"
            },
            call.interface.as_deref().unwrap_or_default().as_bytes(),
            call.function.name.as_bytes(),
            compiler.as_bytes(),
            self.confinement.level().name().as_bytes(),
            engines[0].as_bytes(),
            engines[1].as_bytes(),
            layout::SCHEME.as_bytes(),
        ];
        parts.extend(code);
        parts.extend(glue::fingerprint().map(str::as_bytes));
        parts.extend(flags.map(|flag| flag.as_bytes()));
        for file in request.interface.files() {
            parts.extend([file.name.as_bytes(), file.text.as_bytes()]);
        }
        Ok(Name::of(&parts))
    }

    async fn run(&self, request: &Request) -> Result<Built, Failure> {
        self.swept.call_once(scratch::sweep);
        let scratch = Scratch::new().map_err(|error| {
            let message = format!(
                "cannot make a folder to build in: {error}; make room in {}, or name another \
                 folder by TMPDIR",
                std::env::temp_dir().display()
            );
            build_failure(FailureClass::MachineFailed, message)
        })?;
        let (order, bytes) = self.order(request, scratch.work());
        let order = postcard::to_stdvec(&order).map_err(|error| {
            build_failure(
                FailureClass::MachineFailed,
                format!("cannot order a build: {error}"),
            )
        })?;
        let length = (order.len() as u64).to_le_bytes();
        let payload = [&length[..], &order, bytes];
        let job = job(&payload, self.fence(request, scratch.work()));
        let child = self.confinement.spawn(job).await.map_err(|error| {
            let message = format!("{}: {error}", request.code.path_shown());
            build_failure(FailureClass::MachineFailed, message)
        })?;
        let (said, exit, cut) = watch(child, WALL).await;
        said.into_built(request, &exit, cut)
    }

    fn order<'a>(&self, request: &'a Request, scratch: &Path) -> (Order, &'a [u8]) {
        let (code, bytes): (Code, &[u8]) = match &request.code {
            CodeBytes::Source { text, .. } => {
                let compiler = self.toolchain.compiler.clone();
                let (text, scratch) = (text.clone(), scratch.to_owned());
                (
                    Code::Source {
                        text,
                        compiler,
                        scratch,
                    },
                    &[],
                )
            }
            CodeBytes::Component { bytes, .. } => (Code::Component, bytes),
            CodeBytes::Calibrator => (Code::NoOp, &[]),
        };
        let order = Order {
            files: request.interface.files().to_vec(),
            call: request.interface.call().path(),
            world: request.world,
            kind: request.kind,
            code,
            path_shown: request.code.path_shown().to_owned(),
            granted: Vec::new(),
            wasi: self.wasi,
        };
        (order, bytes)
    }

    fn fence(&self, request: &Request, scratch: &Path) -> Fence {
        let bounded = bounded(&request.code);
        match request.code {
            CodeBytes::Source { .. } => Fence {
                execute: self.toolchain.execute.clone(),
                read: self.toolchain.read.clone(),
                write: vec![scratch.to_owned()],
                working_dir: scratch.to_owned(),
                ..bounded
            },
            _ => bounded,
        }
    }
}

fn no_engine(error: &wasmtime::Error) -> Failure {
    let message = format!("the WebAssembly engine does not run on this machine: {error:#}");
    build_failure(FailureClass::MachineFailed, message)
}

/// Refuses what is too large, before anything is copied.
fn check_size(request: &Request) -> Result<(), Failure> {
    match &request.code {
        CodeBytes::Source { path_shown, text } if text.len() > SOURCE_BYTES_MAX => {
            let bytes = text.len();
            let message =
                format!("{path_shown} has {bytes} bytes, and a source may have {SOURCE_BYTES_MAX}");
            let failure = build_failure(FailureClass::BuildFailed, message);
            Err(with_limit(
                failure,
                format!("source = {SOURCE_BYTES_MAX} bytes"),
            ))
        }
        CodeBytes::Component { path_shown, bytes }
            if bytes.len() > super::limits::COMPONENT_BYTES_MAX =>
        {
            Err(inspect::oversize(path_shown, bytes.len() as u64))
        }
        _ => Ok(()),
    }
}

/// What a child said before it ended.
#[derive(Default)]
struct Said {
    stage: Option<Stage>,
    failed: Option<Failure>,
    done: Option<Facts>,
    /// The component, its code for the checked profile, and versions for the timed one.
    blobs: Vec<Vec<u8>>,
}

/// Reads all that a child says, and waits for its end or that of its time.
async fn watch(mut child: Child, wall: Duration) -> (Said, Exit, Cut) {
    let mut said = Said::default();
    let until = tokio::time::Instant::now() + wall;
    let read = async {
        while let Ok(Some(frame)) = child.next_frame().await {
            said.take(frame);
        }
    };
    let mut cut = match tokio::time::timeout_at(until, read).await {
        Ok(()) => Cut::None,
        Err(_) => Cut::Wall,
    };
    if cut == Cut::Wall {
        child.kill();
    }
    // A killed child ends at once; one that has said all and lingers is killed by being dropped.
    let until = until.max(tokio::time::Instant::now() + AFTERWARDS);
    let exit = tokio::time::timeout_at(until, child.finish()).await;
    let exit = exit.unwrap_or_else(|_| {
        cut = Cut::Wall;
        Exit {
            ending: Ending::Killed,
            stderr: Vec::new(),
            cpu: Duration::ZERO,
            max_rss_bytes: 0,
        }
    });
    (said, exit, cut)
}

impl Said {
    /// Takes the next frame. What follows a failure, a blob too many or bytes that are no event, or
    /// are too many for one, is of no interest, and bounded by what the job may send.
    fn take(&mut self, frame: Vec<u8>) {
        if self.failed.is_some() {
            return;
        }
        if self.done.is_some() {
            if self.blobs.len() < 2 + layout::VERSIONS_MAX {
                self.blobs.push(frame);
            }
            return;
        }
        match Event::read(&frame) {
            Some(Event::Stage(stage)) => self.stage = Some(stage),
            Some(Event::Failed {
                class,
                message,
                phase,
                limit,
            }) => {
                self.failed = Some(Failure {
                    class,
                    message,
                    phase,
                    limit,
                });
            }
            Some(Event::Done(facts)) => self.done = Some(facts),
            None => {}
        }
    }

    fn into_built(self, request: &Request, exit: &Exit, cut: Cut) -> Result<Built, Failure> {
        if let Some(mut failure) = self.failed {
            failure.message = diagnostics::cut(&failure.message);
            failure.limit = failure.limit.as_deref().map(diagnostics::cut);
            return Err(failure);
        }
        let shown = request.code.path_shown();
        let processes_max = processes_max(&request.code);
        let died = || verdict::of_death(self.stage, exit, cut, processes_max, shown);
        let facts = self.done.ok_or_else(died)?;
        let mut blobs = self.blobs.into_iter();
        let (Some(component), Some(checked)) = (blobs.next(), blobs.next()) else {
            return Err(died());
        };
        let timed: Vec<Vec<u8>> = blobs.collect();
        if timed.len() != facts.layouts as usize {
            return Err(died());
        }
        Ok(Built {
            digest: hex(&Sha256::digest(&component)),
            component,
            checked,
            timed,
            imports: facts.imports,
            exports: facts.exports,
            functions: facts.functions,
            function_bytes_max: facts.function_bytes_max,
            locals_max: facts.locals_max,
            source_lines: match &request.code {
                CodeBytes::Source { text, .. } => Some(source_lines(text)),
                _ => None,
            },
            // An outer layer ends before it knows what was used inside.
            cpu: exit.cpu.max(facts.cpu),
            source_cpu: facts.source_cpu,
            cached: false,
        })
    }
}

/// Lines that are neither empty nor only a line comment.
pub fn source_lines(text: &str) -> u64 {
    let counts = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    text.lines().filter(counts).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confine::fake;

    /// One that says nothing more, and one that closes its pipes and stays.
    #[tokio::test]
    async fn a_builder_has_its_wall_time_and_no_more() {
        for then in ["exec sleep 300", "exec sleep 300 >&- 2>&-"] {
            let folder = tempfile::tempdir().unwrap();
            let confinement = fake::children(folder.path(), &[], then).await;
            let child = confinement.spawn(job(&[], bounded(&CodeBytes::Calibrator)));
            let child = child.await.unwrap();
            let watched = watch(child, Duration::from_millis(200));
            let (_, exit, cut) = tokio::time::timeout(Duration::from_secs(60), watched)
                .await
                .expect("it is waited for as long as it likes");
            assert_eq!((cut, exit.ending), (Cut::Wall, Ending::Killed), "{then}");
        }
    }
}
