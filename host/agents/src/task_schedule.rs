//! The order in which tasks are worked off: the queue of tasks, without I/O or a clock of its own.

use bakeoff_config::AgentTask;
use bakeoff_domain::queue::{
    Attempt, Capacity, Cpu, Dependency, Ending, Needs, NextStep, Receipt, Retries, Task, TaskKey,
    TaskQueue, TaskState,
};
use std::collections::BTreeMap;
use std::time::Duration;

/// The kind of all tasks in the queue.
const KIND: &str = "agent task";
/// The longest time before an attempt.
const WAIT_MAX: Duration = Duration::from_secs(30 * 60);

/// Repetition of attempts that failed.
#[derive(Clone, Copy, Debug)]
pub struct TaskRetries {
    /// The most attempts after the first one.
    pub count: u32,
    /// Time before the second attempt; it doubles before each one after that, up to half an hour.
    pub first_wait: Duration,
}

/// Leave to work on a task.
#[derive(Clone, Debug)]
pub(crate) struct StartedTask {
    /// Place of the task in the list.
    pub(crate) task: usize,
    /// Number of the worker, from 1.
    pub(crate) worker: usize,
    /// Number of the attempt, from 1.
    pub(crate) attempt: u32,
    receipt: Attempt,
}

/// End of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttemptEnd {
    /// The task is done.
    Done,
    /// It failed, and another attempt may not.
    Failed,
    /// It failed, as every other attempt would.
    GivenUp,
}

/// State of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskProgress {
    /// It waits for others, for a worker, or for its next attempt.
    Open,
    /// A worker is at it.
    Working,
    /// It is done.
    Done,
    /// All attempts failed.
    GivenUp,
    /// It waits for a task that was given up, whose place this is.
    Unreachable(usize),
}

/// Work of one worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerLoad {
    /// Number of attempts.
    pub attempts: u64,
    /// Time that they took.
    pub busy: Duration,
}

/// Schedule of tasks. Of the ready ones, those of the highest priority start first, and of these the one with the longest
/// chain of tasks that wait for it, and of these the first one of the list.
#[derive(Debug)]
pub(crate) struct TaskSchedule {
    queue: TaskQueue,
    keys: Vec<TaskKey>,
    places: BTreeMap<TaskKey, usize>,
    workers: usize,
}

impl TaskSchedule {
    /// Makes a schedule of tasks, each after those that it waits for, on so many workers.
    ///
    /// # Errors
    /// The queue takes no such task, with the reason.
    pub(crate) fn new(
        tasks: &[AgentTask],
        workers: usize,
        retries: TaskRetries,
    ) -> Result<Self, String> {
        // The queue gives the last one first.
        let mut queue = TaskQueue::new(Capacity::of_cores((1..=workers).rev()));
        queue.expect(KIND, Duration::from_secs(60));
        let keys: Vec<TaskKey> = tasks
            .iter()
            .map(|task| TaskKey::new(task.name.as_str()))
            .collect();
        for (task, key) in tasks.iter().zip(&keys) {
            let after = task.after.iter();
            let added = queue.add(Task {
                after: after
                    .map(|place| Dependency::on_result(keys[*place].clone()))
                    .collect(),
                priority: task.priority,
                size: task.estimate_minutes,
                retries: Retries {
                    attempts_max: retries.count.saturating_add(1),
                    first_wait: retries.first_wait,
                    wait_max: WAIT_MAX.max(retries.first_wait),
                },
                // Whoever works on it says when it has ended, and ends with this process.
                lease: Duration::MAX,
                ..Task::new(key.clone(), KIND, Needs::cpu(Cpu::Core))
            });
            added.map_err(|error| error.to_string())?;
        }
        let places = keys.iter().cloned().zip(0..).collect();
        Ok(Self {
            queue,
            keys,
            places,
            workers,
        })
    }

    /// Notes that a task was done at an earlier time.
    pub(crate) fn keep(&mut self, task: usize) {
        self.queue.keep(&self.keys[task]);
    }

    /// Starts the next task, if there is one for which a worker is free.
    pub(crate) fn start(&mut self, now: Duration) -> Option<StartedTask> {
        self.queue.advance(now);
        let lease = self.queue.lease(now)?;
        Some(StartedTask {
            task: self.places[&lease.attempt.key],
            worker: lease.core.unwrap_or_default(),
            attempt: lease.attempt.number,
            receipt: lease.attempt,
        })
    }

    /// Notes the end of an attempt. Returns the time of the next one, if there is another.
    pub(crate) fn end(
        &mut self,
        started: &StartedTask,
        end: AttemptEnd,
        now: Duration,
    ) -> Option<Duration> {
        let ending = match end {
            AttemptEnd::Done => Ending::Done,
            AttemptEnd::Failed => Ending::Lost,
            AttemptEnd::GivenUp => Ending::Failed,
        };
        match self.queue.finish(&started.receipt, ending, now) {
            Receipt::Accepted(NextStep::Retry { at }) => Some(at),
            _ => None,
        }
    }

