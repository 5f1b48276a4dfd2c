//! The cost of storing results: 100,000 timed trials and 100,000 judged ones, written as a run
//! writes them, with one commit for each replica and each gate, and one for each of their events.
//!
//! ```text
//! cargo bench -p bakeoff --bench store
//! ```
//!
//! Prints the time of writing as a share of the time that as many trials take, which is measured
//! first, by a run of `examples/top-k`; and the growth of memory meanwhile, after a warm-up that
//! fills SQLite's page cache of 2 MB. The demand is under 2 %, and at most a tenth more memory. It
//! is on wall time; CPU time is printed too, because on a busy machine most of the wall time is
//! waiting for a core.

use bakeoff_domain::measurement::{Baseline, Replica, Sample, Surroundings};
use bakeoff_domain::report::Environment;
use bakeoff_domain::spec::{
    Code, DeclaredInterface, DeclaringPlace, Experiment, Inputs, Limits, Measure, ReportOptions,
    Workload,
};
use bakeoff_domain::verdict::Verdict;
use bakeoff_store::events::{Envelope, Event, Origin};
use bakeoff_store::{
    ExportFormat, ExportTable, Key, Mode, Owner, RaceLists, ResultKind, RunId, RunMeta, Start,
    Store, Trial,
};
use std::path::Path;
use std::time::{Duration, Instant};

const TRIALS: u32 = 100_000;
const VARIANTS: usize = 4;
const CASES: usize = 3;
const BLOCKS: u32 = 8;
/// Calls in a gate: a few of each case, to detect state between calls.
const GATE_CALLS: u32 = 36;
/// The number of trials of the warm-up.
const WARM_UP: u32 = 50_000;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let mut store = begin(folder.path())?;
    println!("{TRIALS} trials each way, on {}", folder.path().display());

    let trials = measured()?;
    println!(
        "in a run of examples/top-k a timed trial takes {:.2} ms, all around it included, and a \
         judged one {:.2} ms",
        trials.timed_s * 1e3,
        trials.judged_s * 1e3
    );
    println!(
        "verdicts change {:.2} times in a replica of it, and each change is an event",
        trials.changes_each
    );
    let in_replica = BLOCKS * (VARIANTS * CASES) as u32;
    let timed = timed_trials(&mut store, trials.changes_each)?;
    timed.print(
        "timed, in replicas of 96",
        f64::from(in_replica) * trials.timed_s,
    );
    let judged = judged_trials(&mut store)?;
    judged.print(
        "judged, in gates of 36",
        f64::from(GATE_CALLS) * trials.judged_s,
    );

    let size = std::fs::metadata(folder.path().join("bakeoff.db"))?.len();
    println!("the database has {:.1} MB", size as f64 / 1e6);
    let before = resident_bytes();
    let start = Instant::now();
    let rows = store.export(
        None,
        ExportTable::Samples,
        ExportFormat::Csv,
        &mut std::io::sink(),
    )?;
    println!(
        "exporting {rows} samples took {:.2} s; memory grew by a factor of {:.2}",
        start.elapsed().as_secs_f64(),
        resident_bytes() / before
    );
    Ok(())
}

/// The duration of one trial in seconds of wall time, including its share of starting runners,
/// making inputs and judging answers.
struct Trials {
    timed_s: f64,
    judged_s: f64,
    /// The changes of verdicts that are emitted for each replica.
    changes_each: f64,
}

