//! Whole runs by the built binary, from plain source files to a verdict.
//!
//! ```text
//! cargo bench -p bakeoff --bench verdicts [-- [RUNS] [same-work | source-to-verdict] [--json FILE] [--quick]]
//! ```
//!
//! `same-work`: two files that do the same work in different code, raced 50 times under a generated
//! load on all cores, each time with another seed. The demand is that no run names a winner. A sure
//! difference below the practical threshold of 1 % is no winner, and is counted by itself. The
//! ratios show whether a winner, if there is one, is a fluke (they lie on both sides of 1) or a
//! real difference of the machine code (they all lie on one side).
//!
//! `source-to-verdict`: the four prototypes of `examples/top-k` at 16,000 elements, from an empty
//! build cache (cold) and from a full one (warm), beside cargo and criterion on the same four files
//! and the same input, without load. criterion's settings are its own; its dependencies are fetched
//! beforehand. Cold is compared with its build and measurement, warm with its measurement alone.
//! criterion compares no functions, so its conclusion on a pair is taken to be that of its reader:
//! one is faster if the intervals do not overlap. It runs native code, which is sometimes another
//! ranking. With `--quick` criterion is left out, which takes two minutes of the four.

#[path = "../domain/benches/figures/mod.rs"]
mod figures;
mod noise;
mod peer;
mod support;

use figures::{Demand, Figures, Unit};
use noise::Noise;
use peer::{Peer, Subject};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use support::{is_quick, median};

/// The number of runs of `same-work`.
const RUNS: u64 = 50;
const RUNS_QUICK: u64 = 8;

/// The number of elements of every input.
const SIZE: u32 = 16_000;

/// The number of rounds of `source-to-verdict`, each cold and warm.
const ROUNDS: usize = 3;

/// The most that a warm run should take on two cores, in seconds.
const AIM_S: f64 = 5.0;

/// The prototypes of `examples/top-k`.
const FOUR: [&str; 4] = ["sort", "heap", "quickselect", "insertion"];

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    if noise::was_noise() {
        return Ok(());
    }
    let asked = |name: &str| std::env::args().any(|argument| argument == name);
    let (same, source) = (asked("same-work"), asked("source-to-verdict"));
    let runs: Option<u64> = std::env::args().find_map(|argument| argument.parse().ok());
    let default = if is_quick() { RUNS_QUICK } else { RUNS };
    let mut figures = Figures::begin();
    if same || !source {
        same_work(runs.unwrap_or(default), &mut figures)?;
    }
    if source || !same {
        source_to_verdict(&mut figures)?;
    }
    Ok(figures.finish()?)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// An experiment in a folder of its own.
struct Experiment(tempfile::TempDir);

impl Experiment {
    /// Returns an experiment with `approaches` of the one in `from`, at one size.
    fn new(from: &Path, approaches: &[&str], budget: &str) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        let copy = |file: &str| std::fs::copy(from.join(file), folder.path().join(file));
        std::fs::create_dir_all(folder.path().join("wit"))?;
        std::fs::create_dir_all(folder.path().join("approaches"))?;
        copy("wit/top-k.wit")?;
        copy("workload.rs")?;
        let mut text = format!(
            "name = \"bench\"\nproblem = \"Return the k largest values of a list.\"\n\
             [interface]\nwit = \"wit\"\ncall = \"top-k\"\n\
             [workload]\nsource = \"workload.rs\"\nsizes = [{SIZE}]\n\
             [measure]\nbudget = \"{budget}\"\n\
             [[criterion]]\nname = \"time\"\nweight = 1.0\nfrom = \"time\"\n\
             [[criterion]]\nname = \"wall\"\nweight = 1.0\nfrom = \"wall\"\n"
        );
        for name in approaches {
            let source = format!("approaches/{name}.rs");
            copy(&source)?;
            text.push_str(&format!(
                "[[approach]]\nname = \"{name}\"\nsource = \"{source}\"\n"
            ));
        }
        std::fs::write(folder.path().join("bakeoff.toml"), text)?;
        Ok(Self(folder))
    }

    /// Returns the wall time of a run in seconds, and its report.
    fn run(&self, seed: u64, cache: &Path) -> Result<(f64, Value), Failure> {
        let out = tempfile::tempdir()?;
        let start = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_bakeoff"))
            .args(["run", "--quiet", "--format", "json", "--seed"])
            .arg(seed.to_string())
            .args([Path::new("--out"), out.path()])
            .args([Path::new("--cache-dir"), cache])
            .arg(self.0.path())
            .stdin(Stdio::null())
            .output()?;
        let seconds = start.elapsed().as_secs_f64();
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        Ok((seconds, serde_json::from_slice(&output.stdout)?))
    }
}

/// Returns the verdict of a report's table on two variants over all cases, with its row.
fn verdict<'a>(report: &'a Value, table: &str, a: &str, b: &str) -> Option<(&'a str, &'a Value)> {
    let row = report[table].as_array()?.iter().find(|row| {
        let is = |x: &str, y: &str| row["a"] == x && row["b"] == y;
        row["case"].is_null() && (is(a, b) || is(b, a))
    })?;
    let verdict = match (row["a"] == a, row["verdict"].as_str()?) {
        (false, "beats") => "beaten",
        (false, "beaten") => "beats",
        (_, other) => other,
    };
    Some((verdict, row))
}

