//! Seats on other machines: who takes them, and what becomes of those who had one that is gone.

use crate::queue::{
    Capacity, Cpu, Ending, Needs, NextStep, Place, Receipt, Retries, SeatId, Task, TaskKey,
    TaskQueue,
};
use std::time::Duration;

const NOW: Duration = Duration::ZERO;

fn task(name: &str, cpu: Cpu, place: Place) -> Task {
    let needs = Needs {
        place,
        memory_bytes: 1,
        ..Needs::cpu(cpu)
    };
    Task {
        retries: Retries {
            attempts_max: 3,
            ..Retries::NONE
        },
        ..Task::new(TaskKey::new(name), "task", needs)
    }
}

/// Returns a queue with a core, memory for one task, and these seats.
fn queue(seats: u64) -> TaskQueue {
    let mut queue = TaskQueue::new(Capacity {
        memory_bytes: 1,
        ..Capacity::of_cores(0..1)
    });
    (0..seats).for_each(|seat| queue.add_seat(SeatId(seat)));
    queue
}

fn lease(queue: &mut TaskQueue) -> Option<(String, Option<usize>, Option<SeatId>)> {
    let lease = queue.lease(NOW)?;
    Some((lease.attempt.key.to_string(), lease.core, lease.seat))
}

#[test]
fn what_may_run_anywhere_takes_seats_first_and_nothing_of_this_machine() {
    let mut queue = queue(1);
    for (name, place) in [
        ("a", Place::Anywhere),
        ("b", Place::Anywhere),
        ("c", Place::Anywhere),
    ] {
        queue.add(task(name, Cpu::Core, place)).unwrap();
    }
    assert_eq!(lease(&mut queue), Some(("a".into(), None, Some(SeatId(0)))));
    assert_eq!(lease(&mut queue), Some(("b".into(), Some(0), None)));
    assert_eq!(lease(&mut queue), None);
    // A machine that joins later takes what waits.
    queue.add_seat(SeatId(7));
    assert_eq!(lease(&mut queue), Some(("c".into(), None, Some(SeatId(7)))));
}

#[test]
fn what_needs_a_compiler_takes_a_seat_that_has_one_and_others_leave_it_free() {
    let mut queue = queue(1);
    queue.add_seat_with_compiler(SeatId(8));
    queue.add_seat(SeatId(9));
    for (name, place) in [
        ("check", Place::Anywhere),
        ("build", Place::WithCompiler),
        ("later", Place::WithCompiler),
        ("last", Place::Anywhere),
    ] {
        queue.add(task(name, Cpu::Core, place)).unwrap();
    }
    let first = [lease(&mut queue), lease(&mut queue), lease(&mut queue)];
    assert!(first.contains(&Some(("check".into(), None, Some(SeatId(9))))));
    assert!(first.contains(&Some(("build".into(), None, Some(SeatId(8))))));
    // There is no second seat with a compiler, so this one is built here.
    assert!(first.contains(&Some(("later".into(), Some(0), None))));
    assert_eq!(
        lease(&mut queue),
        Some(("last".into(), None, Some(SeatId(0))))
    );
}

#[test]
fn a_compiler_that_left_is_waited_for_by_nobody() {
    let mut queue = queue(0);
    queue.add_seat_with_compiler(SeatId(3));
    queue.remove_seat(SeatId(3));
    queue.add_seat(SeatId(3));
    queue
        .add(task("build", Cpu::Core, Place::WithCompiler))
        .unwrap();
    assert_eq!(lease(&mut queue), Some(("build".into(), Some(0), None)));
}

#[test]
fn what_must_run_here_holds_up_nothing_that_has_a_seat() {
    let mut queue = queue(1);
    queue.add(task("here", Cpu::Core, Place::Here)).unwrap();
    assert_eq!(lease(&mut queue), Some(("here".into(), Some(0), None)));
    queue.add(task("next", Cpu::Core, Place::Here)).unwrap();
    queue.add(task("free", Cpu::Core, Place::Anywhere)).unwrap();
    let (name, _, seat) = lease(&mut queue).unwrap();
    assert_eq!((name.as_str(), seat), ("free", Some(SeatId(0))));
    assert_eq!(lease(&mut queue), None);
}

#[test]
fn a_quiet_core_is_quiet_whatever_runs_elsewhere() {
    let mut queue = queue(1);
    queue.add(task("free", Cpu::Core, Place::Anywhere)).unwrap();
    assert!(lease(&mut queue).unwrap().2.is_some());
    for cpu in [Cpu::QuietCore, Cpu::WholeMachine] {
        let name = format!("{cpu:?}");
        queue.add(task(&name, cpu, Place::Here)).unwrap();
        let leased = queue.lease(NOW).unwrap();
        assert_eq!(leased.core, Some(0));
        let receipt = queue.finish(&leased.attempt, Ending::Done, NOW);
        assert_eq!(receipt, Receipt::Accepted(NextStep::Over));
    }
}

#[test]
fn only_the_first_attempt_is_made_elsewhere() {
    let mut queue = queue(2);
    queue.add(task("a", Cpu::Core, Place::Anywhere)).unwrap();
    let first = queue.lease(NOW).unwrap();
    assert!(first.seat.is_some());
    queue.finish(&first.attempt, Ending::Lost, NOW);
    queue.advance(NOW);
    assert_eq!(lease(&mut queue), Some(("a".into(), Some(0), None)));
    let load = queue.seat_loads()[&first.seat.unwrap()];
    assert_eq!((load.load.tasks, load.lost), (1, 1));
    assert!(queue.loads().is_empty(), "nothing ended here yet");
}

#[test]
fn what_is_to_be_confirmed_is_done_here_at_once_and_is_not_lost() {
    let mut queue = queue(1);
    let once = Task {
        retries: Retries::NONE,
        ..task("a", Cpu::Core, Place::Anywhere)
    };
    queue.add(once).unwrap();
    let first = queue.lease(NOW).unwrap();
    assert!(first.seat.is_some());
    let receipt = queue.finish(&first.attempt, Ending::Unconfirmed, NOW);
    assert_eq!(receipt, Receipt::Accepted(NextStep::Retry { at: NOW }));
    assert_eq!(queue.seat_loads()[&SeatId(0)].lost, 0);
    queue.advance(NOW);
    let second = queue.lease(NOW).unwrap();
    assert_eq!((second.core, second.seat), (Some(0), None));
    let receipt = queue.finish(&second.attempt, Ending::Done, NOW);
    assert_eq!(receipt, Receipt::Accepted(NextStep::Over));
}

#[test]
fn a_seat_that_is_gone_is_not_given_back() {
    let mut queue = queue(1);
    for name in ["a", "b", "c"] {
        queue.add(task(name, Cpu::Core, Place::Anywhere)).unwrap();
    }
    let first = queue.lease(NOW).unwrap();
    queue.remove_seat(SeatId(0));
    let second = queue.lease(NOW).unwrap();
    assert_eq!((first.seat, second.seat), (Some(SeatId(0)), None));
    // What it had done counts all the same.
    let receipt = queue.finish(&first.attempt, Ending::Done, NOW);
    assert_eq!(receipt, Receipt::Accepted(NextStep::Over));
    assert_eq!(queue.lease(NOW), None);
    queue.finish(&second.attempt, Ending::Done, NOW);
    assert_eq!(lease(&mut queue), Some(("c".into(), Some(0), None)));
}
