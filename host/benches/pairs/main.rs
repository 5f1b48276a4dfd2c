//! `bakeoff compare` on pairs of files, without anything beside them.
//!
//! ```text
//! cargo bench -p bakeoff --bench pairs [-- [planted | timed | c | public [--quick] [--from FOLDER]] [--json FILE]]
//! ```
//!
//! `planted`: a right function and one that is wrong on few inputs. How many are found, and how long
//! the shown call is. `timed`: two that do the same, of which one is known to be faster. Whether the
//! verdict says so, and the time to the answer with an empty cache. `c`, only where it is asked for: both of sources in C,
//! whose types a WIT gives. `public`, only where it is asked for: some sixty
//! ordinary functions, each with small mistakes that are drawn. Which of these are found, by kind, and how soon; and
//! whether a copy without a mistake is seen as another function. With `--from`, the files of a folder in their place: a
//! copy of each first, and only those that can be compared with it.

#[path = "../../domain/benches/figures/mod.rs"]
mod figures;
mod in_c;
mod mutants;
mod planted;
mod public;
mod timed;

use figures::{Demand, Figures, Unit};
use planted::PLANTED;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;
use timed::TIMED;

/// The most seconds that an answer may take.
const SECONDS_MAX: f64 = 10.0;

/// Any error that ends the bench.
type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let asked = |name: &str| std::env::args().any(|argument| argument == name);
    let (only_planted, only_timed) = (asked("planted"), asked("timed"));
    let mut figures = Figures::begin();
    if asked("public") {
        let mut arguments = std::env::args().skip_while(|argument| argument != "--from");
        let folder = arguments.nth(1).map(std::path::PathBuf::from);
        public::find_mistakes(&mut figures, asked("--quick"), folder.as_deref())?;
        return Ok(figures.finish()?);
    }
    if asked("c") {
        in_c::compare_all(&mut figures)?;
        return Ok(figures.finish()?);
    }
    if only_planted || !only_timed {
        find_planted(&mut figures)?;
    }
    if only_timed || !only_planted {
        find_faster(&mut figures)?;
    }
    Ok(figures.finish()?)
}

/// Returns what a comparison of two sources says, and the seconds that it took.
fn compare(a: &str, b: &str) -> Result<(Value, f64), Failure> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("a.rs"), a)?;
    std::fs::write(folder.path().join("b.rs"), b)?;
    // The first function, where a file has several.
    let name = a
        .split("\npub fn ")
        .nth(1)
        .filter(|_| a.matches("\npub fn ").count() > 1);
    let name = name.and_then(|rest| rest.split(['(', '<']).next());
    let call = name.map(|name| format!("--call={}", name.replace('_', "-")));
    let call: Vec<&str> = call.as_deref().into_iter().collect();
    compare_files(folder.path(), ["a.rs", "b.rs"], &call)
}

/// Returns what a comparison of two files of a folder says, and the seconds that it took with an empty cache.
fn compare_files(
    folder: &Path,
    files: [&str; 2],
    options: &[&str],
) -> Result<(Value, f64), Failure> {
    let cache = tempfile::tempdir()?;
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_bakeoff"))
        .arg("compare")
        .args(files)
        .args(["--quiet", "--format", "json", "--seed", "1"])
        .args(options)
        .arg("--cache-dir")
        .arg(cache.path())
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()?;
    let seconds = start.elapsed().as_secs_f64();
    let said = serde_json::from_slice(&output.stdout)
        .map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())?;
    Ok((said, seconds))
}

fn find_planted(figures: &mut Figures) -> Result<(), Failure> {
    let mut found = 0.0;
    for pair in &PLANTED {
        let (said, _) = compare(pair.right, pair.wrong)?;
        found += f64::from(u8::from(is_found(pair.name, &said)));
    }
    let share = 100.0 * found / PLANTED.len() as f64;
    let what = "planted differences that are found";
    figures.row("", what, share, Unit::PerCent, Demand::AtLeast(100.0));
    Ok(())
}

fn find_faster(figures: &mut Figures) -> Result<(), Failure> {
    let (mut right, mut longest, mut all_seconds) = (0.0, 0.0_f64, 0.0);
    for pair in &TIMED {
        let (said, seconds) = compare(pair.slower, pair.faster)?;
        let beaten = is_right(pair.name, &said, seconds);
        right += f64::from(u8::from(beaten));
        longest = longest.max(seconds);
        all_seconds += seconds;
        if !beaten {
            println!("       {}", said["reason"].as_str().unwrap_or_default());
        }
    }
    let share = 100.0 * right / TIMED.len() as f64;
    let what = "pairs whose verdict is right";
    figures.row("", what, share, Unit::PerCent, Demand::AtLeast(100.0));
    let what = "the way to an answer, seconds: mean";
    let mean = all_seconds / TIMED.len() as f64;
    figures.row("", what, mean, Unit::One, Demand::None);
    let (what, most) = ("the longest, seconds", Demand::AtMost(SECONDS_MAX));
    figures.row("", what, longest, Unit::One, most);
    Ok(())
}

/// Returns true if a comparison says that the files differ, and prints the call that shows it.
fn is_found(name: &str, said: &Value) -> bool {
    let differ = said["outcome"] == "disagreement";
    let shown = said["call"].as_str().filter(|_| differ);
    println!("     {name:<54} {}", shown.unwrap_or("NOT FOUND"));
    differ
}

/// Returns true if a comparison, which took so long, says that `b` is surely ahead of `a`, over all inputs; prints it.
fn is_right(name: &str, said: &Value, seconds: f64) -> bool {
    let beaten = is_beaten(said);
    let word = if beaten { "right" } else { "NOT RIGHT" };
    println!("     {name:<54} {seconds:>6.1} s  {word}");
    beaten
}

/// Returns true if a comparison says that `b` is surely ahead of `a`, over all inputs.
fn is_beaten(said: &Value) -> bool {
    said["verdicts"].as_array().is_some_and(|rows| {
        rows.iter().any(|row| {
            let is = |a: &str, b: &str, verdict: &str| {
                row["a"] == a && row["b"] == b && row["verdict"] == verdict
            };
            row["case"].is_null() && (is("a", "b", "beaten") || is("b", "a", "beats"))
        })
    })
}
