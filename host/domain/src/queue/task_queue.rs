//! The queue itself: adding tasks, leasing them, and their ends.

use super::estimate::Estimates;
use super::level::Leveling;
use super::needs::SeatId;
use super::ready::{Class, Rank, Ready};
use super::slots::{Capacity, HeldBack, Lack, Slots};
use super::state::{Attempt, Lease, TaskId, TaskState};
use super::task::{Task, TaskKey, Until};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The largest number of tasks in a queue, those that have ended included.
pub const TASKS_MAX: usize = 1_000_000;

/// The reason why a task cannot be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddError {
    /// A task of this key is in the queue already.
    #[error("the task {0} is in the queue already")]
    Known(TaskKey),
    /// A task that the new one depends on is not in the queue.
    #[error("{task} depends on {dependency}, which is not in the queue: add that one first")]
    UnknownDependency {
        /// The task that was to be added.
        task: TaskKey,
        /// The task that is missing.
        dependency: TaskKey,
    },
    /// The task needs more than the whole capacity, so it would never start.
    #[error("{0} needs more cores, memory or tokens than there are, so it would wait for ever")]
    NeverFits(TaskKey),
    /// The size of the task is not a positive number.
    #[error("the size of {0} must be a positive number")]
    Size(TaskKey),
    /// The queue is full: it has [`TASKS_MAX`] tasks.
    #[error("the queue has {TASKS_MAX} tasks, which is as many as it takes")]
    Full,
}

/// Work that was done on one core, without one, or on one kind of task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// The number of attempts that ended.
    pub tasks: u64,
    /// Time for which the tasks of these attempts were leased.
    pub busy: Duration,
}

/// Work that was done on one seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeatLoad {
    /// Attempts that ended, in whichever way, and their time.
    pub load: Load,
    /// The number of them that were lost.
    pub lost: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) task: Task,
    pub(super) class: Class,
    pub(super) state: TaskState,
    /// The number of attempts that were leased.
    pub(super) attempts: u32,
    /// The tasks that wait for this one.
    pub(super) dependents: Vec<(TaskId, Until)>,
    pub(super) level: u64,
}

impl Entry {
    pub(super) fn rank(&self, id: TaskId) -> Rank {
        Rank {
            priority: Reverse(self.task.priority),
            level: Reverse(self.level),
            task: id,
        }
    }
}

/// A queue of tasks.
#[derive(Clone, Debug)]
pub struct TaskQueue {
    pub(super) entries: Vec<Entry>,
    pub(super) ids: BTreeMap<TaskKey, TaskId>,
    pub(super) open: BTreeSet<TaskId>,
    pub(super) ready: Ready,
    pub(super) slots: Slots,
    /// The leased tasks by the end of their leases; in `retries`, those that wait for a retry, by its time.
    pub(super) deadlines: BTreeSet<(Duration, TaskId)>,
    pub(super) retries: BTreeSet<(Duration, TaskId)>,
    pub(super) estimates: Estimates,
    pub(super) leveling: Leveling,
    pub(super) loads: BTreeMap<Option<usize>, Load>,
    pub(super) seat_loads: BTreeMap<SeatId, SeatLoad>,
    pub(super) kinds: BTreeMap<&'static str, Load>,
}

impl TaskQueue {
    /// Returns an empty queue for this capacity.
    pub fn new(capacity: Capacity) -> Self {
        Self {
            entries: Vec::new(),
            ids: BTreeMap::new(),
            open: BTreeSet::new(),
            ready: Ready::default(),
            slots: Slots::new(capacity),
            deadlines: BTreeSet::new(),
            retries: BTreeSet::new(),
            estimates: Estimates::default(),
            leveling: Leveling::default(),
            loads: BTreeMap::new(),
            seat_loads: BTreeMap::new(),
            kinds: BTreeMap::new(),
        }
    }

    /// Sets how long an ordinary task of this kind is expected to take, until some were measured.
    pub fn expect(&mut self, kind: &'static str, duration: Duration) {
        self.estimates.expect(kind, duration);
    }

    /// Adds a task.
    ///
    /// # Errors
    /// See [`AddError`]; the queue is as it was then.
    pub fn add(&mut self, task: Task) -> Result<(), AddError> {
        let key = task.key.clone();
        if self.ids.contains_key(&key) {
            return Err(AddError::Known(key));
        }
        if !(task.size.is_finite() && task.size > 0.0) {
            return Err(AddError::Size(key));
        }
        if self.entries.len() >= TASKS_MAX {
            return Err(AddError::Full);
        }
        let Some(class) = self.slots.class(&task.needs) else {
            return Err(AddError::NeverFits(key));
        };
        let mut after = Vec::with_capacity(task.after.len());
        for dependency in &task.after {
            let Some(id) = self.ids.get(&dependency.key) else {
                let dependency = dependency.key.clone();
                return Err(AddError::UnknownDependency {
                    task: key,
                    dependency,
                });
            };
            after.push((*id, dependency.until));
        }
        let id = TaskId(self.entries.len());
        let (mut waits_for, mut because) = (0, None);
        for (other, until) in after {
            let other = &mut self.entries[other.0];
            if !other.state.has_ended() {
                waits_for += 1;
                other.dependents.push((id, until));
            } else if until == Until::Done && other.state != TaskState::Done {
                because.get_or_insert_with(|| other.task.key.clone());
            }
        }
        self.leveling.added(task.after.len());
        self.entries.push(Entry {
            level: self.estimates.nanoseconds(task.kind, task.size),
            task,
            class,
            state: TaskState::Waiting { open: waits_for },
            attempts: 0,
            dependents: Vec::new(),
        });
        self.ids.insert(key, id);
        self.open.insert(id);
        match because {
            Some(because) => self.end(id, TaskState::Unreachable { because }),
            None if waits_for == 0 => self.make_ready(id),
            None => {}
        }
        Ok(())
    }

