//! The parent's side of one runner process, from its first frame to its end.
//!
//! A runner announces each step before it takes it. When a call takes longer than it may, the
//! process is killed and the announced variant fails, unless the process hardly ran: then it gets
//! more time, and if it does not run then either, the machine stalled, and no variant fails.

use super::bounds;
use super::protocol::{Doing, Reply};
use crate::confine::{Child, Confinement, Exit, ExitCause, SpawnError};
use crate::sandbox::GuestError;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::VariantIndex;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// The share of its time that a late runner must have had as CPU time. With less than this it did
/// not run, because the machine stalled.
const STALLED_SHARE: f64 = 0.5;

/// How many times a call that hardly ran gets its time again. An endless loop on a busy machine is
/// recognised as soon as it had half of its time as CPU time.
const EXTENSIONS_MAX: u32 = 8;

/// The interval at which the CPU time of a runner is read while it sends frames.
const CPU_READ_EVERY: Duration = Duration::from_millis(100);

/// The inputs and time limits of one runner process.
pub(super) struct Watch<'a> {
    pub(super) confinement: &'a Confinement,
    /// The whole request.
    pub(super) message: &'a [u8],
    /// The core it is pinned to.
    pub(super) core: Option<usize>,
    /// The time that one call of a variant may take.
    pub(super) call_max: Duration,
    /// The time that everything else may take between two frames.
    pub(super) workload_max: Duration,
    /// The wall limit as the experiment file writes it.
    pub(super) wall_limit: String,
    /// Bytes of memory that all guests together may have.
    pub(super) guests_bytes: u64,
    /// The time at which the budget ends, if it does.
    pub(super) until: Option<Instant>,
}

/// The end of a runner.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ended {
    /// The runner completed its task.
    Done,
    /// Variants failed, or the workload (`None`), with the calls that reproduce each failure.
    Failed(Vec<Failed>),
    /// The machine stalled.
    Stalled,
    /// The budget ended.
    OutOfBudget,
}

/// A failure, with the variant or workload that it is attributed to.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Failed {
    pub(super) variant: Option<VariantIndex>,
    pub(super) calls: Vec<(usize, u64)>,
    pub(super) error: GuestError,
}

/// The error of a runner that could not be started, or broke the protocol.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The process did not start.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// The process ended without a reply while no guest was running.
    #[error("a runner process ended before it ran anything: {0}")]
    Silent(String),
    /// The machine stalled several times in a row.
    #[error(
        "the machine stalls: nothing ran for seconds, several times over; run again when it has \
         time to spare"
    )]
    Stalled,
    /// A request could not be written.
    #[error("cannot write a request for a runner: {0}")]
    Request(String),
    /// The workload failed, so that nothing can be measured.
    #[error("{0}")]
    Workload(String),
}