/// Runs an experiment, and reads the duration of its trials from its store.
fn measured() -> Result<Trials, Failure> {
    let folder = tempfile::tempdir()?;
    let experiment = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/top-k");
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_bakeoff"))
        .args([
            "run",
            experiment,
            "--quiet",
            "--workers",
            "1",
            "--budget",
            "10s",
            "--out",
        ])
        .arg(folder.path())
        .stdout(std::process::Stdio::null())
        .status()?;
    if !status.success() {
        return Err(format!("the run that is measured ended with {status}").into());
    }
    let store = Store::open(folder.path(), Mode::Read)?;
    let (race, _) = store.race_of(RunId(1))?.ok_or("nothing was timed")?;
    let replicas = store.replicas(race)?;
    let seconds: f64 = replicas.iter().map(|one| one.surroundings.seconds).sum();
    let samples: usize = replicas.iter().map(|one| one.samples.len()).sum();
    let (mut started_ms, mut gates_ms, mut calls, mut changes) = (0, 0, 0, 0_u32);
    // One worker: gates follow one another.
    for line in store.events_after(0, u32::MAX)? {
        let envelope: Envelope = serde_json::from_str(&line)?;
        match envelope.event {
            Event::CheckStart { .. } => started_ms = envelope.at_ms,
            Event::CheckComplete { trials, .. } => {
                gates_ms += envelope.at_ms - started_ms;
                calls += trials;
            }
            Event::VerdictChanged { .. } => changes += 1,
            _ => {}
        }
    }
    if samples == 0 || calls == 0 {
        return Err("nothing was timed or judged".into());
    }
    Ok(Trials {
        timed_s: seconds / samples as f64,
        judged_s: gates_ms as f64 / 1e3 / calls as f64,
        changes_each: f64::from(changes) / replicas.len() as f64,
    })
}

/// The cost of one way of writing.
struct Cost {
    seconds: f64,
    cpu_seconds: f64,
    /// Seconds that were spent on events, a part of all seconds.
    events_seconds: f64,
    commits: u32,
    growth: f64,
}

impl Cost {
    /// Prints the cost; `each_s` is the duration of the trials of one commit, in seconds.
    fn print(&self, what: &str, each_s: f64) {
        let trials = f64::from(self.commits) * each_s;
        println!("{what}, {} of them, with their events:", self.commits);
        println!(
            "  {:.2} s of writing ({:.2} s of CPU), {:.0} µs each; {:.2} s of it events",
            self.seconds,
            self.cpu_seconds,
            self.seconds / f64::from(self.commits) * 1e6,
            self.events_seconds
        );
        println!(
            "  {:.2} % of {trials:.0} s of trials; under 2 %: {}",
            100.0 * self.seconds / trials,
            yes_no(self.seconds < 0.02 * trials)
        );
        println!(
            "  memory grew by a factor of {:.2}; flat: {}",
            self.growth,
            yes_no(self.growth <= 1.1)
        );
    }
}

fn yes_no(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}

/// Times commits `first..end`, each with its events; `commit` returns the time that those took.
fn cost(
    first: u32,
    end: u32,
    mut commit: impl FnMut(u32) -> Result<Duration, Failure>,
) -> Result<Cost, Failure> {
    for number in 0..first {
        commit(number)?;
    }
    let (before, cpu, start) = (resident_bytes(), cpu_seconds(), Instant::now());
    let mut events = Duration::ZERO;
    for number in first..end {
        events += commit(number)?;
    }
    Ok(Cost {
        seconds: start.elapsed().as_secs_f64(),
        cpu_seconds: cpu_seconds() - cpu,
        events_seconds: events.as_secs_f64(),
        commits: end - first,
        growth: resident_bytes() / before,
    })
}

/// Emits events, and returns the time that this took.
fn emit(store: &mut Store, events: Vec<Event>) -> Result<Duration, Failure> {
    let start = Instant::now();
    for event in events {
        store.emit(event)?;
    }
    Ok(start.elapsed())
}

fn timed_trials(store: &mut Store, changes_each: f64) -> Result<Cost, Failure> {
    let race = RaceLists {
        variants: (0..VARIANTS).map(|v| format!("variant-{v}")).collect(),
        cases: (0..CASES).map(|c| format!("{}", 1000 << (4 * c))).collect(),
    };
    let race = store.open_race(&Key::new([("race", "1")]), &race)?;
    let in_replica = BLOCKS * (VARIANTS * CASES) as u32;
    let (first, end) = (
        WARM_UP / in_replica,
        (WARM_UP + TRIALS).div_ceil(in_replica),
    );
    cost(first, end, |index| {
        store.put_replica(race, &replica(index))?;
        let told = |replicas: u32| (f64::from(replicas) * changes_each).ceil() as u32;
        let mut events = vec![Event::ReplicaComplete {
            index,
            origin: Origin::New,
            samples: u64::from(in_replica),
            seconds: 0.123,
            live: VARIANTS as u32,
        }];
        events.extend((told(index)..told(index + 1)).map(changed));
        emit(store, events)
    })
}

