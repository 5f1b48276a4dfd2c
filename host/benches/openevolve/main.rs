//! Beside OpenEvolve 0.4, on one mock of a model and the same canned replies in the same order: what a candidate takes
//! from its question, or the end of the one before it, to its own end; how that grows over 200 candidates; and what one
//! candidate that is endless, hungry for memory, crashes or cheats does to the others. With `rounds`, a search of 1,000
//! candidates in each: what a candidate takes among the last hundred, over the first.
//!
//! ```text
//! cargo bench -p bakeoff --bench openevolve [-- --quick]
//! cargo bench -p bakeoff --bench openevolve -- rounds [--quick]
//! ```
//!
//! Candidates are Rust files with one function. bakeoff builds each for its sandbox, fenced, and calls it there with
//! fuel counted; OpenEvolve's evaluator builds it natively with `rustc` and runs it, without a fence. Both build anew
//! each time and make the same number of calls. OpenEvolve asks for a candidate when the one before it has ended, and
//! the mock's clock tells when that is.
//! OpenEvolve is installed from PyPI into `target/openevolve`; where that cannot be done, it is said, and nothing is
//! compared. Takes ten minutes, and as `rounds` half an hour; `--quick` a tenth of the candidates.

mod attacks;
mod mock;
mod processes;
mod rounds;
#[path = "../support/mod.rs"]
mod support;

use bakeoff_config::{Policy, Prompts};
use bakeoff_domain::generate::{Depth, Diversity};
use bakeoff_propose::{
    OnStep, OwnApproach, ProposalOutcome, ProposeOptions, Proposer, WriteOptions, WritingStep,
};
use bakeoff_provider::{ModelOptions, Models, ProviderKind};
use bakeoff_run::{HostOptions, KnownMachine, Survey, Unconfined};
use mock::Mock;
use processes::{Watch, running_below};
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use support::{is_quick, median};

/// The candidates of a run without attacks.
const CANDIDATES: usize = 200;
const CANDIDATES_QUICK: usize = 20;

/// The share of them at the beginning and at the end that growth is told from.
const ENDS: usize = 4;

/// The candidates of a run with an attack, and the place of the one that attacks.
const ATTACKED: usize = 12;
const ATTACK: usize = 5;

/// The time that one evaluation may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The longest that a run of OpenEvolve may go on after its last question.
const PATIENCE: Duration = Duration::from_secs(60);

const EVALUATOR: &str = include_str!("evaluator.py");

fn main() -> ExitCode {
    // This program is started again for each child that is fenced in.
    let child = bakeoff_confine::enter_if_child(&[
        bakeoff_confine::PROBE,
        bakeoff_compile::builder_role(),
        bakeoff_compile::crates_role(),
        bakeoff_compile::reader_role(),
        bakeoff_runner::role(),
    ]);
    if let Some(status) = child {
        return status;
    }
    compare();
    ExitCode::SUCCESS
}

fn compare() {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/openevolve");
    let python = match install(&target) {
        Ok(python) => python,
        Err(reason) => {
            println!("openevolve: SKIPPED: {reason}");
            return;
        }
    };
    let mock = Mock::start();
    if std::env::args().any(|word| word == "rounds") {
        rounds::compare(&mock, &python);
        return;
    }
    let count = match is_quick() {
        true => CANDIDATES_QUICK,
        false => CANDIDATES,
    };
    let candidates: Vec<String> = (0..count).map(good).collect();
    let ours = bakeoff_run(&mock, &candidates);
    let theirs = openevolve_run(&mock, &python, &candidates);
    println!("{count} candidates, one after another");
    let (a, b) = (median(ours.seconds.clone()), median(theirs.seconds.clone()));
    println!("  a candidate, ours ÷ OpenEvolve          {:.2}", a / b);
    println!(
        "  last quarter ÷ first, ours              {:.2}",
        growth(&ours.seconds)
    );
    println!(
        "  last quarter ÷ first, OpenEvolve        {:.2}",
        growth(&theirs.seconds)
    );

    for (what, attack) in attacks::all() {
        let mut attacked: Vec<String> = (0..ATTACKED).map(|number| good(1_000 + number)).collect();
        attacked[ATTACK] = attack;
        let ours = bakeoff_run(&mock, &attacked);
        let theirs = openevolve_run(&mock, &python, &attacked);
        println!("{ATTACKED} candidates, one of which is {what}: ours, OpenEvolve");
        let row = |title: &str, show: &dyn Fn(&Shown) -> String| {
            println!("  {title:<52} {:>8} {:>8}", show(&ours), show(&theirs));
        };
        row("a good one behind it ÷ before it", &|run| {
            format!("{:.2}", after(&run.seconds))
        });
        row(
            "passed, of the good ones (above 1: the attack, too)",
            &|run| format!("{:.2}", run.passed as f64 / (ATTACKED - 1) as f64),
        );
        row("most memory, of 1 GiB", &|run| {
            format!(
                "{:.2}",
                run.most_bytes as f64 / attacks::HUNGRY_BYTES as f64
            )
        });
        row("candidates that still run after the end", &|run| {
            run.left.to_string()
        });
        row("ends by itself", &|run| run.ended.to_string());
    }
}

