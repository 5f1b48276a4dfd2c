//! A worker's side of one runner process, from its first frame to its end.
//!
//! A runner announces each step in a page that it shares with the parent. The parent looks at the page
//! from time to time: a step that it has not seen before begins then, by its own clock. When a call
//! takes longer than it may, the process is killed and the announced variant fails, unless the process
//! hardly ran: then it gets more time, and if it does not run then either, the machine stalled, and no
//! variant fails.

use super::bounds;
use super::machine::{child_cpu, process_cpu};
use super::program_hosts::ProgramHosts;
use super::runner_end::{Death, LongCall, RunnerBounds, RunnerEnd, RunnerExit};
use super::spending::Spending;
use bakeoff_confine::{Announced, Child, Confinement, Exit, ExitCause, SpawnError};
use bakeoff_domain::failure::FailureClass;
use bakeoff_domain::measurement::{CaseIndex, VariantIndex};
use bakeoff_runner::GuestFailure;
use bakeoff_runner::announcement::{Announcement, Doing};
use bakeoff_sandbox::GuestError;
use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// The share of its time that a late runner must have had as CPU time. With less than this it did
/// not run, because the machine stalled.
const STALLED_SHARE: f64 = 0.5;

/// The most times that a call which hardly ran gets its time again. An endless loop on a busy machine is recognised as
/// soon as it had half of its time as CPU time.
const EXTENSIONS_MAX: u32 = 8;

/// The time between two looks at a runner's announcement. A look wakes the parent, which takes a core: on a small
/// machine, from a runner. Bounds are of seconds, so that a step may be seen a little late.
const LOOK_PERIOD: Duration = Duration::from_millis(50);

/// One runner process, with its request and bounds.
pub(super) struct Watch<'a> {
    pub(super) confinement: &'a Confinement,
    /// The whole request.
    pub(super) message: &'a [u8],
    /// The core to which the runner is pinned.
    pub(super) core: Option<usize>,
    /// The runner's bounds.
    pub(super) bounds: RunnerBounds,
    /// The time at which the budget ends, if it does.
    until: Option<Instant>,
}

impl<'a> Watch<'a> {
    /// Returns a watch whose budget begins now.
    pub(super) fn new(
        confinement: &'a Confinement,
        message: &'a [u8],
        core: Option<usize>,
        bounds: RunnerBounds,
    ) -> Self {
        Self {
            confinement,
            message,
            core,
            until: bounds.left.map(|left| Instant::now() + left),
            bounds,
        }
    }

    /// Starts the runner and passes its frames on until it ends. They are not interpreted here: they come from a
    /// process in which guests run.
    pub(super) async fn run(&self, pass_on: &mut (dyn FnMut(Vec<u8>) + Send)) -> RunnerEnd {
        let programs = &self.bounds.programs;
        let hosts = ProgramHosts::start(self.confinement, programs, self.core);
        let (hosts, sockets) = match self.in_time(hosts).await {
            Some(Ok(started)) => started,
            Some(Err(why)) => return RunnerEnd::NotStarted(why),
            None => return RunnerExit::OutOfBudget(None).into(),
        };
        let end = self.run_beside(sockets, pass_on).await;
        match hosts.end().await {
            Some(explained) => explained.into(),
            None => end,
        }
    }

