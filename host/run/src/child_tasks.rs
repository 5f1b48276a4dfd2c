//! The tasks of a run or verification: each is work for a child process, in one queue, and its answer has a type.

use super::child_attempt::{AnyAnswer, AnyWork, ChildClient, ChildWork};
use super::elsewhere::RemoteWorkers;
use super::error::RunError;
use super::options::Interrupt;
use super::stop::Stop;
use bakeoff_compile::{BuildRequest, Builder};
use bakeoff_confine::tasks::{Driver, TaskEvent};
use bakeoff_domain::queue::{
    Capacity, Counts, Cpu, Dependency, Load, Needs, Place, Retries, SeatId, SeatLoad, Task,
    TaskKey, WaitsFor,
};
use bakeoff_measure::RunnerConfig;
use bakeoff_source::PackedFolders;
use bakeoff_store::Key;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::sync::Arc;
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
        Ok((about, answer.opened()))
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

/// The queue of a run or verification. Once the user asks to stop, no wait for its tasks goes on for long.
pub(crate) struct ChildTasks {
    driver: Driver<ChildClient>,
    stop: Stop,
    /// True if the last event that was returned is the end of a task.
    gave_answer: bool,
}

impl ChildTasks {
    /// Returns a queue without tasks for these cores, and for the seats on other machines if there are any.
    pub(crate) fn new(
        builder: &Arc<Builder>,
        config: &RunnerConfig,
        cores: &[usize],
        workers: Option<&Arc<RemoteWorkers>>,
    ) -> Self {
        Self::of_few(builder, config, cores, (workers, usize::MAX))
    }

    /// Returns such a queue that never has more than `most` tasks at once.
    pub(crate) fn of_few(
        builder: &Arc<Builder>,
        config: &RunnerConfig,
        cores: &[usize],
        (workers, most): (Option<&Arc<RemoteWorkers>>, usize),
    ) -> Self {
        let client = ChildClient::new(builder, config, workers);
        let memory_bytes = bakeoff_measure::available_bytes();
        let capacity = Capacity {
            memory_bytes,
            ..Capacity::of_cores(cores.iter().rev().copied())
        };
        let mut driver = Driver::new(capacity, Arc::new(client));
        if let Some(workers) = workers {
            driver.with_seats(workers.seats(most));
        }
        for (kind, milliseconds) in EXPECTED_MS {
            driver.expect(kind, Duration::from_millis(milliseconds));
        }
        Self {
            driver,
            stop: Stop::default(),
            gave_answer: false,
        }
    }

    /// Returns the queue as one that stops when the user raises this flag. Without one, whoever waits for its tasks is
    /// given up as a whole.
    pub(crate) fn stopped_by(self, interrupt: &Interrupt) -> Self {
        Self {
            stop: Stop::by(interrupt),
            ..self
        }
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
            .add(task, AnyWork::new(work))
            .map_err(RunError::wrong_task)?;
        Ok(Ticket {
            key,
            answer: PhantomData,
        })
    }

    /// Adds a task, and waits for its answer while all others go on. `None` if every attempt was lost.
    ///
    /// # Errors
    /// The user asked to stop; the queue does not accept it: a bug of bakeoff.
    pub(crate) async fn call<W: ChildWork>(
        &mut self,
        task: Task,
        work: W,
    ) -> Result<Option<W::Answer>, RunError> {
        let ticket = self.add(task, work)?;
        let answer = self.driver.answer(&ticket.key);
        let answer = self.stop.unless_late(answer).await?;
        Ok(answer.map(AnyAnswer::opened))
    }

    /// Waits for the next task that ends, and returns its answer; `None` once every task has ended.
    ///
    /// # Errors
    /// The user asked to stop (see [`next_event`](Self::next_event)); every attempt at a task was lost.
    pub(crate) async fn next_ended(&mut self) -> Result<Option<EndedTask>, RunError> {
        while let Some(event) = self.next_event().await? {
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
    /// The user asked to stop (see [`next_event`](Self::next_event)); every attempt at a task was lost.
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
    ///
    /// # Errors
    /// The user asked to stop, and the event before this one was the end of a task, or no task ends soon.
    pub(crate) async fn next_event(&mut self) -> Result<Option<TaskEvent<AnyAnswer>>, RunError> {
        if self.gave_answer {
            // Only now: whoever got the answer has kept it, also if the user asked to stop meanwhile.
            self.stop.refuse()?;
        }
        let event = self.stop.unless_late(self.driver.next()).await?;
        self.gave_answer = matches!(event, Some(TaskEvent::Ended(..)));
        Ok(event)
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

    /// Returns the work that was done on each seat of other machines.
    pub(crate) fn seat_loads(&self) -> &BTreeMap<SeatId, SeatLoad> {
        self.driver.seat_loads()
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

/// Returns the same task, free to run on another machine unless the component that it calls is a program.
pub(crate) fn anywhere(task: Task, files: Option<&PackedFolders>) -> Task {
    let is_program = files.is_some_and(|files| files.program.is_some());
    let place = if is_program {
        Place::Here
    } else {
        Place::Anywhere
    };
    let needs = Needs {
        place,
        ..task.needs
    };
    Task { needs, ..task }
}

/// Returns the task of a build, free to run on another machine with the same compiler if that makes the same component.
pub(crate) fn with_compiler(task: Task, builder: &Builder, request: &BuildRequest) -> Task {
    let place = if builder.is_portable(request) {
        Place::WithCompiler
    } else {
        Place::Here
    };
    let needs = Needs {
        place,
        ..task.needs
    };
    Task { needs, ..task }
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
