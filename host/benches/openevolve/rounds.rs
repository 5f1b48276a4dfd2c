//! A search of 1,000 candidates in rounds, beside as many iterations of OpenEvolve.

use super::mock::Mock;
use super::support::is_quick;
use super::{experiment, good, openevolve_run};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The candidates of a search, and of a round.
const CANDIDATES: usize = 1_000;
const WIDTH: usize = 10;

/// Compares what a candidate takes at the beginning and at the end of a long search.
pub(crate) fn compare(mock: &Mock, python: &Path) {
    let count = match is_quick() {
        true => CANDIDATES / 10,
        false => CANDIDATES,
    };
    let candidates: Vec<String> = (0..count).map(good).collect();
    let part = count / 10;
    let ours = ends(&search(mock, &candidates), part);
    let theirs = openevolve_run(mock, python, &candidates);
    println!(
        "openevolve: it was asked for {} of {count}, and {} passed",
        theirs.seconds.len() + 1,
        theirs.passed
    );
    let theirs = ends(&theirs.seconds, part);
    println!(
        "{count} candidates of a search, built and checked anew each; {part} of them at each end"
    );
    println!(
        "  one of the first, ours \u{f7} OpenEvolve       {:.2}",
        ours.0 / theirs.0
    );
    println!(
        "  one of the last, ours \u{f7} OpenEvolve        {:.2}",
        ours.1 / theirs.1
    );
    println!(
        "  last \u{f7} first, ours                      {:.2}",
        ours.1 / ours.0
    );
    println!(
        "  last \u{f7} first, OpenEvolve                {:.2}",
        theirs.1 / theirs.0
    );
}

/// Returns what one candidate takes at the beginning and at the end, in seconds: a mean over many, since those of a round
/// are asked for together.
fn ends(seconds: &[f64], part: usize) -> (f64, f64) {
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len().max(1) as f64;
    let part = part.min(seconds.len());
    (
        mean(&seconds[..part]),
        mean(&seconds[seconds.len() - part..]),
    )
}

/// Searches in rounds, with one question at a time as OpenEvolve has it, and ordered by fuel, so that nothing waits for
/// clocks. Returns the seconds from each question to the next.
fn search(mock: &Mock, candidates: &[String]) -> Vec<f64> {
    let folder = tempfile::tempdir().expect("a folder");
    experiment(folder.path());
    let file = folder.path().join("bakeoff.toml");
    let text = fs::read_to_string(&file).expect("the experiment");
    let rounds = candidates.len() / WIDTH;
    let tables = format!(
        "[generate]\nprovider = \"openai\"\nmodel = \"mock\"\ntokens = 1_000_000_000\ncalls_at_once = 1\nrepairs = 0\n\
         approaches = 0\n[rounds]\npropose = [\"model\"]\nmix = [\"improve\"]\nwidth = {WIDTH}\ncount = {rounds}\n\
         patience = 1_000\n[[criterion]]\nname = \"work\"\nfrom = \"fuel\"\n"
    );
    fs::write(&file, text + &tables).expect("the experiment");
    mock.load(candidates);
    let ended = Command::new(env!("CARGO_BIN_EXE_bakeoff"))
        .arg("evolve")
        .arg(folder.path())
        .args(["--generate", "--budget", "1s", "--base-url", &mock.address])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .expect("the program");
    if mock.asked() < candidates.len() {
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        let last: Vec<&str> = said.lines().rev().take(3).collect();
        println!(
            "bakeoff: asked for {} of {}: {last:?}",
            mock.asked(),
            candidates.len()
        );
    }
    mock.seconds()
}
