//! Attempts at the tasks of a run or verification: each is work for a child process, here or on another machine.

use super::elsewhere::RemoteWorkers;
use bakeoff_compile::{BuildRequest, Builder, BuiltComponent, NotBuiltElsewhere};
use bakeoff_confine::tasks::{AttemptReport, Job, TaskClient, WorkerLink};
use bakeoff_domain::failure::Failure;
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::queue::{SeatId, Task, TaskKey};
use bakeoff_measure::{ReplicaAnswer, ReplicaJob, RunnerConfig, RunnerError};
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// Work for a child process: the content of a task.
pub(crate) trait ChildWork: fmt::Debug + Send + Sync + 'static {
    /// Answer to the work.
    type Answer: Send + 'static;

    /// Makes an attempt.
    fn attempt(
        &self,
        child: &ChildAttempt<'_>,
    ) -> impl Future<Output = Result<AttemptAnswer<Self::Answer>, Lost>> + Send;

    /// Returns the answer as bytes, which are the same on every machine; `None` for an answer that its machine may have caused,
    /// and for all work that is never done on another one.
    fn portable_answer(_answer: &Self::Answer) -> Option<Vec<u8>> {
        None
    }
}

/// Answer of an attempt.
#[derive(Debug)]
pub(super) enum AttemptAnswer<A> {
    /// The work is done, and what depends on it can begin.
    Done(A),
    /// The work failed, as it would again, and nothing that depends on it begins.
    Failed(A),
}

impl<A> AttemptAnswer<A> {
    fn map<B>(self, form: impl FnOnce(A) -> B) -> AttemptAnswer<B> {
        match self {
            Self::Done(answer) => AttemptAnswer::Done(form(answer)),
            Self::Failed(answer) => AttemptAnswer::Failed(form(answer)),
        }
    }
}

/// The reason why an attempt has no answer: its worker was lost.
#[derive(Debug)]
pub(super) struct Lost(String);

impl From<String> for Lost {
    fn from(reason: String) -> Self {
        Self(reason)
    }
}

/// Returns the end of a runner as an answer, unless its worker was lost.
pub(crate) fn of_runner<T>(
    ended: Result<T, RunnerError>,
) -> Result<AttemptAnswer<Result<T, RunnerError>>, Lost> {
    match ended {
        Err(RunnerError::WorkerLost(reason)) => Err(Lost(reason)),
        ended => Ok(AttemptAnswer::Done(ended)),
    }
}

/// An attempt at a task, with the links to its workers.
pub(crate) struct ChildAttempt<'c> {
    client: &'c ChildClient,
    /// The core of the task.
    pub(crate) core: Option<usize>,
    /// The worker of builds.
    pub(crate) builder_link: WorkerLink,
    /// The configuration of runners.
    pub(crate) config: RunnerConfig,
    /// The seat and the name of its machine, if that is another one than that of the run.
    elsewhere: Option<(SeatId, String)>,
    /// The link to the worker of builds there.
    far_builder: Option<WorkerLink>,
    /// The reason that the worker there gave for doing nothing, or that nothing came of it. What it could not finish within its
    /// limits, or build, is an answer.
    not_done: OnceLock<String>,
    report: AttemptReport<AnyAnswer>,
}

