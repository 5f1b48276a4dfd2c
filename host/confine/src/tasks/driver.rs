//! The driver of a queue: it leases tasks to a client, and returns the events of tasks.

use super::client::{Job, TaskClient};
use super::report::{AttemptNews, AttemptReport};
use bakeoff_domain::queue::{
    AddError, Attempt, Capacity, Counts, Ending, Lease, Load, Lost, NextStep, Receipt, SeatId,
    SeatLoad, Task, TaskKey, TaskQueue, TaskState, WaitsFor,
};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

/// An event of a task.
#[derive(Debug, PartialEq, Eq)]
pub enum TaskEvent<A> {
    /// An attempt is about to start. It does not start if the task is kept or withdrawn before the next event is asked
    /// for.
    Starting(Lease),
    /// This number of steps of the task is done.
    Progress(TaskKey, usize),
    /// The task ended with this answer, which counts: another answer to the same task is dropped.
    Ended(TaskKey, A),
    /// An attempt was lost for this reason, and there is another one after a while.
    Retry(TaskKey, String),
    /// Every attempt was lost, the last one for this reason.
    DeadLetter(TaskKey, String),
}

/// A change of the seats on other machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatChange {
    /// This seat is there from now on.
    Added(SeatId),
    /// This seat is there from now on, on a machine that has the compiler of this one.
    AddedWithCompiler(SeatId),
    /// This seat is there no longer.
    Removed(SeatId),
}

/// An attempt under way, which is aborted when this is dropped.
struct RunningAttempt(JoinHandle<()>);

impl Drop for RunningAttempt {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Reports an attempt as lost when its client is gone, in whichever way. After an answer, that report is ignored.
struct LastWord<A>(AttemptReport<A>);

impl<A> Drop for LastWord<A> {
    fn drop(&mut self) {
        let reason = "its worker ended without an answer".to_owned();
        self.0.send(AttemptNews::Lost(reason));
    }
}

/// A queue of tasks with the client that has them done.
pub struct Driver<C: TaskClient> {
    queue: TaskQueue,
    client: Arc<C>,
    tasks: BTreeMap<TaskKey, C::Task>,
    /// The lease of the attempt that starts next.
    starting: Option<Lease>,
    at_work: BTreeMap<TaskKey, RunningAttempt>,
    events: VecDeque<TaskEvent<C::Answer>>,
    /// Events that happened during a wait for one answer.
    put_off: VecDeque<TaskEvent<C::Answer>>,
    sender: UnboundedSender<(Attempt, AttemptNews<C::Answer>)>,
    receiver: UnboundedReceiver<(Attempt, AttemptNews<C::Answer>)>,
    /// Changes of the seats on other machines, where there are any.
    seats: Option<UnboundedReceiver<SeatChange>>,
    began: Instant,
}

impl<C: TaskClient> Driver<C> {
    /// Returns a driver without tasks.
    pub fn new(capacity: Capacity, client: Arc<C>) -> Self {
        let (sender, receiver) = unbounded_channel();
        Self {
            queue: TaskQueue::new(capacity),
            client,
            tasks: BTreeMap::new(),
            starting: None,
            at_work: BTreeMap::new(),
            events: VecDeque::new(),
            put_off: VecDeque::new(),
            sender,
            receiver,
            seats: None,
            began: Instant::now(),
        }
    }

    /// Sets how long an ordinary task of this kind is expected to take, until some were measured.
    pub fn expect(&mut self, kind: &'static str, duration: Duration) {
        self.queue.expect(kind, duration);
    }

    /// Has tasks that may run anywhere take the seats that come and go here.
    pub fn with_seats(&mut self, seats: UnboundedReceiver<SeatChange>) {
        self.seats = Some(seats);
    }

    /// Adds a task, with the content that the client is given.
    ///
    /// # Errors
    /// See [`AddError`].
    pub fn add(&mut self, task: Task, content: C::Task) -> Result<(), AddError> {
        let key = task.key.clone();
        self.queue.add(task)?;
        self.tasks.insert(key, content);
        Ok(())
    }

