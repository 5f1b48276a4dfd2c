//! The tasks of a run or verification: each is work for a child process, in one queue, and its answer has a type.

use super::error::RunError;
use bakeoff_compile::{Builder, BuiltComponent};
use bakeoff_confine::tasks::{AttemptReport, Driver, Job, TaskClient, TaskEvent, WorkerLink};
use bakeoff_domain::plan::RunSeed;
use bakeoff_domain::queue::{
    Capacity, Counts, Cpu, Dependency, Load, Needs, Retries, Task, TaskKey, WaitsFor,
};
use bakeoff_measure::{ReplicaAnswer, ReplicaJob, RunnerConfig, RunnerError};
use bakeoff_store::Key;
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Retries of an attempt whose worker was lost. The death of a child is not retried: it is the result of the task.
const RETRIES: Retries = Retries {
    attempts_max: 3,
    first_wait: Duration::from_millis(200),
    wait_max: Duration::from_secs(5),
};

/// Memory of a task that takes a core, in bytes: the use of a build or check of ordinary size. No more run at once than
/// there is memory for; the fences bound the use of each.
const MEMORY_BYTES: u64 = 512 << 20;

/// Expected duration of tasks in milliseconds, by kind, until some were measured: the order of magnitude of small ones.
const EXPECTED_MS: [(&str, u64); 5] = [
    ("build", 500),
    ("check", 1_000),
    ("assess", 1_000),
    ("evaluate", 500),
    ("diagnose", 700),
];

/// Work for a child process: the content of a task.
pub(crate) trait ChildWork: fmt::Debug + Send + Sync + 'static {
    /// Answer to the work.
    type Answer: Send + 'static;

    /// Makes an attempt.
    fn attempt(
        &self,
        child: &ChildAttempt<'_>,
    ) -> impl Future<Output = Result<Answered<Self::Answer>, Lost>> + Send;
}

/// Answer of an attempt.
#[derive(Debug)]
pub(super) enum Answered<A> {
    /// The work is done, and what depends on it can begin.
    Done(A),
    /// The work failed, as it would again, and nothing that depends on it begins.
    Failed(A),
}

impl<A> Answered<A> {
    fn map<B>(self, form: impl FnOnce(A) -> B) -> Answered<B> {
        match self {
            Self::Done(answer) => Answered::Done(form(answer)),
            Self::Failed(answer) => Answered::Failed(form(answer)),
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
) -> Result<Answered<Result<T, RunnerError>>, Lost> {
    match ended {
        Err(RunnerError::WorkerLost(reason)) => Err(Lost(reason)),
        ended => Ok(Answered::Done(ended)),
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

    async fn attempt(&self, child: &ChildAttempt<'_>) -> Result<Answered<ReplicaAnswer>, Lost> {
        let answer = self.clone().answer(child.core, &child.report).await?;
        Ok(Answered::Done(answer))
    }
}

/// Work of any kind.
#[derive(Clone, Debug)]
pub(crate) struct AnyWork(Arc<dyn DynWork>);

impl From<ReplicaJob> for AnyWork {
    fn from(job: ReplicaJob) -> Self {
        Self(Arc::new(job))
    }
}

type Attempting<'a> = Pin<Box<dyn Future<Output = Result<Answered<AnyAnswer>, Lost>> + Send + 'a>>;

/// [`ChildWork`] without the type of its answer.
trait DynWork: fmt::Debug + Send + Sync {
    fn attempt<'a>(&'a self, child: &'a ChildAttempt<'_>) -> Attempting<'a>;
}

impl<W: ChildWork> DynWork for W {
    fn attempt<'a>(&'a self, child: &'a ChildAttempt<'_>) -> Attempting<'a> {
        Box::pin(async move {
            let answered = ChildWork::attempt(self, child).await?;
            Ok(answered.map(|answer| AnyAnswer(Box::new(answer))))
        })
    }
}

/// Answer of any type, which the [ticket](Ticket) of its task opens.
pub(crate) struct AnyAnswer(Box<dyn Any + Send>);

impl fmt::Debug for AnyAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AnyAnswer")
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

/// The right to the answer of a task.
#[derive(Debug)]
pub(crate) struct Ticket<A> {
    key: TaskKey,
    answer: PhantomData<fn() -> A>,
}

/// Tasks of one kind whose answers are waited for, each with what it is about.
#[derive(Debug)]
pub(crate) struct OpenTasks<K, A> {
    about: BTreeMap<TaskKey, K>,
    answer: PhantomData<fn() -> A>,
}

