//! A machine that stalls, loses a core or changes its clock: fewer verdicts, never wrong ones.

use crate::cheats::encoded::{Besides, Work, component};
use crate::support::{bakeoff, measuring_slot, root, variant};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A run that has not ended by then hangs.
const PATIENCE: Duration = Duration::from_secs(180);

/// How often the runners are stopped.
const STALLS: u64 = 3;

/// The wall limit of a call is shorter than a stall.
const EXPERIMENT: &str = "name = \"stalls\"
problem = \"Add up what stands for the numbers.\"
interface = { wit = \"mix.wit\", call = \"mixed\" }
workload = { source = \"workload.rs\", sizes = [1_000, 40_000] }
limits = { wall = \"1 s\" }
measure = { confidence = 0.999, budget = \"6 s\" }
approach = [
    { name = \"one\", component = \"one.wasm\" },
    { name = \"same\", component = \"same.wasm\" },
    { name = \"more\", component = \"more.wasm\" },
]
criterion = [{ name = \"time\", from = \"time\" }, { name = \"wall\", from = \"wall\" }]
";

/// Two components of the same code, and one that does a quarter more.
fn write_experiment(folder: &Path) {
    for name in ["mix.wit", "workload.rs"] {
        fs::copy(root().join("tests/cheats").join(name), folder.join(name)).unwrap();
    }
    for (name, besides) in [
        ("one", Besides::Nothing),
        ("same", Besides::CarriesNote),
        ("more", Besides::DoesMore),
    ] {
        let bytes = component(Work::Call, besides);
        fs::write(folder.join(name).with_extension("wasm"), bytes).unwrap();
    }
    fs::write(folder.join("bakeoff.toml"), EXPERIMENT).unwrap();
}

/// The runner processes of a run.
fn runners(run: &Child) -> Vec<libc::pid_t> {
    let is_runner = |pid: &libc::pid_t| -> Option<bool> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?;
        let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let role = line.split(|byte| *byte == 0).any(|word| word == b"runner");
        Some(role && parent == run.id().to_string())
    };
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let name = entry.ok()?.file_name();
        name.to_str()?.parse().ok()
    });
    processes
        .filter(|pid| is_runner(pid) == Some(true))
        .collect()
}

fn signal(pids: &[libc::pid_t], signal: libc::c_int) {
    for pid in pids {
        // SAFETY: a plain system call on a child of a child of ours; one that is gone is an error
        // that does not matter.
        unsafe { libc::kill(*pid, signal) };
    }
}

/// Binds a process to the first core.
fn take_cores(pid: libc::pid_t) {
    // SAFETY: all-zero bytes are an empty set of cores, and the call reads no more than its size.
    unsafe {
        let mut first: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(0, &mut first);
        libc::sched_setaffinity(pid, size_of::<libc::cpu_set_t>(), &first);
    }
}

/// Whether replicas are being measured already.
fn is_measuring(out: &Path) -> bool {
    let events = fs::read_to_string(out.join("events.jsonl")).unwrap_or_default();
    events.contains("bakeoff:replica:complete")
}

/// Runs the experiment, with `disturb` called again and again until it ends.
fn run_disturbed(disturb: &mut dyn FnMut(&Child, &Path)) -> Value {
    let _slot = measuring_slot();
    let folder = tempfile::tempdir().unwrap();
    write_experiment(folder.path());
    let out = folder.path().join("out");
    let report = fs::File::create(folder.path().join("report")).unwrap();
    let mut run = bakeoff(&[
        "run",
        folder.path().to_str().unwrap(),
        "--format",
        "json",
        "--quiet",
    ])
    .args(["--out", out.to_str().unwrap()])
    .stdout(report)
    .stderr(Stdio::inherit())
    .spawn()
    .unwrap();
    let started = Instant::now();
    while run.try_wait().unwrap().is_none() {
        if started.elapsed() > PATIENCE {
            run.kill().unwrap();
            run.wait().unwrap();
            panic!("the run hangs");
        }
        disturb(&run, &out);
        // Often enough to meet runners that have not said yet that their fence stands.
        sleep(Duration::from_millis(2));
    }
    let text = fs::read_to_string(folder.path().join("report")).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Returns a claim of a report that is not so: that the same code wins, or that who does more beats anyone.
fn wrong_claim(report: &Value) -> Option<Value> {
    let rows = |key: &str| report[key].as_array().map_or(&[][..], Vec::as_slice);
    let is_wrong = |row: &&Value| {
        let (a, b) = (row["a"].as_str().unwrap(), row["b"].as_str().unwrap());
        let winner = match row["verdict"].as_str().unwrap() {
            "beats" => Some(a),
            "beaten" => Some(b),
            _ => None,
        };
        let are_same = ["one", "same"].contains(&a) && ["one", "same"].contains(&b);
        winner == Some("more") || (are_same && winner.is_some())
    };
    let mut rows = rows("verdicts").iter().chain(rows("wall_verdicts"));
    rows.find(is_wrong).cloned()
}

/// Checks that nobody is blamed in a run that is disturbed, and that nothing wrong is claimed. A claim may be wrong
/// by chance, however seldom; but not in two runs of two.
fn assert_nothing_wrong_is_said(run: impl Fn() -> Value) -> Value {
    let checked = || {
        let report = run();
        for id in ["one", "same", "more"] {
            let variant = variant(&report, id);
            assert!(variant["failure"].is_null(), "{id}: {report:#}");
        }
        report
    };
    let report = checked();
    let Some(first) = wrong_claim(&report) else {
        return report;
    };
    let again = checked();
    let second = wrong_claim(&again);
    assert!(second.is_none(), "{first:#} and {second:#?}");
    again
}

#[test]
fn runners_that_are_stopped_for_seconds_say_nothing_wrong() {
    assert_nothing_wrong_is_said(|| {
        let mut stalls = 0;
        let report = run_disturbed(&mut |run, _| {
            let found = runners(run);
            if stalls < STALLS && !found.is_empty() {
                stalls += 1;
                signal(&found, libc::SIGSTOP);
                sleep(Duration::from_millis(1_000 + 200 * stalls));
                signal(&found, libc::SIGCONT);
                sleep(Duration::from_millis(150));
            }
        });
        assert!(stalls > 1, "nothing was stopped");
        report
    });
}

#[test]
fn a_run_ends_when_its_runners_never_wake() {
    let report = assert_nothing_wrong_is_said(|| {
        let mut stopped = 0;
        let report = run_disturbed(&mut |run, out| {
            if is_measuring(out) {
                let found = runners(run);
                stopped += found.len();
                signal(&found, libc::SIGSTOP);
            }
        });
        assert!(stopped > 0, "nothing was stopped");
        report
    });
    assert_eq!(
        report["protocol"]["ended"], "budget",
        "{}",
        report["protocol"]
    );
}

/// One runner is killed in each stage, as the system does when memory is short. Its work is done once
/// more, and nobody is blamed.
#[test]
fn case_77_killed_pilot() {
    // What the events have once a check, the pilot, and replicas are under way.
    let stages = [
        "bakeoff:check:start",
        "\"measure\"",
        "bakeoff:replica:complete",
    ];
    let report = assert_nothing_wrong_is_said(|| {
        let mut killed = 0;
        let report = run_disturbed(&mut |run, out| {
            let events = fs::read_to_string(out.join("events.jsonl")).unwrap_or_default();
            let begun = |stage: &&str| events.contains(*stage);
            if killed < stages.len() && begun(&stages[killed]) {
                // The others may have ended in between.
                if let Some(runner) = runners(run).first() {
                    signal(&[*runner], libc::SIGKILL);
                    killed += 1;
                }
            }
        });
        assert_eq!(killed, stages.len());
        report
    });
    assert!(
        report["protocol"]["replicas"].as_u64() > Some(0),
        "{report:#}"
    );
}

#[test]
fn cores_that_are_taken_away_say_nothing_wrong() {
    assert_nothing_wrong_is_said(|| {
        let mut taken = 0;
        let report = run_disturbed(&mut |run, out| {
            if is_measuring(out) {
                let found = runners(run);
                taken += found.len();
                found.into_iter().for_each(take_cores);
            }
        });
        assert!(taken > 0, "nothing was taken");
        report
    });
}

/// The wall clock may jump as it likes: no room that measures or decides can read it.
#[test]
fn nothing_that_measures_or_decides_knows_the_wall_clock() {
    let crates = [
        "domain", "sandbox", "measure", "source", "run", "confine", "render",
    ];
    let mut files = Vec::new();
    for name in crates {
        rust_files(&root().join("host").join(name).join("src"), &mut files);
    }
    assert!(files.len() > 100);
    files.retain(|path| path.extension().is_some_and(|end| end == "rs"));
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        for clock in [
            "SystemTime",
            "Realtime",
            "REALTIME",
            "chrono::",
            "UNIX_EPOCH",
        ] {
            assert!(!text.contains(clock), "{} reads {clock}", path.display());
        }
    }
}

fn rust_files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => rust_files(&path, found),
            false => found.push(path),
        }
    }
}
