//! The command of each tool, and the reading of its output as an answer to the question which of
//! two is faster.

use super::Pair;
use crate::spin::Said;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The longest time that a tool may take for one pair.
const TOOL_MAX: Duration = Duration::from_secs(240);

/// The interval at which a tool is polled.
const POLL: Duration = Duration::from_millis(50);

/// The number of rounds of a program that is timed from its start to its end.
const PROGRAM_ROUNDS: u32 = 30_000_000;

/// The least relative difference that a reader takes for one, where a tool prints numbers without a
/// conclusion.
const READERS_THRESHOLD: f64 = 0.01;

/// A tool, with the program that was built for it.
pub(super) enum Tool {
    Criterion(PathBuf),
    Divan(PathBuf),
    Tango(PathBuf),
    Zenbench(PathBuf),
    Hyperfine {
        hyperfine: PathBuf,
        program: PathBuf,
    },
}

impl Tool {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Criterion(_) => "criterion",
            Self::Divan(_) => "divan",
            Self::Tango(_) => "tango",
            Self::Zenbench(_) => "zenbench",
            Self::Hyperfine { .. } => "hyperfine",
        }
    }

    /// Returns which variant of the pair the tool calls faster.
    pub(super) fn compare(&self, pair: &Pair) -> Result<Said, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let run = |program: &Path, arguments: &[&str], side: &str| {
            let mut command = Command::new(program);
            command
                .args(arguments)
                .env("PEER_SIDE", side)
                .env("PEER_SOURCE", pair.source.name())
                .env("PEER_ROUNDS", pair.rounds.to_string())
                .env("PEER_WORK", format!("{},{}", pair.work[0], pair.work[1]))
                .env("CRITERION_HOME", folder.path().join("criterion"))
                .env("ZENBENCH_NO_SAVE", "1")
                .env("NO_COLOR", "1");
            output(command, folder.path())
        };
        match self {
            Self::Criterion(file) => {
                run(
                    file,
                    &["--bench", "--noplot", "--save-baseline", "first"],
                    "0",
                )?;
                let said = run(file, &["--bench", "--noplot", "--baseline", "first"], "1")?;
                criterion(&said)
            }
            Self::Divan(file) => divan(&run(file, &["--bench"], "0")?),
            Self::Tango(file) => {
                let sides = ["--strip-candidate=second/*", "--strip-baseline=first/*"];
                let arguments = ["--color=never", "compare", sides[0], sides[1]];
                tango(&run(file, &arguments, "0")?)
            }
            Self::Zenbench(file) => zenbench(&run(file, &["--bench", "--format=json"], "0")?),
            Self::Hyperfine { hyperfine, program } => {
                let calls = (PROGRAM_ROUNDS / pair.rounds).max(1);
                let side = |side: u32| format!("{} {side} {calls}", program.display());
                let json = folder.path().join("hyperfine.json").display().to_string();
                let (first, second) = (side(0), side(1));
                let arguments = [
                    "-N",
                    "--style=none",
                    "--export-json",
                    &json,
                    &first,
                    &second,
                ];
                run(hyperfine, &arguments, "0")?;
                let text = std::fs::read_to_string(&json).map_err(|error| error.to_string())?;
                self::hyperfine(&text)
            }
        }
    }
}

/// Runs a tool to its end, and returns its stdout.
fn output(mut command: Command, folder: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| error.to_string();
    let (out, err) = (folder.join("out"), folder.join("err"));
    let mut child = command
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&out).map_err(failed)?)
        .stderr(std::fs::File::create(&err).map_err(failed)?)
        .spawn()
        .map_err(failed)?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        if start.elapsed() > TOOL_MAX {
            child.kill().map_err(failed)?;
            child.wait().map_err(failed)?;
            return Err(format!("no answer within {} s", TOOL_MAX.as_secs()));
        }
        std::thread::sleep(POLL);
    };
    // tango ends with 1 if the candidate is slower, which is an answer.
    if !matches!(status.code(), Some(0 | 1)) {
        let said = std::fs::read_to_string(&err).unwrap_or_default();
        return Err(format!("{status}: {}", said.lines().last().unwrap_or("")));
    }
    std::fs::read_to_string(&out).map_err(failed)
}