/// The counts of verdicts about two variants.
#[derive(Default)]
struct Counts {
    winners: u32,
    below: u32,
    ties: u32,
    no_calls: u32,
    ratios: Vec<f64>,
}

impl Counts {
    fn take(&mut self, verdict: &str, row: &Value) {
        match verdict {
            "tie" => self.ties += 1,
            "no-call" => self.no_calls += 1,
            _ if row["below_threshold"] == true => self.below += 1,
            _ => self.winners += 1,
        }
        self.ratios.extend(row["ratio"].as_f64());
    }

    fn print(&self, name: &str) {
        let low = self.ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.ratios.iter().copied().fold(0.0, f64::max);
        let ratio = match self.ratios.is_empty() {
            true => "none".to_owned(),
            false => format!("{:.3} ({low:.3}–{high:.3})", median(self.ratios.clone())),
        };
        println!(
            "{name:<10} {:>7} {:>10} {:>5} {:>8}   {ratio}",
            self.winners, self.below, self.ties, self.no_calls
        );
    }
}

fn same_work(runs: u64, figures: &mut Figures) -> Result<(), Failure> {
    let pair = ["same_work", "same_work_in_other_words"];
    let [a, b] = ["same-work", "same-work-in-other-words"];
    let experiment = Experiment::new(&root().join("tests/planted"), &pair, "2 s")?;
    let cache = tempfile::tempdir()?;
    let (mut cpu, mut wall) = (Counts::default(), Counts::default());
    {
        let _noise = Noise::begin(1)?;
        for seed in 1..=runs {
            let (_, report) = experiment.run(seed, cache.path())?;
            for (table, counts) in [("verdicts", &mut cpu), ("wall_verdicts", &mut wall)] {
                let (verdict, row) = verdict(&report, table, a, b)
                    .ok_or_else(|| format!("seed {seed}: no row in {table}"))?;
                counts.take(verdict, row);
            }
        }
    }
    println!("the same work in other words, {runs} runs of 2 s under load");
    println!(
        "{:<10} {:>7} {:>10} {:>5} {:>8}   ratio: median (range)",
        "", "winners", "below 1 %", "ties", "no call"
    );
    cpu.print("CPU time");
    wall.print("wall time");
    let winners = f64::from(cpu.winners + wall.winners);
    let what = "the same work in other words: winners";
    figures.row("", what, winners, Unit::One, Demand::AtMost(0.0));
    Ok(())
}

fn source_to_verdict(figures: &mut Figures) -> Result<(), Failure> {
    let example = root().join("examples/top-k");
    let experiment = Experiment::new(&example, &FOUR, "4 s")?;
    let rounds = if is_quick() { 1 } else { ROUNDS };
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    let mut report = Value::Null;
    for round in 0..rounds {
        let cache = tempfile::tempdir()?;
        cold.push(experiment.run(round as u64 + 1, cache.path())?.0);
        let (seconds, again) = experiment.run(round as u64 + 1, cache.path())?;
        warm.push(seconds);
        report = again;
    }
    let (cold, warm) = (median(cold), median(warm));
    println!("four prototypes of {SIZE} elements, from source to verdict");
    let what = "a warm run, seconds";
    figures.row("", what, warm, Unit::One, Demand::AtMost(AIM_S));
    figures.row("", "cold ÷ warm", cold / warm, Unit::One, Demand::None);
    let subject = Subject {
        example: &example,
        random: &root().join("guest-sdk/src/random.rs"),
        approaches: &FOUR,
        size: SIZE,
    };
    let peer = match is_quick() {
        true => Err("--quick".to_owned()),
        false => peer::run(&subject),
    };
    match peer {
        Ok(peer) => {
            let whole = peer.build + peer.measure;
            for (what, times) in [
                ("cargo and criterion ÷ a cold run", whole / cold),
                ("criterion's measuring ÷ a warm run", peer.measure / warm),
            ] {
                figures.row("", what, times, Unit::One, Demand::AtLeast(1.0));
            }
            agreement(&report, &peer, figures);
        }
        Err(reason) => println!("beside cargo and criterion: skipped: {reason}"),
    }
    Ok(())
}

/// Prints both conclusions on each pair.
fn agreement(report: &Value, peer: &Peer, figures: &mut Figures) {
    println!("{:<32} {:>9} {:>9}", "on each pair", "ours", "criterion");
    let (mut agreed, mut opposed) = (0, 0);
    for (index, a) in FOUR.iter().enumerate() {
        for (other, b) in FOUR.iter().enumerate().skip(index + 1) {
            let ours = verdict(report, "verdicts", a, b).map_or("none", |(verdict, _)| verdict);
            let (this, that) = (peer.intervals[index], peer.intervals[other]);
            let theirs = if this.1 < that.0 {
                "beats"
            } else if that.1 < this.0 {
                "beaten"
            } else {
                "unclear"
            };
            let sure = |verdict: &str| matches!(verdict, "beats" | "beaten");
            agreed += u32::from(ours == theirs || (!sure(ours) && !sure(theirs)));
            opposed += u32::from(sure(ours) && sure(theirs) && ours != theirs);
            println!("{:<32} {ours:>9} {theirs:>9}", format!("{a} to {b}"));
        }
    }
    for (what, count) in [
        ("pairs on which both say the same", agreed),
        ("pairs on which they say the opposite", opposed),
    ] {
        let share = 100.0 * f64::from(count) / 6.0;
        figures.row("", what, share, Unit::PerCent, Demand::None);
    }
}
