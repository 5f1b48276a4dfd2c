//! Random graphs of tasks, against what can be worked out by brute force.

use super::simulation::{Ran, run};
use crate::plan::splitmix64;
use crate::queue::{
    Attempt, Capacity, Cpu, Dependency, Ending, Needs, Place, Rate, Retries, Task, TaskKey,
    TaskQueue, TaskState, Tokens,
};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const GRAPHS: u64 = 10_000;
/// The largest graphs whose best schedule is looked for.
const SMALL: usize = 6;
const MEMORY: u64 = 10;
const RATE: Rate = Rate {
    every: Duration::from_secs(3),
    burst: 4,
};

/// Numbers that follow from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(1);
        (splitmix64(self.0) % limit as u64) as usize
    }
}

/// A graph: for each task its seconds and the earlier ones that it depends on.
struct Graph {
    seconds: Vec<u64>,
    after: Vec<BTreeSet<usize>>,
}

impl Graph {
    fn random(numbers: &mut Numbers, size_max: usize) -> Self {
        let size = 1 + numbers.below(size_max);
        let density = 1 + numbers.below(4);
        let seconds = (0..size).map(|_| 1 + numbers.below(9) as u64).collect();
        let after = (0..size)
            .map(|task| {
                (0..task)
                    .filter(|_| numbers.below(4) < density - 1)
                    .collect()
            })
            .collect();
        Self { seconds, after }
    }

    fn work(&self) -> u64 {
        self.seconds.iter().sum()
    }

    /// The longest chain of tasks.
    fn longest_chain(&self) -> u64 {
        let mut ends: Vec<u64> = Vec::new();
        for (seconds, after) in self.seconds.iter().zip(&self.after) {
            let start = after.iter().map(|task| ends[*task]).max().unwrap_or(0);
            ends.push(start + seconds);
        }
        ends.into_iter().max().unwrap_or(0)
    }

    /// The shortest time in which this many workers can do everything, by trying all orders.
    fn shortest(&self, workers: usize) -> u64 {
        let mut best = self.work();
        self.try_all(&mut vec![0; workers], &mut BTreeMap::new(), &mut best);
        best
    }

    fn try_all(&self, free_at: &mut [u64], ends: &mut BTreeMap<usize, u64>, best: &mut u64) {
        let makespan = ends.values().copied().max().unwrap_or(0);
        if makespan >= *best {
            return;
        }
        if ends.len() == self.seconds.len() {
            *best = makespan;
            return;
        }
        for task in 0..self.seconds.len() {
            let known = |other: &usize| ends.get(other).copied();
            let after: Option<Vec<u64>> = self.after[task].iter().map(known).collect();
            let Some(after) = after.filter(|_| !ends.contains_key(&task)) else {
                continue;
            };
            let after = after.into_iter().max().unwrap_or(0);
            for worker in 0..free_at.len() {
                let before = free_at[worker];
                let end = before.max(after) + self.seconds[task];
                free_at[worker] = end;
                ends.insert(task, end);
                self.try_all(free_at, ends, best);
                ends.remove(&task);
                free_at[worker] = before;
            }
        }
    }

    fn number(key: &TaskKey) -> usize {
        key.as_str().parse().unwrap()
    }

    fn task(&self, task: usize, needs: Needs) -> Task {
        let key = |task: &usize| TaskKey::new(task.to_string());
        let after = self.after[task].iter();
        Task {
            after: after.map(|task| Dependency::on_result(key(task))).collect(),
            size: self.seconds[task] as f64,
            lease: Duration::from_secs(100_000),
            ..Task::new(key(&task), "task", needs)
        }
    }

    /// Checks that every task was done once, and never before those that it depends on.
    fn assert_order(&self, ran: &[Ran]) {
        let done: BTreeMap<usize, &Ran> = ran
            .iter()
            .filter(|ran| ran.ending == Ending::Done)
            .map(|ran| (Self::number(&ran.key), ran))
            .collect();
        let count = ran.iter().filter(|ran| ran.ending == Ending::Done).count();
        assert_eq!(
            (count, done.len()),
            (self.seconds.len(), self.seconds.len())
        );
        for ran in ran {
            for before in &self.after[Self::number(&ran.key)] {
                assert!(
                    done[before].end <= ran.start,
                    "{ran:?} before task {before}"
                );
            }
        }
    }
}

/// Checks that no core has two tasks at once.
fn assert_cores(ran: &[Ran]) {
    for (place, one) in ran.iter().enumerate() {
        for other in &ran[place + 1..] {
            let together = one.start < other.end && other.start < one.end;
            assert!(
                !(together && one.core.is_some() && one.core == other.core),
                "{one:?} and {other:?}"
            );
        }
    }
}

#[test]
fn random_graphs_keep_their_order_and_end_within_the_bounds_of_list_scheduling() {
    for seed in 0..GRAPHS {
        let mut numbers = Numbers(seed << 32);
        let is_small = seed % 4 == 0;
        let graph = Graph::random(&mut numbers, if is_small { SMALL } else { 40 });
        let workers = 1 + numbers.below(if is_small { 3 } else { 8 });
        let mut queue = TaskQueue::new(Capacity::of_cores(0..workers));
        for task in 0..graph.seconds.len() {
            queue.add(graph.task(task, Needs::cpu(Cpu::Core))).unwrap();
        }
        let seconds = |attempt: &Attempt| graph.seconds[Graph::number(&attempt.key)];
        let ran = run(&mut queue, |attempt| (seconds(attempt), Ending::Done));
        graph.assert_order(&ran);
        assert_cores(&ran);
        let makespan = ran.iter().map(|ran| ran.end).max().unwrap_or(0);
        let (work, chain, m) = (graph.work(), graph.longest_chain(), workers as u64);
        assert!(makespan >= chain && makespan * m >= work, "graph {seed}");
        // Graham (1969): no list schedule is longer than work/m + (1 − 1/m) · chain.
        assert!(makespan * m <= work + (m - 1) * chain, "graph {seed}");
        if is_small {
            let shortest = graph.shortest(workers);
            // And so none is longer than (2 − 1/m) times the shortest.
            assert!(makespan >= shortest, "graph {seed}");
            assert!(makespan * m <= (2 * m - 1) * shortest, "graph {seed}");
        }
    }
}

