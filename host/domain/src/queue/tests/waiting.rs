//! Reasons for which waiting tasks wait.

use super::super::*;
use std::time::Duration;

#[test]
fn every_waiting_task_says_what_it_waits_for() {
    let second = Duration::from_secs(1);
    let mut queue = TaskQueue::new(Capacity {
        cores: vec![0, 1],
        memory_bytes: 10,
        rates: vec![(
            "model".to_owned(),
            Rate {
                every: second,
                burst: 1,
            },
        )],
    });
    let key = |name: &str| TaskKey::new(name);
    let task = |name: &str, needs| Task::new(key(name), "task", needs);
    let memory = |memory_bytes| Needs {
        memory_bytes,
        ..Needs::default()
    };
    let call = || Needs {
        tokens: Some(Tokens {
            rate: "model".to_owned(),
            count: 1,
        }),
        ..Needs::default()
    };
    let lost = Task {
        retries: Retries {
            attempts_max: 2,
            first_wait: second,
            wait_max: second,
        },
        ..task("lost", Needs::default())
    };
    queue.add(lost).unwrap();
    let lease = queue.lease(Duration::ZERO).unwrap();
    queue.finish(&lease.attempt, Ending::Lost, Duration::ZERO);
    for added in [
        task("build", Needs::cpu(Cpu::Core)),
        task("large", memory(8)),
        task("reply", call()),
        task("replica", Needs::cpu(Cpu::QuietCore)),
        task("also large", memory(8)),
        task("another reply", call()),
        Task {
            after: vec![
                Dependency::on_result(key("build")),
                Dependency::on_end(key("large")),
            ],
            ..task("check", Needs::cpu(Cpu::Core))
        },
    ] {
        queue.add(added).unwrap();
    }
    let leased = |queue: &mut TaskQueue| queue.lease(Duration::ZERO);
    assert!((0..3).all(|_| leased(&mut queue).is_some()));
    assert_eq!(leased(&mut queue), None);
    // It has what it needs, but has not been asked for.
    queue.add(task("small", Needs::default())).unwrap();
    let waiting: Vec<(&str, WaitsFor)> = queue
        .waiting(Duration::ZERO)
        .map(|(key, what)| (key.as_str(), what))
        .collect();
    let open = WaitsFor::Tasks(vec![key("build"), key("large")]);
    assert_eq!(
        waiting,
        [
            ("lost", WaitsFor::Retry),
            ("replica", WaitsFor::Core),
            ("also large", WaitsFor::Memory),
            ("another reply", WaitsFor::Tokens),
            ("check", open),
            ("small", WaitsFor::Turn),
        ]
    );
    let counts = Counts {
        over: 0,
        leased: 3,
        waiting: 6,
    };
    assert_eq!(queue.counts(), counts);
    queue.keep(&key("large"));
    let check = queue
        .waiting(Duration::ZERO)
        .find(|(key, _)| key.as_str() == "check");
    assert_eq!(check.unwrap().1, WaitsFor::Tasks(vec![key("build")]));
    assert_eq!(queue.counts().over, 1);
}