impl<K, A> Default for OpenTasks<K, A> {
    fn default() -> Self {
        Self {
            about: BTreeMap::new(),
            answer: PhantomData,
        }
    }
}

impl<K, A: 'static> OpenTasks<K, A> {
    /// Adds a task.
    pub(crate) fn insert(&mut self, ticket: Ticket<A>, about: K) {
        self.about.insert(ticket.key, about);
    }

    /// Returns what a task is about, if it is one of these.
    pub(crate) fn get(&self, key: &TaskKey) -> Option<&K> {
        self.about.get(key)
    }

    /// Gives up the answer of a task.
    pub(crate) fn remove(&mut self, key: &TaskKey) {
        self.about.remove(key);
    }

    /// Returns true if no task is open.
    pub(crate) fn is_empty(&self) -> bool {
        self.about.is_empty()
    }

    /// Returns the answer of a task with what it is about.
    ///
    /// # Errors
    /// The task is none of these.
    pub(crate) fn take(&mut self, ended: EndedTask) -> Result<(K, A), EndedTask> {
        let EndedTask { key, answer } = ended;
        let Some(about) = self.about.remove(&key) else {
            return Err(EndedTask { key, answer });
        };
        Ok((about, opened(answer)))
    }
}

/// A task that ended, with its answer.
#[derive(Debug)]
pub(crate) struct EndedTask {
    /// The task.
    pub(crate) key: TaskKey,
    answer: AnyAnswer,
}

impl EndedTask {
    pub(super) fn new(key: TaskKey, answer: AnyAnswer) -> Self {
        Self { key, answer }
    }
}

/// Opens an answer. Its type is that of the work, of which a key's ticket is made.
fn opened<A: 'static>(AnyAnswer(answer): AnyAnswer) -> A {
    let answer = answer.downcast::<A>();
    *answer.expect("a ticket has the type of its task's answer")
}

/// The client of a run or verification: it makes the attempts.
#[derive(Debug)]
pub(crate) struct ChildClient {
    builder: Arc<Builder>,
    config: RunnerConfig,
    /// Components that were built, by the key of their task.
    built: Mutex<BTreeMap<TaskKey, Arc<BuiltComponent>>>,
}

impl ChildClient {
    fn components(&self) -> std::sync::MutexGuard<'_, BTreeMap<TaskKey, Arc<BuiltComponent>>> {
        self.built.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TaskClient for ChildClient {
    type Task = AnyWork;
    type Answer = AnyAnswer;

    async fn attempt(&self, job: Job<AnyWork>, report: AttemptReport<AnyAnswer>) {
        let child = ChildAttempt {
            client: self,
            core: job.core,
            builder_link: self.builder.worker().for_attempt(&report),
            config: self.config.for_attempt(&report),
            report,
        };
        let ended = job.task.0.attempt(&child).await;
        match ended {
            Ok(Answered::Done(answer)) => child.report.done(answer),
            Ok(Answered::Failed(answer)) => child.report.failed(answer),
            Err(Lost(reason)) => child.report.lost(reason),
        }
    }
}

/// The queue of a run or verification.
pub(crate) struct ChildTasks {
    driver: Driver<ChildClient>,
}

impl ChildTasks {
    /// Returns a queue without tasks for these cores.
    pub(crate) fn new(builder: &Arc<Builder>, config: &RunnerConfig, cores: &[usize]) -> Self {
        let client = ChildClient {
            builder: Arc::clone(builder),
            config: config.clone(),
            built: Mutex::default(),
        };
        let memory_bytes = bakeoff_measure::available_bytes();
        let capacity = Capacity {
            memory_bytes,
            ..Capacity::of_cores(cores.iter().rev().copied())
        };
        let mut driver = Driver::new(capacity, Arc::new(client));
        for (kind, milliseconds) in EXPECTED_MS {
            driver.expect(kind, Duration::from_millis(milliseconds));
        }
        Self { driver }
    }

    /// Adds a task, and returns the ticket for its answer.
    ///
    /// # Errors
    /// The queue does not accept it: a bug of bakeoff.
    pub(crate) fn add<W: ChildWork>(
        &mut self,
        task: Task,
        work: W,
    ) -> Result<Ticket<W::Answer>, RunError> {
        let key = task.key.clone();
        self.driver
            .add(task, AnyWork(Arc::new(work)))
            .map_err(RunError::wrong_task)?;
        Ok(Ticket {
            key,
            answer: PhantomData,
        })
    }

