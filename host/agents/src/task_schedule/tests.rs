use super::*;
use bakeoff_config::TaskWork;
use std::collections::BTreeMap;

fn minutes(minutes: f64) -> Duration {
    Duration::from_secs_f64(minutes * 60.0)
}

fn task(name: &str, estimate_minutes: f64, after: &[usize]) -> AgentTask {
    AgentTask {
        name: name.to_owned(),
        work: TaskWork::Agent("Do it.".to_owned()),
        after: after.to_vec(),
        priority: 0,
        estimate_minutes,
        checks: Vec::new(),
    }
}

const TWICE: TaskRetries = TaskRetries {
    count: 2,
    first_wait: Duration::from_secs(10),
};

/// The example of six tasks: 30 units of work, of which the longest chain has 20.
fn six_tasks() -> Vec<AgentTask> {
    vec![
        task("design", 5.0, &[]),
        task("storage", 5.0, &[0]),
        task("page", 5.0, &[0]),
        task("api", 5.0, &[1]),
        task("tests", 5.0, &[3]),
        task("docs", 5.0, &[0]),
    ]
}

#[test]
fn six_tasks_take_two_workers_as_long_as_their_longest_chain() {
    let two = forecast(&six_tasks(), 2);
    assert_eq!(two.elapsed, minutes(20.0));
    assert_eq!(two.chain, minutes(20.0));
    assert_eq!(two.sum, minutes(30.0));
    assert_eq!(forecast(&six_tasks(), 1).elapsed, minutes(30.0));
    let chain = longest_chain(&six_tasks(), |_| minutes(5.0));
    assert_eq!(chain, (vec![0, 1, 3, 4], minutes(20.0)));
    let ran = simulate(&six_tasks(), 2, TWICE, |_| (minutes(5.0), true));
    let order: Vec<(usize, usize)> = ran
        .iter()
        .map(|one| (one.started.task, one.started.worker))
        .collect();
    // The longest chain first, and then the order of the list; a free worker waits for nobody.
    assert_eq!(order[0], (0, 1));
    assert_eq!([order[1].0, order[2].0], [1, 2]);
    assert_eq!([order[3].0, order[4].0], [3, 5]);
    assert_eq!(order[5].0, 4);
}

#[test]
fn a_priority_comes_before_a_longer_chain_and_that_before_the_order_of_the_list() {
    let mut tasks = vec![
        task("first", 1.0, &[]),
        task("long", 9.0, &[]),
        task("urgent", 1.0, &[]),
        task("last", 1.0, &[]),
    ];
    tasks[2].priority = 1;
    let ran = simulate(&tasks, 1, TWICE, |_| (minutes(1.0), true));
    let order: Vec<usize> = ran.iter().map(|one| one.started.task).collect();
    assert_eq!(order, [2, 1, 0, 3]);
}

#[test]
fn what_fails_is_tried_again_ever_later_and_what_needs_it_is_unreachable_in_the_end() {
    let tasks = vec![
        task("a", 1.0, &[]),
        task("b", 1.0, &[0]),
        task("c", 1.0, &[1]),
        task("d", 1.0, &[]),
    ];
    let mut schedule = TaskSchedule::new(&tasks, 1, TWICE).unwrap();
    let seconds = Duration::from_secs;
    let first = schedule.start(seconds(0)).unwrap();
    assert_eq!((first.task, first.attempt), (0, 1));
    assert_eq!(
        schedule.end(&first, AttemptEnd::Failed, seconds(1)),
        Some(seconds(11))
    );
    // The rest goes on meanwhile.
    let other = schedule.start(seconds(1)).unwrap();
    assert_eq!(other.task, 3);
    assert_eq!(schedule.end(&other, AttemptEnd::Done, seconds(2)), None);
    assert!(schedule.start(seconds(10)).is_none());
    assert_eq!(schedule.next_change(seconds(10)), Some(seconds(11)));
    let second = schedule.start(seconds(11)).unwrap();
    assert_eq!((second.task, second.attempt), (0, 2));
    assert_eq!(
        schedule.end(&second, AttemptEnd::Failed, seconds(12)),
        Some(seconds(32))
    );
    let third = schedule.start(seconds(32)).unwrap();
    assert_eq!(schedule.state(0), TaskProgress::Working);
    assert_eq!(schedule.end(&third, AttemptEnd::Failed, seconds(33)), None);
    assert!(schedule.is_over());
    assert_eq!(schedule.state(0), TaskProgress::GivenUp);
    assert_eq!(schedule.state(1), TaskProgress::Unreachable(0));
    assert_eq!(schedule.state(2), TaskProgress::Unreachable(0));
    assert_eq!(schedule.state(3), TaskProgress::Done);
    assert_eq!(
        schedule.loads(),
        [WorkerLoad {
            attempts: 4,
            busy: seconds(4)
        }]
    );
}

/// Numbers that follow from a seed (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }
}

