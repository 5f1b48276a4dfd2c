//! What the queue of tasks takes for each task, from the first to the 100,000th.
//!
//! ```text
//! cargo bench -p bakeoff-domain --bench queue [-- --json FILE]
//! ```
//!
//! 25,000 variants with a build, a check, an assessment of it and a diagnosis, whose end 25 reports wait
//! for; 64 workers; every eighth attempt is lost once. Beside it, the same keys go into an ordered map and
//! out of it, which is the least that a queue of keyed tasks could do.

mod figures;

use bakeoff_domain::queue::{
    Attempt, Capacity, Cpu, Dependency, Ending, Needs, Retries, Task, TaskKey, TaskQueue,
};
use figures::{Demand, Figures, Unit};
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

const VARIANTS: usize = 25_000;
const REPORTS: usize = 25;
const WORKERS: usize = 64;
/// Tasks whose times are averaged: the slowest, and the first and last ones.
const SLOWEST: usize = 1_000;
const SPAN: usize = 10_000;
/// The most that a task may take.
const TASK_MAX: Duration = Duration::from_millis(1);

fn tasks() -> Vec<Task> {
    let mut tasks = Vec::new();
    let retries = Retries {
        attempts_max: 3,
        first_wait: Duration::from_millis(1),
        wait_max: Duration::from_secs(1),
    };
    let task = |name: String, kind, after: Vec<Dependency>| Task {
        after,
        retries,
        ..Task::new(TaskKey::new(name), kind, Needs::cpu(Cpu::Core))
    };
    let on = |name: String| Dependency::on_result(TaskKey::new(name));
    for variant in 0..VARIANTS {
        tasks.push(task(format!("build {variant:064x}"), "build", Vec::new()));
        let after = vec![on(format!("build {variant:064x}"))];
        tasks.push(task(format!("check {variant:064x}"), "check", after));
        let after = vec![on(format!("check {variant:064x}"))];
        tasks.push(task(format!("assess {variant:064x}"), "assess", after));
        let after = vec![on(format!("check {variant:064x}"))];
        tasks.push(task(format!("diagnose {variant:064x}"), "diagnose", after));
    }
    for report in 0..REPORTS {
        let of_report = (report..VARIANTS).step_by(REPORTS);
        let on = |variant| Dependency::on_end(TaskKey::new(format!("assess {variant:064x}")));
        tasks.push(task(
            format!("report {report}"),
            "report",
            of_report.map(on).collect(),
        ));
    }
    tasks
}

/// Times of single steps, in nanoseconds.
#[derive(Default)]
struct Times(Vec<f64>);

impl Times {
    /// Adds the time of something of so many steps: a task that waits for many is as many.
    fn push(&mut self, since: Instant, steps: usize) {
        self.0
            .push(since.elapsed().as_nanos() as f64 / steps as f64);
    }

    fn mean(times: &[f64]) -> f64 {
        times.iter().sum::<f64>() / times.len().max(1) as f64
    }

    fn all(&self) -> f64 {
        Self::mean(&self.0)
    }

    fn first(&self) -> f64 {
        Self::mean(&self.0[..SPAN])
    }

    fn last(&self) -> f64 {
        Self::mean(&self.0[self.0.len() - SPAN..])
    }

    fn worst(&self) -> f64 {
        self.0.chunks(SLOWEST).map(Self::mean).fold(0.0, f64::max)
    }
}

/// Adds all tasks, then leases and finishes them.
fn through_the_queue(tasks: Vec<Task>) -> (Times, Times) {
    let (mut added, mut done) = (Times::default(), Times::default());
    let mut queue = TaskQueue::new(Capacity::of_cores(0..WORKERS));
    for task in tasks {
        let steps = 1 + task.after.len();
        let since = Instant::now();
        queue.add(task).expect("the tasks are in order");
        added.push(since, steps);
    }
    let mut at_work: VecDeque<Attempt> = VecDeque::new();
    let (mut now, mut number) = (Duration::ZERO, 0_u64);
    while !queue.is_over() {
        let since = Instant::now();
        now += Duration::from_micros(100);
        queue.advance(now);
        while let Some(lease) = queue.lease(now) {
            at_work.push_back(lease.attempt);
        }
        let Some(attempt) = at_work.pop_front() else {
            now = queue.next_change(now).unwrap_or(now);
            continue;
        };
        number += 1;
        let ending = match number.is_multiple_of(8) && attempt.number == 1 {
            true => Ending::Lost,
            false => Ending::Done,
        };
        queue.heartbeat(&attempt, now);
        queue.finish(&attempt, ending, now);
        if ending == Ending::Done {
            done.push(since, 1);
        }
    }
    (added, done)
}

/// Puts the keys into an ordered map and takes them out again.
fn through_a_map(tasks: &[Task]) -> f64 {
    let since = Instant::now();
    let mut map: BTreeMap<TaskKey, usize> = BTreeMap::new();
    for (place, task) in tasks.iter().enumerate() {
        map.insert(TaskKey::new(task.key.as_str()), place);
    }
    for task in tasks {
        std::hint::black_box(map.remove(&task.key));
    }
    since.elapsed().as_nanos() as f64 / tasks.len() as f64
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tasks = tasks();
    println!("{} tasks, {WORKERS} workers", tasks.len());
    let in_all = tasks.len() as f64;
    let in_a_map = through_a_map(&tasks);
    let (added, done) = through_the_queue(tasks);
    let mut figures = Figures::begin();
    let of_limit = |nanoseconds: f64| 100.0 * nanoseconds / TASK_MAX.as_nanos() as f64;
    let per_cent = |most| (Unit::PerCent, Demand::AtMost(most));
    let (unit, demand) = per_cent(100.0);
    let mut row = |id: &str, what: &str, value, unit, demand| {
        figures.row(id, what, value, unit, demand);
    };
    let ended = 100.0 * done.0.len() as f64 / in_all;
    row(
        "Q1",
        "tasks with a result",
        ended,
        unit,
        Demand::AtLeast(100.0),
    );
    let worst = of_limit(added.worst() + done.worst());
    row(
        "Q2",
        "slowest 1,000 tasks, share of 1 ms each",
        worst,
        unit,
        demand,
    );
    let ratio = added.last() / added.first();
    row(
        "Q3",
        "adding: the last 10,000 / the first 10,000",
        ratio,
        Unit::One,
        Demand::AtMost(4.0),
    );
    let ratio = done.last() / done.first();
    row(
        "Q4",
        "doing: the last 10,000 / the first 10,000",
        ratio,
        Unit::One,
        Demand::AtMost(4.0),
    );
    let ratio = (added.all() + done.all()) / in_a_map;
    row(
        "Q5",
        "a task / its key in and out of a map",
        ratio,
        Unit::One,
        Demand::None,
    );
    Ok(figures.finish()?)
}