/// What a run showed.
struct Shown {
    seconds: Vec<f64>,
    most_bytes: u64,
    left: usize,
    ended: bool,
    passed: usize,
}

/// The seconds from each instant to the next one.
fn between(instants: &[Instant]) -> Vec<f64> {
    let pairs = instants.windows(2);
    pairs.map(|two| (two[1] - two[0]).as_secs_f64()).collect()
}

/// The median of the last quarter over that of the first.
fn growth(seconds: &[f64]) -> f64 {
    let quarter = (seconds.len() / ENDS).max(1);
    let (first, last) = (&seconds[..quarter], &seconds[seconds.len() - quarter..]);
    median(last.to_vec()) / median(first.to_vec())
}

/// The median of those behind the attack, over that of those before it.
fn after(seconds: &[f64]) -> f64 {
    let place = ATTACK.min(seconds.len());
    let behind = seconds.get(place + 1..).unwrap_or_default();
    median(behind.to_vec()) / median(seconds[1.min(place)..place].to_vec())
}

/// A right candidate, like no other: each does a little more work.
fn good(number: usize) -> String {
    format!(
        "pub fn total(values: Vec<u32>) -> u64 {{\n    let mut sum = 0;\n    for turn in 0..{number}_u64 {{\n        \
         sum += std::hint::black_box(turn);\n    }}\n    let extra = sum;\n    for value in values {{\n        \
         sum += u64::from(value);\n    }}\n    sum - extra\n}}\n"
    )
}

/// An experiment whose function the candidates have.
fn experiment(folder: &Path) {
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file");
    write(
        "total.wit",
        "package bench:total;\nworld prototype { export total: func(values: list<u32>) -> u64; }\n\
         world workload {\n  export generate: func(size: u32, seed: u64) -> list<u32>;\n  \
         export check: func(values: list<u32>, answer: u64) -> result<_, string>;\n}\n",
    );
    write(
        "workload.rs",
        "use crate::bakeoff::Rng;\n\npub fn generate(size: u32, seed: u64) -> Vec<u32> {\n    \
         let mut rng = Rng::new(seed);\n    (0..size).map(|_| rng.u32()).collect()\n}\n\n\
         pub fn check(values: Vec<u32>, answer: u64) -> Result<(), String> {\n    \
         match values.iter().map(|value| u64::from(*value)).sum::<u64>() == answer {\n        \
         true => Ok(()),\n        false => Err(\"another total\".to_owned()),\n    }\n}\n",
    );
    write(
        "own.rs",
        "pub fn total(values: Vec<u32>) -> u64 {\n    values.into_iter().fold(7, |sum, value| sum + u64::from(value)) - 7\n}\n",
    );
    write(
        "bakeoff.toml",
        "name = \"total\"\nproblem = \"Add all numbers.\"\n[interface]\nwit = \"total.wit\"\ncall = \"total\"\n\
         [workload]\nsource = \"workload.rs\"\nsizes = [1000, 10000]\n[limits]\nwall = \"5 s\"\n\
         [[approach]]\nname = \"own\"\nsource = \"own.rs\"\n",
    );
}

fn bakeoff_run(mock: &Mock, candidates: &[String]) -> Shown {
    let folder = tempfile::tempdir().expect("a folder");
    experiment(folder.path());
    mock.load(candidates);
    let watch = Watch::start(std::process::id());
    // Questions run ahead of what is built and checked, so the end of each candidate is what tells how long it took.
    let ended = Arc::new(Mutex::new(Vec::new()));
    let ends = Arc::clone(&ended);
    let on_step = OnStep::new(move |step| {
        if let WritingStep::Ended { .. } = step {
            ends.lock().expect("no panic").push(Instant::now());
        }
    });
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let outcomes = runtime.block_on(async {
        let loaded = bakeoff_config::load(folder.path()).expect("an experiment");
        let host = HostOptions {
            unconfined: Unconfined::Refused,
            policy: Policy::default(),
            cache: Some(folder.path().join("cache")),
            machine: KnownMachine::default(),
        };
        let survey = Survey::open(&loaded, &host, &mut |_| {})
            .await
            .expect("a survey");
        let models = Models::open(ModelOptions {
            model: Some("mock".to_owned()),
            base_url: Some(mock.address.clone()),
            concurrency: 1,
            record: Some(folder.path().join("models.jsonl")),
            ..ModelOptions::new(ProviderKind::OpenAi)
        });
        let options = ProposeOptions {
            approaches: candidates.len() as u32,
            diversity: Diversity::Medium,
            write: WriteOptions {
                on_step,
                repairs: 0,
                instructions: None,
                instructions_within: None,
                prompts: Prompts::default(),
                timeout: Duration::from_secs(600),
                depth: Depth::Sketch,
                tried_at_once: 1,
            },
        };
        let own = [OwnApproach {
            name: "own",
            description: None,
        }];
        let models = Arc::new(models.expect("a model"));
        let problem = &loaded.experiment.problem;
        let proposer = Proposer::open(&models, survey, problem, (&own, &[]), &options).await;
        let made = proposer.expect("a proposer").propose(&mut |_| {}).await;
        made.expect("proposals").proposals
    });
    let passed = outcomes
        .iter()
        .filter(|one| one.outcome == ProposalOutcome::Passed);
    let ended = ended.lock().expect("no panic");
    let instants = mock.first_asked().into_iter().chain(ended.iter().copied());
    Shown {
        seconds: between(&instants.collect::<Vec<_>>()),
        most_bytes: watch.most_bytes(),
        left: running_below(folder.path()).len(),
        ended: true,
        passed: passed.count(),
    }
}

