//! Resources that there are for tasks, and those of them that are taken.

use super::needs::{Cpu, Needs, Place, SeatId};
use super::rate::{Bucket, Rate};
use super::ready::Class;
use std::collections::BTreeSet;
use std::time::Duration;

/// Resources that there are for tasks to take.
#[derive(Clone, Debug, Default)]
pub struct Capacity {
    /// The numbers of the cores. Tasks are given the last free one.
    pub cores: Vec<usize>,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// The rate limits, by name.
    pub rates: Vec<(String, Rate)>,
}

impl Capacity {
    /// Returns the capacity of cores alone.
    pub fn of_cores(cores: impl IntoIterator<Item = usize>) -> Self {
        Self {
            cores: cores.into_iter().collect(),
            ..Self::default()
        }
    }
}

/// Resource that a task lacks at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    /// A core, or quiet on the others.
    Cpu,
    /// Memory.
    Memory,
    /// Tokens of a rate limit, which are there at this time.
    Tokens { rate: usize, at: Duration },
}

/// Resources of the capacity that are taken.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    cores: usize,
    free_cores: Vec<usize>,
    memory_bytes: u64,
    free_memory_bytes: u64,
    rates: Vec<(String, Bucket)>,
    /// The seats that there are, and those of them that are free.
    seats: BTreeSet<SeatId>,
    free_seats: Vec<SeatId>,
    /// The seats whose machine has the compiler of this one.
    seats_with_compiler: BTreeSet<SeatId>,
    /// Numbers of leased tasks that take a core, by their [`Cpu`]: this one and the next two.
    with_core: usize,
    quiet: usize,
    whole_machine: usize,
}

impl Slots {
    pub(super) fn new(capacity: Capacity) -> Self {
        let rates = capacity.rates.into_iter();
        Self {
            cores: capacity.cores.len(),
            free_cores: capacity.cores,
            memory_bytes: capacity.memory_bytes,
            free_memory_bytes: capacity.memory_bytes,
            rates: rates
                .map(|(name, rate)| (name, Bucket::new(rate)))
                .collect(),
            seats: BTreeSet::new(),
            free_seats: Vec::new(),
            seats_with_compiler: BTreeSet::new(),
            with_core: 0,
            quiet: 0,
            whole_machine: 0,
        }
    }

    /// Returns the class of a task with these needs; `None` if they can never be met.
    pub(super) fn class(&self, needs: &Needs) -> Option<Class> {
        let rate = match &needs.tokens {
            None => None,
            Some(tokens) => {
                let mut rates = self.rates.iter();
                let place = rates.position(|(name, _)| *name == tokens.rate)?;
                self.rates[place].1.can_hold(tokens.count).then_some(())?;
                Some(place)
            }
        };
        let is_possible =
            needs.memory_bytes <= self.memory_bytes && (needs.cpu == Cpu::None || self.cores > 0);
        is_possible.then_some(Class {
            cpu: needs.cpu,
            place: needs.place,
            takes_memory: needs.memory_bytes > 0,
            rate,
        })
    }

    /// Adds a seat, which is free. A seat that there is already stays as it is.
    pub(super) fn add_seat(&mut self, seat: SeatId) {
        if self.seats.insert(seat) {
            self.free_seats.push(seat);
        }
    }

    /// Adds a seat on a machine that has the compiler of this one.
    pub(super) fn add_seat_with_compiler(&mut self, seat: SeatId) {
        self.seats_with_compiler.insert(seat);
        self.add_seat(seat);
    }

    /// Removes a seat. A task that has it keeps it until its attempt ends.
    pub(super) fn remove_seat(&mut self, seat: SeatId) {
        self.seats.remove(&seat);
        self.seats_with_compiler.remove(&seat);
        self.free_seats.retain(|free| *free != seat);
    }

    /// Returns true if the next attempt of a task of this class would run on another machine now.
    pub(super) fn has_seat(&self, class: Class) -> bool {
        self.free_seat(class).is_some()
    }