    /// Does the same beside hosts of programs that were started.
    async fn run_beside(
        &self,
        sockets: Vec<Arc<OwnedFd>>,
        pass_on: &mut (dyn FnMut(Vec<u8>) + Send),
    ) -> RunnerEnd {
        let parts = [self.message];
        let mut job = bounds::job(&parts, self.core, self.bounds.guests_bytes);
        job.sockets = sockets;
        let mut child = match self.in_time(self.confinement.spawn(job)).await {
            Some(Ok(child)) => child,
            Some(Err(SpawnError::Late { .. })) => return RunnerExit::Stalled.into(),
            Some(Err(error @ SpawnError::Fence { .. })) => {
                // It may have been killed before its fence was up.
                let error = GuestError::new(FailureClass::RunnerCrashed, error.to_string());
                return RunnerExit::Died(Death { doing: None, error }).into();
            }
            Some(Err(error)) => return RunnerEnd::NotStarted(error.to_string()),
            None => return RunnerExit::OutOfBudget(None).into(),
        };
        let mut step = CurrentStep::new(&child);
        let mut spending = Spending::new(&self.bounds.shares, &child);
        loop {
            if let Some(variant) = spending.look(
                step.doing.filter(|_| !step.is_start),
                step.is_of_program,
                &child,
            ) {
                child.kill();
                child.finish().await;
                return RunnerExit::Overspent(variant).into();
            }
            match self.look(&mut step) {
                Ok(true) => step.begin(&child),
                Ok(false) => {}
                Err(what) => {
                    child.kill();
                    child.finish().await;
                    return RunnerEnd::Broke(what);
                }
            }
            let now = Instant::now();
            if self.until.is_some_and(|until| now >= until) {
                let call = step.long_call(&child);
                child.kill();
                child.finish().await;
                return RunnerExit::OutOfBudget(call).into();
            }
            let (patience, overruns) = self.patience(step.doing, step.is_start);
            let deadline = step.since + patience.saturating_mul(1 + step.extensions);
            if now >= deadline {
                let stalled = step.is_stalled(&child, patience);
                let is_call = matches!(step.doing, Some(Doing::Calling { .. }));
                if stalled && is_call && step.extensions < EXTENSIONS_MAX {
                    step.extensions += 1;
                    continue;
                }
                let call = step.long_call(&child);
                child.kill();
                child.finish().await;
                if let Some(call) = call.filter(|_| overruns && !stalled) {
                    return RunnerExit::Overran(call).into();
                }
                return self.late(stalled, step.doing);
            }
            let next_look = deadline.min(now + LOOK_PERIOD);
            let next_look = self.until.map_or(next_look, |until| until.min(next_look));
            match timeout_at(next_look, child.next_frame()).await {
                Ok(Ok(Some(frame))) => pass_on(frame),
                Ok(Ok(None) | Err(_)) => break,
                Err(_) => {}
            }
        }
        let pid = child.pid();
        let cpu = || process_cpu(pid?);
        let closed = cpu();
        let mut finish = pin!(child.finish());
        let Ok(exit) = timeout(self.bounds.exit_max, &mut finish).await else {
            let ran = closed.zip(cpu());
            let ran = ran.map(|(closed, now)| now.saturating_sub(closed));
            if ran.is_some_and(|ran| hardly_ran(ran, self.bounds.exit_max)) {
                return RunnerExit::Stalled.into();
            }
            return RunnerEnd::Broke("it closed its end of the pipe and went on".to_owned());
        };
        // The last word is what it was about to do when it ended.
        if let Err(what) = self.look(&mut step) {
            return RunnerEnd::Broke(what);
        }
        match (exit.cause, step.doing) {
            (ExitCause::Exited(0), _) => RunnerExit::Done.into(),
            (_, doing) => {
                let error = self.crash(&exit);
                RunnerExit::Died(Death { doing, error }).into()
            }
        }
    }

    /// Reads the page, and returns true if it announces another step than before.
    ///
    /// # Errors
    /// The word is none that our runners write.
    fn look(&self, step: &mut CurrentStep) -> Result<bool, String> {
        let word = step.announced.word();
        if word == step.word {
            return Ok(false);
        }
        let announcement = Announcement::from_word(word).map_err(|error| error.to_string())?;
        let announcement = announcement.ok_or("it took its last announcement back")?;
        if announcement.case >= self.bounds.cases {
            return Err("it announced a case that there is not".into());
        }
        if let Doing::Calling { variant, .. } = announcement.doing
            && !self.bounds.participants.contains(&variant)
        {
            return Err("it announced a variant that does not take part".into());
        }
        step.word = word;
        let program = announcement.doing.variant();
        let program = program.filter(|variant| self.is_program(*variant));
        step.is_of_program = program.is_some();
        step.is_start = program.is_some_and(|program| step.started.insert(program));
        step.case = announcement.case;
        step.doing = Some(announcement.doing);
        Ok(true)
    }

    /// Returns true if the variant is a program, whose CPU time is not that of the runner.
    fn is_program(&self, variant: VariantIndex) -> bool {
        let mut programs = self.bounds.programs.iter();
        programs.any(|program| program.variant == variant)
    }

    /// Returns the end of a runner whose step took longer than it may.
    fn late(&self, stalled: bool, doing: Option<Doing>) -> RunnerEnd {
        match (stalled, doing) {
            (false, Some(Doing::Calling { variant, .. })) => self.overrun(variant).into(),
            (false, _) => RunnerEnd::WorkloadHangs,
            (true, _) => RunnerExit::Stalled.into(),
        }
    }

