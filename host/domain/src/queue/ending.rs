//! Ends of attempts and of tasks, and their consequences for the tasks that depend on them.

use super::needs::Place;
use super::state::{Attempt, Ending, Lost, NextStep, Receipt, TaskId, TaskState};
use super::task::{TaskKey, Until};
use super::task_queue::TaskQueue;
use std::time::Duration;

impl TaskQueue {
    /// Receives the end of an attempt.
    pub fn finish(&mut self, attempt: &Attempt, ending: Ending, now: Duration) -> Receipt {
        let Some(id) = self.ids.get(&attempt.key).copied() else {
            return Receipt::NeverLeased;
        };
        let entry = &self.entries[id.0];
        if attempt.number == 0 || attempt.number > entry.attempts {
            return Receipt::NeverLeased;
        }
        match &entry.state {
            _ if attempt.number < entry.attempts => Receipt::Late,
            TaskState::Leased { .. } => Receipt::Accepted(self.end_attempt(id, ending, now)),
            TaskState::Done | TaskState::Failed => Receipt::Repeated,
            _ => Receipt::Late,
        }
    }

    /// Ends the leases that have run out by now, and makes tasks ready whose time to be retried has come.
    /// The workers of lost attempts are to be stopped before their cores are used again.
    pub fn advance(&mut self, now: Duration) -> Vec<Lost> {
        let mut lost = Vec::new();
        while let Some((deadline, id)) = self.deadlines.first().copied()
            && deadline <= now
        {
            let entry = &self.entries[id.0];
            let attempt = Attempt {
                key: entry.task.key.clone(),
                number: entry.attempts,
            };
            let next = self.end_attempt(id, Ending::Lost, now);
            lost.push(Lost { attempt, next });
        }
        while let Some((at, id)) = self.retries.first().copied()
            && at <= now
        {
            self.retries.remove(&(at, id));
            self.make_ready(id);
        }
        lost
    }

    /// Ends a task whose result is known from an earlier time, as done. A task that has ended stays as it
    /// is.
    pub fn keep(&mut self, key: &TaskKey) {
        if let Some(id) = self.ids.get(key) {
            self.end(*id, TaskState::Done);
        }
    }

    /// Ends a task that is no longer wanted; the worker of a leased one is to be stopped. A task that has ended stays
    /// as it is.
    pub fn withdraw(&mut self, key: &TaskKey, now: Duration) {
        if let Some(id) = self.ids.get(key).copied() {
            self.count_attempt(id, Ending::Failed, now);
            self.end(id, TaskState::Withdrawn);
        }
    }

    /// Counts the attempt of a leased task, which ends now, and returns how long it took.
    fn count_attempt(&mut self, id: TaskId, ending: Ending, now: Duration) -> Option<Duration> {
        let TaskState::Leased {
            since, core, seat, ..
        } = self.entries[id.0].state
        else {
            return None;
        };
        let took = now.saturating_sub(since);
        let kind = self.entries[id.0].task.kind;
        let place = match seat {
            None => self.loads.entry(core).or_default(),
            Some(seat) => {
                let on_seat = self.seat_loads.entry(seat).or_default();
                on_seat.lost += u64::from(ending == Ending::Lost);
                &mut on_seat.load
            }
        };
        for load in [place, self.kinds.entry(kind).or_default()] {
            load.tasks += 1;
            load.busy += took;
        }
        Some(took)
    }

    /// Ends the attempt of a leased task.
    fn end_attempt(&mut self, id: TaskId, ending: Ending, now: Duration) -> NextStep {
        let took = self.count_attempt(id, ending, now);
        let entry = &self.entries[id.0];
        // An attempt without a result may have ended early, and says nothing of how long the work
        // takes.
        if let (Some(took), Ending::Done) = (took, ending) {
            let (kind, size) = (entry.task.kind, entry.task.size);
            self.estimates.observe(kind, size, took);
        }
        let wait = match ending {
            Ending::Done | Ending::Failed => None,
            Ending::Unconfirmed => Some(Duration::ZERO),
            Ending::Lost => entry.task.retries.wait_after(entry.attempts),
        };
        match (ending, wait) {
            (Ending::Done, _) => self.end(id, TaskState::Done),
            (Ending::Failed, _) => self.end(id, TaskState::Failed),
            (Ending::Unconfirmed | Ending::Lost, None) => {
                self.end(id, TaskState::DeadLetter);
                return NextStep::DeadLetter;
            }
            (Ending::Unconfirmed | Ending::Lost, Some(wait)) => {
                let at = now.saturating_add(wait);
                self.leave(id);
                // Whatever becomes of other machines, a later attempt depends on none of them.
                self.entries[id.0].class.place = Place::Here;
                self.entries[id.0].state = TaskState::WaitingForRetry { at };
                self.retries.insert((at, id));
                return NextStep::Retry { at };
            }
        }
        NextStep::Over
    }

    /// Takes an open task out of the index of its state, and gives back what it took while it was leased.
    fn leave(&mut self, id: TaskId) {
        let entry = &self.entries[id.0];
        match entry.state {
            TaskState::Ready => self.ready.remove(entry.class, entry.rank(id)),
            TaskState::Leased {
                deadline,
                core,
                seat,
                ..
            } => {
                self.deadlines.remove(&(deadline, id));
                self.slots.give_back(&entry.task.needs, core, seat);
            }
            TaskState::WaitingForRetry { at } => {
                self.retries.remove(&(at, id));
            }
            _ => {}
        }
    }

    /// Ends an open task, and with it the tasks that can no longer start.
    pub(super) fn end(&mut self, id: TaskId, state: TaskState) {
        let mut ending = vec![(id, state)];
        while let Some((id, state)) = ending.pop() {
            if self.entries[id.0].state.has_ended() {
                continue;
            }
            self.leave(id);
            self.open.remove(&id);
            let entry = &mut self.entries[id.0];
            self.leveling.ended(entry.task.after.len());
            let has_result = state == TaskState::Done;
            entry.state = state;
            entry.level = 0;
            let because = entry.task.key.clone();
            for (dependent, until) in std::mem::take(&mut entry.dependents) {
                let TaskState::Waiting { open } = &mut self.entries[dependent.0].state else {
                    continue;
                };
                if until == Until::Done && !has_result {
                    let because = because.clone();
                    ending.push((dependent, TaskState::Unreachable { because }));
                    continue;
                }
                *open = open.saturating_sub(1);
                if *open == 0 {
                    self.make_ready(dependent);
                }
            }
        }
    }
}
