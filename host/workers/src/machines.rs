//! The machines that a run knows of: what each said of itself, its seats, and what became of it.

#[cfg(test)]
mod tests;

use super::facts::{MachineName, WorkerFacts};
use bakeoff_confine::tasks::SeatChange;
use bakeoff_domain::queue::SeatId;
use bakeoff_domain::wording;
use std::collections::BTreeMap;
use std::time::Duration;

/// Time between two announcements of a worker.
pub(super) const ANNOUNCE_EVERY: Duration = Duration::from_secs(5);

/// The time after which a machine of which nothing was heard is gone.
pub(super) const GONE_AFTER: Duration = Duration::from_secs(20);

/// The most machines of a run.
const MACHINES_MAX: usize = 4_096;

/// The most cores of all machines of a run: more than it could keep at work.
const SEATS_MAX: usize = 16_384;

/// The most characters of a reason of others that a message quotes.
const REASON_CHARS_MAX: usize = 300;

/// State of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MachineState {
    /// It takes tasks.
    Here,
    /// Nothing was heard of it for a while, or it left.
    Gone,
    /// It cannot do tasks of this run, for this reason.
    Unfit(String),
    /// It broke the rules of workers in this manner, and gets no more tasks of this run.
    StruckOff(String),
}

#[derive(Debug)]
pub(super) struct Machine {
    pub(super) facts: WorkerFacts,
    pub(super) state: MachineState,
    heard: Duration,
    /// True while it may have a race of its own: also one with another engine, which does no tasks.
    can_race: bool,
    seats: Vec<SeatId>,
    /// The number of its tasks that were lost since one was done.
    lost_in_a_row: u32,
    /// True once it was said why a task of it was lost.
    said_why_lost: bool,
}

impl Machine {
    fn is_here(&self) -> bool {
        self.state == MachineState::Here
    }
}

/// All machines, and the owner of each seat. The time is an argument.
#[derive(Debug)]
pub(super) struct Machines {
    own: WorkerFacts,
    pub(super) all: BTreeMap<MachineName, Machine>,
    owners: BTreeMap<SeatId, MachineName>,
    next_seat: u64,
    /// Texts for people about what changed.
    pub(super) news: Vec<String>,
    pub(super) changes: Vec<SeatChange>,
    /// Machines whose requests are lost since this was read last.
    pub(super) lost: Vec<MachineName>,
}

impl Machines {
    /// Returns no machines for a run on a machine with these facts.
    pub(super) fn new(own: WorkerFacts) -> Self {
        Self {
            own,
            all: BTreeMap::new(),
            owners: BTreeMap::new(),
            next_seat: 0,
            news: Vec::new(),
            changes: Vec::new(),
            lost: Vec::new(),
        }
    }

    /// Returns the machine of a seat, also of one that was removed.
    pub(super) fn owner(&self, seat: SeatId) -> Option<&MachineName> {
        self.owners.get(&seat)
    }

    /// Returns the seats that there are, as they were added.
    pub(super) fn seats(&self) -> impl Iterator<Item = SeatChange> {
        self.all.values().flat_map(move |machine| {
            let seats = machine.seats.iter();
            seats.map(move |seat| self.added(&machine.facts, *seat))
        })
    }

    /// Returns the change by which a seat of a machine with these facts is added.
    fn added(&self, facts: &WorkerFacts, seat: SeatId) -> SeatChange {
        if facts.builds_for(&self.own.toolchain) {
            SeatChange::AddedWithCompiler(seat)
        } else {
            SeatChange::Added(seat)
        }
    }

    /// Takes an announcement.
    pub(super) fn hear(&mut self, name: &MachineName, facts: WorkerFacts, now: Duration) {
        let known = self.all.get(name);
        if known.is_none() && self.all.len() >= MACHINES_MAX {
            return;
        }
        if known.is_some_and(|known| known.facts.start != facts.start) {
            // A worker that was started again knows nothing of what it was given before.
            self.end_if_here(name);
        }
        let state = self.all.get(name).map(|machine| machine.state.clone());
        let same_start = self
            .all
            .get(name)
            .is_some_and(|one| one.facts.start == facts.start);
        match state {
            Some(MachineState::StruckOff(_)) => return,
            Some(MachineState::Here) if facts.cores == 0 => {
                self.news.push(format!("worker {name} left"));
                self.end(name, MachineState::Gone);
                return;
            }
            Some(MachineState::Here) => {
                if let Some(machine) = self.all.get_mut(name) {
                    machine.heard = now;
                    machine.facts = facts;
                }
                return;
            }
            Some(MachineState::Unfit(_)) if same_start => {
                let can_race = facts.cores > 0 && facts.unfit_to_race(&self.own).is_none();
                if let Some(machine) = self.all.get_mut(name) {
                    machine.heard = now;
                    machine.can_race |= can_race;
                }
                if facts.cores == 0 {
                    self.end_if_here(name);
                }
                return;
            }
            _ if facts.cores == 0 => return,
            Some(MachineState::Gone | MachineState::Unfit(_)) | None => {}
        }
        let too_many = || {
            let open: usize = self.all.values().map(|one| one.seats.len()).sum();
            let more = usize::try_from(facts.cores).unwrap_or(usize::MAX);
            (open.saturating_add(more) > SEATS_MAX).then(|| {
                format!("this run has {open} cores elsewhere already, and takes {SEATS_MAX}")
            })
        };
        let unfit = facts.unfit_for(&self.own).or_else(too_many);
        let mut machine = Machine {
            heard: now,
            seats: Vec::new(),
            lost_in_a_row: 0,
            said_why_lost: false,
            state: MachineState::Here,
            can_race: facts.unfit_to_race(&self.own).is_none(),
            facts,
        };
        if let Some(why) = unfit {
            self.news.push(format!("worker {name} is refused: {why}"));
            machine.state = MachineState::Unfit(why);
        } else {
            let cores = machine.facts.cores;
            let counted = wording::counted(cores, "core");
            self.news
                .push(format!("worker {name} joined with {counted}"));
            for _ in 0..cores {
                let seat = SeatId(self.next_seat);
                self.next_seat += 1;
                self.owners.insert(seat, name.clone());
                machine.seats.push(seat);
                let added = self.added(&machine.facts, seat);
                self.changes.push(added);
            }
        }
        self.all.insert(name.clone(), machine);
    }

