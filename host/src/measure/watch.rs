//! The parent's side of one runner process, from its first frame to its end.
//!
//! A runner announces each step in a page that it shares with the parent. The parent looks at the page
//! from time to time: a step that it has not seen before begins then, by its own clock. When a call
//! takes longer than it may, the process is killed and the announced variant fails, unless the process
//! hardly ran: then it gets more time, and if it does not run then either, the machine stalled, and no
//! variant fails.

use super::announcement::{Announcement, Doing};
use super::bounds;
use super::protocol::Reply;
use crate::confine::{Announced, Child, Confinement, Exit, ExitCause, SpawnError};
use crate::sandbox::GuestError;
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::VariantIndex;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// The share of its time that a late runner must have had as CPU time. With less than this it did
/// not run, because the machine stalled.
const STALLED_SHARE: f64 = 0.5;

/// How many times a call that hardly ran gets its time again. An endless loop on a busy machine is
/// recognised as soon as it had half of its time as CPU time.
const EXTENSIONS_MAX: u32 = 8;

/// The time between two looks at what a runner announces. A look wakes the parent, which takes the
/// core from somebody: on a small machine, from a runner. Bounds are of seconds, so that a step may
/// be seen a little late.
const LOOK_PERIOD: Duration = Duration::from_millis(50);

/// The inputs and time limits of one runner process.
pub(super) struct Watch<'a> {
    pub(super) confinement: &'a Confinement,
    /// The whole request.
    pub(super) message: &'a [u8],
    /// The core it is pinned to.
    pub(super) core: Option<usize>,
    /// The time that one call of a variant may take.
    pub(super) call_max: Duration,
    /// The time that each other step may take.
    pub(super) workload_max: Duration,
    /// The wall limit as the experiment file writes it.
    pub(super) wall_limit: String,
    /// The time in which a runner has to end after it closed its pipe.
    pub(super) exit_max: Duration,
    /// The variants that it may call.
    pub(super) participants: Vec<VariantIndex>,
    /// The number of cases.
    pub(super) cases: usize,
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
    /// The process died, and nothing that it said explains it. Whoever was running may have caused it,
    /// or somebody else.
    Died(Death),
    /// The machine stalled.
    Stalled,
    /// The budget ended, in the middle of this call if it was one.
    OutOfBudget(Option<LongCall>),
}

/// A call in whose middle a runner was ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LongCall {
    /// The variant that was called.
    pub(super) variant: VariantIndex,
    /// The time that the call had taken.
    pub(super) lasted: Duration,
}

/// The death of a runner.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Death {
    /// The last step that it announced, if it did.
    pub(super) doing: Option<Doing>,
    /// The cause, as an error of whoever caused it.
    pub(super) error: GuestError,
}

impl Death {
    /// Returns the variant that was running.
    pub(super) fn running(&self) -> Option<VariantIndex> {
        match self.doing {
            Some(Doing::Calling { variant, .. }) => Some(variant),
            Some(Doing::Workload) | None => None,
        }
    }
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
    /// The machine refused a runner what it needs.
    #[error("{0}")]
    Machine(String),
}