impl Watch<'_> {
    /// Starts the runner and reads its replies to the end. Replies other than announcements and
    /// failures are passed to `hear`.
    pub(super) async fn run(
        &self,
        hear: &mut (dyn FnMut(Reply) + Send),
    ) -> Result<Ended, RunnerError> {
        let parts = [self.message];
        let job = bounds::job(&parts, self.core, self.guests_bytes);
        let mut child = match self.in_time(self.confinement.spawn(job)).await {
            Some(Ok(child)) => child,
            Some(Err(SpawnError::Late { .. })) => return Ok(Ended::Stalled),
            Some(Err(error)) => return Err(error.into()),
            None => return Ok(Ended::OutOfBudget),
        };
        let mut heard = Heard::new(&child);
        let mut failed = Vec::new();
        loop {
            let patience = self.patience(heard.doing);
            let deadline = heard.since + patience.saturating_mul(1 + heard.extensions);
            let deadline = self.until.map_or(deadline, |until| until.min(deadline));
            let frame = match timeout_at(deadline, child.next_frame()).await {
                Ok(Ok(Some(frame))) => frame,
                Ok(Ok(None) | Err(_)) => break,
                Err(_) if self.until.is_some_and(|until| Instant::now() >= until) => {
                    child.kill();
                    child.finish().await;
                    return Ok(Ended::OutOfBudget);
                }
                Err(_) => {
                    let stalled = heard.is_stalled(&child, patience);
                    let is_call = matches!(heard.doing, Some(Doing::Calling { .. }));
                    if stalled && is_call && heard.extensions < EXTENSIONS_MAX {
                        heard.extensions += 1;
                        continue;
                    }
                    child.kill();
                    child.finish().await;
                    return match (stalled, heard.doing) {
                        (false, Some(Doing::Calling { variant, .. })) => Ok(self.overrun(variant)),
                        (false, _) => Err(RunnerError::Workload(
                            "the workload did not finish in time: generate, check or assess hangs"
                                .into(),
                        )),
                        (true, _) => Ok(Ended::Stalled),
                    };
                }
            };
            match postcard::from_bytes(&frame) {
                Ok(Reply::About { doing, .. }) => heard.now(doing, &child),
                Ok(Reply::Failed {
                    variant,
                    calls,
                    error,
                }) => failed.push(Failed {
                    variant,
                    calls,
                    error,
                }),
                Ok(reply) => hear(reply),
                Err(error) => {
                    child.kill();
                    child.finish().await;
                    return Err(RunnerError::Silent(format!(
                        "it said something unreadable: {error}"
                    )));
                }
            }
        }
        let exit = child.finish().await;
        if !failed.is_empty() {
            return Ok(Ended::Failed(failed));
        }
        match (exit.cause, heard.doing) {
            (ExitCause::Exited(0), _) => Ok(Ended::Done),
            (_, Some(Doing::Calling { variant, .. })) => Ok(self.crashed(variant, &exit)),
            _ => Err(RunnerError::Silent(describe(&exit))),
        }
    }

    /// Returns the output of `start`; `None` if the budget ends first.
    async fn in_time<T>(&self, start: impl Future<Output = T>) -> Option<T> {
        match self.until {
            Some(until) => timeout_at(until, start).await.ok(),
            None => Some(start.await),
        }
    }

    fn patience(&self, doing: Option<Doing>) -> Duration {
        match doing {
            // Several calls make one sample only where each is far shorter than what it may take:
            // a sample that lasts longer has a call in it that does, or that never ends.
            Some(Doing::Calling { calls, .. }) => self.call_max.saturating_mul(calls.clamp(1, 2)),
            _ => self.workload_max,
        }
    }

    fn overrun(&self, variant: VariantIndex) -> Ended {
        Ended::Failed(vec![Failed {
            variant: Some(variant),
            calls: Vec::new(),
            error: GuestError {
                class: FailureClass::WallLimit,
                message: "ran longer than it may".into(),
                limit: Some(self.wall_limit.clone()),
            },
        }])
    }

    fn crashed(&self, variant: VariantIndex, exit: &Exit) -> Ended {
        let error = match exit.cause {
            ExitCause::MemoryWatchdog => GuestError {
                class: FailureClass::MemoryLimit,
                message: "made its process take more memory than it may".into(),
                limit: Some(format!(
                    "{} MiB for the whole process",
                    bounds::resident_bytes_max(self.guests_bytes) >> 20
                )),
            },
            _ => GuestError::new(FailureClass::RunnerCrashed, describe(exit)),
        };
        Ended::Failed(vec![Failed {
            variant: Some(variant),
            calls: Vec::new(),
            error,
        }])
    }
}

/// The last announcement of a runner.
struct Heard {
    doing: Option<Doing>,
    since: Instant,
    /// CPU time of the child, and the time at which it was read.
    cpu: Option<Duration>,
    read: Instant,
    /// How many times the announced step got its time again.
    extensions: u32,
}

impl Heard {
    fn new(child: &Child) -> Self {
        Self {
            doing: None,
            since: Instant::now(),
            cpu: cpu(child),
            read: Instant::now(),
            extensions: 0,
        }
    }

    fn now(&mut self, doing: Doing, child: &Child) {
        let since = Instant::now();
        // The child's CPU time is a file in /proc: read rarely, or listening would cost as much as
        // what is listened to. It only has to tell a stall of seconds from work of seconds.
        if since.duration_since(self.read) > CPU_READ_EVERY || self.doing.is_none() {
            self.cpu = cpu(child);
            self.read = since;
        }
        self.doing = Some(doing);
        self.since = since;
        self.extensions = 0;
    }

    /// Returns true if the child hardly ran since it announced a step that may take `patience`.
    fn is_stalled(&self, child: &Child, patience: Duration) -> bool {
        match (self.cpu, cpu(child)) {
            (Some(before), Some(after)) => {
                // What was read some time before the announcement may hold earlier work.
                let earlier = self.since.duration_since(self.read);
                let used = after.saturating_sub(before).saturating_sub(earlier);
                used < patience.mul_f64(STALLED_SHARE)
            }
            _ => false,
        }
    }
}

fn cpu(child: &Child) -> Option<Duration> {
    super::machine::process_cpu(child.pid()?)
}

fn describe(exit: &Exit) -> String {
    let how = match exit.cause {
        ExitCause::Exited(status) => format!("its process ended with status {status}"),
        ExitCause::Signalled(signal) => format!("its process died of signal {signal}"),
        other => format!("its process was stopped ({other:?})"),
    };
    let stderr = String::from_utf8_lossy(&exit.stderr);
    let last = stderr.lines().rev().find(|line| !line.trim().is_empty());
    last.map_or(how.clone(), |line| {
        format!("{how}: {}", line.chars().take(300).collect::<String>())
    })
}

#[cfg(test)]
mod tests;
