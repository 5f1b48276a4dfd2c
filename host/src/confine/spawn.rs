//! The parent's side: a proof that fences work here, and the children that it starts behind them.

use super::ending::{Ending, Exit, FrameError, SpawnError};
use super::enter::{Header, Kernel, MARKER};
use super::frames::FrameReader;
use super::group::{Group, Home};
use super::job::{Job, Level, Means, Processes};
use super::memory_file;
use super::outer::Bubblewrap;
use super::supervise::{self, Hold, Started};
use super::watch::Bounds;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;
use tokio::process::ChildStdout;
use tokio::sync::oneshot;

/// How long a child may take until its fence stands. It takes milliseconds; this is for machines
/// that are all but stuck.
const FENCE_PATIENCE: Duration = Duration::from_secs(30);

/// How long a child that is dropped is waited for. A killed process is gone at once, unless the
/// kernel itself is stuck; its thread then goes on waiting alone.
const DROP_PATIENCE: Duration = Duration::from_secs(2);

/// Proof that untrusted code can be fenced in on this machine, or the user's word that it need not
/// be. The only way to start a child.
#[derive(Clone, Debug)]
pub struct Confinement {
    pub(super) program: PathBuf,
    pub(super) level: Level,
    pub(super) means: Kernel,
    /// What stands around builders, where it works.
    pub(super) outer: Option<Bubblewrap>,
    /// Where groups for builders are made, where that works.
    pub(super) home: Option<Home>,
}

impl Confinement {
    /// How well children are fenced in.
    pub fn level(&self) -> Level {
        self.level
    }

