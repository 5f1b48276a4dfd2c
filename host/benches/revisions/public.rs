//! Two versions of a public crate, of which the later one takes less time, as its changelog says.

use super::Failure;
use super::figures::{Demand, Figures, Unit};
use super::repository::{Repository, functions};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The crate.
const CRATE: &str = "strsim";
/// Its versions, the quicker one first. The changelog of 0.11.0: "improve Damerau-Levenshtein implementation: reduce runtime
/// in our own benchmark by more than 70%".
const VERSIONS: [&str; 2] = ["0.11.1", "0.10.0"];
/// The function, and two more. Of the second one the changelog says that it is to take less time, too, and not how much; of
/// the last one only that it has a smaller binary.
const FUNCTIONS: [&str; 3] = ["damerau_levenshtein", "osa_distance", "levenshtein"];
/// The number of starts of each program of a loop; the quickest one of each counts.
const STARTS: usize = 7;

/// A loop around a function on strings of 40 letters, that prints nanoseconds for each call.
fn timing_loop(function: &str) -> String {
    format!(
        "use std::hint::black_box;
fn main() {{
    let mut state = 88172645463325252u64;
    let mut letter = || {{
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b'a' + (state % 26) as u8)
    }};
    let mut text = || (0..40).map(|_| letter()).collect::<String>();
    let pairs: Vec<(String, String)> = (0..50).map(|_| (text(), text())).collect();
    let start = std::time::Instant::now();
    for _ in 0..40 {{
        for (a, b) in &pairs {{
            black_box({CRATE}::{function}(black_box(a), black_box(b)));
        }}
    }}
    println!(\"{{}}\", start.elapsed().as_nanos() / 2000);
}}
"
    )
}

pub(crate) fn run(figures: &mut Figures) -> Result<(), Failure> {
    let folder = TempDir::new()?;
    let mut sources = Vec::new();
    for version in VERSIONS {
        sources.push(fetch(&folder.path().join(version), version)?);
    }
    let natively = natively(folder.path(), &sources, &FUNCTIONS)?;
    let repository = Repository::new()?;
    for source in &sources {
        copy(&source.join("."), repository.path())?;
        std::fs::write(repository.path().join("Cargo.toml"), manifest(source)?)?;
        repository.commit()?;
    }
    let mut right = [0.0; 2];
    for (revisions, verdict, direction) in [
        (["HEAD~1", "HEAD"], "beaten", "from 0.11.1 back to 0.10.0"),
        (["HEAD", "HEAD~1"], "beats", "from 0.10.0 to 0.11.1"),
    ] {
        let call = FUNCTIONS.join(",");
        let package = ["--package", CRATE, "--call", &call, "--natively"];
        let arguments = [&revisions[..], &package].concat();
        let (said, seconds) = repository.compare(&arguments)?;
        println!(
            "     {CRATE} {direction}, {seconds:.0} s: {}",
            said["answer"]
        );
        for row in functions(&said) {
            let name = row["name"].as_str().unwrap_or_default();
            let place = FUNCTIONS.iter().position(|one| *one == name);
            let ratio = place.map_or(f64::NAN, |place| natively[place]);
            let ratio = if verdict == "beaten" {
                ratio
            } else {
                1.0 / ratio
            };
            println!("       {name}: in a loop natively {ratio:.2}");
            for (of, said) in [("component", row), ("natively", &row["natively"])] {
                println!(
                    "         {of:<10} {}",
                    said["found"].as_str().unwrap_or_default()
                );
            }
            if name == FUNCTIONS[0] {
                let is_right =
                    |said: &Value| f64::from(u8::from(said["time"]["verdict"] == verdict));
                right[0] += is_right(row);
                right[1] += is_right(&row["natively"]);
            }
        }
    }
    for (of, right) in [("as components", right[0]), ("natively", right[1])] {
        let what = format!("{}, both directions, right {of}", FUNCTIONS[0]);
        figures.row(
            "",
            &what,
            50.0 * right,
            Unit::PerCent,
            Demand::AtLeast(100.0),
        );
    }
    let what = format!("{}: 0.10.0 ÷ 0.11.1 in a loop natively", FUNCTIONS[0]);
    figures.row("", &what, natively[0], Unit::One, Demand::AtLeast(1.4));
    Ok(())
}

/// Has cargo fetch a version, and returns the folder of its source.
fn fetch(folder: &Path, version: &str) -> Result<PathBuf, Failure> {
    let text = format!(
        "[package]\nname = \"fetched\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[dependencies]\n{CRATE} = \"={version}\"\n\
         [workspace]\n"
    );
    package(folder, &text, "")?;
    let mut command = Command::new(cargo());
    command
        .args(["vendor", "--quiet", "sources"])
        .current_dir(folder);
    succeed(command.stdout(std::process::Stdio::null()))?;
    Ok(folder.join("sources").join(CRATE))
}

/// Returns a manifest of the crate that needs nothing, in the edition of its own one: that of the registry names crates that
/// only its tests need.
fn manifest(source: &Path) -> Result<String, Failure> {
    let own = std::fs::read_to_string(source.join("Cargo.toml"))?;
    let edition = own.lines().find(|line| line.starts_with("edition = "));
    let edition = edition.unwrap_or("edition = \"2015\"");
    Ok(format!(
        "[package]\nname = \"{CRATE}\"\nversion = \"0.0.0\"\n{edition}\n"
    ))
}

/// Returns the time of each function in the second version over that in the first one, in loops that are built by cargo
/// and started in turns.
fn natively(folder: &Path, sources: &[PathBuf], functions: &[&str]) -> Result<Vec<f64>, Failure> {
    let mut ratios = Vec::new();
    for function in functions {
        let mut programs = Vec::new();
        for (place, source) in sources.iter().enumerate() {
            let name = format!("loop-{function}-{place}");
            let text = format!(
                "[package]\nname = \"timing-loop\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[dependencies]\n\
                 {CRATE} = {{ path = {source:?} }}\n[workspace]\n"
            );
            let package_folder = folder.join(&name);
            package(&package_folder, &text, &timing_loop(function))?;
            let mut command = Command::new(cargo());
            command
                .args(["build", "--quiet", "--release"])
                .current_dir(&package_folder);
            command.env("CARGO_TARGET_DIR", package_folder.join("target"));
            succeed(&mut command)?;
            programs.push(package_folder.join("target/release/timing-loop"));
        }
        let mut least = [f64::INFINITY; 2];
        for _ in 0..STARTS {
            for (program, least) in programs.iter().zip(&mut least) {
                let output = Command::new(program).output()?;
                let ns: f64 = String::from_utf8(output.stdout)?.trim().parse()?;
                *least = least.min(ns);
            }
        }
        ratios.push(least[1] / least[0]);
    }
    Ok(ratios)
}

fn cargo() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Writes a package with a program, or with an empty library.
fn package(folder: &Path, manifest: &str, program: &str) -> Result<(), Failure> {
    std::fs::create_dir_all(folder.join("src"))?;
    std::fs::write(folder.join("Cargo.toml"), manifest)?;
    let file = if program.is_empty() {
        "lib.rs"
    } else {
        "main.rs"
    };
    Ok(std::fs::write(folder.join("src").join(file), program)?)
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    succeed(Command::new("cp").arg("-r").args([from, to]))
}

fn succeed(command: &mut Command) -> Result<(), Failure> {
    let status = command.status()?;
    if !status.success() {
        return Err(format!("{command:?}: {status}").into());
    }
    Ok(())
}