impl ChildAttempt<'_> {
    /// Returns the builder.
    pub(crate) fn builder(&self) -> &Builder {
        &self.client.builder
    }

    /// Returns the configuration of runners with another seed.
    pub(crate) fn config_with(&self, seed: RunSeed) -> RunnerConfig {
        RunnerConfig {
            seed,
            ..self.config.clone()
        }
    }

    /// Returns true if the attempt is made on another machine.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.elsewhere.is_some()
    }

    /// Returns the end of a runner as an answer, unless its worker was lost. Where that is another machine, whatever could end
    /// the run, and what `is_doubtful` says may be due to that machine, counts for nothing: it is done once more here.
    pub(crate) fn of_runner<T>(
        &self,
        ended: Result<T, RunnerError>,
        is_doubtful: impl FnOnce(&T) -> bool,
    ) -> Result<AttemptAnswer<Result<T, RunnerError>>, Lost> {
        let Some((_, name)) = &self.elsewhere else {
            return of_runner(ended);
        };
        match ended {
            Err(RunnerError::WorkerLost(reason)) => {
                let _ = self.not_done.set(reason.clone());
                Err(Lost(reason))
            }
            Err(error) => Err(Lost(format!("worker {name}: {error}"))),
            Ok(answer) if is_doubtful(&answer) => Err(Lost(format!(
                "worker {name}: it failed there by a limit of time or memory"
            ))),
            Ok(answer) => Ok(AttemptAnswer::Done(Ok(answer))),
        }
    }

    /// Builds a component of a source on the machine of the attempt. What failed on another one is built once more here, and what
    /// no honest machine answers is refused, and the machine named.
    pub(crate) async fn build(
        &self,
        request: &BuildRequest,
    ) -> Result<Result<Arc<BuiltComponent>, Failure>, Lost> {
        let builder = self.builder();
        let (Some((seat, name)), Some(far)) = (&self.elsewhere, &self.far_builder) else {
            return Ok(builder.build_by(&self.builder_link, request).await?);
        };
        let links = (far, &self.builder_link);
        let built = builder.build_elsewhere(links, request).await;
        let why = match built {
            Ok(built) => return Ok(Ok(built)),
            Err(NotBuiltElsewhere::Lost(why)) => why,
            Err(NotBuiltElsewhere::FalseAnswer(why)) => {
                if let Some(workers) = &self.client.workers {
                    workers.strike_off(*seat, &why);
                }
                why
            }
        };
        Err(Lost(format!("worker {name}: {why}")))
    }

    /// Compares an answer of this machine with that of another one that is held back for it.
    fn compare(&self, work: &AnyWork, answer: &AnyAnswer) {
        if let (Some(workers), None) = (&self.client.workers, &self.elsewhere) {
            let task = &self.report.attempt().key;
            workers.compare(task, || work.0.portable_answer(answer));
        }
    }

    /// Returns true if an answer of another machine does not count before it is found here, too. One of this machine is compared
    /// with that of the other.
    fn is_held_back(&self, work: &AnyWork, answer: &AnyAnswer) -> bool {
        let Some(workers) = &self.client.workers else {
            return false;
        };
        let Some((seat, _)) = self.elsewhere else {
            self.compare(work, answer);
            return false;
        };
        let task = &self.report.attempt().key;
        let portable = work.0.portable_answer(answer);
        portable.is_some_and(|bytes| workers.holds_back(seat, task, &bytes))
    }

    /// Keeps the component that this task built, for those that depend on it.
    pub(crate) fn keep_built(&self, component: &Arc<BuiltComponent>) {
        let mut built = self.client.components();
        let key = self.report.attempt().key.clone();
        built.insert(key, Arc::clone(component));
    }

    /// Returns the component of a task that built one.
    ///
    /// # Errors
    /// It has none.
    pub(crate) fn built(&self, build: &TaskKey) -> Result<Arc<BuiltComponent>, Lost> {
        let found = self.client.components().get(build).cloned();
        found.ok_or_else(|| Lost(format!("{build} has no component")))
    }

    /// Reports the number of steps that are done.
    pub(crate) fn progress(&self, steps: usize) {
        self.report.progress(steps);
    }
}

impl ChildWork for ReplicaJob {
    type Answer = ReplicaAnswer;

    async fn attempt(
        &self,
        child: &ChildAttempt<'_>,
    ) -> Result<AttemptAnswer<ReplicaAnswer>, Lost> {
        let answer = self.clone().answer(child.core, &child.report).await?;
        Ok(AttemptAnswer::Done(answer))
    }
}

/// Work of any kind.
#[derive(Clone, Debug)]
pub(crate) struct AnyWork(Arc<dyn DynWork>);

impl AnyWork {
    pub(super) fn new(work: impl ChildWork) -> Self {
        Self(Arc::new(work))
    }
}

impl From<ReplicaJob> for AnyWork {
    fn from(job: ReplicaJob) -> Self {
        Self::new(job)
    }
}

type Attempting<'a> =
    Pin<Box<dyn Future<Output = Result<AttemptAnswer<AnyAnswer>, Lost>> + Send + 'a>>;

/// [`ChildWork`] without the type of its answer.
trait DynWork: fmt::Debug + Send + Sync {
    fn attempt<'a>(&'a self, child: &'a ChildAttempt<'_>) -> Attempting<'a>;

    fn portable_answer(&self, answer: &AnyAnswer) -> Option<Vec<u8>>;
}

impl<W: ChildWork> DynWork for W {
    fn attempt<'a>(&'a self, child: &'a ChildAttempt<'_>) -> Attempting<'a> {
        Box::pin(async move {
            let answered = ChildWork::attempt(self, child).await?;
            Ok(answered.map(|answer| AnyAnswer(Box::new(answer))))
        })
    }

    fn portable_answer(&self, answer: &AnyAnswer) -> Option<Vec<u8>> {
        <W as ChildWork>::portable_answer(answer.0.downcast_ref()?)
    }
}

/// Answer of any type, which the ticket of its task opens.
pub(crate) struct AnyAnswer(Box<dyn Any + Send>);

impl fmt::Debug for AnyAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnyAnswer")
    }
}