    /// Leases the next task whose needs can all be met, if there is one.
    pub fn lease(&mut self, now: Duration) -> Option<Lease> {
        self.work_out_levels();
        let mut held_back = HeldBack::default();
        // The first task of each class is enough: where it lacks something, the others of its class
        // are held back, too.
        for (rank, class) in self.ready.heads() {
            if held_back.holds(class, self.slots.has_seat(class)) {
                continue;
            }
            let entry = &mut self.entries[rank.task.0];
            if let Some(lack) = self.slots.lack(class, &entry.task.needs, now) {
                held_back.add(lack);
                continue;
            }
            let (core, seat) = self.slots.take(class, &entry.task.needs, now);
            let deadline = now.saturating_add(entry.task.lease);
            entry.attempts += 1;
            entry.state = TaskState::Leased {
                since: now,
                deadline,
                core,
                seat,
            };
            let attempt = Attempt {
                key: entry.task.key.clone(),
                number: entry.attempts,
            };
            self.ready.remove(class, rank);
            self.deadlines.insert((deadline, rank.task));
            return Some(Lease {
                attempt,
                core,
                seat,
                deadline,
            });
        }
        None
    }

    /// Adds a seat on another machine.
    pub fn add_seat(&mut self, seat: SeatId) {
        self.slots.add_seat(seat);
    }

    /// Adds a seat on another machine that has the compiler of this one.
    pub fn add_seat_with_compiler(&mut self, seat: SeatId) {
        self.slots.add_seat_with_compiler(seat);
    }

    /// Removes a seat. An attempt that has it goes on until it ends or is lost.
    pub fn remove_seat(&mut self, seat: SeatId) {
        self.slots.remove_seat(seat);
    }

    /// Holds back the tasks that take tokens of this rate limit until this time, as the service behind it asked for.
    pub fn pause(&mut self, rate: &str, until: Duration) {
        self.slots.pause(rate, until);
    }

    /// Extends the lease of an attempt from now on. Returns false if it has ended: its worker is to stop.
    pub fn heartbeat(&mut self, attempt: &Attempt, now: Duration) -> bool {
        let Some(id) = self.ids.get(&attempt.key).copied() else {
            return false;
        };
        let entry = &mut self.entries[id.0];
        let until = now.saturating_add(entry.task.lease);
        match &mut entry.state {
            TaskState::Leased { deadline, .. } if entry.attempts == attempt.number => {
                self.deadlines.remove(&(*deadline, id));
                *deadline = until.max(*deadline);
                self.deadlines.insert((*deadline, id));
                true
            }
            _ => false,
        }
    }

    /// Returns the next time at which something changes even if nothing is heard: a lease runs out, a retry
    /// is due, or tokens are there that a ready task lacks.
    pub fn next_change(&self, now: Duration) -> Option<Duration> {
        let first = |times: &BTreeSet<(Duration, TaskId)>| times.first().map(|(at, _)| *at);
        let heads = self.ready.heads().into_iter();
        let tokens = heads.filter_map(|(rank, class)| {
            let needs = &self.entries[rank.task.0].task.needs;
            match self.slots.lack(class, needs, now) {
                Some(Lack::Tokens { at, .. }) => Some(at),
                Some(Lack::Cpu | Lack::Memory) | None => None,
            }
        });
        let known = [first(&self.deadlines), first(&self.retries)];
        known.into_iter().flatten().chain(tokens).min()
    }

    /// Returns the state of a task; `None` if there is none of this key.
    pub fn state(&self, key: &TaskKey) -> Option<&TaskState> {
        let id = self.ids.get(key)?;
        Some(&self.entries[id.0].state)
    }

    /// Returns true if every task has ended.
    pub fn is_over(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns what each core has done so far; `None` is work that took no core.
    pub fn loads(&self) -> &BTreeMap<Option<usize>, Load> {
        &self.loads
    }

    /// Returns what each seat has done so far.
    pub fn seat_loads(&self) -> &BTreeMap<SeatId, SeatLoad> {
        &self.seat_loads
    }

    /// Returns the work that was done on each kind of task so far.
    pub fn kinds(&self) -> &BTreeMap<&'static str, Load> {
        &self.kinds
    }

    /// Makes a task ready that waits for nothing any more.
    pub(super) fn make_ready(&mut self, id: TaskId) {
        let entry = &mut self.entries[id.0];
        entry.state = TaskState::Ready;
        self.ready.insert(entry.class, entry.rank(id));
    }

    /// Works out levels anew, if tasks or estimates changed enough since the last time.
    fn work_out_levels(&mut self) {
        if !self.leveling.is_due(self.estimates.have_moved()) {
            return;
        }
        // Tasks are added after those that they depend on.
        for id in self.open.iter().rev().copied() {
            let entry = &self.entries[id.0];
            let dependents = entry.dependents.iter();
            let after = dependents.map(|(dependent, _)| self.entries[dependent.0].level);
            let own = self.estimates.nanoseconds(entry.task.kind, entry.task.size);
            let level = own.saturating_add(after.max().unwrap_or(0));
            let is_ready = entry.state == TaskState::Ready;
            let (class, before) = (entry.class, entry.rank(id));
            self.entries[id.0].level = level;
            if is_ready && before.level != Reverse(level) {
                self.ready.remove(class, before);
                self.ready.insert(class, self.entries[id.0].rank(id));
            }
        }
        self.estimates.settle();
        self.leveling.settle();
    }
}