    /// Returns the state of a task.
    pub(crate) fn state(&self, task: usize) -> TaskProgress {
        match self.queue.state(&self.keys[task]) {
            Some(TaskState::Done) => TaskProgress::Done,
            Some(TaskState::Leased { .. }) => TaskProgress::Working,
            Some(TaskState::Failed | TaskState::DeadLetter | TaskState::Withdrawn) => {
                TaskProgress::GivenUp
            }
            // That one may be unreachable itself.
            Some(TaskState::Unreachable { because }) => match self.state(self.places[because]) {
                TaskProgress::Unreachable(root) => TaskProgress::Unreachable(root),
                _ => TaskProgress::Unreachable(self.places[because]),
            },
            _ => TaskProgress::Open,
        }
    }

    /// Returns true if no task will be started any more, and none is worked on.
    pub(crate) fn is_over(&self) -> bool {
        self.queue.is_over()
    }

    /// Returns the next time at which a task can start although none has ended.
    pub(crate) fn next_change(&self, now: Duration) -> Option<Duration> {
        let at = self.queue.next_change(now);
        at.filter(|at| *at < Duration::MAX)
    }

    /// Returns what each worker has done so far, in their order.
    pub(crate) fn loads(&self) -> Vec<WorkerLoad> {
        let loads = self.queue.loads();
        let load = |worker: usize| {
            let load = loads.get(&Some(worker)).copied().unwrap_or_default();
            WorkerLoad {
                attempts: load.tasks,
                busy: load.busy,
            }
        };
        (1..=self.workers).map(load).collect()
    }
}

/// Forecast of the time that tasks take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskForecast {
    /// Time at which each task starts.
    pub starts: Vec<Duration>,
    /// Time on these workers.
    pub elapsed: Duration,
    /// Time of the longest chain, which no number of workers shortens.
    pub chain: Duration,
    /// Time of all of them, one after the other.
    pub sum: Duration,
}

/// Returns what tasks take by their estimates, if none is tried again.
pub fn forecast(tasks: &[AgentTask], workers: usize) -> TaskForecast {
    let estimate = |task: &AgentTask| Duration::from_secs_f64(task.estimate_minutes * 60.0);
    let once = TaskRetries {
        count: 0,
        first_wait: Duration::ZERO,
    };
    let ran = simulate(tasks, workers, once, |started| {
        (estimate(&tasks[started.task]), true)
    });
    let mut starts = vec![Duration::ZERO; tasks.len()];
    for one in &ran {
        starts[one.started.task] = one.from;
    }
    TaskForecast {
        starts,
        elapsed: ran.iter().map(|one| one.to).max().unwrap_or_default(),
        chain: longest_chain(tasks, |place| estimate(&tasks[place])).1,
        sum: tasks.iter().map(estimate).sum(),
    }
}

/// Returns the places of the tasks of the longest chain, in their order, and its time.
pub fn longest_chain(
    tasks: &[AgentTask],
    took: impl Fn(usize) -> Duration,
) -> (Vec<usize>, Duration) {
    let mut ends: Vec<(Duration, Option<usize>)> = Vec::with_capacity(tasks.len());
    for (place, task) in tasks.iter().enumerate() {
        let before = task.after.iter().copied().max_by_key(|one| ends[*one].0);
        let begin = before.map_or(Duration::ZERO, |one| ends[one].0);
        ends.push((begin + took(place), before));
    }
    let mut last = (0..tasks.len()).max_by_key(|place| (ends[*place].0, usize::MAX - place));
    let time = last.map_or(Duration::ZERO, |place| ends[place].0);
    let mut chain = Vec::new();
    while let Some(place) = last {
        chain.push(place);
        last = ends[place].1;
    }
    chain.reverse();
    (chain, time)
}

/// Attempt of a simulation.
#[derive(Clone, Debug)]
struct SimulatedAttempt {
    started: StartedTask,
    from: Duration,
    to: Duration,
}

/// Works tasks off in no time, by what is said of each attempt: how long it takes, and whether it succeeds.
fn simulate(
    tasks: &[AgentTask],
    workers: usize,
    retries: TaskRetries,
    mut attempt: impl FnMut(&StartedTask) -> (Duration, bool),
) -> Vec<SimulatedAttempt> {
    let Ok(mut schedule) = TaskSchedule::new(tasks, workers, retries) else {
        return Vec::new();
    };
    let mut now = Duration::ZERO;
    let mut working: Vec<(Duration, bool, StartedTask)> = Vec::new();
    let mut ran = Vec::new();
    while !schedule.is_over() {
        while let Some(started) = schedule.start(now) {
            let (took, is_done) = attempt(&started);
            working.push((now + took, is_done, started.clone()));
            ran.push(SimulatedAttempt {
                started,
                from: now,
                to: now + took,
            });
        }
        let ends = working.iter().map(|(at, _, _)| *at);
        let Some(next) = ends.chain(schedule.next_change(now)).min() else {
            break;
        };
        now = next;
        working.retain(|(at, is_done, started)| {
            let has_ended = *at <= now;
            if has_ended {
                let end = if *is_done {
                    AttemptEnd::Done
                } else {
                    AttemptEnd::Failed
                };
                schedule.end(started, end, now);
            }
            !has_ended
        });
    }
    ran
}

#[cfg(test)]
mod tests;
