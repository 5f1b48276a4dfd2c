//! The work on all tasks: agents that work at the same time, by the schedule, and the merge of what they did.

use super::branch::is_checked_out;
use super::completion::Completion;
use super::error::AgentError;
use super::experiment::AgentExperiment;
use super::slots::Slots;
use super::task_attempt::{DoneTask, PlacedAttempt, ReadyTask, is_done};
use super::task_merge::Resolver;
use super::task_orders::{TaskListener, TaskNews, TaskOrders};
use super::task_record::{self, TaskList};
use super::task_result::{MergedResult, merge_results};
use super::task_schedule::{AttemptEnd, StartedTask, TaskProgress, TaskSchedule, WorkerLoad};
use super::work::name_branch;
use bakeoff_config::TaskWork;
use std::sync::atomic::Ordering;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two looks for an interruption while a worker waits.
const LOOK: Duration = Duration::from_millis(200);

/// Row of a task.
#[derive(Clone, Debug)]
pub struct TaskRow {
    /// Progress of the task.
    pub progress: TaskProgress,
    /// Its last completion, if an agent worked on it.
    pub completion: Option<Completion>,
    /// True if it was done before this command began.
    pub is_kept: bool,
}

/// Outcome of the work on all tasks.
#[derive(Clone, Debug)]
pub struct WorkOutcome {
    /// A row for each task, in their order.
    pub rows: Vec<TaskRow>,
    /// Work of each worker, in this command.
    pub workers: Vec<WorkerLoad>,
    /// Time of this command until the last task had ended.
    pub elapsed: Duration,
    /// The merge of all that was done; `None` if nothing was.
    pub result: Option<MergedResult>,
}

/// Works tasks off, and merges what was done. Tasks that were done at an earlier time are not done again.
///
/// # Errors
/// A branch is in the way, or another work has this name; this machine or git fails; the user interrupts it. Agents that
/// work when one of the others fails are waited for, and what was done is kept.
pub fn work_off(
    experiment: &AgentExperiment,
    orders: &TaskOrders<'_>,
    news: TaskListener<'_>,
) -> Result<WorkOutcome, AgentError> {
    let outcome = work_on_all(experiment, orders, news);
    outcome.map_err(|error| error.with_room_for(experiment.folder()))
}

fn work_on_all(
    experiment: &AgentExperiment,
    orders: &TaskOrders<'_>,
    news: TaskListener<'_>,
) -> Result<WorkOutcome, AgentError> {
    check(experiment, orders)?;
    let last_command = experiment.task_list().map_or(0, |list| list.command);
    let list = TaskList::of(orders, last_command.saturating_add(1));
    list.write(&experiment.folder, &experiment.place())?;
    let schedule = TaskSchedule::new(orders.tasks, orders.workers, orders.retries);
    let mut state = WorkState {
        schedule: schedule.map_err(AgentError::Machine)?,
        done: vec![None; orders.tasks.len()],
        last: vec![None; orders.tasks.len()],
        failure: None,
    };
    let mut kept = Vec::with_capacity(orders.tasks.len());
    for place in 0..orders.tasks.len() {
        kept.push(state.keep(experiment, orders, place, news)?);
    }
    let team = TaskTeam {
        experiment,
        orders,
        command: list.command,
        news,
        began: Instant::now(),
        checking: Slots::new(thread::available_parallelism().map_or(1, usize::from)),
        state: Mutex::new(state),
        changed: Condvar::new(),
    };
    thread::scope(|scope| {
        for _ in 0..orders.workers {
            scope.spawn(|| team.work());
        }
    });
    let elapsed = team.began.elapsed();
    let state = team.state.into_inner();
    let state = state.unwrap_or_else(PoisonError::into_inner);
    if let Some(failure) = state.failure {
        return Err(failure);
    }
    let resolver = Resolver {
        experiment,
        orders,
        command: list.command,
        news,
    };
    let result = merge_results(&resolver, &state.done)?;
    let row = |place: usize| {
        let done = state.done[place].as_ref().map(|done| &done.completion);
        TaskRow {
            progress: state.schedule.state(place),
            completion: done.or(state.last[place].as_ref()).cloned(),
            is_kept: kept[place],
        }
    };
    Ok(WorkOutcome {
        rows: (0..orders.tasks.len()).map(row).collect(),
        workers: state.schedule.loads(),
        elapsed,
        result,
    })
}

/// Refuses what could not be carried out, before an agent is started.
fn check(experiment: &AgentExperiment, orders: &TaskOrders<'_>) -> Result<(), AgentError> {
    experiment.check_parents()?;
    let is_of_tasks = experiment.task_list().is_some();
    if !is_of_tasks && !experiment.ended_variants()?.is_empty() {
        return Err(AgentError::Usage(format!(
            "{} has what agents left that were no tasks, or whose list {} has not your seal: give this work another name \
             by --name",
            experiment.folder().display(),
            task_record::FILE
        )));
    }
    let result = experiment.result_branch();
    if !is_of_tasks && experiment.commit_of_branch(&result).is_some() {
        return Err(in_the_way(&result));
    }
    if is_checked_out(&experiment.git(), &result)? {
        return Err(AgentError::Usage(format!(
            "the branch {result:?} is checked out, and the results are to be merged into it: `git switch` to another one \
             there, and merge it into that"
        )));
    }
    for task in orders.tasks {
        let kept = experiment.completion(&task.name);
        let is_done = kept.is_some_and(|(_, completion)| is_done(&completion));
        let branch = experiment.branch(&task.name);
        if !is_done && experiment.commit_of_branch(&branch).is_some() {
            return Err(in_the_way(&branch));
        }
    }
    Ok(())
}

