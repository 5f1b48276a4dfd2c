//! Known differences, found or not: variants whose true ratio is known, run head to head through the
//! whole of bakeoff, again and again.
//!
//! `cargo bench --bench effects -- [--runs N]` builds `components/spin` with 0, 2, 5 and 10 % more
//! work and runs each against the plain one. A row says in how many of the runs the right one was
//! called faster, the wrong one, nobody, and the median of the measured ratios divided by the true
//! one: the nearer to 1, the less the measuring itself distorts.

mod support;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Extra work, in per mille.
const EXTRA: [u64; 4] = [0, 20, 50, 100];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn runs() -> u32 {
    let mut arguments = std::env::args()
        .skip_while(|argument| argument != "--runs")
        .skip(1);
    let wanted = arguments.next().and_then(|number| number.parse().ok());
    wanted.unwrap_or(if support::is_quick() { 3 } else { 10 })
}

/// An experiment of the plain one against one with more work.
fn write_experiment(folder: &Path, extra: u64, seed: u32) {
    let spin = root().join("components/spin");
    let copy = |from: &str, to: &str| {
        let to = folder.join(to);
        fs::create_dir_all(to.parent().expect("a file lies in a folder")).expect("a folder");
        fs::copy(spin.join(from), to).expect("a copy");
    };
    copy("wit/spin.wit", "wit/spin.wit");
    copy("workload.rs", "workload.rs");
    let source = fs::read_to_string(spin.join("spin.rs")).expect("the source");
    let more = source.replace(
        "PER_MILLE: u64 = 1000;",
        &format!("PER_MILLE: u64 = {};", 1000 + extra),
    );
    // The same work in another file: a text that is never used sets the bytes apart.
    let more = format!("{more}\n#[unsafe(no_mangle)]\npub static NAME: [u8; 5] = *b\"other\";\n");
    fs::write(folder.join("plain.rs"), source).expect("a file");
    fs::write(folder.join("more.rs"), more).expect("a file");
    let text = format!(
        "name = \"effects\"\nproblem = \"Which spins less?\"\n\n[interface]\nwit = \"wit\"\ncall = \"spin\"\n\n\
         [workload]\nsource = \"workload.rs\"\nsizes = [100_000]\nseed = {seed}\n\n[measure]\nbudget = \"10 s\"\n\n\
         [[approach]]\nname = \"plain\"\nsource = \"plain.rs\"\n\n\
         [[approach]]\nname = \"more\"\nsource = \"more.rs\"\n"
    );
    fs::write(folder.join("bakeoff.toml"), text).expect("a file");
}

/// The verdict about `plain` against `more`, and the ratio of their times.
fn run(extra: u64, seed: u32) -> Option<(String, f64)> {
    let folder = tempfile::tempdir().expect("a folder");
    write_experiment(folder.path(), extra, seed);
    let output = Command::new(env!("CARGO_BIN_EXE_bakeoff"))
        .args(["run", "--quiet", "--format", "json"])
        .arg(folder.path())
        .env(
            "BAKEOFF_CACHE_DIR",
            Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"),
        )
        .stdin(Stdio::null())
        .output()
        .expect("the binary runs");
    let report: Value = serde_json::from_slice(&output.stdout).ok()?;
    let row = report["verdicts"]
        .as_array()?
        .iter()
        .find(|row| row["case"].is_null())?
        .clone();
    Some((row["verdict"].as_str()?.to_owned(), row["ratio"].as_f64()?))
}

fn main() {
    let runs = runs();
    println!(
        "extra work   right   wrong   tie   no call   measured ratio / true ratio   ({runs} runs each)"
    );
    for extra in EXTRA {
        let found: Vec<(String, f64)> = (0..runs).filter_map(|seed| run(extra, seed + 1)).collect();
        let count = |verdict: &str| found.iter().filter(|(said, _)| said == verdict).count();
        let (right, wrong) = match extra {
            0 => (0, count("beats") + count("beaten")),
            _ => (count("beats"), count("beaten")),
        };
        let truth = 1000.0 / (1000 + extra) as f64;
        let ratios: Vec<f64> = found.iter().map(|(_, ratio)| ratio / truth).collect();
        let ratio = if ratios.is_empty() {
            f64::NAN
        } else {
            support::median(ratios)
        };
        println!(
            "{:>8.1} %   {right:>5}   {wrong:>5}   {:>3}   {:>7}   {ratio:>27.4}",
            extra as f64 / 10.0,
            count("tie"),
            count("no-call"),
        );
    }
}
