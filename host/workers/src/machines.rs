//! The machines that a run knows of: what each said of itself, its seats, and what became of it.

use super::facts::{MachineName, WorkerFacts};
use bakeoff_confine::tasks::SeatChange;
use bakeoff_domain::queue::SeatId;
use std::collections::BTreeMap;
use std::time::Duration;

/// Time between two announcements of a worker.
pub(super) const ANNOUNCE_EVERY: Duration = Duration::from_secs(5);

/// The time after which a machine of which nothing was heard is gone.
pub(super) const GONE_AFTER: Duration = Duration::from_secs(20);

/// The most machines of a run.
const MACHINES_MAX: usize = 4_096;

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
        let unfit = facts.unfit_for(&self.own);
        let mut machine = Machine {
            heard: now,
            seats: Vec::new(),
            state: MachineState::Here,
            can_race: facts.unfit_to_race(&self.own).is_none(),
            facts,
        };
        if let Some(why) = unfit {
            self.news.push(format!("worker {name} is refused: {why}"));
            machine.state = MachineState::Unfit(why);
        } else {
            let cores = machine.facts.cores;
            self.news
                .push(format!("worker {name} joined with {cores} cores"));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(engine: &str, cores: u32) -> WorkerFacts {
        WorkerFacts {
            bakeoff: "1".to_owned(),
            engine: engine.to_owned(),
            fence: "kernel".to_owned(),
            cpu: "x".to_owned(),
            cores,
            start: 1,
            tasks: 0,
            toolchain: String::new(),
        }
    }

    fn name(text: &str) -> MachineName {
        MachineName::like(text).unwrap()
    }

    #[test]
    fn case_285_a_worker_with_another_engine_is_refused_with_both_named() {
        let mut machines = Machines::new(facts("engine-1", 2));
        machines.hear(&name("old"), facts("engine-0", 8), Duration::ZERO);
        assert_eq!(machines.seats().count(), 0);
        let news = machines.news.join("\n");
        assert!(news.contains("old") && news.contains("engine-0"), "{news}");
        assert!(news.contains("engine-1"), "{news}");
        let older = WorkerFacts {
            bakeoff: "0".to_owned(),
            ..facts("engine-1", 8)
        };
        machines.hear(&name("older"), older, Duration::ZERO);
        let open = WorkerFacts {
            fence: "unconfined".to_owned(),
            ..facts("engine-1", 8)
        };
        machines.hear(&name("open"), open, Duration::ZERO);
        assert_eq!(machines.seats().count(), 0);
        assert_eq!(machines.news.len(), 3, "{:?}", machines.news);
        // It is said once.
        machines.hear(&name("old"), facts("engine-0", 8), Duration::from_secs(5));
        assert_eq!(machines.news.len(), 3);
        machines.hear(&name("new"), facts("engine-1", 8), Duration::ZERO);
        assert_eq!(machines.seats().count(), 8);
    }

    #[test]
    fn who_is_silent_or_leaves_has_no_seats_and_comes_back_with_new_ones() {
        let mut machines = Machines::new(facts("e", 2));
        machines.hear(&name("a"), facts("e", 2), Duration::ZERO);
        let first: Vec<SeatChange> = machines.seats().collect();
        machines.expire(Duration::from_secs(19));
        assert_eq!((machines.seats().count(), machines.lost.len()), (2, 0));
        machines.expire(Duration::from_secs(21));
        assert_eq!(machines.lost, [name("a")]);
        assert_eq!(machines.seats().count(), 0);
        machines.hear(&name("a"), facts("e", 2), Duration::from_secs(22));
        assert!(machines.seats().all(|seat| !first.contains(&seat)));
        assert_eq!(first[0], SeatChange::Added(SeatId(0)));
        assert_eq!(machines.owner(SeatId(0)), Some(&name("a")));
        let again = WorkerFacts {
            start: 2,
            ..facts("e", 3)
        };
        machines.hear(&name("a"), again.clone(), Duration::from_secs(23));
        assert_eq!((machines.seats().count(), machines.lost.len()), (3, 2));
        let leaves = WorkerFacts { cores: 0, ..again };
        machines.hear(&name("a"), leaves, Duration::from_secs(24));
        assert_eq!(machines.seats().count(), 0);
    }

    #[test]
    fn only_who_has_the_toolchain_of_the_run_has_seats_for_builds() {
        let with = |toolchain: &str| WorkerFacts {
            toolchain: toolchain.to_owned(),
            ..facts("e", 1)
        };
        for (own, other, builds) in [("a", "a", true), ("a", "b", false), ("", "", false)] {
            let mut machines = Machines::new(with(own));
            machines.hear(&name("a"), with(other), Duration::ZERO);
            let added = if builds {
                SeatChange::AddedWithCompiler(SeatId(0))
            } else {
                SeatChange::Added(SeatId(0))
            };
            assert_eq!(machines.changes, [added], "{own} {other}");
            assert_eq!(machines.seats().collect::<Vec<_>>(), [added]);
        }
    }

    #[test]
    fn case_297_who_has_another_engine_may_race_until_it_is_silent_or_starts_again() {
        let mut machines = Machines::new(facts("engine-1", 2));
        let arm = name("arm");
        let hear = |machines: &mut Machines, start, cores, now| {
            let facts = WorkerFacts {
                start,
                ..facts("engine-2", cores)
            };
            machines.hear(&arm, facts, Duration::from_secs(now));
        };
        hear(&mut machines, 1, 4, 0);
        assert_eq!(machines.seats().count(), 0, "it does no tasks");
        assert_eq!(machines.racers().count(), 1);
        hear(&mut machines, 1, 4, 15);
        machines.expire(Duration::from_secs(30));
        assert!(machines.can_race(&arm, 1) && machines.lost.is_empty());
        machines.expire(Duration::from_secs(36));
        assert!(!machines.can_race(&arm, 1));
        assert_eq!(machines.lost, [name("arm")]);
        // It is heard of again.
        hear(&mut machines, 1, 4, 40);
        assert!(machines.can_race(&arm, 1));
        hear(&mut machines, 2, 4, 41);
        assert!(!machines.can_race(&arm, 1) && machines.can_race(&arm, 2));
        assert_eq!(machines.lost.len(), 2);
        hear(&mut machines, 2, 0, 42);
        assert_eq!((machines.racers().count(), machines.lost.len()), (0, 3));
        machines.strike_off(&arm, "it lied");
        hear(&mut machines, 3, 4, 43);
        assert_eq!(machines.racers().count(), 0);
        let older = WorkerFacts {
            bakeoff: "0".to_owned(),
            ..facts("engine-1", 8)
        };
        machines.hear(&name("older"), older, Duration::ZERO);
        assert_eq!(machines.racers().count(), 0);
    }

    #[test]
    fn who_is_struck_off_does_not_come_back() {
        let mut machines = Machines::new(facts("e", 2));
        machines.hear(&name("liar"), facts("e", 2), Duration::ZERO);
        machines.strike_off(&name("liar"), "it lied");
        machines.hear(&name("liar"), facts("e", 2), Duration::from_secs(1));
        assert_eq!(machines.seats().count(), 0);
        assert!(machines.news.iter().any(|text| text.contains("it lied")));
    }
}
