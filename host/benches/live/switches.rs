//! E15: how often a runner loses its core or gives it up, in a second of its CPU time, beside a loop
//! that does nothing else. Both run in alternation, so that a busy machine is one for both.

use super::figures::{Demand, Figures, Unit};
use super::runs;
use super::spin::{Failure, Listed, Setup, Source, Spin};
use super::support::median;
use std::collections::BTreeMap;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

/// The demand on a runner, relative to a busy loop.
const SWITCHES_MAX: f64 = 3.0;

/// The time that the loop runs.
const LOOP: Duration = Duration::from_secs(4);

/// The time between two looks at the runners of a run. The last look at each is what counts.
const LOOK_PERIOD: Duration = Duration::from_millis(50);

/// What a process has had.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    voluntary: u64,
    involuntary: u64,
    cpu_ns: u64,
}

impl Usage {
    /// Returns the usage of the thread or process in this folder of `/proc`, while it exists.
    fn read(folder: &str) -> Option<Self> {
        let status = std::fs::read_to_string(format!("{folder}/status")).ok()?;
        let field = |name: &str| -> Option<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.trim().parse().ok()
        };
        let times = std::fs::read_to_string(format!("{folder}/schedstat")).ok()?;
        Some(Self {
            voluntary: field("voluntary_ctxt_switches:")?,
            involuntary: field("nonvoluntary_ctxt_switches:")?,
            cpu_ns: times.split_whitespace().next()?.parse().ok()?,
        })
    }

    /// Returns all switches in a second of CPU time.
    fn rate(self) -> f64 {
        (self.voluntary + self.involuntary) as f64 * 1e9 / (self.cpu_ns.max(1) as f64)
    }
}

/// Returns the rate of a loop on a thread of its own.
fn busy_loop() -> Result<f64, Failure> {
    let spinning = thread::spawn(|| {
        let end = Instant::now() + LOOP;
        while Instant::now() < end {
            std::hint::spin_loop();
        }
        Usage::read("/proc/thread-self")
    });
    let usage = spinning.join().ok().flatten();
    Ok(usage.ok_or("/proc lacks the switches of a thread")?.rate())
}

/// Returns the ids of the runners among the children of a process.
fn runners(parent: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{parent}/task"));
    let children = tasks.into_iter().flatten().flatten().filter_map(|task| {
        let children = std::fs::read_to_string(task.path().join("children")).ok()?;
        let children = children.split_whitespace().map(str::parse::<u32>);
        Some(children.filter_map(Result::ok).collect::<Vec<_>>())
    });
    let is_runner = |child: &u32| {
        let line = std::fs::read(format!("/proc/{child}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == b"runner")
    };
    children.flatten().filter(is_runner).collect()
}

/// Returns the rate of all runners of a run together.
fn run(spin: &Spin, seed: u64) -> Result<f64, Failure> {
    let results = tempfile::tempdir()?;
    let mut run = spin
        .command(seed, results.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let mut last: BTreeMap<u32, Usage> = BTreeMap::new();
    while run.try_wait()?.is_none() {
        for runner in runners(run.id()) {
            last.extend(Usage::read(&format!("/proc/{runner}")).map(|usage| (runner, usage)));
        }
        thread::sleep(LOOK_PERIOD);
    }
    let sum = last.values().fold(Usage::default(), |sum, one| Usage {
        voluntary: sum.voluntary + one.voluntary,
        involuntary: sum.involuntary + one.involuntary,
        cpu_ns: sum.cpu_ns + one.cpu_ns,
    });
    match sum.cpu_ns {
        0 => Err("no runner was seen".into()),
        _ => Ok(sum.rate()),
    }
}

/// Runs with one worker and with as many as there are cores, each beside the loop.
pub(crate) fn switches(figures: &mut Figures) -> Result<(), Failure> {
    let runs = runs(3, 1);
    for (what, workers) in [("one worker", "1"), ("a worker for each core", "\"auto\"")] {
        let spin = Spin::new(&Setup {
            source: Source::Spin,
            work: &[1000, 1010],
            rounds: &[100_000],
            listed: Listed::AsNumbered,
            measure: &format!("budget = \"6 s\"\nconfidence = 0.9999\nworkers = {workers}"),
        })?;
        let mut ratios = Vec::new();
        for seed in 1..=runs {
            let before = busy_loop()?;
            let rate = run(&spin, seed)?;
            // A loop that was never interrupted counts as one that was once.
            let floor = 1.0 / LOOP.as_secs_f64();
            ratios.push(rate / ((before + busy_loop()?) / 2.0).max(floor));
        }
        let what = format!("context switches of a runner ÷ a busy loop, {what}");
        let demand = Demand::AtMost(SWITCHES_MAX);
        figures.row("E15", &what, median(ratios), Unit::One, demand);
    }
    Ok(())
}
