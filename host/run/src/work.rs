//! The work of a run: the tasks that each core did, over all its sessions.

use super::error::RunError;
use bakeoff_domain::queue::Load;
use bakeoff_domain::report::WorkerCost;
use bakeoff_store::{Key, Owner, ResultKind, RunId, Store};
use std::collections::BTreeMap;
use std::time::Instant;

/// Work of each core in earlier sessions of a run, with the key under which it is stored.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) key: Key,
    before: Vec<WorkerCost>,
    /// Time of the last message about the progress of tasks.
    pub(super) told: Option<Instant>,
}

impl Work {
    /// Reads the stored work of earlier sessions of a run.
    pub(super) fn of(store: &mut Store, run: RunId) -> Result<Self, RunError> {
        let key = Key::new([("run", run.to_string())]);
        let before = store.get(ResultKind::Work, &key, Owner::RUN)?;
        Ok(Self {
            key,
            before: before.unwrap_or_default(),
            told: None,
        })
    }

    /// Returns the work of each core so far, with the loads of this session.
    pub(super) fn so_far(&self, loads: &BTreeMap<Option<usize>, Load>) -> Vec<WorkerCost> {
        let now = loads.iter().map(|(core, load)| WorkerCost {
            core: core.and_then(|core| u32::try_from(core).ok()),
            tasks: load.tasks,
            busy_seconds: load.busy.as_secs_f64(),
        });
        added(self.before.iter().copied().chain(now))
    }
}

/// Adds up the work on each core, in the order of core numbers.
pub(super) fn added(all: impl IntoIterator<Item = WorkerCost>) -> Vec<WorkerCost> {
    let mut by_core: BTreeMap<Option<u32>, WorkerCost> = BTreeMap::new();
    for one in all {
        let sum = by_core.entry(one.core).or_insert(WorkerCost {
            core: one.core,
            ..WorkerCost::default()
        });
        sum.tasks += one.tasks;
        sum.busy_seconds += one.busy_seconds;
    }
    by_core.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_of_several_sessions_is_added_up_by_core() {
        let work = |core, tasks, busy_seconds| WorkerCost {
            core,
            tasks,
            busy_seconds,
        };
        let all = [
            work(Some(3), 1, 0.5),
            work(None, 7, 0.0),
            work(Some(1), 2, 1.0),
            work(Some(3), 4, 0.25),
        ];
        let sum = [
            work(None, 7, 0.0),
            work(Some(1), 2, 1.0),
            work(Some(3), 5, 0.75),
        ];
        assert_eq!(added(all), sum);
    }
}