fn openevolve_run(mock: &Mock, python: &Path, candidates: &[String]) -> Shown {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    write("evaluator.py", EVALUATOR);
    write("initial.rs", &good(5_000));
    write(
        "config.yaml",
        &format!(
            "max_iterations: {count}\ncheckpoint_interval: 100000\nlog_level: WARNING\nlanguage: rust\nfile_suffix: .rs\n\
             diff_based_evolution: false\nrandom_seed: 1\nllm:\n  api_base: {address}\n  api_key: none\n  timeout: 60\n  \
             retries: 0\n  models:\n    - name: mock\n      weight: 1.0\ndatabase:\n  num_islands: 1\nevaluator:\n  \
             timeout: {timeout}\n  max_retries: 0\n  cascade_evaluation: false\n  parallel_evaluations: 1\n",
            count = candidates.len(),
            address = mock.address,
            timeout = TIMEOUT.as_secs(),
        ),
    );
    mock.load(candidates);
    let at = |name: &str| folder.path().join(name);
    let mut command = Command::new(python);
    command
        .args(["-m", "openevolve.cli"])
        .args([at("initial.rs"), at("evaluator.py")])
        .arg("--config")
        .arg(at("config.yaml"))
        .arg("--output")
        .arg(at("output"))
        .env("BENCH_FOLDER", folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(fs::File::create(at("stderr")).expect("a file"))
        .process_group(0);
    let mut child = command.spawn().expect("python");
    let watch = Watch::start(child.id());
    let (mut asked, mut since) = (0, Instant::now());
    let ended = loop {
        if child.try_wait().expect("a child").is_some() {
            break true;
        }
        if mock.asked() > asked {
            (asked, since) = (mock.asked(), Instant::now());
        }
        if since.elapsed() > PATIENCE {
            break false;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let left = running_below(folder.path());
    if !ended {
        let _ = child.kill();
        let _ = child.wait();
    }
    for pid in &left {
        let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
    }
    if mock.asked() < candidates.len() {
        let said = fs::read_to_string(at("stderr")).unwrap_or_default();
        let last: Vec<&str> = said.lines().rev().take(3).collect();
        println!(
            "openevolve: asked for {} of {} candidates: {last:?}",
            mock.asked(),
            candidates.len()
        );
    }
    // The evaluator writes a line for each candidate that is right; the initial one is.
    let scores = fs::read_to_string(at("right")).unwrap_or_default();
    let scored = scores.lines().count();
    Shown {
        seconds: mock.seconds(),
        most_bytes: watch.most_bytes(),
        left: left.len(),
        ended,
        passed: scored.saturating_sub(1),
    }
}

/// Installs OpenEvolve, and returns the Python that has it.
fn install(target: &Path) -> Result<PathBuf, String> {
    let python = target.join("bin/python");
    let has = |python: &Path| {
        let code = "import openevolve._version as v; assert v.__version__.startswith('0.4.')";
        let mut command = Command::new(python);
        let status = command.args(["-c", code]).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    };
    if has(&python) {
        return Ok(python);
    }
    println!("openevolve: installing OpenEvolve 0.4 from PyPI");
    let run = |program: &Path, words: &[&str], why: &str| {
        let status = Command::new(program).args(words).status();
        match status.is_ok_and(|status| status.success()) {
            true => Ok(()),
            false => Err(why.to_owned()),
        }
    };
    let folder = target.to_string_lossy().into_owned();
    run(
        Path::new("python3"),
        &["-m", "venv", &folder],
        "python3 makes no virtual environment",
    )?;
    run(
        &python,
        &["-m", "pip", "install", "--quiet", "openevolve==0.4.*"],
        "pip cannot install openevolve 0.4",
    )?;
    match has(&python) {
        true => Ok(python),
        false => Err("what pip installed is not OpenEvolve 0.4".to_owned()),
    }
}
