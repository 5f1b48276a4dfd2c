//! E23: how long somebody waits for an answer: wall time of the whole command, from source files to the last line, and
//! how many of the answers are right. Files of a comparison are new each time, so that they are built; the workload of an
//! experiment and its sources are built before.

use super::figures::{Demand, Figures, Unit};
use super::runs;
use super::spin::{Failure, Listed, Setup, Source, Spin};
use super::support::median;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// A function of a list, whose work for each value is `ROUNDS` steps, and whose answer is the same for any number.
const MIXING: &str = "pub fn work(values: Vec<u32>) -> u64 {
    let count = values.len() as u64;
    let mut state = 0u64;
    for value in values {
        for round in 0..ROUNDS {
            let mixed = state ^ u64::from(value) ^ round;
            state = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(9);
        }
    }
    std::hint::black_box(state);
    count
}
";

/// Equal pairs of a list, by looking at all pairs.
const ALL_PAIRS: &str = "pub fn work(values: Vec<u32>) -> u64 {
    let earlier = |place: usize| values[..place].iter();
    let pairs = values.iter().enumerate();
    pairs.map(|(place, a)| earlier(place).filter(|b| *b == a).count() as u64).sum()
}
";

/// Equal pairs of a list, by sorting.
const BY_SORTING: &str = "pub fn work(values: Vec<u32>) -> u64 {
    let mut values = values;
    values.sort_unstable();
    values.chunk_by(|a, b| a == b).map(|run| (run.len() as u64) * (run.len() as u64 - 1) / 2).sum()
}
";

/// Two new files, the first of which is the faster one or the same.
struct Files {
    what: &'static str,
    texts: [String; 2],
    outcome: &'static str,
    demand_s: f64,
}

fn mixing(rounds: u32) -> String {
    MIXING.replace("ROUNDS", &rounds.to_string())
}

fn files() -> [Files; 4] {
    let files = |what, texts, outcome, demand_s| Files {
        what,
        texts,
        outcome,
        demand_s,
    };
    [
        files(
            "two new files, 6 % apart",
            [mixing(1000), mixing(1060)],
            "winner",
            4.0,
        ),
        files(
            "two new files, 36 × apart",
            [mixing(100), mixing(3600)],
            "winner",
            2.5,
        ),
        files(
            "two new files, by sorting and by all pairs",
            [BY_SORTING.to_owned(), ALL_PAIRS.to_owned()],
            "winner",
            2.5,
        ),
        files(
            "the same file twice",
            [mixing(1000), mixing(1000)],
            "tie",
            1.0,
        ),
    ]
}

/// Experiments of calls that take 10 ms, and this many times as long.
const LONG_CALLS: [u64; 4] = [141, 130, 63, 43];

/// Compares pairs of new files, and runs experiments.
pub(crate) fn answers(figures: &mut Figures) -> Result<(), Failure> {
    compared(figures)?;
    prototypes(figures)?;
    long_calls(figures)?;
    sweep(figures)?;
    many(figures)
}

fn compared(figures: &mut Figures) -> Result<(), Failure> {
    let runs = runs(5, 2);
    for files in files() {
        let (mut seconds, mut right) = (Vec::new(), 0);
        for run in 0..=runs {
            let folder = tempfile::tempdir()?;
            let paths = ["first.rs", "second.rs"].map(|name| folder.path().join(name));
            for (path, text) in paths.iter().zip(&files.texts) {
                // A source of its own, which is built anew.
                std::fs::write(path, format!("// {} {run}\n{text}", std::process::id()))?;
            }
            let arguments = ["compare", "--quiet", "--format", "json", "--budget", "20s"];
            let (report, wall_s) = timed(&arguments, &paths.each_ref().map(|path| &**path))?;
            // The first one fills the cache with what all share.
            if run > 0 {
                seconds.push(wall_s);
                right += usize::from(is_answer(&report, files.outcome));
            }
        }
        rows(figures, files.what, seconds, (right, runs), files.demand_s);
    }
    Ok(())
}

