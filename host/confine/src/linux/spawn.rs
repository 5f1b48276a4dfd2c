//! The parent's side: a proof that fences work on this machine, and children that run behind them.

use super::bubblewrap::Bubblewrap;
use super::cgroup::{self, Cgroup, CgroupParent};
use super::enter::{Header, KernelFeatures, MARKER, NO_PAGE};
use super::folder_watch::FolderBound;
use super::memory_file;
use super::shared_page::{self, Announced};
use super::sockets;
use super::supervise::{self, KillOnDrop, StartedChild};
use super::watchdog::Bounds;
use crate::error::{FrameError, SpawnError};
use crate::exit::{Exit, ExitCause};
use crate::frames::FrameReader;
use crate::job::{ChildJob, Level, Mechanisms, Processes};
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;
use tokio::process::ChildStdout;
use tokio::sync::oneshot;

/// The longest wait for a child's fence. It takes milliseconds; this is for machines that are all but
/// stuck.
const FENCE_WAIT_MAX: Duration = Duration::from_secs(30);

/// The longest wait for a child that is dropped. A killed process ends at once, unless the kernel
/// itself is stuck; its supervising thread then goes on waiting alone.
const DROP_WAIT_MAX: Duration = Duration::from_secs(2);

/// The most processes of a host of programs: itself, and the program.
const HOST_PROCESSES_MAX: usize = 2;

/// Proof that untrusted code can be fenced in on this machine, or that the user waived it. The only
/// way to start a child.
#[derive(Clone, Debug)]
pub struct Confinement {
    pub(super) program: PathBuf,
    pub(super) level: Level,
    pub(super) kernel: KernelFeatures,
    /// The second fence around builders, if it works.
    pub(super) outer: Option<Bubblewrap>,
    /// The control group in which the groups of builders are made, if that works.
    pub(super) cgroup_parent: Option<CgroupParent>,
}

impl Confinement {
    /// Returns the strength of the fence around children.
    pub fn level(&self) -> Level {
        self.level
    }

    /// Returns the second fence around builders, if one works: `bubblewrap`.
    pub fn outer_layer(&self) -> Option<&'static str> {
        self.outer.as_ref().map(|_| "bubblewrap")
    }

    /// Returns the mechanisms in use.
    pub fn mechanisms(&self) -> Mechanisms {
        Mechanisms {
            landlock_abi: self.kernel.landlock_abi,
            seccomp: self.kernel.seccomp,
            outer_layer: self.outer_layer().map(str::to_owned),
            groups: self.cgroup_parent.as_ref().map(CgroupParent::limits),
        }
    }

    /// Returns the same confinement, without a second fence around builders.
    #[must_use]
    pub fn without_outer_layer(self) -> Self {
        Self {
            outer: None,
            ..self
        }
    }

    /// Starts a child and waits until its fence is up.
    ///
    /// # Errors
    /// The system has no process, memory or descriptor left; a path of the fence or the core does not
    /// exist; or the child did not get to run in time. The child has ended then. Dropping the future
    /// kills it, too.
    pub async fn spawn(&self, job: ChildJob<'_>) -> Result<Child, SpawnError> {
        let system = |what| {
            let role = job.role.to_owned();
            move |source| SpawnError::System { role, what, source }
        };
        let outer = match job.fence.processes {
            Processes::Spawn { .. } => self.outer.as_ref(),
            // An outer layer has processes of its own, and would not pass the socket on.
            Processes::None | Processes::Host => None,
        };
        let stdin = self
            .seal(&job, outer)
            .map_err(system("cannot pass the job"))?;
        let mut command = match outer {
            Some(outer) => outer.command(&job.fence),
            None => Command::new(&self.program),
        };
        command
            .args([MARKER, job.role])
            .env_clear()
            .current_dir("/")
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let announced = if job.announces {
            let (page, view) = shared_page::create().map_err(system("cannot share a page"))?;
            shared_page::pass(page, &mut command);
            view
        } else {
            command.arg(NO_PAGE);
            Announced::nothing()
        };
        sockets::pass(&job.sockets, &mut command);
        let bounds = bounds(&job, outer);
        let group = self
            .cgroup(&job, &bounds, &mut command)
            .map_err(system("cannot make a control group for it"))?;
        let started = supervise::start(command, bounds, group)
            .await
            .map_err(system("cannot start it"))?;
        Child::new(started, &job, outer.is_some(), announced)
            .map_err(system("cannot read from it"))?
            .wait_for_fence(job.role)
            .await
    }

    /// Makes a control group for a builder, in which `command` then starts.
    fn cgroup(
        &self,
        job: &ChildJob<'_>,
        bounds: &Bounds,
        command: &mut Command,
    ) -> io::Result<Option<Cgroup>> {
        let (Some(parent), Processes::Spawn { .. } | Processes::Host) =
            (&self.cgroup_parent, job.fence.processes)
        else {
            return Ok(None);
        };
        let group = parent.make(bounds)?;
        group.contain(command)?;
        Ok(Some(group))
    }

    /// Returns the header and the payload as the child's stdin.
    fn seal(&self, job: &ChildJob<'_>, outer: Option<&Bubblewrap>) -> io::Result<Stdio> {
        let header = Header {
            kernel: self.kernel,
            // Inside, this process has no id; the outer layer dies with it instead.
            parent: outer.is_none().then(std::process::id),
            fence: job.fence.clone(),
            core: job.core,
            frame_bytes_max: job.frame_bytes_max as u64,
        };
        let header = header.to_bytes().map_err(io::Error::other)?;
        let parts: Vec<&[u8]> = std::iter::once(&header[..])
            .chain(job.payload.iter().copied())
            .collect();
        Ok(memory_file::seal(&parts)?.into())
    }
}

