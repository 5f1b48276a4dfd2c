//! Resources that there are for tasks, and those of them that are taken.

use super::needs::{Cpu, Needs};
use super::rate::{Bucket, Rate};
use super::ready::Class;
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
            takes_memory: needs.memory_bytes > 0,
            rate,
        })
    }

    /// Returns what a task of this class lacks at the moment, if it lacks anything.
    pub(super) fn lack(&self, class: Class, needs: &Needs, now: Duration) -> Option<Lack> {
        if let (Some(rate), Some(tokens)) = (class.rate, &needs.tokens) {
            let at = self.rates[rate].1.at(tokens.count);
            if at > now {
                return Some(Lack::Tokens { rate, at });
            }
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

    /// Takes what a task needs, which must not be lacking, and returns its core.
    pub(super) fn take(&mut self, class: Class, needs: &Needs, now: Duration) -> Option<usize> {
        if let (Some(rate), Some(tokens)) = (class.rate, &needs.tokens) {
            self.rates[rate].1.take(tokens.count, now);
        }
        self.free_memory_bytes -= needs.memory_bytes;
        *self.taken_mut(needs.cpu)? += 1;
        self.free_cores.pop()
    }

    /// Gives back what a task took, except for its tokens.
    pub(super) fn give_back(&mut self, needs: &Needs, core: Option<usize>) {
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

    /// Returns true if tasks of this class must wait.
    pub(super) fn holds(&self, class: Class) -> bool {
        (self.cpu && class.cpu != Cpu::None)
            || (self.memory && class.takes_memory)
            || class.rate.is_some_and(|rate| self.rates.contains(&rate))
    }
}