/// Returns true if the answer is this one, and a winner the first variant.
fn is_answer(report: &Value, outcome: &str) -> bool {
    let found = &report["recommendation"];
    let is_first = found["winner"]
        .as_str()
        .is_some_and(|id| id.starts_with("first"));
    found["outcome"] == outcome && (outcome != "winner" || is_first)
}

/// The example of four prototypes on three sizes, built before.
fn prototypes(figures: &mut Figures) -> Result<(), Failure> {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/top-k");
    let (mut seconds, mut known) = (Vec::new(), 0);
    let runs = runs(5, 2);
    for run in 0..=runs {
        let out = tempfile::tempdir()?;
        let arguments = ["run", "--quiet", "--format", "json", "--out"];
        let (report, wall_s) = timed(&arguments, &[out.path(), &example])?;
        if run > 0 {
            seconds.push(wall_s);
            known += usize::from(report["recommendation"]["outcome"] == "winner");
        }
    }
    let what = "examples/top-k, three prototypes on three sizes, warm";
    rows(figures, what, seconds, (known, runs), 1.0);
    Ok(())
}

/// Pairs of which one takes a second or so for a call.
fn long_calls(figures: &mut Figures) -> Result<(), Failure> {
    let runs = runs(3, 1);
    for factor in LONG_CALLS {
        let spin = Spin::new(&Setup {
            source: Source::Spin,
            work: &[1000, 1000 * factor],
            rounds: &[5_000_000],
            listed: Listed::AsNumbered,
            measure: "budget = \"20 s\"\n[limits]\nfuel = 1_000_000_000_000\nwall = \"60 s\"",
        })?;
        let (mut seconds, mut right) = (Vec::new(), 0);
        for seed in 0..=runs {
            let started = Instant::now();
            let ran = spin.run(seed)?;
            if seed > 0 {
                seconds.push(started.elapsed().as_secs_f64());
                right += usize::from(ran.report["recommendation"]["winner"] == "v0");
            }
        }
        let what = format!("calls of 10 ms, and {factor} × as long");
        rows(figures, &what, seconds, (right, runs), 5.0);
    }
    Ok(())
}

/// The values of a sweep, and those of them that the best may be said to be: the first takes least.
const SWEPT: usize = 1000;
const SWEPT_BEST: usize = 10;

/// A sweep of one parameter that the work follows from: who is first after the default budget.
fn sweep(figures: &mut Figures) -> Result<(), Failure> {
    let runs = runs(2, 1);
    let (mut seconds, mut right) = (Vec::new(), 0);
    for run in 0..runs {
        let folder = tempfile::tempdir()?;
        let path = folder.path();
        std::fs::create_dir(path.join("wit"))?;
        let last = SWEPT - 1;
        let experiment = format!(
            "name = \"sweep\"\nproblem = \"How many rounds?\"\n\
             [interface]\nwit = \"wit\"\ncall = \"total\"\n\
             [workload]\nsource = \"workload.rs\"\nsizes = [1_000]\n\
             [[approach]]\nname = \"rounds\"\nsource = \"rounds.rs\"\n\
             sweep = {{ rounds = {{ from = 0, to = {last}, step = 1 }} }}\n"
        );
        let own = format!("// {} {run}\n{SWEPT_ROUNDS}", std::process::id());
        for (name, text) in [
            ("bakeoff.toml", experiment.as_str()),
            ("wit/total.wit", SWEPT_WIT),
            ("workload.rs", SWEPT_WORKLOAD),
            ("rounds.rs", own.as_str()),
        ] {
            std::fs::write(path.join(name), text)?;
        }
        let out = tempfile::tempdir()?;
        let arguments = ["run", "--quiet", "--format", "json", "--out"];
        let (report, wall_s) = timed(&arguments, &[out.path(), path])?;
        seconds.push(wall_s);
        let found = &report["recommendation"];
        let named = found["tied"].as_array().into_iter().flatten();
        let mut named = named.chain([&found["winner"]]).filter_map(Value::as_str);
        let rounds = |id: &str| id.rsplit('-').next()?.parse::<usize>().ok();
        right += usize::from(
            found["outcome"] != "no-call"
                && named.all(|id| rounds(id).is_some_and(|rounds| rounds < SWEPT_BEST)),
        );
    }
    let what = format!("a sweep of {SWEPT}");
    rows(figures, &what, seconds, (right, runs), 60.0);
    Ok(())
}