    /// What stands around builders besides their own fence: `bubblewrap`, where it works.
    pub fn outer_layer(&self) -> Option<&'static str> {
        self.outer.as_ref().map(|_| "bubblewrap")
    }

    /// What it is made of.
    pub fn means(&self) -> Means {
        Means {
            landlock_abi: self.means.landlock_abi,
            seccomp: self.means.seccomp,
            outer_layer: self.outer_layer().map(str::to_owned),
            groups: self.home.as_ref().map(Home::kind),
        }
    }

    /// The same, with nothing around builders besides their own fence.
    #[must_use]
    pub fn without_outer_layer(self) -> Self {
        Self {
            outer: None,
            ..self
        }
    }

    /// Starts a child and waits until its fence stands.
    ///
    /// # Errors
    /// The system has no process, memory or descriptor left; or a path of the fence does not
    /// exist, or the core; or it did not get to run in time. The child is gone then. Dropping the
    /// wait kills it, too.
    pub async fn spawn(&self, job: Job<'_>) -> Result<Child, SpawnError> {
        let system = |what| {
            let role = job.role.to_owned();
            move |source| SpawnError::System { role, what, source }
        };
        let outer = match job.fence.processes {
            Processes::Spawn { .. } => self.outer.as_ref(),
            Processes::None => None,
        };
        let stdin = self
            .seal(&job, outer)
            .map_err(system("cannot hand over its job"))?;
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
        let bounds = bounds(&job, outer);
        let group = self
            .group(&job, &bounds, &mut command)
            .map_err(system("cannot make a control group for it"))?;
        let started = supervise::start(command, bounds, group)
            .await
            .map_err(system("cannot start it"))?;
        Child::new(started, &job, outer.is_some())
            .map_err(system("cannot read from it"))?
            .fenced(job.role)
            .await
    }

    /// A group of its own for a builder, which `command` then starts in.
    fn group(
        &self,
        job: &Job<'_>,
        bounds: &Bounds,
        command: &mut Command,
    ) -> io::Result<Option<Group>> {
        let (Some(home), Processes::Spawn { .. }) = (&self.home, job.fence.processes) else {
            return Ok(None);
        };
        let group = home.make(bounds)?;
        group.around(command)?;
        Ok(Some(group))
    }

    /// The header and the payload as the child's stdin.
    fn seal(&self, job: &Job<'_>, outer: Option<&Bubblewrap>) -> io::Result<Stdio> {
        let header = Header {
            means: self.means,
            // Inside, this process has no number; the outer layer dies with it instead.
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

/// What the supervising thread enforces for a job.
fn bounds(job: &Job<'_>, outer: Option<&Bubblewrap>) -> Bounds {
    let around = outer.map_or(0, |_| Bubblewrap::PROCESSES);
    Bounds {
        stderr_bytes_max: job.stderr_bytes_max,
        rss_bytes_max: job.rss_bytes_max,
        processes_max: match job.fence.processes {
            Processes::None => None,
            Processes::Spawn { at_most } => Some(at_most.saturating_add(around)),
        },
    }
}

/// A running child. Dropping it kills it, with all that it started, and waits until they are gone.
#[derive(Debug)]
pub struct Child {
    leash: Hold,
    frames: Option<FrameReader<ChildStdout>>,
    /// Whether what it sent went over a bound. It may have ended before that was noticed.
    overflowed: bool,
    /// Whether its end is told by an outer layer.
    wrapped: bool,
    exit: oneshot::Receiver<Exit>,
}

impl Child {
    fn new(started: Started, job: &Job<'_>, wrapped: bool) -> io::Result<Self> {
        let Started {
            leash,
            stdout,
            exit,
        } = started;
        let mut child = Self {
            leash,
            frames: None,
            overflowed: false,
            wrapped,
            exit,
        };
        let stdout = ChildStdout::from_std(stdout)?;
        let reader = FrameReader::new(stdout, job.frame_bytes_max, job.output_bytes_max);
        child.frames = Some(reader);
        Ok(child)
    }

    /// Waits for the first frame, which says that the fence stands.
    async fn fenced(mut self, role: &str) -> Result<Self, SpawnError> {
        let first = tokio::time::timeout(FENCE_PATIENCE, self.next_frame()).await;
        let fence = |reason| SpawnError::Fence {
            role: role.to_owned(),
            reason,
        };
        match first {
            Ok(Ok(Some(frame))) if frame.is_empty() => Ok(self),
            Ok(_) => {
                let exit = self.finish().await;
                let said = String::from_utf8_lossy(&exit.stderr).trim().to_owned();
                Err(fence(match said.is_empty() {
                    true => format!("it ended without a word: {:?}", exit.ending),
                    false => said,
                }))
            }
            Err(_) => Err(SpawnError::Late {
                role: role.to_owned(),
                seconds: FENCE_PATIENCE.as_secs(),
            }),
        }
    }

    /// The next frame; `None` when the child has closed its end, which it does at the latest when
    /// it ends. Can be dropped while it waits, and called again.
    ///
    /// # Errors
    /// What came is not a frame or goes over a bound: the child is then killed, and nothing more
    /// comes.
    pub async fn next_frame(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        let Some(frames) = &mut self.frames else {
            return Ok(None);
        };
        let frame = frames.next().await;
        if let Err(error) = &frame {
            if !matches!(error, FrameError::Truncated) {
                self.overflowed = true;
                self.leash.kill(Ending::OutputOverflow);
            }
            self.frames = None;
        }
        frame
    }

    /// The child's process id, until it has ended.
    pub fn pid(&self) -> Option<u32> {
        self.leash.pid()
    }

    /// Kills the child and all that it started. [`finish`](Self::finish) then says
    /// [`Ending::Killed`], unless it had ended before.
    pub fn kill(&mut self) {
        self.leash.kill(Ending::Killed);
    }

    /// Waits until the child has ended by itself, or was killed, and says how. It can send nothing
    /// more from here on: read its frames to the end first. Dropping the wait kills the child.
    pub async fn finish(mut self) -> Exit {
        self.frames = None;
        let mut exit = (&mut self.exit).await.unwrap_or_else(|_| Exit {
            ending: Ending::Killed,
            stderr: Vec::new(),
            cpu: Duration::ZERO,
            max_rss_bytes: 0,
        });
        if self.wrapped {
            exit.ending = Bubblewrap::ending(exit.ending);
        }
        if self.overflowed {
            exit.ending = Ending::OutputOverflow;
        }
        exit
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.leash.kill(Ending::Killed);
        self.leash.wait(DROP_PATIENCE);
    }
}
