//! Attempts that end late, twice, or never, and tasks that cannot be added.

use crate::queue::{
    AddError, Attempt, Capacity, Cpu, Dependency, Ending, Needs, NextStep, Rate, Receipt, Retries,
    Task, TaskKey, TaskQueue, TaskState, Tokens,
};
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(10);

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn key() -> TaskKey {
    TaskKey::new("the task")
}

fn attempt(number: u32) -> Attempt {
    Attempt { key: key(), number }
}

/// A queue of one task, which may be tried three times, and is leased at 0.
fn leased() -> TaskQueue {
    let mut queue = TaskQueue::new(Capacity::of_cores([7]));
    let task = Task {
        lease: LEASE,
        retries: Retries {
            attempts_max: 3,
            first_wait: seconds(2),
            wait_max: seconds(60),
        },
        ..Task::new(key(), "task", Needs::cpu(Cpu::Core))
    };
    queue.add(task).unwrap();
    let lease = queue.lease(seconds(0)).unwrap();
    assert_eq!(lease.attempt, attempt(1));
    assert_eq!((lease.core, lease.deadline), (Some(7), LEASE));
    queue
}

#[test]
fn a_lease_runs_out_unless_there_are_heartbeats_and_the_task_is_leased_again_later() {
    let mut queue = leased();
    assert!(queue.heartbeat(&attempt(1), seconds(9)));
    assert!(!queue.heartbeat(&attempt(2), seconds(9)), "nobody has that");
    assert_eq!(queue.advance(seconds(18)), []);
    assert_eq!(queue.next_change(seconds(18)), Some(seconds(19)));
    let lost = queue.advance(seconds(19));
    assert_eq!(lost.len(), 1);
    assert_eq!(lost[0].attempt, attempt(1));
    assert_eq!(lost[0].next, NextStep::Retry { at: seconds(21) });
    assert!(!queue.heartbeat(&attempt(1), seconds(20)), "too late");
    assert_eq!(queue.lease(seconds(20)), None);
    queue.advance(seconds(21));
    let lease = queue.lease(seconds(21)).unwrap();
    assert_eq!((lease.attempt, lease.core), (attempt(2), Some(7)));
}

#[test]
fn only_the_attempt_that_has_the_lease_counts_and_only_once() {
    let mut queue = leased();
    let done = |queue: &mut TaskQueue, number, at| {
        queue.finish(&attempt(number), Ending::Done, seconds(at))
    };
    assert_eq!(done(&mut queue, 2, 1), Receipt::NeverLeased);
    assert_eq!(done(&mut queue, 0, 1), Receipt::NeverLeased);
    let other = Attempt {
        key: TaskKey::new("another"),
        number: 1,
    };
    let unknown = queue.finish(&other, Ending::Done, seconds(1));
    assert_eq!(unknown, Receipt::NeverLeased);
    queue.advance(LEASE);
    assert_eq!(done(&mut queue, 1, 11), Receipt::Late);
    queue.advance(seconds(12));
    queue.lease(seconds(12)).unwrap();
    assert_eq!(done(&mut queue, 1, 13), Receipt::Late);
    let accepted = Receipt::Accepted(NextStep::Over);
    assert_eq!(done(&mut queue, 2, 14), accepted);
    assert_eq!(done(&mut queue, 2, 15), Receipt::Repeated);
    assert_eq!(done(&mut queue, 1, 15), Receipt::Late);
    assert!(queue.is_over());
}

#[test]
fn lost_attempts_are_repeated_ever_later_and_end_as_a_dead_letter() {
    let mut queue = leased();
    let lost = |queue: &mut TaskQueue, number, at| {
        queue.finish(&attempt(number), Ending::Lost, seconds(at))
    };
    let retry = |at| Receipt::Accepted(NextStep::Retry { at: seconds(at) });
    assert_eq!(lost(&mut queue, 1, 1), retry(3));
    queue.advance(seconds(3));
    queue.lease(seconds(3)).unwrap();
    assert_eq!(lost(&mut queue, 2, 3), retry(7));
    queue.advance(seconds(7));
    queue.lease(seconds(7)).unwrap();
    let dead = Receipt::Accepted(NextStep::DeadLetter);
    assert_eq!(lost(&mut queue, 3, 8), dead);
    assert_eq!(queue.state(&key()), Some(&TaskState::DeadLetter));
    assert!(queue.is_over());
}

#[test]
fn a_failure_of_the_task_itself_is_never_repeated() {
    let mut queue = leased();
    let receipt = queue.finish(&attempt(1), Ending::Failed, seconds(1));
    assert_eq!(receipt, Receipt::Accepted(NextStep::Over));
    assert_eq!(queue.state(&key()), Some(&TaskState::Failed));
}

#[test]
fn what_is_withdrawn_gives_its_core_back_and_its_result_does_not_count() {
    let mut queue = leased();
    let other = Task::new(TaskKey::new("other"), "task", Needs::cpu(Cpu::Core));
    queue.add(other).unwrap();
    assert_eq!(queue.lease(seconds(1)), None);
    queue.withdraw(&key(), seconds(1));
    // The time until then was work, and so it is counted.
    let load = queue.loads()[&Some(7)];
    assert_eq!((load.tasks, load.busy), (1, seconds(1)));
    assert_eq!(queue.lease(seconds(1)).unwrap().core, Some(7));
    let receipt = queue.finish(&attempt(1), Ending::Done, seconds(2));
    assert_eq!(receipt, Receipt::Late);
    assert_eq!(queue.state(&key()), Some(&TaskState::Withdrawn));
}

#[test]
fn what_would_never_start_is_refused() {
    let mut queue = TaskQueue::new(Capacity {
        cores: Vec::new(),
        memory_bytes: 100,
        rates: vec![(
            "model".to_owned(),
            Rate {
                every: seconds(1),
                burst: 2,
            },
        )],
    });
    let tokens = |rate: &str, count| Needs {
        tokens: Some(Tokens {
            rate: rate.to_owned(),
            count,
        }),
        ..Needs::default()
    };
    let memory = |memory_bytes| Needs {
        memory_bytes,
        ..Needs::default()
    };
    let mut add = |name: &str, needs| queue.add(Task::new(TaskKey::new(name), "task", needs));
    for needs in [
        Needs::cpu(Cpu::Core),
        memory(101),
        tokens("model", 3),
        tokens("unknown", 1),
    ] {
        let key = TaskKey::new("never");
        assert_eq!(add("never", needs), Err(AddError::NeverFits(key)));
    }
    add("one", memory(100)).unwrap();
    add("two", tokens("model", 2)).unwrap();
    let one = TaskKey::new("one");
    assert_eq!(add("one", memory(1)), Err(AddError::Known(one)));
    let missing = Dependency::on_result(TaskKey::new("missing"));
    let task = Task {
        after: vec![missing],
        ..Task::new(key(), "task", Needs::default())
    };
    let error = queue.add(task).unwrap_err();
    assert!(error.to_string().contains("missing"), "{error}");
    let task = Task {
        size: f64::NAN,
        ..Task::new(key(), "task", Needs::default())
    };
    assert_eq!(queue.add(task), Err(AddError::Size(key())));
}
