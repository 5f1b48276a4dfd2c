//! Progress of a run's tasks: messages about it, and the stored work of each core.

use super::error::RunError;
use super::session::Run;
use bakeoff_domain::queue::{TaskKey, WaitsFor};
use bakeoff_domain::report::words;
use bakeoff_store::events::{Event, TasksState, WaitingTask};
use bakeoff_store::{Owner, ResultKind};
use std::time::{Duration, Instant};

/// The least time between two messages about the progress of tasks.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// The kinds of results that may come from other machines.
const FROM_ELSEWHERE: [ResultKind; 5] = [
    ResultKind::MachineRace,
    ResultKind::Build,
    ResultKind::Gate,
    ResultKind::Assessment,
    ResultKind::Evaluation,
];

/// The most waiting tasks that a message names, and for each the most tasks that it waits for.
const WAITS_MAX: usize = 16;

impl Run<'_> {
    /// Stores the work of each core and phase so far. The work of a killed session since the last stage that it finished is
    /// counted nowhere.
    pub(super) fn keep_work(&mut self) -> Result<(), RunError> {
        let all = self
            .work
            .to_store(&self.tasks, self.context.workers.as_deref());
        if !all.workers.is_empty() {
            self.store
                .put(ResultKind::Work, &self.work.key, Owner::RUN, &all)?;
        }
        Ok(())
    }

    /// Says what changed about the workers on other machines; at the end of a run, also what each did.
    ///
    /// # Errors
    /// One of them answered falsely after other answers of it were taken: all that may be from it is dropped.
    pub(super) fn tell_workers(&mut self, is_end: bool) -> Result<(), RunError> {
        let Some(workers) = &self.context.workers else {
            return Ok(());
        };
        let mut news = workers.news();
        if is_end {
            news.extend(workers.summary(self.tasks.seat_loads()));
        }
        let refused = workers.refuse_false_answers();
        for message in news {
            self.store.emit(Event::Warning { message })?;
        }
        if refused.is_err() {
            self.store.forget(&FROM_ELSEWHERE)?;
        }
        refused
    }

    /// Counts the work of workers on other machines for a search, which has many sessions, and says at its end what each did.
    pub(super) fn add_to_surveys(&self) {
        if let Some(workers) = &self.context.workers {
            workers.add_survey(self.tasks.seat_loads());
        }
    }

    /// Emits the progress of tasks, unless that was done less than a second ago. `name` names a task.
    pub(super) fn tell_tasks(&mut self, name: impl Fn(&TaskKey) -> String) -> Result<(), RunError> {
        let told = self.work.told.map(|told| told.elapsed());
        if told.is_some_and(|since| since < TELL_EVERY) {
            return Ok(());
        }
        self.tell_workers(false)?;
        let counts = self.tasks.counts();
        let waits = self.tasks.waiting(WAITS_MAX).into_iter();
        let waits = waits.map(|(key, what)| WaitingTask {
            task: name(&key),
            waits_for: match what {
                WaitsFor::Tasks(open) => words::listed(open.iter().map(&name).collect(), WAITS_MAX),
                WaitsFor::Core => "a core".to_owned(),
                WaitsFor::Memory => "memory".to_owned(),
                WaitsFor::Tokens => "its share of a rate limit".to_owned(),
                WaitsFor::Retry => "the time of its next attempt".to_owned(),
                WaitsFor::Turn => "its turn".to_owned(),
            },
        });
        let state = TasksState {
            done: counts.over as u64,
            running: counts.leased as u64,
            waiting: counts.waiting as u64,
            waits: waits.collect(),
            workers: self.work.so_far(self.tasks.loads()),
            machines: self
                .work
                .machines_so_far(&self.tasks, self.context.workers.as_deref()),
        };
        self.store.emit(Event::Tasks(state))?;
        self.work.told = Some(Instant::now());
        Ok(())
    }

    /// Emits the progress once all known tasks have ended, and stores the work of each core.
    pub(super) fn all_tasks_ended(&mut self) -> Result<(), RunError> {
        self.work.told = None;
        self.tell_tasks(ToString::to_string)?;
        self.keep_work()
    }
}