const SWEPT_WIT: &str = include_str!("../../../tests/planted/sweep/wit/total.wit");
const SWEPT_WORKLOAD: &str = include_str!("../../../tests/planted/sweep/workload.rs");
const SWEPT_ROUNDS: &str = include_str!("../../../tests/planted/sweep/rounds.rs");

/// The number of variants that are close, and of all.
const CLOSE: usize = 8;
const MANY: usize = 64;

/// 64 variants, of which eight are within 10 %: who of the others is surely behind after 20 s.
fn many(figures: &mut Figures) -> Result<(), Failure> {
    let work = |variant: usize| match variant {
        close if close < CLOSE => 1000 + 12 * close as u64,
        far => 2000 + 50 * far as u64,
    };
    let work: Vec<u64> = (0..MANY).map(work).collect();
    let spin = Spin::new(&Setup {
        source: Source::Spin,
        work: &work,
        rounds: &[100_000],
        listed: Listed::AsNumbered,
        measure: "budget = \"20 s\"",
    })?;
    spin.run(0)?;
    let runs = runs(3, 1);
    for seed in 1..=runs {
        let ran = spin.run(seed)?;
        let rows = ran.report["verdicts"].as_array().ok_or("no verdicts")?;
        let overall = rows.iter().filter(|row| row["case"].is_null());
        let slower = overall.filter_map(|row| match row["verdict"].as_str()? {
            "beats" => row["b"].as_str(),
            "beaten" => row["a"].as_str(),
            _ => None,
        });
        let number = |id: &str| id.trim_start_matches('v').parse::<usize>().ok();
        let behind: std::collections::BTreeSet<usize> = slower.filter_map(number).collect();
        let far = behind.iter().filter(|variant| **variant >= CLOSE).count();
        let what = format!("64 variants, eight within 10 %: others surely behind, run {seed}");
        let others = (MANY - CLOSE) as f64;
        figures.row("E23", &what, far as f64, Unit::One, Demand::AtLeast(others));
        let what = "  the quickest of the eight said to be behind";
        let wrong = f64::from(u8::from(behind.contains(&0)));
        figures.row("", what, wrong, Unit::One, Demand::AtMost(0.0));
    }
    Ok(())
}

/// Runs bakeoff with these arguments and paths, and returns its report and the wall time of the command, in seconds.
fn timed(arguments: &[&str], paths: &[&Path]) -> Result<(Value, f64), Failure> {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff"));
    command
        .args(arguments)
        .args(paths)
        .arg("--cache-dir")
        .arg(cache);
    let started = Instant::now();
    let output = command.stdin(Stdio::null()).output()?;
    let wall_s = started.elapsed().as_secs_f64();
    let report = serde_json::from_slice(&output.stdout).map_err(|error| {
        let said = String::from_utf8_lossy(&output.stderr);
        format!("bakeoff {}: {error}: {said}", arguments[0])
    })?;
    Ok((report, wall_s))
}

fn rows(
    figures: &mut Figures,
    what: &str,
    seconds: Vec<f64>,
    (right, runs): (usize, u64),
    demand_s: f64,
) {
    let slowest = seconds.iter().copied().fold(0.0, f64::max);
    let what = format!("{what}: wall seconds");
    figures.row(
        "E23",
        &what,
        median(seconds),
        Unit::One,
        Demand::AtMost(demand_s),
    );
    figures.row(
        "",
        "  the slowest of them",
        slowest,
        Unit::One,
        Demand::None,
    );
    let found = super::per_cent(right, runs);
    let what = format!("  answered as it is, {runs} runs");
    figures.row("", &what, found, Unit::PerCent, Demand::AtLeast(100.0));
}
