//! What a variant of a sweep costs: whole runs of sweeps of 100 and of 1,000 variants, with `--full` also
//! of 10,000.
//!
//! ```text
//! cargo bench -p bakeoff --bench sweep [-- --full]
//! ```
//!
//! `÷ first` is the wall time for each variant relative to the smallest sweep: at most 1.5, each costs
//! the same. `KiB each` is the growth of the parent's memory for each variant more.
//! The race of the eight that are chosen is the same for all of them and short; it is in the time.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const WIT: &str = include_str!("../../tests/planted/sweep/wit/total.wit");
const WORKLOAD: &str = include_str!("../../tests/planted/sweep/workload.rs");
const PROTOTYPE: &str = include_str!("../../tests/planted/sweep/rounds.rs");

/// The most that a variant of a larger sweep may cost, relative to one of the smallest.
const RATIO_MAX: f64 = 1.5;

fn write(folder: &Path, variants: usize) {
    fs::create_dir(folder.join("wit")).expect("a folder");
    let experiment = format!(
        "name = \"sweep\"\nproblem = \"?\"\n[interface]\nwit = \"wit\"\ncall = \"total\"\n[workload]\n\
         source = \"workload.rs\"\nsizes = [100]\n[[approach]]\nname = \"a\"\nsource = \"rounds.rs\"\n\
         sweep = {{ rounds = {{ from = 1, to = {variants}, step = 1 }} }}\n[measure]\nbudget = \"1 s\"\n"
    );
    for (name, text) in [
        ("bakeoff.toml", experiment.as_str()),
        ("wit/total.wit", WIT),
        ("workload.rs", WORKLOAD),
        ("rounds.rs", PROTOTYPE),
    ] {
        fs::write(folder.join(name), text).expect("a file");
    }
}

/// The seconds of a run, and the most memory that one of its processes had, in bytes.
fn run(variants: usize) -> (f64, f64) {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), variants);
    let started = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_bakeoff"))
        .args(["run", "--quiet"])
        .arg(folder.path())
        .stdout(Stdio::null())
        .spawn()
        .expect("bakeoff starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak_kib = 0.0_f64;
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        peak_kib = peak_kib.max(kib.unwrap_or(0.0));
        if child.try_wait().expect("a status").is_some() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    (started.elapsed().as_secs_f64(), peak_kib * 1024.0)
}

fn main() {
    let full = std::env::args().any(|argument| argument == "--full");
    let sizes: &[usize] = if full {
        &[100, 1_000, 10_000]
    } else {
        &[100, 1_000]
    };
    let mut first = None;
    println!("variants   seconds   ms each   ÷ first   peak MiB   KiB each");
    for &variants in sizes {
        let (seconds, bytes) = run(variants);
        let each = seconds / variants as f64;
        let (first_each, first_bytes, first_variants) =
            *first.get_or_insert((each, bytes, variants));
        let ratio = each / first_each;
        let more = (variants - first_variants).max(1) as f64;
        let kib_each = (bytes - first_bytes) / more / 1024.0;
        println!(
            "{variants:>8}{seconds:>10.1}{:>10.1}{ratio:>10.2}{:>11.0}{kib_each:>11.1}   {}",
            each * 1e3,
            bytes / (1 << 20) as f64,
            if ratio <= RATIO_MAX { "met" } else { "NOT MET" }
        );
    }
}