impl AnyAnswer {
    /// Opens the answer. Its type is that of the work, of which the ticket of its task is made.
    pub(super) fn opened<A: 'static>(self) -> A {
        let answer = self.0.downcast::<A>();
        *answer.expect("a ticket has the type of its task's answer")
    }
}

impl TryFrom<AnyAnswer> for ReplicaAnswer {
    type Error = AnyAnswer;

    /// # Errors
    /// The answer is that of another task.
    fn try_from(AnyAnswer(answer): AnyAnswer) -> Result<Self, AnyAnswer> {
        answer.downcast().map(|answer| *answer).map_err(AnyAnswer)
    }
}

/// The client of a run or verification: it makes the attempts.
#[derive(Debug)]
pub(crate) struct ChildClient {
    builder: Arc<Builder>,
    config: RunnerConfig,
    /// Workers on other machines, if there may be any.
    workers: Option<Arc<RemoteWorkers>>,
    /// Components that were built, by the key of their task.
    built: Mutex<BTreeMap<TaskKey, Arc<BuiltComponent>>>,
}

impl ChildClient {
    /// Returns a client that has built nothing yet.
    pub(super) fn new(
        builder: &Arc<Builder>,
        config: &RunnerConfig,
        workers: Option<&Arc<RemoteWorkers>>,
    ) -> Self {
        Self {
            builder: Arc::clone(builder),
            config: config.clone(),
            workers: workers.cloned(),
            built: Mutex::default(),
        }
    }

    fn components(&self) -> MutexGuard<'_, BTreeMap<TaskKey, Arc<BuiltComponent>>> {
        self.built.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The longest time of an attempt on another machine: whatever its worker says, it is done here then.
const ELSEWHERE_MAX: Duration = Duration::from_secs(300);

/// An attempt on another machine, whose end is counted for that machine also where its lease runs out.
struct AttemptOnSeat<'a> {
    workers: Option<&'a RemoteWorkers>,
    seat: SeatId,
    began: Instant,
}

impl<'a> AttemptOnSeat<'a> {
    fn begin(workers: Option<&'a RemoteWorkers>, seat: SeatId) -> Self {
        Self {
            workers,
            seat,
            began: Instant::now(),
        }
    }

    fn ended(mut self, not_done: Option<&String>) {
        if let Some(workers) = self.workers.take() {
            match not_done {
                None => workers.did(self.seat),
                Some(reason) => workers.lost(self.seat, reason),
            }
        }
    }
}

impl Drop for AttemptOnSeat<'_> {
    fn drop(&mut self) {
        // Whoever gives a run up drops its attempts as well.
        if let Some(workers) = self.workers.take()
            && self.began.elapsed() >= Task::LEASE
        {
            workers.lost(self.seat, "its worker said nothing for too long");
        }
    }
}

impl TaskClient for ChildClient {
    type Task = AnyWork;
    type Answer = AnyAnswer;

    async fn attempt(&self, job: Job<AnyWork>, report: AttemptReport<AnyAnswer>) {
        let mut config = self.config.clone();
        let (mut elsewhere, mut far_builder) = (None, None);
        if let (Some(seat), Some(workers)) = (job.seat, &self.workers)
            && let Some(link) = workers.link(seat)
        {
            config.worker = link;
            elsewhere = Some((seat, workers.name(seat)));
            far_builder = workers.build_link(seat);
        }
        let child = ChildAttempt {
            client: self,
            core: job.core,
            builder_link: self.builder.worker().for_attempt(&report),
            config: config.for_attempt(&report),
            elsewhere,
            far_builder: far_builder.map(|link| link.for_attempt(&report)),
            not_done: OnceLock::new(),
            report,
        };
        let ended = match &child.elsewhere {
            None => job.task.0.attempt(&child).await,
            Some((seat, _)) => {
                let on_seat = AttemptOnSeat::begin(self.workers.as_deref(), *seat);
                let attempt = timeout(ELSEWHERE_MAX, job.task.0.attempt(&child)).await;
                let ended = attempt.unwrap_or_else(|_| {
                    let late = format!("it took more than {} s there", ELSEWHERE_MAX.as_secs());
                    let _ = child.not_done.set(late.clone());
                    Err(Lost(late))
                });
                on_seat.ended(child.not_done.get());
                ended
            }
        };
        match ended {
            Ok(AttemptAnswer::Done(answer)) if child.is_held_back(&job.task, &answer) => {
                child.report.unconfirmed();
            }
            Ok(AttemptAnswer::Done(answer)) => child.report.done(answer),
            Ok(AttemptAnswer::Failed(answer)) => {
                child.compare(&job.task, &answer);
                child.report.failed(answer);
            }
            Err(Lost(reason)) => child.report.lost(reason),
        }
    }
}
