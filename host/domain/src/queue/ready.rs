//! The tasks that are ready, in the order in which they are to start.

use super::needs::{Cpu, Place};
use super::state::TaskId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The place of a ready task in the order: the first one is the smallest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    pub(super) priority: Reverse<i32>,
    /// Level of the task: the expected nanoseconds from its start to the end of all that depends on it.
    pub(super) level: Reverse<u64>,
    pub(super) task: TaskId,
}

/// Class of tasks that take the same kinds of resources. Ready tasks of one class are started in their order: where the
/// first one lacks something, the others take that as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Class {
    pub(super) cpu: Cpu,
    /// Machines on which the next attempt may run.
    pub(super) place: Place,
    pub(super) takes_memory: bool,
    /// Place in the capacity of the rate limit of which the task takes tokens.
    pub(super) rate: Option<usize>,
}

/// The ready tasks, by class.
#[derive(Clone, Debug, Default)]
pub(super) struct Ready {
    classes: BTreeMap<Class, BTreeSet<Rank>>,
}

impl Ready {
    pub(super) fn insert(&mut self, class: Class, rank: Rank) {
        self.classes.entry(class).or_default().insert(rank);
    }

    pub(super) fn remove(&mut self, class: Class, rank: Rank) {
        if let Some(ranks) = self.classes.get_mut(&class) {
            ranks.remove(&rank);
            if ranks.is_empty() {
                self.classes.remove(&class);
            }
        }
    }

    /// Returns the first task of each class, in the order in which they are to start.
    pub(super) fn heads(&self) -> Vec<(Rank, Class)> {
        let mut heads: Vec<(Rank, Class)> = self
            .classes
            .iter()
            .filter_map(|(class, ranks)| Some((*ranks.first()?, *class)))
            .collect();
        heads.sort_unstable();
        heads
    }
}