    /// Returns the output of `start`; `None` if the budget ends first.
    async fn in_time<T>(&self, start: impl Future<Output = T>) -> Option<T> {
        match self.until {
            Some(until) => timeout_at(until, start).await.ok(),
            None => Some(start.await),
        }
    }

    /// Returns the time that a step may take, and true if that is the limit by prediction, which is lower than that of
    /// its calls. No prediction holds for the start of a program.
    fn patience(&self, doing: Option<Doing>, is_start: bool) -> (Duration, bool) {
        let Some(Doing::Calling { variant, calls }) = doing else {
            return (self.bounds.workload_max, false);
        };
        // Several calls make one sample only where each is far shorter than what it may take:
        // a sample that lasts longer has a call in it that does, or that never ends.
        let most = self.bounds.call_max.saturating_mul(calls.clamp(1, 2));
        let mut overrun = self.bounds.overrun.iter();
        match overrun.find(|(own, _)| *own == variant) {
            Some((_, overrun)) if *overrun < most && !is_start => (*overrun, true),
            _ => (most, false),
        }
    }

    fn overrun(&self, variant: VariantIndex) -> RunnerExit {
        RunnerExit::Failed(vec![GuestFailure {
            variant: Some(variant),
            calls: Vec::new(),
            error: GuestError {
                class: FailureClass::WallLimit,
                message: if self.is_program(variant) {
                    "did not answer in time: it ran longer than it may, or its answer was not flushed".into()
                } else {
                    "ran longer than it may".into()
                },
                limit: Some(self.bounds.wall_limit.clone()),
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
                    bounds::resident_bytes_max(self.bounds.guests_bytes) >> 20
                )),
            },
            _ => GuestError::new(FailureClass::RunnerCrashed, describe(exit)),
        }
    }
}

/// The step that a runner announced last.
struct CurrentStep {
    announced: Announced,
    word: u64,
    case: CaseIndex,
    doing: Option<Doing>,
    /// The time at which the step was first seen. It began at most [`LOOK_PERIOD`] before.
    since: Instant,
    /// CPU time of the child at that time.
    cpu: Option<Duration>,
    /// True if the step calls a program: while it works, or sleeps, the child waits.
    is_of_program: bool,
    /// True if it is the first call of that program, which has its start-up.
    is_start: bool,
    /// The programs that were called.
    started: BTreeSet<VariantIndex>,
    /// Number of times that the step got its time again.
    extensions: u32,
}

impl CurrentStep {
    fn new(child: &Child) -> Self {
        Self {
            announced: child.announced(),
            word: 0,
            case: 0,
            doing: None,
            since: Instant::now(),
            cpu: child_cpu(child),
            is_of_program: false,
            is_start: false,
            started: BTreeSet::new(),
            extensions: 0,
        }
    }

    /// Counts the time of the step from now on.
    fn begin(&mut self, child: &Child) {
        self.since = Instant::now();
        self.cpu = child_cpu(child);
        self.extensions = 0;
    }

    /// Returns the call in progress, with its time so far; `None` if the step is none.
    fn long_call(&self, child: &Child) -> Option<LongCall> {
        let Some(Doing::Calling { variant, calls }) = self.doing else {
            return None;
        };
        let lasted = self.since.elapsed();
        Some(LongCall {
            variant,
            case: self.case,
            calls,
            lasted,
            ran: self.ran(child).map_or(lasted, |ran| ran.min(lasted)),
        })
    }

    /// Returns the CPU time that the child took during this step, if the system tells, and it is the child that works.
    fn ran(&self, child: &Child) -> Option<Duration> {
        if self.is_of_program {
            return None;
        }
        Some(child_cpu(child)?.saturating_sub(self.cpu?))
    }

    /// Returns true if the child hardly ran during this step, which may take `patience`.
    fn is_stalled(&self, child: &Child, patience: Duration) -> bool {
        self.ran(child).is_some_and(|ran| hardly_ran(ran, patience))
    }
}

/// Returns true if a process that had this CPU time within its patience did not run, because the machine stalled.
fn hardly_ran(ran: Duration, patience: Duration) -> bool {
    ran < patience.mul_f64(STALLED_SHARE)
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
