//! The work of each core for a run, in words.

use bakeoff_domain::report::words::numbers;
use bakeoff_domain::report::{Cost, WorkerCost};

/// The largest number of cores that are shown one by one.
const CORES_SHOWN_MAX: usize = 8;

/// Returns the work of each core; of many cores, that of all together.
pub(super) fn load(cost: &Cost) -> String {
    let work = |tasks: u64, seconds: f64| {
        let seconds = numbers::significant(seconds, 3);
        match tasks {
            1 => format!("1 task in {seconds} s"),
            tasks => format!("{} tasks in {seconds} s", numbers::count(tasks)),
        }
    };
    if cost.workers.len() > CORES_SHOWN_MAX {
        let tasks = cost.workers.iter().map(|worker| worker.tasks).sum();
        let seconds = cost.workers.iter().map(|worker| worker.busy_seconds).sum();
        return format!("{} cores: {}", cost.workers.len(), work(tasks, seconds));
    }
    let of_core = |worker: &WorkerCost| {
        let work = work(worker.tasks, worker.busy_seconds);
        match worker.core {
            Some(core) => format!("core {core}: {work}"),
            None => format!("no core: {work}"),
        }
    };
    let all: Vec<String> = cost.workers.iter().map(of_core).collect();
    all.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_of_many_cores_is_one_sum() {
        let cost = |cores: u32| Cost {
            workers: (0..cores)
                .map(|core| WorkerCost {
                    core: Some(core),
                    tasks: 1 + u64::from(core),
                    busy_seconds: 0.5,
                })
                .collect(),
            ..Cost::default()
        };
        assert_eq!(load(&cost(0)), "");
        assert_eq!(
            load(&cost(2)),
            "core 0: 1 task in 0.500 s; core 1: 2 tasks in 0.500 s"
        );
        assert_eq!(load(&cost(9)), "9 cores: 45 tasks in 4.50 s");
    }
}