/// Makes up to 40 tasks, each of which waits for up to three before it.
fn random_tasks(numbers: &mut Numbers) -> Vec<AgentTask> {
    let count = 1 + numbers.below(40);
    let random = |place: usize| {
        let waits = if place == 0 { 0 } else { numbers.below(4) };
        let mut after: Vec<usize> = (0..waits).map(|_| numbers.below(place)).collect();
        after.sort_unstable();
        after.dedup();
        let mut made = task(&format!("t{place}"), 1.0 + numbers.below(20) as f64, &after);
        made.priority = numbers.below(3) as i32;
        made
    };
    (0..count).map(random).collect()
}

fn assert_order(
    tasks: &[AgentTask],
    ran: &[SimulatedAttempt],
    done_at: &BTreeMap<usize, Duration>,
) {
    for one in ran {
        for before in &tasks[one.started.task].after {
            let end = done_at
                .get(before)
                .unwrap_or_else(|| panic!("{before} was not done"));
            assert!(*end <= one.from, "{one:?} began before {before} was done");
        }
        let same_worker = |other: &&SimulatedAttempt| {
            other.started.worker == one.started.worker && other.from < one.to && one.from < other.to
        };
        assert_eq!(ran.iter().filter(same_worker).count(), 1, "{one:?}");
    }
}

#[test]
fn a_thousand_random_graphs_keep_their_order_and_end_within_the_bound_of_list_scheduling() {
    let mut numbers = Numbers(35);
    let mut ratios = 0.0;
    for _ in 0..1_000 {
        let tasks = random_tasks(&mut numbers);
        let workers = 1 + numbers.below(6);
        let took = |place: usize| minutes(tasks[place].estimate_minutes);
        let ran = simulate(&tasks, workers, TWICE, |one| (took(one.task), true));
        assert_eq!(ran.len(), tasks.len(), "each is done once");
        let done_at = ran.iter().map(|one| (one.started.task, one.to)).collect();
        assert_order(&tasks, &ran, &done_at);
        let elapsed = ran.iter().map(|one| one.to).max().unwrap();
        let sum: Duration = (0..tasks.len()).map(took).sum();
        let chain = longest_chain(&tasks, took).1;
        let bound = chain.max(sum / workers as u32).as_secs_f64();
        let ratio = elapsed.as_secs_f64() / bound;
        assert!(
            ratio <= 2.0 - 1.0 / workers as f64 + 1e-9,
            "{ratio} on {workers} workers"
        );
        ratios += ratio;
    }
    let mean = ratios / 1_000.0;
    println!("on average {mean:.3} × the bound");
    assert!(mean <= 1.2, "{mean}");
}

#[test]
fn failures_in_a_thousand_random_graphs_are_tried_again_and_reach_what_needs_them_alone() {
    let mut numbers = Numbers(36);
    for _ in 0..1_000 {
        let tasks = random_tasks(&mut numbers);
        let workers = 1 + numbers.below(6);
        // The number of attempts that fail first; three are given up.
        let fails: Vec<u32> = tasks
            .iter()
            .map(|_| [0, 0, 0, 0, 1, 2, 3][numbers.below(7)])
            .collect();
        let ran = simulate(&tasks, workers, TWICE, |one| {
            let took = minutes(tasks[one.task].estimate_minutes);
            (took, one.attempt > fails[one.task])
        });
        let mut is_done = Vec::new();
        for (place, task) in tasks.iter().enumerate() {
            let attempts: Vec<&SimulatedAttempt> =
                ran.iter().filter(|one| one.started.task == place).collect();
            let is_reachable = task.after.iter().all(|one| is_done[*one]);
            let expected = if is_reachable {
                (fails[place] + 1).min(3)
            } else {
                0
            };
            assert_eq!(attempts.len(), expected as usize, "attempts at {place}");
            for (number, pair) in attempts.windows(2).enumerate() {
                let wait = TWICE.first_wait * 2_u32.pow(number as u32);
                assert!(pair[1].from >= pair[0].to + wait, "{pair:?}");
            }
            is_done.push(is_reachable && fails[place] < 3);
        }
        let done_at = ran
            .iter()
            .filter(|one| one.started.attempt > fails[one.started.task])
            .map(|one| (one.started.task, one.to))
            .collect();
        assert_order(&tasks, &ran, &done_at);
    }
}

#[test]
fn what_would_fail_again_is_not_tried_again() {
    let tasks = [task("a", 1.0, &[]), task("b", 1.0, &[0])];
    let mut schedule = TaskSchedule::new(&tasks, 1, TWICE).unwrap();
    let first = schedule.start(Duration::ZERO).unwrap();
    assert_eq!(
        schedule.end(&first, AttemptEnd::GivenUp, minutes(1.0)),
        None
    );
    assert_eq!(schedule.state(0), TaskProgress::GivenUp);
    assert_eq!(schedule.state(1), TaskProgress::Unreachable(0));
    assert!(schedule.is_over());
}