fn judged_trials(store: &mut Store) -> Result<Cost, Failure> {
    let (first, end) = (
        WARM_UP / GATE_CALLS,
        (WARM_UP + TRIALS).div_ceil(GATE_CALLS),
    );
    cost(first, end, |gate| {
        let key = Key::new([("component", gate.to_string())]);
        let owner = Owner {
            variant: "variant-0",
            iteration: gate + 1,
        };
        let trials: Vec<Trial> = (0..GATE_CALLS).map(trial).collect();
        let variant_id = || owner.variant.to_owned();
        let started = vec![Event::CheckStart {
            variant_id: variant_id(),
        }];
        let starting = emit(store, started)?;
        store.put_with_trials(ResultKind::Gate, &key, owner, &"right", &trials)?;
        let ended = vec![Event::CheckComplete {
            variant_id: variant_id(),
            origin: Origin::New,
            trials: u64::from(GATE_CALLS),
            pure: Some(true),
        }];
        Ok(starting + emit(store, ended)?)
    })
}

fn changed(number: u32) -> Event {
    Event::VerdictChanged {
        a: "variant-0".to_owned(),
        b: "variant-1".to_owned(),
        case: None,
        verdict: Verdict::Beats,
        ratio: Some(0.923_456_789_012_345),
        low: Some(0.912_345_678_901_234),
        high: Some(0.934_567_890_123_456),
        replicas: number,
    }
}

fn trial(call: u32) -> Trial {
    Trial {
        case_index: call % CASES as u32,
        case_label: "16000".into(),
        outcome: "ok".into(),
        fuel: Some(123_456_789),
        peak_bytes: Some(1 << 20),
        answer: Some("0123456789abcdef0123456789abcdef".into()),
        detail: None,
    }
}

fn replica(index: u32) -> Replica {
    let mut samples = Vec::new();
    for block in 0..BLOCKS {
        for number in 0..VARIANTS * CASES {
            samples.push(Sample {
                variant: number % VARIANTS,
                case: number / VARIANTS,
                block,
                position: (number % VARIANTS) as u32,
                calls: 17,
                cpu_ns: 498_123 + u64::from(index) * 7,
                wall_ns: 501_456 + u64::from(block) * 11,
            });
        }
    }
    Replica {
        index,
        solo: false,
        samples,
        baselines: vec![Baseline::default(); CASES],
        cold_ns: vec![Some(12_345); VARIANTS],
        parts: Vec::new(),
        surroundings: Surroundings::default(),
    }
}

fn begin(folder: &Path) -> Result<Store, Failure> {
    let experiment = Experiment {
        name: "bench".into(),
        problem: "?".into(),
        interface: DeclaredInterface {
            wit: "wit".into(),
            call: "f".into(),
        },
        workload: Workload {
            inputs: Inputs::Generated {
                code: Code::Source("workload.rs".into()),
                sizes: vec![1000],
                texts: Vec::new(),
            },
            seed: Some(1),
        },
        approaches: Vec::new(),
        limits: Limits::default(),
        measure: Measure::default(),
        evaluators: Vec::new(),
        aggregators: Vec::new(),
        crates: bakeoff_domain::crates::Crates::default(),
        simd: bakeoff_domain::simd::Simd::default(),
        edition: bakeoff_domain::edition::Edition::default(),
        criteria: Vec::new(),
        report: ReportOptions::default(),
        declared: DeclaringPlace::InFile,
    };
    let meta = RunMeta {
        name: "bench",
        experiment_id: "bench",
        seed: bakeoff_domain::plan::RunSeed::Named(1),
        experiment: &experiment,
        environment: &Environment::default(),
        bakeoff: env!("CARGO_PKG_VERSION"),
    };
    let mut store = Store::open(folder, Mode::Write)?;
    store.begin_run(&meta, Start::Fresh)?;
    Ok(store)
}

/// Returns the CPU time of this process so far, in seconds.
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Returns the resident memory of this process, in bytes.
fn resident_bytes() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split_whitespace().nth(1);
    let pages: f64 = pages.and_then(|pages| pages.parse().ok()).unwrap_or(0.0);
    pages * 4096.0
}