/// Returns criterion's conclusion on the second against the first: p < 0.05 and an interval beyond
/// ±1 %.
fn criterion(said: &str) -> Result<Said, String> {
    let sentences = [
        ("Performance has regressed", Said::First),
        ("Performance has improved", Said::Second),
        ("Change within noise threshold", Said::Nothing),
        ("No change in performance detected", Said::Nothing),
    ];
    let found = sentences.iter().find(|(text, _)| said.contains(text));
    found
        .map(|(_, said)| *said)
        .ok_or("it compared nothing".into())
}

/// Returns the conclusion from divan's medians, which it prints without one of its own.
fn divan(said: &str) -> Result<Said, String> {
    let median = |side: &str| {
        let line = said.lines().find(|line| {
            line.trim_start_matches(['│', ' ', '├', '╰', '─'])
                .starts_with(side)
                && line.contains("s  ")
        })?;
        nanoseconds(line.split('│').rev().nth(3)?)
    };
    let (Some(first), Some(second)) = (median("0 "), median("1 ")) else {
        return Err("it shows no medians".into());
    };
    Ok(read(second / first, READERS_THRESHOLD))
}

/// Returns a time such as "150.2 µs" in nanoseconds.
fn nanoseconds(text: &str) -> Option<f64> {
    let (number, unit) = text.trim().split_once(' ')?;
    let factor = match unit.trim() {
        "ns" => 1.0,
        "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * factor)
}

/// Returns the change that tango marks with a star: significant, and beyond its noise threshold of
/// 1 %.
fn tango(said: &str) -> Result<Said, String> {
    let change = said.lines().find_map(|line| {
        let (_, change) = line.rsplit_once(']')?;
        let (number, star) = change.trim().split_once('%')?;
        Some((number.trim().parse::<f64>().ok()?, star.contains('*')))
    });
    match change.ok_or("it compared nothing")? {
        (_, false) => Ok(Said::Nothing),
        (change, true) if change > 0.0 => Ok(Said::First),
        _ => Ok(Said::Second),
    }
}

/// Returns the conclusion from hyperfine's ratio with ±: a difference if 1 is not within.
fn hyperfine(text: &str) -> Result<Said, String> {
    let json: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let number = |place: usize, name: &str| json["results"][place][name].as_f64();
    let of = |place| number(place, "mean").zip(number(place, "stddev"));
    let (Some((first, one)), Some((second, other))) = (of(0), of(1)) else {
        return Err("it exported no means".into());
    };
    let ratio = second / first;
    let error = ratio * ((one / first).powi(2) + (other / second).powi(2)).sqrt();
    Ok(read(ratio, error))
}

fn read(ratio: f64, error: f64) -> Said {
    match ratio - 1.0 {
        more if more > error => Said::First,
        more if more < -error => Said::Second,
        _ => Said::Nothing,
    }
}

/// Returns the difference that zenbench calls significant.
fn zenbench(said: &str) -> Result<Said, String> {
    let json: Value = serde_json::from_str(said).map_err(|error| error.to_string())?;
    let analysis = &json["comparisons"][0]["analyses"][0];
    let (baseline, change) = (analysis[0].as_str(), analysis[2]["pct_change"].as_f64());
    let significant = analysis[2]["significant"].as_bool();
    let (Some(baseline), Some(change), Some(significant)) = (baseline, change, significant) else {
        return Err("it compared nothing".into());
    };
    match (significant, (change > 0.0) == (baseline == "first")) {
        (false, _) => Ok(Said::Nothing),
        (true, true) => Ok(Said::First),
        (true, false) => Ok(Said::Second),
    }
}
