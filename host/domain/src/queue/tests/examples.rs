//! Examples that were worked out by hand.

use super::simulation::{Ran, run};
use crate::queue::{
    Attempt, Capacity, Cpu, Dependency, Ending, Needs, Receipt, Task, TaskKey, TaskQueue, TaskState,
};
use std::collections::BTreeMap;
use std::time::Duration;

fn key(name: &str) -> TaskKey {
    TaskKey::new(name)
}

fn task(name: &str, after: &[&str]) -> Task {
    Task {
        after: after
            .iter()
            .map(|name| Dependency::on_result(key(name)))
            .collect(),
        lease: Duration::from_secs(1_000),
        ..Task::new(key(name), "task", Needs::cpu(Cpu::Core))
    }
}

fn starts(ran: &[Ran]) -> Vec<(&str, u64)> {
    ran.iter()
        .map(|ran| (ran.key.as_str(), ran.start))
        .collect()
}

/// A database, an interface, a front end, its parts, their integration and the tests of it: two chains that
/// join.
fn six_tasks(workers: usize) -> TaskQueue {
    let mut queue = TaskQueue::new(Capacity::of_cores(0..workers));
    for (name, after) in [
        ("schema", &[][..]),
        ("api", &["schema"]),
        ("front end", &[]),
        ("parts", &["front end"]),
        ("integration", &["api", "parts"]),
        ("tests", &["integration"]),
    ] {
        queue.add(task(name, after)).unwrap();
    }
    queue
}

#[test]
fn six_tasks_of_5_units_take_20_on_3_workers_and_on_2_and_30_on_one() {
    for (workers, makespan) in [(3, 20), (2, 20), (1, 30)] {
        let mut queue = six_tasks(workers);
        let ran = run(&mut queue, |_| (5, Ending::Done));
        assert_eq!(ran.iter().map(|ran| ran.end).max(), Some(makespan));
        let tasks: u64 = queue.loads().values().map(|load| load.tasks).sum();
        let busy: Duration = queue.loads().values().map(|load| load.busy).sum();
        assert_eq!((tasks, busy), (6, Duration::from_secs(30)));
        if workers == 3 {
            assert_eq!(
                starts(&ran),
                [
                    ("schema", 0),
                    ("front end", 0),
                    ("api", 5),
                    ("parts", 5),
                    ("integration", 10),
                    ("tests", 15)
                ]
            );
            // The third worker never has anything to do.
            assert_eq!(queue.loads().len(), 2);
        }
    }
}

#[test]
fn the_longest_chain_starts_first_and_a_priority_before_it() {
    let mut queue = TaskQueue::new(Capacity::of_cores([0]));
    for (name, after) in [
        ("alone", &[][..]),
        ("chain 1", &[]),
        ("chain 2", &["chain 1"]),
        ("chain 3", &["chain 2"]),
    ] {
        queue.add(task(name, after)).unwrap();
    }
    let urgent = Task {
        priority: 1,
        ..task("urgent", &[])
    };
    queue.add(urgent).unwrap();
    let ran = run(&mut queue, |_| (1, Ending::Done));
    let order: Vec<&str> = ran.iter().map(|ran| ran.key.as_str()).collect();
    assert_eq!(order, ["urgent", "chain 1", "chain 2", "alone", "chain 3"]);
}

#[test]
fn measured_durations_change_the_order() {
    let mut queue = TaskQueue::new(Capacity::of_cores([0]));
    queue.expect("build", Duration::from_secs(9));
    queue.expect("check", Duration::from_secs(1));
    for (kind, name) in [
        ("build", "b1"),
        ("check", "c1"),
        ("build", "b2"),
        ("check", "c2"),
    ] {
        let kind_of = Task {
            kind,
            ..task(name, &[])
        };
        queue.add(kind_of).unwrap();
    }
    let ran = run(&mut queue, |attempt| match attempt.key.as_str() {
        "b1" | "b2" => (1, Ending::Done),
        _ => (30, Ending::Done),
    });
    let order: Vec<&str> = ran.iter().map(|ran| ran.key.as_str()).collect();
    // A build takes as little as a check was expected to, and then checks take longer.
    assert_eq!(order, ["b1", "c1", "c2", "b2"]);
}