    /// Adds a task, and waits for its answer while all others go on. `None` if every attempt was lost.
    ///
    /// # Errors
    /// The queue does not accept it: a bug of bakeoff.
    pub(crate) async fn call<W: ChildWork>(
        &mut self,
        task: Task,
        work: W,
    ) -> Result<Option<W::Answer>, RunError> {
        let ticket = self.add(task, work)?;
        let answer = self.driver.answer(&ticket.key).await;
        Ok(answer.map(opened))
    }

    /// Waits for the next task that ends, and returns its answer; `None` once every task has ended.
    ///
    /// # Errors
    /// Every attempt at a task was lost.
    pub(crate) async fn next_ended(&mut self) -> Result<Option<EndedTask>, RunError> {
        while let Some(event) = self.driver.next().await {
            match event {
                TaskEvent::Ended(key, answer) => return Ok(Some(EndedTask { key, answer })),
                TaskEvent::DeadLetter(key, reason) => {
                    return Err(RunError::dead_letter(&key, &reason));
                }
                TaskEvent::Starting(_) | TaskEvent::Progress(..) | TaskEvent::Retry(..) => {}
            }
        }
        Ok(None)
    }

    /// Waits for the next of these tasks that ends, and returns its answer with what it is about; `None` once every task
    /// has ended.
    ///
    /// # Errors
    /// Every attempt at a task was lost.
    pub(crate) async fn next_of<K, A: 'static>(
        &mut self,
        open: &mut OpenTasks<K, A>,
    ) -> Result<Option<(K, A)>, RunError> {
        while let Some(ended) = self.next_ended().await? {
            if let Ok(of_these) = open.take(ended) {
                return Ok(Some(of_these));
            }
        }
        Ok(None)
    }

    /// Waits for the next event of any task; `None` once every task has ended.
    pub(crate) async fn next_event(&mut self) -> Option<TaskEvent<AnyAnswer>> {
        self.driver.next().await
    }

    /// Ends a task whose result is known from an earlier time, as done.
    pub(crate) fn keep(&mut self, key: &TaskKey) {
        self.driver.keep(key);
    }

    /// Returns the numbers of tasks by state.
    pub(crate) fn counts(&self) -> Counts {
        self.driver.counts()
    }

    /// Returns the first of the tasks that wait, each with what it waits for.
    pub(crate) fn waiting(&self, most: usize) -> Vec<(TaskKey, WaitsFor)> {
        self.driver.waiting(most)
    }

    /// Returns the work that was done on each core.
    pub(crate) fn loads(&self) -> &BTreeMap<Option<usize>, Load> {
        self.driver.loads()
    }

    /// Returns the work that was done on each kind of task.
    pub(crate) fn kinds(&self) -> &BTreeMap<&'static str, Load> {
        self.driver.kinds()
    }

    /// Returns the driver, for a race.
    pub(crate) fn driver(&mut self) -> &mut Driver<ChildClient> {
        &mut self.driver
    }
}

/// Returns the key of the task of a build.
pub(super) fn build_task(build: &Key) -> TaskKey {
    TaskKey::new(format!("build {}", build.digest()))
}

/// Returns a task of this kind and key that takes a core. It waits for the result of the task `after`.
pub(crate) fn core_task(kind: &'static str, key: TaskKey, after: Option<&TaskKey>) -> Task {
    let needs = Needs {
        // A task that needs more memory than the machine has would never start.
        memory_bytes: MEMORY_BYTES.min(bakeoff_measure::available_bytes()),
        ..Needs::cpu(Cpu::Core)
    };
    Task {
        after: after
            .cloned()
            .map(Dependency::on_result)
            .into_iter()
            .collect(),
        retries: RETRIES,
        ..Task::new(key, kind, needs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_a_core_takes_memory_and_never_more_than_there_is() {
        let task = core_task("build", TaskKey::new("build"), None);
        let there_is = bakeoff_measure::available_bytes();
        assert_eq!(task.needs.memory_bytes, MEMORY_BYTES.min(there_is));
        let mut queue = bakeoff_domain::queue::TaskQueue::new(Capacity {
            memory_bytes: task.needs.memory_bytes,
            ..Capacity::of_cores(0..2)
        });
        let other = core_task("build", TaskKey::new("other"), None);
        queue.add(task).unwrap();
        queue.add(other).unwrap();
        assert!(queue.lease(Duration::ZERO).is_some());
        assert_eq!(queue.lease(Duration::ZERO), None, "memory for one");
    }
}
