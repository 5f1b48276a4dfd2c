//! The worker that builds: one confined child per build, with its own compiler and a folder to write to.

use super::build_protocol::{BuildPlace, BuildTask, TaskInput};
use super::child_job::{closed_fence, job};
use super::child_output::{ChildOutput, watch};
use super::crates::BuiltCrates;
use super::exit_failure::WallTime;
use super::limits::WALL;
use super::toolchain::Toolchain;
use bakeoff_confine::tasks::{WorkFuture, Worker, WorkerFrames, WorkerJob, WorkerLink, wire};
use bakeoff_confine::{Confinement, Exit, Fence};
use bakeoff_domain::language::Language;
use bakeoff_files::Scratch;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The last message of a worker about a builder child, after the child's frames.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum BuildEnd {
    /// The child ended, in this way.
    Exited(Exit, WallTime),
    /// The child could not be started, for this reason.
    NotStarted(String),
}

/// Has a worker do the task of a build, and returns the messages of the child, and its end.
///
/// # Errors
/// The worker is lost, or its last message is unreadable.
pub(super) async fn request_build(
    worker: &WorkerLink,
    task: &[u8],
) -> Result<(ChildOutput, BuildEnd), String> {
    let mut output = ChildOutput::default();
    let mut take = |frame| {
        output.take(frame);
        Ok(())
    };
    let job = WorkerJob { core: None, task };
    let end = worker.request(job, &mut take).await;
    let end = end.map_err(|error| error.to_string())?;
    let end = postcard::from_bytes(&end)
        .map_err(|error| format!("the last frame of its worker is unreadable: {error}"))?;
    Ok((output, end))
}

/// A worker whose tasks are [`BuildTask`]s behind the bytes of their components, and whose frames are the
/// messages of a builder child.
#[derive(Debug)]
pub(super) struct BuildWorker {
    pub(super) toolchain: Toolchain,
    pub(super) confinement: Confinement,
    /// The crates that sources may use.
    pub(super) crates: Option<Arc<BuiltCrates>>,
}

impl BuildWorker {
    pub(super) fn new(toolchain: Toolchain, confinement: Confinement) -> Self {
        Self {
            toolchain,
            confinement,
            crates: None,
        }
    }

    /// Returns the worker with crates that sources may use.
    pub(super) fn with_crates(&self, crates: Arc<BuiltCrates>) -> Self {
        Self {
            toolchain: self.toolchain.clone(),
            confinement: self.confinement.clone(),
            crates: Some(crates),
        }
    }

    /// Returns the paths that a compiler may read: the standard library, and the crates that are allowed.
    fn readable(&self) -> Vec<PathBuf> {
        let crates = self.crates.iter().map(|crates| crates.folder().to_owned());
        let clang = self.toolchain.clang.iter().flat_map(|clang| clang.read());
        let all = self.toolchain.read.iter().cloned().chain(crates);
        all.chain(clang).collect()
    }

    /// Returns the paths that a compiler may execute: itself, its linker, and their libraries.
    fn executable(&self) -> Vec<PathBuf> {
        let clang = self.toolchain.clang.iter().flat_map(|clang| &clang.execute);
        let all = self.toolchain.execute.iter().chain(clang);
        all.cloned().collect()
    }

    async fn run(&self, task: &[u8], frames: &WorkerFrames) -> Result<BuildEnd, String> {
        let read = wire::opened::<BuildTask>(task);
        let (mut task, component) = read.ok_or("this is no task for a builder")?;
        let scratch = Scratch::new().map_err(|error| {
            format!(
                "cannot make a folder to build in: {error}; make room in {}, or name another \
                 folder by TMPDIR",
                std::env::temp_dir().display()
            )
        })?;
        let mut has_source = false;
        let clang = self.toolchain.clang.as_ref();
        if let TaskInput::Source {
            place, language, ..
        } = &mut task.code
        {
            has_source = true;
            *place = Some(Box::new(BuildPlace {
                compiler: self.toolchain.compiler.clone(),
                clang: clang
                    .filter(|_| *language != Language::Rust)
                    .map(|clang| clang.paths.clone()),
                scratch: scratch.work().to_owned(),
            }));
            task.crates = self.crates.as_ref().map(|crates| crates.linked());
        }
        let encoded = postcard::to_stdvec(&task);
        let encoded =
            encoded.map_err(|error| format!("cannot encode the task of a build: {error}"))?;
        let length = (encoded.len() as u64).to_le_bytes();
        let payload = [&length[..], &encoded, component];
        let job = job(&payload, self.fence(has_source, scratch.work()));
        let child = self.confinement.spawn(job).await;
        let child = child.map_err(|error| format!("{}: {error}", task.path_shown))?;
        let (exit, wall_time) = watch(child, WALL, &mut |frame| frames.part(frame)).await;
        Ok(BuildEnd::Exited(exit, wall_time))
    }

    fn fence(&self, has_source: bool, scratch: &Path) -> Fence {
        let closed = closed_fence(has_source);
        if has_source {
            Fence {
                execute: self.executable(),
                read: self.readable(),
                write: vec![scratch.to_owned()],
                working_dir: scratch.to_owned(),
                ..closed
            }
        } else {
            closed
        }
    }
}

impl Worker for BuildWorker {
    fn work<'a>(&'a self, job: WorkerJob<'a>, frames: WorkerFrames) -> WorkFuture<'a> {
        Box::pin(async move {
            let ended = frames.while_alive(self.run(job.task, &frames)).await;
            let end = ended.unwrap_or_else(BuildEnd::NotStarted);
            match postcard::to_stdvec(&end) {
                Ok(end) => frames.end(end),
                Err(error) => frames.lost(error.to_string()),
            }
        })
    }
}