    /// Returns the place in the free seats of the one that a task of this class takes. What needs no compiler leaves the seats
    /// that have one to others.
    fn free_seat(&self, class: Class) -> Option<usize> {
        let has_compiler = |seat: &SeatId| self.seats_with_compiler.contains(seat);
        let mut free = self.free_seats.iter();
        match class.place {
            Place::Here => None,
            Place::Anywhere => {
                let without = free.rposition(|seat| !has_compiler(seat));
                without.or(self.free_seats.len().checked_sub(1))
            }
            Place::WithCompiler => free.rposition(has_compiler),
        }
    }

    /// Returns what a task of this class lacks at the moment, if it lacks anything.
    pub(super) fn lack(&self, class: Class, needs: &Needs, now: Duration) -> Option<Lack> {
        if let (Some(rate), Some(tokens)) = (class.rate, &needs.tokens) {
            let at = self.rates[rate].1.at(tokens.count);
            if at > now {
                return Some(Lack::Tokens { rate, at });
            }
        }
        if self.has_seat(class) {
            return None;
        }
        let has_quiet = match needs.cpu {
            Cpu::None => true,
            Cpu::Core => self.quiet + self.whole_machine == 0,
            Cpu::QuietCore => self.with_core + self.whole_machine == 0,
            Cpu::WholeMachine => self.with_core + self.quiet + self.whole_machine == 0,
        };
        if !has_quiet || (needs.cpu != Cpu::None && self.free_cores.is_empty()) {
            return Some(Lack::Cpu);
        }
        (needs.memory_bytes > self.free_memory_bytes).then_some(Lack::Memory)
    }

    /// Withholds all tokens of a rate limit until this time.
    pub(super) fn pause(&mut self, rate: &str, until: Duration) {
        let named = self.rates.iter_mut().find(|(name, _)| name == rate);
        if let Some((_, bucket)) = named {
            bucket.pause(until);
        }
    }

    /// Takes what a task needs, which must not be lacking, and returns its core or its seat.
    pub(super) fn take(
        &mut self,
        class: Class,
        needs: &Needs,
        now: Duration,
    ) -> (Option<usize>, Option<SeatId>) {
        if let (Some(rate), Some(tokens)) = (class.rate, &needs.tokens) {
            self.rates[rate].1.take(tokens.count, now);
        }
        if let Some(place) = self.free_seat(class) {
            return (None, Some(self.free_seats.remove(place)));
        }
        self.free_memory_bytes -= needs.memory_bytes;
        let Some(taken) = self.taken_mut(needs.cpu) else {
            return (None, None);
        };
        *taken += 1;
        (self.free_cores.pop(), None)
    }

    /// Gives back what a task took, except for its tokens.
    pub(super) fn give_back(&mut self, needs: &Needs, core: Option<usize>, seat: Option<SeatId>) {
        if let Some(seat) = seat {
            if self.seats.contains(&seat) {
                self.free_seats.push(seat);
            }
            return;
        }
        self.free_memory_bytes += needs.memory_bytes;
        if let Some(taken) = self.taken_mut(needs.cpu) {
            *taken -= 1;
        }
        self.free_cores.extend(core);
    }

    fn taken_mut(&mut self, cpu: Cpu) -> Option<&mut usize> {
        match cpu {
            Cpu::None => None,
            Cpu::Core => Some(&mut self.with_core),
            Cpu::QuietCore => Some(&mut self.quiet),
            Cpu::WholeMachine => Some(&mut self.whole_machine),
        }
    }
}

/// Resources that the first tasks of the order lack. Later tasks that take the same must wait as well, or tasks that
/// need much would never start.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldBack {
    cpu: bool,
    memory: bool,
    rates: Vec<usize>,
}

impl HeldBack {
    pub(super) fn add(&mut self, lack: Lack) {
        match lack {
            Lack::Cpu => self.cpu = true,
            Lack::Memory => self.memory = true,
            Lack::Tokens { rate, .. } => self.rates.push(rate),
        }
    }

    /// Returns true if tasks of this class must wait. One that would take a seat takes nothing here.
    pub(super) fn holds(&self, class: Class, has_seat: bool) -> bool {
        (self.cpu && class.cpu != Cpu::None && !has_seat)
            || (self.memory && class.takes_memory && !has_seat)
            || class.rate.is_some_and(|rate| self.rates.contains(&rate))
    }
}