impl Watch<'_> {
    /// Starts the runner and reads its replies to the end. Replies other than failures are passed to
    /// `hear`.
    pub(super) async fn run(
        &self,
        hear: &mut (dyn FnMut(Reply) + Send),
    ) -> Result<Ended, RunnerError> {
        let parts = [self.message];
        let job = bounds::job(&parts, self.core, self.guests_bytes);
        let mut child = match self.in_time(self.confinement.spawn(job)).await {
            Some(Ok(child)) => child,
            Some(Err(SpawnError::Late { .. })) => return Ok(Ended::Stalled),
            Some(Err(error @ SpawnError::Fence { .. })) => {
                // It may have been killed before its fence was up.
                let error = GuestError::new(FailureClass::RunnerCrashed, error.to_string());
                return Ok(Ended::Died(Death { doing: None, error }));
            }
            Some(Err(error)) => return Err(error.into()),
            None => return Ok(Ended::OutOfBudget(None)),
        };
        let mut step = CurrentStep::new(&child);
        let mut failed = Vec::new();
        loop {
            match self.look(&mut step) {
                Ok(true) => step.begin(&child),
                Ok(false) => {}
                Err(what) => return Err(stop(child, &what).await),
            }
            let now = Instant::now();
            if self.until.is_some_and(|until| now >= until) {
                child.kill();
                child.finish().await;
                return Ok(Ended::OutOfBudget(step.long_call()));
            }
            let patience = self.patience(step.doing);
            let deadline = step.since + patience.saturating_mul(1 + step.extensions);
            if now >= deadline {
                let stalled = step.is_stalled(&child, patience);
                let is_call = matches!(step.doing, Some(Doing::Calling { .. }));
                if stalled && is_call && step.extensions < EXTENSIONS_MAX {
                    step.extensions += 1;
                    continue;
                }
                child.kill();
                child.finish().await;
                return self.late(stalled, step.doing);
            }
            let next_look = deadline.min(now + LOOK_PERIOD);
            let next_look = self.until.map_or(next_look, |until| until.min(next_look));
            let frame = match timeout_at(next_look, child.next_frame()).await {
                Ok(Ok(Some(frame))) => frame,
                Ok(Ok(None) | Err(_)) => break,
                Err(_) => continue,
            };
            match postcard::from_bytes(&frame) {
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
                    let what = format!("it said something unreadable: {error}");
                    return Err(stop(child, &what).await);
                }
            }
        }
        let Ok(exit) = timeout(self.exit_max, child.finish()).await else {
            let what = "it closed its end of the pipe and went on";
            return Err(RunnerError::Silent(what.into()));
        };
        // The last word is what it was about to do when it ended.
        self.look(&mut step).map_err(RunnerError::Silent)?;
        let refused = failed.iter().find(|one| one.error.class.is_machine_fault());
        if let Some(refused) = refused {
            return Err(RunnerError::Machine(refused.error.message.clone()));
        }
        if !failed.is_empty() {
            return Ok(Ended::Failed(failed));
        }
        match (exit.cause, step.doing) {
            (ExitCause::Exited(0), _) => Ok(Ended::Done),
            (_, doing) => Ok(Ended::Died(Death {
                doing,
                error: self.crash(&exit),
            })),
        }
    }

    /// Reads the page, and returns true if another step is announced there than before.
    ///
    /// # Errors
    /// The runner wrote what none of ours does.
    fn look(&self, step: &mut CurrentStep) -> Result<bool, String> {
        let word = step.announced.word();
        if word == step.word {
            return Ok(false);
        }
        let announcement = Announcement::from_word(word).map_err(|error| error.to_string())?;
        let announcement = announcement.ok_or("it took its last announcement back")?;
        if announcement.case >= self.cases {
            return Err("it announced a case that there is not".into());
        }
        if let Doing::Calling { variant, .. } = announcement.doing
            && !self.participants.contains(&variant)
        {
            return Err("it announced a variant that does not take part".into());
        }
        step.word = word;
        step.doing = Some(announcement.doing);
        Ok(true)
    }

    /// Returns the end of a runner whose step took longer than it may.
    fn late(&self, stalled: bool, doing: Option<Doing>) -> Result<Ended, RunnerError> {
        match (stalled, doing) {
            (false, Some(Doing::Calling { variant, .. })) => Ok(self.overrun(variant)),
            (false, _) => Err(RunnerError::Workload(
                "the workload did not finish in time: generate, check or assess hangs".into(),
            )),
            (true, _) => Ok(Ended::Stalled),
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

    fn crash(&self, exit: &Exit) -> GuestError {
        match exit.cause {
            ExitCause::MemoryWatchdog => GuestError {
                class: FailureClass::MemoryLimit,
                message: "made its process take more memory than it may".into(),
                limit: Some(format!(
                    "{} MiB for the whole process",
                    bounds::resident_bytes_max(self.guests_bytes) >> 20
                )),
            },
            _ => GuestError::new(FailureClass::RunnerCrashed, describe(exit)),
        }
    }
}

/// Kills a runner that broke the protocol, and returns the error.
async fn stop(mut child: Child, what: &str) -> RunnerError {
    child.kill();
    child.finish().await;
    RunnerError::Silent(what.to_owned())
}

/// The step that a runner announced last.
struct CurrentStep {
    announced: Announced,
    word: u64,
    doing: Option<Doing>,
    /// The time at which it was first seen. It began at most [`LOOK_PERIOD`] before.
    since: Instant,
    /// CPU time of the child at that time.
    cpu: Option<Duration>,
    /// How many times it got its time again.
    extensions: u32,
}

impl CurrentStep {
    fn new(child: &Child) -> Self {
        Self {
            announced: child.announced(),
            word: 0,
            doing: None,
            since: Instant::now(),
            cpu: cpu(child),
            extensions: 0,
        }
    }

    /// Counts the time of the step from now on.
    fn begin(&mut self, child: &Child) {
        self.since = Instant::now();
        self.cpu = cpu(child);
        self.extensions = 0;
    }

    /// Returns the call that it is, if it is one.
    fn long_call(&self) -> Option<LongCall> {
        match self.doing {
            Some(Doing::Calling { variant, .. }) => Some(LongCall {
                variant,
                lasted: self.since.elapsed(),
            }),
            Some(Doing::Workload) | None => None,
        }
    }

    /// Returns true if the child hardly ran during this step, which may take `patience`.
    fn is_stalled(&self, child: &Child, patience: Duration) -> bool {
        match (self.cpu, cpu(child)) {
            (Some(before), Some(after)) => {
                after.saturating_sub(before) < patience.mul_f64(STALLED_SHARE)
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
