use super::*;

fn facts(engine: &str, cores: u32) -> WorkerFacts {
    WorkerFacts {
        bakeoff: "1".to_owned(),
        engine: engine.to_owned(),
        fence: "full".to_owned(),
        cpu: "x".to_owned(),
        cores,
        start: 1,
        tasks: 0,
        toolchain: String::new(),
    }
}

fn name(text: &str) -> MachineName {
    MachineName::like(text).unwrap()
}

#[test]
fn case_285_a_worker_with_another_engine_is_refused_with_both_named() {
    let mut machines = Machines::new(facts("engine-1", 2));
    machines.hear(&name("old"), facts("engine-0", 8), Duration::ZERO);
    assert_eq!(machines.seats().count(), 0);
    let news = machines.news.join("\n");
    assert!(news.contains("old") && news.contains("engine-0"), "{news}");
    assert!(news.contains("engine-1"), "{news}");
    let older = WorkerFacts {
        bakeoff: "0".to_owned(),
        ..facts("engine-1", 8)
    };
    machines.hear(&name("older"), older, Duration::ZERO);
    let open = WorkerFacts {
        fence: "unconfined".to_owned(),
        ..facts("engine-1", 8)
    };
    machines.hear(&name("open"), open, Duration::ZERO);
    assert_eq!(machines.seats().count(), 0);
    assert_eq!(machines.news.len(), 3, "{:?}", machines.news);
    // It is said once.
    machines.hear(&name("old"), facts("engine-0", 8), Duration::from_secs(5));
    assert_eq!(machines.news.len(), 3);
    machines.hear(&name("new"), facts("engine-1", 8), Duration::ZERO);
    assert_eq!(machines.seats().count(), 8);
}

#[test]
fn who_is_silent_or_leaves_has_no_seats_and_comes_back_with_new_ones() {
    let mut machines = Machines::new(facts("e", 2));
    machines.hear(&name("a"), facts("e", 2), Duration::ZERO);
    let first: Vec<SeatChange> = machines.seats().collect();
    machines.expire(Duration::from_secs(19));
    assert_eq!((machines.seats().count(), machines.lost.len()), (2, 0));
    machines.expire(Duration::from_secs(21));
    assert_eq!(machines.lost, [name("a")]);
    assert_eq!(machines.seats().count(), 0);
    machines.hear(&name("a"), facts("e", 2), Duration::from_secs(22));
    assert!(machines.seats().all(|seat| !first.contains(&seat)));
    assert_eq!(first[0], SeatChange::Added(SeatId(0)));
    assert_eq!(machines.owner(SeatId(0)), Some(&name("a")));
    let again = WorkerFacts {
        start: 2,
        ..facts("e", 3)
    };
    machines.hear(&name("a"), again.clone(), Duration::from_secs(23));
    assert_eq!((machines.seats().count(), machines.lost.len()), (3, 2));
    let leaves = WorkerFacts { cores: 0, ..again };
    machines.hear(&name("a"), leaves, Duration::from_secs(24));
    assert_eq!(machines.seats().count(), 0);
}

#[test]
fn only_who_has_the_toolchain_of_the_run_has_seats_for_builds() {
    let with = |toolchain: &str| WorkerFacts {
        toolchain: toolchain.to_owned(),
        ..facts("e", 1)
    };
    for (own, other, builds) in [("a", "a", true), ("a", "b", false), ("", "", false)] {
        let mut machines = Machines::new(with(own));
        machines.hear(&name("a"), with(other), Duration::ZERO);
        let added = if builds {
            SeatChange::AddedWithCompiler(SeatId(0))
        } else {
            SeatChange::Added(SeatId(0))
        };
        assert_eq!(machines.changes, [added], "{own} {other}");
        assert_eq!(machines.seats().collect::<Vec<_>>(), [added]);
    }
}

#[test]
fn case_297_who_has_another_engine_may_race_until_it_is_silent_or_starts_again() {
    let mut machines = Machines::new(facts("engine-1", 2));
    let arm = name("arm");
    let hear = |machines: &mut Machines, start, cores, now| {
        let facts = WorkerFacts {
            start,
            ..facts("engine-2", cores)
        };
        machines.hear(&arm, facts, Duration::from_secs(now));
    };
    hear(&mut machines, 1, 4, 0);
    assert_eq!(machines.seats().count(), 0, "it does no tasks");
    assert_eq!(machines.racers().count(), 1);
    hear(&mut machines, 1, 4, 15);
    machines.expire(Duration::from_secs(30));
    assert!(machines.can_race(&arm, 1) && machines.lost.is_empty());
    machines.expire(Duration::from_secs(36));
    assert!(!machines.can_race(&arm, 1));
    assert_eq!(machines.lost, [name("arm")]);
    // It is heard of again.
    hear(&mut machines, 1, 4, 40);
    assert!(machines.can_race(&arm, 1));
    hear(&mut machines, 2, 4, 41);
    assert!(!machines.can_race(&arm, 1) && machines.can_race(&arm, 2));
    assert_eq!(machines.lost.len(), 2);
    hear(&mut machines, 2, 0, 42);
    assert_eq!((machines.racers().count(), machines.lost.len()), (0, 3));
    machines.strike_off(&arm, "it lied");
    hear(&mut machines, 3, 4, 43);
    assert_eq!(machines.racers().count(), 0);
    let older = WorkerFacts {
        bakeoff: "0".to_owned(),
        ..facts("engine-1", 8)
    };
    machines.hear(&name("older"), older, Duration::ZERO);
    assert_eq!(machines.racers().count(), 0);
}

#[test]
fn case_294_who_loses_all_its_tasks_gets_no_more_and_says_why_once() {
    let mut machines = Machines::new(facts("e", 2));
    machines.hear(&name("silent"), facts("e", 2), Duration::ZERO);
    let silent = name("silent");
    for _ in 0..4 {
        machines.lost_task(&silent, "it said nothing");
    }
    machines.did(&silent);
    for _ in 0..4 {
        machines.lost_task(&silent, "it said nothing");
    }
    assert_eq!(machines.seats().count(), 2, "a task was done between them");
    machines.lost_task(&silent, &"x".repeat(1_000));
    assert_eq!(machines.seats().count(), 0);
    machines.hear(&silent, facts("e", 2), Duration::from_secs(1));
    assert_eq!(machines.seats().count(), 0);
    let news = machines.news.join("\n");
    assert_eq!(news.matches("it said nothing").count(), 1, "{news}");
    assert!(
        news.contains("the last 5 tasks of it were lost") && !news.contains("xx"),
        "{news}"
    );
}

#[test]
fn case_295_a_run_has_no_more_cores_elsewhere_than_it_could_use() {
    let mut machines = Machines::new(facts("e", 2));
    for number in 0..20 {
        let one = name(&format!("many-{number}"));
        machines.hear(&one, facts("e", 1_024), Duration::ZERO);
    }
    assert_eq!(machines.seats().count(), SEATS_MAX);
    assert!(
        machines.news.last().unwrap().contains("takes 16384"),
        "{:?}",
        machines.news.last()
    );
}

#[test]
fn who_is_struck_off_does_not_come_back() {
    let mut machines = Machines::new(facts("e", 2));
    machines.hear(&name("liar"), facts("e", 2), Duration::ZERO);
    machines.strike_off(&name("liar"), "it lied");
    machines.hear(&name("liar"), facts("e", 2), Duration::from_secs(1));
    assert_eq!(machines.seats().count(), 0);
    assert!(machines.news.iter().any(|text| text.contains("it lied")));
}
