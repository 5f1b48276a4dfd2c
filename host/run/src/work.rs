//! The work of a run: the tasks that each core did, and those of each phase, over all its sessions.

use super::child_tasks::ChildTasks;
use super::elsewhere::RemoteWorkers;
use super::error::RunError;
use bakeoff_domain::queue::Load;
use bakeoff_domain::report::{MachineCost, Phase, PhaseCost, WorkerCost};
use bakeoff_store::{Key, Owner, ResultKind, RunId, Store};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Instant;

/// Work of a run that is stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "AnyWork")]
pub struct StoredWork {
    /// Work of each core.
    pub workers: Vec<WorkerCost>,
    /// Work of each phase.
    pub phases: Vec<PhaseCost>,
    /// Work of each other machine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<MachineCost>,
}

/// Work as it is stored, or as it was before phases were counted: of each core alone.
#[derive(Deserialize)]
#[serde(untagged)]
enum AnyWork {
    Workers(Vec<WorkerCost>),
    Whole {
        workers: Vec<WorkerCost>,
        phases: Vec<PhaseCost>,
        #[serde(default)]
        machines: Vec<MachineCost>,
    },
}

impl From<AnyWork> for StoredWork {
    fn from(work: AnyWork) -> Self {
        match work {
            AnyWork::Workers(workers) => Self {
                workers,
                ..Self::default()
            },
            AnyWork::Whole {
                workers,
                phases,
                machines,
            } => Self {
                workers,
                phases,
                machines,
            },
        }
    }
}

/// Work of earlier sessions of a run, with the key under which it is stored.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) key: Key,
    before: StoredWork,
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
        added(self.before.workers.iter().copied().chain(now))
    }

    /// Returns the work of each other machine so far, with that of this session.
    pub(super) fn machines_so_far(
        &self,
        tasks: &ChildTasks,
        workers: Option<&RemoteWorkers>,
    ) -> Vec<MachineCost> {
        let now = workers.map(|workers| workers.work(tasks.seat_loads()));
        let before = self.before.machines.iter().cloned();
        MachineCost::added(before.chain(now.into_iter().flatten()))
    }

    /// Returns the work so far, with that of this session.
    pub(super) fn to_store(
        &self,
        tasks: &ChildTasks,
        workers: Option<&RemoteWorkers>,
    ) -> StoredWork {
        let now = tasks.kinds().iter().map(|(kind, load)| PhaseCost {
            phase: Phase::of_task(kind),
            tasks: load.tasks,
            seconds: load.busy.as_secs_f64(),
        });
        StoredWork {
            workers: self.so_far(tasks.loads()),
            phases: phases(self.before.phases.iter().copied().chain(now)),
            machines: self.machines_so_far(tasks, workers),
        }
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

/// Adds up the work of each phase, in the order of phases.
pub(super) fn phases(all: impl IntoIterator<Item = PhaseCost>) -> Vec<PhaseCost> {
    let mut sums: BTreeMap<Phase, PhaseCost> = BTreeMap::new();
    for one in all.into_iter().filter(|one| one.tasks > 0) {
        let none = PhaseCost {
            phase: one.phase,
            tasks: 0,
            seconds: 0.0,
        };
        let sum = sums.entry(one.phase).or_insert(none);
        sum.tasks += one.tasks;
        sum.seconds += one.seconds;
    }
    sums.into_values().collect()
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
        let phase = |phase, tasks, seconds| PhaseCost {
            phase,
            tasks,
            seconds,
        };
        let all = [
            phase(Phase::Checking, 2, 0.5),
            phase(Phase::Building, 1, 2.0),
            phase(Phase::Measuring, 0, 0.0),
            phase(Phase::of_task("diagnose"), 1, 0.25),
        ];
        let sum = [
            phase(Phase::Building, 1, 2.0),
            phase(Phase::Checking, 3, 0.75),
        ];
        assert_eq!(phases(all), sum);
    }

    #[test]
    fn work_that_was_stored_before_machines_were_counted_is_read() {
        let read = |text: &str| serde_json::from_str::<StoredWork>(text).unwrap();
        let old = read(r#"[{"core":1,"tasks":2,"busy_seconds":0.5}]"#);
        let later = read(r#"{"workers":[{"core":1,"tasks":2,"busy_seconds":0.5}],"phases":[]}"#);
        assert_eq!(old, later);
        assert_eq!(old.workers[0].tasks, 2);
        let text = serde_json::to_string(&later).unwrap();
        assert!(!text.contains("machines"), "{text}");
        let with = StoredWork {
            machines: vec![MachineCost::default()],
            ..later
        };
        assert_eq!(read(&serde_json::to_string(&with).unwrap()), with);
    }
}