/// Returns the bounds of a job.
fn bounds(job: &ChildJob<'_>, outer: Option<&Bubblewrap>) -> Bounds {
    let around = outer.map_or(0, |_| Bubblewrap::PROCESSES);
    let processes_max = match job.fence.processes {
        Processes::None => None,
        Processes::Spawn { at_most } => Some(at_most.saturating_add(around)),
        Processes::Host => Some(HOST_PROCESSES_MAX),
    };
    Bounds {
        stderr_bytes_max: job.stderr_bytes_max,
        rss_bytes_max: job.rss_bytes_max,
        processes_max,
        threads_max: processes_max.map(cgroup::tasks_of),
        folder: job.folder_bytes_max.map(|bytes_max| FolderBound {
            folders: job.fence.write.clone(),
            bytes_max,
            file_bytes_max: job.fence.rlimits.file_bytes,
            hidden_max: around + 1,
        }),
    }
}

/// A running child. Dropping it kills it, with all that it started, and waits until they are gone.
#[derive(Debug)]
pub struct Child {
    handle: KillOnDrop,
    frames: Option<FrameReader<ChildStdout>>,
    announced: Announced,
    /// True if the child sent more than allowed. It may have ended before that was noticed.
    overflowed: bool,
    /// True if the exit status comes from an outer layer.
    wrapped: bool,
    exit: oneshot::Receiver<Exit>,
}

impl Child {
    fn new(
        started: StartedChild,
        job: &ChildJob<'_>,
        wrapped: bool,
        announced: Announced,
    ) -> io::Result<Self> {
        let StartedChild {
            handle,
            stdout,
            exit,
        } = started;
        let mut child = Self {
            handle,
            frames: None,
            announced,
            overflowed: false,
            wrapped,
            exit,
        };
        let stdout = ChildStdout::from_std(stdout)?;
        let reader = FrameReader::new(stdout, job.frame_bytes_max, job.output_bytes_max);
        child.frames = Some(reader);
        Ok(child)
    }

    /// Waits for the first frame, which reports that the fence is up.
    async fn wait_for_fence(mut self, role: &str) -> Result<Self, SpawnError> {
        let first = tokio::time::timeout(FENCE_WAIT_MAX, self.next_frame()).await;
        let fence = |reason| SpawnError::Fence {
            role: role.to_owned(),
            reason,
        };
        match first {
            Ok(Ok(Some(frame))) if frame.is_empty() => Ok(self),
            Ok(_) => {
                let exit = self.finish().await;
                let stderr = String::from_utf8_lossy(&exit.stderr).trim().to_owned();
                Err(fence(if stderr.is_empty() {
                    format!("it ended without a message: {:?}", exit.cause)
                } else {
                    stderr
                }))
            }
            Err(_) => Err(SpawnError::Late {
                role: role.to_owned(),
                seconds: FENCE_WAIT_MAX.as_secs(),
            }),
        }
    }

    /// Returns the next frame; `None` when the child has closed its end of the pipe or ended.
    /// Cancel-safe.
    ///
    /// # Errors
    /// The bytes are not a frame or exceed a bound: the child is killed, and no more frames come.
    pub async fn next_frame(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        let Some(frames) = &mut self.frames else {
            return Ok(None);
        };
        let frame = frames.next().await;
        if let Err(error) = &frame {
            if !matches!(error, FrameError::Truncated) {
                self.overflowed = true;
                self.handle.kill(ExitCause::OutputOverflow);
            }
            self.frames = None;
        }
        frame
    }

    /// Returns a view of the word that the child announces, if its job
    /// [has one](ChildJob::announces). It outlives the child.
    pub fn announced(&self) -> Announced {
        self.announced.clone()
    }

    /// Returns the child's process id, until it has ended.
    pub fn pid(&self) -> Option<u32> {
        self.handle.pid()
    }

    /// Kills the child and all that it started. [`finish`](Self::finish) then returns
    /// [`ExitCause::Killed`], unless it had ended before.
    pub fn kill(&mut self) {
        self.handle.kill(ExitCause::Killed);
    }

    /// Waits until the child has ended, and returns its end. Unread frames are lost: read them to the end first.
    /// Dropping the future kills the child.
    pub async fn finish(mut self) -> Exit {
        self.frames = None;
        let mut exit = (&mut self.exit).await.unwrap_or_else(|_| Exit {
            cause: ExitCause::Killed,
            stderr: Vec::new(),
            cpu: Duration::ZERO,
            max_rss_bytes: 0,
        });
        if self.wrapped {
            exit.cause = Bubblewrap::inner_cause(exit.cause);
        }
        if self.overflowed {
            exit.cause = ExitCause::OutputOverflow;
        }
        exit
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.handle.kill(ExitCause::Killed);
        self.handle.wait(DROP_WAIT_MAX);
    }
}