    /// Ends a task whose result is known from an earlier time, as done.
    pub fn keep(&mut self, key: &TaskKey) {
        self.queue.keep(key);
        self.forget(key);
    }

    /// Returns the numbers of tasks by state.
    pub fn counts(&self) -> Counts {
        self.queue.counts()
    }

    /// Returns the first of the tasks that wait, each with what it waits for.
    pub fn waiting(&self, most: usize) -> Vec<(TaskKey, WaitsFor)> {
        let waiting = self.queue.waiting(self.now()).take(most);
        waiting.map(|(key, what)| (key.clone(), what)).collect()
    }

    /// Returns the work that was done on each core.
    pub fn loads(&self) -> &BTreeMap<Option<usize>, Load> {
        self.queue.loads()
    }

    /// Returns the work that was done on each seat.
    pub fn seat_loads(&self) -> &BTreeMap<SeatId, SeatLoad> {
        self.queue.seat_loads()
    }

    /// Returns the work that was done on each kind of task so far.
    pub fn kinds(&self) -> &BTreeMap<&'static str, Load> {
        self.queue.kinds()
    }

    /// Starts what can start, waits, and returns the next thing that happens; `None` once every task has
    /// ended.
    pub async fn next(&mut self) -> Option<TaskEvent<C::Answer>> {
        match self.put_off.pop_front() {
            Some(event) => Some(event),
            None => self.next_now().await,
        }
    }

    /// Waits for the answer to one task while all others go on; the events of those are returned by
    /// [`next`](Self::next) later. `None` if every attempt was lost.
    pub async fn answer(&mut self, key: &TaskKey) -> Option<C::Answer> {
        loop {
            match self.next_now().await? {
                TaskEvent::Ended(ended, answer) if ended == *key => return Some(answer),
                TaskEvent::DeadLetter(ended, _) if ended == *key => return None,
                other => self.put_off.push_back(other),
            }
        }
    }

    async fn next_now(&mut self) -> Option<TaskEvent<C::Answer>> {
        loop {
            self.start();
            if let Some(event) = self.events.pop_front() {
                return Some(event);
            }
            // What was said in time counts, even if it is read late.
            while let Ok((attempt, reported)) = self.receiver.try_recv() {
                self.on_report(attempt, reported);
            }
            for lost in self.queue.advance(self.now()) {
                self.on_expired(lost).await;
            }
            if !self.events.is_empty() {
                continue;
            }
            while let Some(Ok(change)) = self.seats.as_mut().map(UnboundedReceiver::try_recv) {
                self.on_seat(change);
            }
            if let Some(lease) = self.queue.lease(self.now()) {
                self.starting = Some(lease.clone());
                return Some(TaskEvent::Starting(lease));
            }
            if self.queue.is_over() {
                return None;
            }
            let change = self.queue.next_change(self.now());
            let until = change.map(|at| self.began + at);
            tokio::select! {
                Some((attempt, reported)) = self.receiver.recv() => self.on_report(attempt, reported),
                Some(change) = next_of(&mut self.seats) => self.on_seat(change),
                () = sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => {}
            }
        }
    }

    /// Stops all attempts under way, waits until they have ended, and withdraws all tasks that have not ended. Earlier
    /// events of these tasks are no longer returned. Other tasks can be added then.
    pub async fn stop(&mut self) {
        let mut at_work = std::mem::take(&mut self.at_work);
        for at_work in at_work.values() {
            at_work.0.abort();
        }
        for at_work in at_work.values_mut() {
            let _ = (&mut at_work.0).await;
        }
        self.starting = None;
        let now = self.now();
        for key in std::mem::take(&mut self.tasks).keys() {
            self.queue.withdraw(key, now);
        }
        self.events.clear();
        self.put_off.clear();
    }