#[test]
fn a_failure_reaches_what_depends_on_the_result_and_nothing_else() {
    let mut queue = TaskQueue::new(Capacity::of_cores(0..2));
    for (name, after) in [
        ("build a", &[][..]),
        ("build b", &[]),
        ("check a", &["build a"]),
        ("check b", &["build b"]),
        ("race a", &["check a"]),
    ] {
        queue.add(task(name, after)).unwrap();
    }
    let all = ["check a", "check b", "race a"];
    let after_all = Task {
        after: all
            .iter()
            .map(|name| Dependency::on_end(key(name)))
            .collect(),
        ..task("report", &[])
    };
    queue.add(after_all).unwrap();
    let ran = run(&mut queue, |attempt| match attempt.key.as_str() {
        "build a" => (1, Ending::Failed),
        _ => (2, Ending::Done),
    });
    assert_eq!(
        starts(&ran),
        [
            ("build a", 0),
            ("build b", 0),
            ("check b", 2),
            ("report", 4)
        ]
    );
    let state = |name| queue.state(&key(name)).unwrap().clone();
    let because = |name| TaskState::Unreachable { because: key(name) };
    assert_eq!(state("build a"), TaskState::Failed);
    assert_eq!(state("check a"), because("build a"));
    assert_eq!(state("race a"), because("check a"));
    // Who comes later learns it at once.
    queue.add(task("late", &["race a"])).unwrap();
    assert_eq!(queue.state(&key("late")), Some(&because("race a")));
}

#[test]
fn results_that_are_kept_are_done_and_what_depends_on_them_starts() {
    let mut queue = six_tasks(2);
    queue.keep(&key("schema"));
    queue.keep(&key("front end"));
    let ran = run(&mut queue, |_| (5, Ending::Done));
    assert_eq!(
        starts(&ran),
        [("api", 0), ("parts", 0), ("integration", 5), ("tests", 10)]
    );
}

#[test]
fn who_needs_quiet_shares_the_machine_with_nobody_else_and_is_not_overtaken() {
    let mut queue = TaskQueue::new(Capacity::of_cores(0..2));
    let with = |name: &str, cpu, priority| Task {
        priority,
        ..Task {
            needs: Needs::cpu(cpu),
            ..task(name, &[])
        }
    };
    queue.add(with("build 1", Cpu::Core, 9)).unwrap();
    queue.add(with("solo", Cpu::WholeMachine, 8)).unwrap();
    queue.add(with("build 2", Cpu::Core, 7)).unwrap();
    queue.add(with("timed 1", Cpu::QuietCore, 6)).unwrap();
    queue.add(with("timed 2", Cpu::QuietCore, 6)).unwrap();
    queue.add(with("reply", Cpu::None, 0)).unwrap();
    let ran = run(&mut queue, |_| (5, Ending::Done));
    // The second core stays free for a while: else the solo one would wait for ever.
    assert_eq!(
        starts(&ran),
        [
            ("build 1", 0),
            ("reply", 0),
            ("solo", 5),
            ("build 2", 10),
            ("timed 1", 15),
            ("timed 2", 15)
        ]
    );
}

#[test]
fn updates_from_many_variants_at_once_are_each_counted_once_whoever_repeats_them() {
    const VARIANTS: usize = 12;
    const ITERATIONS: usize = 3;
    let mut queue = TaskQueue::new(Capacity::of_cores(0..5));
    let name = |variant: usize, iteration: usize| format!("{variant}.{iteration}");
    for iteration in 0..ITERATIONS {
        for variant in 0..VARIANTS {
            let before = iteration.checked_sub(1).map(|before| name(variant, before));
            let after: Vec<&str> = before.as_deref().into_iter().collect();
            queue.add(task(&name(variant, iteration), &after)).unwrap();
        }
    }
    // The log that all write to, and the attempts at work, those of the last turn in another order.
    let mut log: Vec<String> = Vec::new();
    let mut at_work: Vec<Attempt> = Vec::new();
    let mut told_before: Vec<Attempt> = Vec::new();
    let mut seconds = 0;
    while !queue.is_over() {
        let now = Duration::from_secs(seconds);
        while let Some(lease) = queue.lease(now) {
            at_work.push(lease.attempt);
        }
        assert!(at_work.len() <= 5, "no more at once than there are cores");
        at_work.reverse();
        let ends = at_work.split_off(at_work.len() / 2);
        for attempt in ends.iter().chain(&told_before) {
            match queue.finish(attempt, Ending::Done, now) {
                Receipt::Accepted(_) => log.push(attempt.key.to_string()),
                receipt => assert_eq!(receipt, Receipt::Repeated),
            }
        }
        told_before.extend(ends);
        seconds += 1;
    }
    let mut by_variant: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for entry in &log {
        let (variant, iteration) = entry.split_once('.').unwrap();
        by_variant.entry(variant).or_default().push(iteration);
    }
    assert_eq!(by_variant.len(), VARIANTS);
    for (variant, iterations) in by_variant {
        assert_eq!(iterations, ["0", "1", "2"], "of variant {variant}");
    }
}