/// Checks that tasks that run at the same second keep to the limits of cores, memory and tokens
/// together.
fn assert_limits(ran: &[Ran], needs: &[Needs], cores: usize) {
    let of = |ran: &Ran| &needs[Graph::number(&ran.key)];
    for second in ran.iter().map(|ran| ran.start) {
        let at_work: Vec<&Ran> = ran
            .iter()
            .filter(|ran| ran.start <= second && second < ran.end)
            .collect();
        let memory: u64 = at_work.iter().map(|ran| of(ran).memory_bytes).sum();
        assert!(memory <= MEMORY, "{memory} at {second}");
        let count = |cpu| at_work.iter().filter(|ran| of(ran).cpu == cpu).count();
        let (shared, quiet) = (count(Cpu::Core), count(Cpu::QuietCore));
        let whole = count(Cpu::WholeMachine);
        assert!(shared + quiet + whole <= cores);
        let kinds = [shared, quiet, whole]
            .iter()
            .filter(|many| **many > 0)
            .count();
        assert!(kinds <= 1 && whole <= 1, "{at_work:?}");
        // In no span of time that ends now were more tokens taken than may be.
        let (mut taken, every) = (0, RATE.every.as_secs());
        for earlier in ran.iter().rev().filter(|ran| ran.start <= second) {
            taken += of(earlier).tokens.as_ref().map_or(0, |tokens| tokens.count);
            let span = second - earlier.start;
            assert!(u64::from(taken) <= u64::from(RATE.burst) + span / every);
        }
    }
}

#[test]
fn limits_are_never_exceeded_and_nothing_waits_for_ever_whatever_workers_do() {
    for seed in 0..GRAPHS {
        let mut numbers = Numbers(seed << 32 | 1 << 31);
        let graph = Graph::random(&mut numbers, 16);
        let cores = 1 + numbers.below(4);
        let mut queue = TaskQueue::new(Capacity {
            cores: (0..cores).collect(),
            memory_bytes: MEMORY,
            rates: vec![("model".to_owned(), RATE)],
        });
        let kinds = [
            Cpu::None,
            Cpu::Core,
            Cpu::Core,
            Cpu::QuietCore,
            Cpu::WholeMachine,
        ];
        let needs: Vec<Needs> = (0..graph.seconds.len())
            .map(|_| Needs {
                place: Place::Here,
                cpu: kinds[numbers.below(kinds.len())],
                memory_bytes: numbers.below(MEMORY as usize + 1) as u64,
                tokens: (numbers.below(3) == 0).then(|| Tokens {
                    rate: "model".to_owned(),
                    count: 1 + numbers.below(RATE.burst as usize) as u32,
                }),
            })
            .collect();
        for (task, needs) in needs.iter().enumerate() {
            let task = Task {
                priority: numbers.below(3) as i32,
                retries: Retries {
                    attempts_max: u32::MAX,
                    first_wait: Duration::from_secs(1),
                    wait_max: Duration::from_secs(8),
                },
                ..graph.task(task, needs.clone())
            };
            queue.add(task).unwrap();
        }
        let ran = run(&mut queue, |attempt| {
            let seconds = graph.seconds[Graph::number(&attempt.key)];
            match numbers.below(4) {
                0 => (1 + seconds / 2, Ending::Lost),
                _ => (seconds, Ending::Done),
            }
        });
        graph.assert_order(&ran);
        assert_cores(&ran);
        assert_limits(&ran, &needs, cores);
    }
}

#[test]
fn failures_in_random_graphs_reach_what_depends_on_them_and_nothing_else() {
    for seed in 0..GRAPHS / 4 {
        let mut numbers = Numbers(seed << 32 | 1 << 30);
        let graph = Graph::random(&mut numbers, 24);
        let fails: Vec<bool> = graph
            .seconds
            .iter()
            .map(|_| numbers.below(6) == 0)
            .collect();
        let mut queue = TaskQueue::new(Capacity::of_cores(0..3));
        for task in 0..fails.len() {
            queue.add(graph.task(task, Needs::cpu(Cpu::Core))).unwrap();
        }
        let ran = run(&mut queue, |attempt| {
            let fails = fails[Graph::number(&attempt.key)];
            (1, if fails { Ending::Failed } else { Ending::Done })
        });
        let ran: BTreeSet<usize> = ran.iter().map(|ran| Graph::number(&ran.key)).collect();
        let mut without_result: Vec<bool> = Vec::new();
        for (task, after) in graph.after.iter().enumerate() {
            let is_reachable = after.iter().all(|task| !without_result[*task]);
            assert_eq!(
                ran.contains(&task),
                is_reachable,
                "graph {seed}, task {task}"
            );
            without_result.push(!is_reachable || fails[task]);
            let key = TaskKey::new(task.to_string());
            let is_done = queue.state(&key) == Some(&TaskState::Done);
            assert_eq!(is_done, !without_result[task], "graph {seed}, task {task}");
        }
    }
}