    fn on_seat(&mut self, change: SeatChange) {
        match change {
            SeatChange::Added(seat) => self.queue.add_seat(seat),
            SeatChange::AddedWithCompiler(seat) => self.queue.add_seat_with_compiler(seat),
            SeatChange::Removed(seat) => self.queue.remove_seat(seat),
        }
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Starts the attempt that was leased last, unless its task has ended since.
    pub(super) fn start(&mut self) {
        let Some(lease) = self.starting.take() else {
            return;
        };
        let Lease {
            attempt,
            core,
            seat,
            ..
        } = lease;
        let is_leased = matches!(
            self.queue.state(&attempt.key),
            Some(TaskState::Leased { .. })
        );
        let Some(task) = self.tasks.get(&attempt.key).filter(|_| is_leased) else {
            return;
        };
        let report = AttemptReport {
            attempt: attempt.clone(),
            sender: self.sender.clone(),
        };
        let key = attempt.key.clone();
        let job = Job {
            attempt,
            core,
            seat,
            task: task.clone(),
        };
        let client = Arc::clone(&self.client);
        let last_word = LastWord(report.clone());
        let at_work = tokio::spawn(async move {
            let _last_word = last_word;
            client.attempt(job, report).await;
        });
        self.at_work.insert(key, RunningAttempt(at_work));
    }

    fn on_report(&mut self, attempt: Attempt, reported: AttemptNews<C::Answer>) {
        let now = self.now();
        let (ending, event) = match reported {
            AttemptNews::Alive => {
                self.queue.heartbeat(&attempt, now);
                return;
            }
            AttemptNews::Progress(steps) => {
                if self.queue.heartbeat(&attempt, now) {
                    let event = TaskEvent::Progress(attempt.key, steps);
                    self.events.push_back(event);
                }
                return;
            }
            AttemptNews::Done(answer) => (Ending::Done, Ok(answer)),
            AttemptNews::Failed(answer) => (Ending::Failed, Ok(answer)),
            AttemptNews::Unconfirmed => (Ending::Unconfirmed, Err(None)),
            AttemptNews::Lost(reason) => (Ending::Lost, Err(Some(reason))),
        };
        // Answers that are late, repeated or made up are dropped here.
        let Receipt::Accepted(next) = self.queue.finish(&attempt, ending, now) else {
            return;
        };
        let key = attempt.key;
        match event {
            Ok(answer) => {
                self.forget(&key);
                self.events.push_back(TaskEvent::Ended(key, answer));
            }
            Err(reason) => {
                self.at_work.remove(&key);
                if let Some(reason) = reason {
                    self.lost(key, next, reason);
                }
            }
        }
    }

    /// Stops the worker of an attempt that said nothing for as long as its lease.
    async fn on_expired(&mut self, Lost { attempt, next }: Lost) {
        let key = attempt.key;
        if let Some(mut at_work) = self.at_work.remove(&key) {
            // Only once it is gone is its core free.
            at_work.0.abort();
            let _ = (&mut at_work.0).await;
        }
        let reason = "its worker said nothing for too long".to_owned();
        self.lost(key, next, reason);
    }

    fn lost(&mut self, key: TaskKey, next: NextStep, reason: String) {
        let event = match next {
            NextStep::Retry { .. } => TaskEvent::Retry(key, reason),
            NextStep::DeadLetter | NextStep::Over => {
                self.tasks.remove(&key);
                TaskEvent::DeadLetter(key, reason)
            }
        };
        self.events.push_back(event);
    }

    /// Drops what is no longer needed of a task that has ended.
    fn forget(&mut self, key: &TaskKey) {
        self.tasks.remove(key);
        self.at_work.remove(key);
    }
}

/// Waits for the next change of the seats, for ever where there are none.
async fn next_of(seats: &mut Option<UnboundedReceiver<SeatChange>>) -> Option<SeatChange> {
    match seats {
        Some(seats) => seats.recv().await,
        None => std::future::pending().await,
    }
}