fn in_the_way(branch: &str) -> AgentError {
    AgentError::Usage(format!(
        "there is a branch {branch:?} already: give this work another name by --name, or remove it with `git branch -D \
         {branch}`"
    ))
}

/// State of the work that its workers share.
struct WorkState {
    schedule: TaskSchedule,
    done: Vec<Option<DoneTask>>,
    /// The last completion of tasks that are not done.
    last: Vec<Option<Completion>>,
    failure: Option<AgentError>,
}

impl WorkState {
    /// Takes over a task that was done at an earlier time, after all that it waits for. Returns true if it was.
    fn keep(
        &mut self,
        experiment: &AgentExperiment,
        orders: &TaskOrders<'_>,
        place: usize,
        news: TaskListener<'_>,
    ) -> Result<bool, AgentError> {
        let task = &orders.tasks[place];
        if task.after.iter().any(|one| self.done[*one].is_none()) {
            return Ok(false);
        }
        let ready = ReadyTask::new(experiment, orders, place, &self.done)?;
        let Some(done) = ready.kept(experiment)? else {
            return Ok(false);
        };
        // It may have been killed before the commit had its name.
        name_branch(experiment, &done.completion)?;
        news(TaskNews::Kept(&task.name));
        self.schedule.keep(place);
        self.done[place] = Some(done);
        Ok(true)
    }
}

/// Workers, each with one agent at a time.
struct TaskTeam<'a> {
    experiment: &'a AgentExperiment,
    orders: &'a TaskOrders<'a>,
    /// Number of this command.
    command: u64,
    news: TaskListener<'a>,
    began: Instant,
    /// Places for checks, of which each may take a core.
    checking: Slots,
    state: Mutex<WorkState>,
    /// Told whenever a task has ended.
    changed: Condvar,
}

impl TaskTeam<'_> {
    fn lock(&self) -> MutexGuard<'_, WorkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on tasks until there is none left, or the work has to stop.
    fn work(&self) {
        while let Some((started, ready, last_reason)) = self.next() {
            let ended = ready.and_then(|ready| {
                let task = &self.orders.tasks[started.task].name;
                (self.news)(if ready.unchecked(self.experiment).is_some() {
                    TaskNews::Checking(task)
                } else if ready.is_experiment() {
                    TaskNews::Experiment(task)
                } else {
                    TaskNews::Started {
                        task,
                        attempt: started.attempt,
                        worker: started.worker,
                    }
                });
                let now = PlacedAttempt {
                    command: self.command,
                    number: started.attempt,
                    last_reason: last_reason.as_deref(),
                };
                let completion =
                    ready.attempt(self.experiment, self.orders, &now, &self.checking)?;
                if is_done(&completion) {
                    name_branch(self.experiment, &completion)?;
                }
                Ok((completion, ready.base().to_owned()))
            });
            self.end(&started, ended);
        }
    }

    /// Takes the next task, and waits for one where there is none yet. `None` ends the worker.
    fn next(
        &self,
    ) -> Option<(
        StartedTask,
        Result<ReadyTask<'_>, AgentError>,
        Option<String>,
    )> {
        let mut state = self.lock();
        loop {
            if self.orders.interrupted.load(Ordering::Relaxed) {
                state.failure.get_or_insert(AgentError::Interrupted);
            }
            if state.failure.is_some() || state.schedule.is_over() {
                self.changed.notify_all();
                return None;
            }
            let now = self.began.elapsed();
            if let Some(started) = state.schedule.start(now) {
                let last = state.last[started.task].as_ref();
                let last_reason = last.map(|last| last.reason.clone());
                let done = state.done.clone();
                drop(state);
                let ready = ReadyTask::new(self.experiment, self.orders, started.task, &done);
                return Some((started, ready, last_reason));
            }
            let next = state.schedule.next_change(now);
            let wait = next.map_or(LOOK, |at| at.saturating_sub(now).min(LOOK));
            let waited = self.changed.wait_timeout(state, wait);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Notes the end of an attempt.
    fn end(&self, started: &StartedTask, ended: Result<(Completion, String), AgentError>) {
        let now = self.began.elapsed();
        let mut state = self.lock();
        match ended {
            Ok((completion, base)) => {
                let is_done = is_done(&completion);
                let task = &self.orders.tasks[started.task];
                let end = match task.work {
                    _ if is_done => AttemptEnd::Done,
                    TaskWork::Agent(_) => AttemptEnd::Failed,
                    TaskWork::Experiment { .. } => AttemptEnd::GivenUp,
                };
                let again = state.schedule.end(started, end, now);
                if is_done {
                    state.done[started.task] = Some(DoneTask {
                        commit: completion.commit.clone().unwrap_or(base),
                        completion: completion.clone(),
                    });
                } else {
                    state.last[started.task] = Some(completion.clone());
                }
                drop(state);
                let wait = again.map(|at| at.saturating_sub(now));
                (self.news)(TaskNews::Ended(&completion, wait));
            }
            Err(error) => {
                state.failure.get_or_insert(error);
                drop(state);
            }
        }
        self.changed.notify_all();
    }
}