    /// Takes an announcement that this version does not understand. `version` is the one that it names; it is empty if it names
    /// none. A machine that is here is not ended by it: anybody could have sent it.
    pub(super) fn hear_foreign(&mut self, name: &MachineName, version: &str) {
        let own = &self.own.bakeoff;
        let why = match version {
            "" => format!("it announces itself in a way that bakeoff {own} does not understand"),
            same if same == own => {
                format!("it says that it is bakeoff {own}, and announces itself in another way")
            }
            other => format!("it is bakeoff {other}, and the run is of {own}"),
        };
        let is_open = match self.all.get(name) {
            Some(known) => known.state == MachineState::Gone,
            None => self.all.len() < MACHINES_MAX,
        };
        if !is_open {
            return;
        }
        self.news.push(format!("worker {name} is refused: {why}"));
        let unknown = || "unknown".to_owned();
        let facts = WorkerFacts {
            bakeoff: version.to_owned(),
            engine: unknown(),
            fence: unknown(),
            cpu: unknown(),
            cores: 0,
            start: 0,
            tasks: 0,
            toolchain: String::new(),
        };
        let machine = Machine {
            facts,
            state: MachineState::Unfit(why),
            heard: Duration::ZERO,
            seats: Vec::new(),
            lost_in_a_row: 0,
            said_why_lost: false,
            can_race: false,
        };
        self.all.insert(name.clone(), machine);
    }

    /// Ends machines of which nothing was heard.
    pub(super) fn expire(&mut self, now: Duration) {
        let is_late = |machine: &Machine| {
            (machine.is_here() || machine.can_race)
                && now.saturating_sub(machine.heard) > GONE_AFTER
        };
        let late = self.all.iter().filter(|(_, machine)| is_late(machine));
        let late: Vec<MachineName> = late.map(|(name, _)| name.clone()).collect();
        for name in &late {
            self.news.push(format!(
                "nothing was heard of worker {name} for {} s: its tasks are done elsewhere",
                GONE_AFTER.as_secs()
            ));
            self.end_if_here(name);
        }
    }

    /// Returns the machines that may have a race of their own.
    pub(super) fn racers(&self) -> impl Iterator<Item = (&MachineName, &WorkerFacts)> {
        let racers = self.all.iter().filter(|(_, machine)| machine.can_race);
        racers.map(|(name, machine)| (name, &machine.facts))
    }

    /// Returns true if a machine may have a race of its own, and was not started again since this start.
    pub(super) fn can_race(&self, name: &MachineName, start: u64) -> bool {
        let machine = self.all.get(name);
        machine.is_some_and(|machine| machine.can_race && machine.facts.start == start)
    }

    /// Gives a machine no more tasks of this run, since it broke the rules of workers.
    pub(super) fn strike_off(&mut self, name: &MachineName, why: &str) {
        let known = self.all.get(name).map(|machine| &machine.state);
        if known.is_some_and(|state| !matches!(state, MachineState::StruckOff(_))) {
            self.news.push(format!(
                "worker {name} gets no more tasks of this run: {why}; nothing of that answer is kept"
            ));
            self.end(name, MachineState::StruckOff(why.to_owned()));
        }
    }

    /// Counts a task that a machine did.
    pub(super) fn did(&mut self, name: &MachineName) {
        if let Some(machine) = self.all.get_mut(name) {
            machine.lost_in_a_row = 0;
        }
    }

    /// Counts a task that was lost on a machine. The first reason is said; a machine that does nothing but lose tasks, more than two
    /// for each core and one, gets no more of this run.
    pub(super) fn lost_task(&mut self, name: &MachineName, reason: &str) {
        let Some(machine) = self.all.get_mut(name).filter(|one| one.is_here()) else {
            return;
        };
        machine.lost_in_a_row += 1;
        let lost = machine.lost_in_a_row;
        if !machine.said_why_lost {
            machine.said_why_lost = true;
            let reason: String = reason.chars().take(REASON_CHARS_MAX).collect();
            self.news.push(format!(
                "a task of worker {name} is lost, and done again: {reason}"
            ));
        }
        if lost > machine.facts.cores.saturating_mul(2) {
            let why = format!("the last {lost} tasks of it were lost");
            self.news.push(format!(
                "worker {name} gets no more tasks of this run: {why}"
            ));
            self.end(name, MachineState::StruckOff(why));
        }
    }

    /// Ends a machine that takes tasks, and the race of one that does nothing else.
    fn end_if_here(&mut self, name: &MachineName) {
        let machine = self.all.get_mut(name);
        match machine {
            Some(machine) if machine.is_here() => self.end(name, MachineState::Gone),
            Some(machine) if machine.can_race => {
                machine.can_race = false;
                self.lost.push(name.clone());
            }
            Some(_) | None => {}
        }
    }

    fn end(&mut self, name: &MachineName, state: MachineState) {
        if let Some(machine) = self.all.get_mut(name) {
            machine.state = state;
            machine.can_race = false;
            self.lost.push(name.clone());
            let seats = std::mem::take(&mut machine.seats);
            self.changes
                .extend(seats.into_iter().map(SeatChange::Removed));
        }
    }
}
