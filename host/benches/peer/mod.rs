//! criterion on the same functions: a package of its own, with the same generated input and
//! criterion's own settings.

use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The longest time that one call of cargo may take.
const CARGO_MAX: Duration = Duration::from_secs(1200);

/// The interval at which a call is polled.
const POLL: Duration = Duration::from_millis(20);

const MANIFEST: &str = r#"[package]
name = "peer"
version = "0.0.0"
edition = "2024"

[workspace]

[dev-dependencies]
criterion = { version = "0.8", default-features = false, features = ["cargo_bench_support"] }

[[bench]]
name = "compare"
harness = false
"#;

/// The functions to be timed, and their input.
pub(crate) struct Subject<'a> {
    /// The folder with `workload.rs` and `approaches`.
    pub(crate) example: &'a Path,
    /// The source file of the workload's random numbers.
    pub(crate) random: &'a Path,
    /// The files in `approaches`, without their extension.
    pub(crate) approaches: &'a [&'a str],
    /// The number of elements of the input.
    pub(crate) size: u32,
}

/// The result of criterion. Times are wall times, in seconds.
pub(crate) struct Peer {
    /// The time from fetched sources to a built bench.
    pub(crate) build: f64,
    /// The time of `cargo bench` with everything built.
    pub(crate) measure: f64,
    /// The bounds of criterion's 95 % interval for each approach, in nanoseconds.
    pub(crate) intervals: Vec<(f64, f64)>,
}

/// Runs criterion on the subject.
///
/// # Errors
/// The reason why there is no result, in a line.
pub(crate) fn run(subject: &Subject<'_>) -> Result<Peer, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let folder = folder.path();
    write(subject, folder).map_err(|error| error.to_string())?;
    cargo(folder, &["fetch"])?;
    let build = cargo(folder, &["bench", "--bench", "compare", "--no-run"])?;
    let measure = cargo(folder, &["bench", "--bench", "compare"])?;
    let intervals = subject.approaches.iter().map(|name| {
        let file = home(folder).join("top-k").join(name);
        interval(&file.join("new/estimates.json"))
    });
    Ok(Peer {
        build,
        measure,
        intervals: intervals.collect::<Result<_, _>>()?,
    })
}

fn home(folder: &Path) -> PathBuf {
    folder.join("criterion")
}

fn write(subject: &Subject<'_>, folder: &Path) -> std::io::Result<()> {
    let source = folder.join("src");
    std::fs::create_dir_all(&source)?;
    std::fs::create_dir_all(folder.join("benches"))?;
    std::fs::write(folder.join("Cargo.toml"), MANIFEST)?;
    std::fs::copy(subject.random, source.join("bakeoff.rs"))?;
    let workload = subject.example.join("workload.rs");
    std::fs::copy(workload, source.join("workload.rs"))?;
    let mut library = String::from("pub mod bakeoff;\npub mod workload;\n");
    let mut bench = format!(
        "use criterion::{{BatchSize, Criterion}};\n\n\
         fn compare(criterion: &mut Criterion) {{\n\
         let (values, k) = peer::workload::generate({}, 1);\n\
         let mut group = criterion.benchmark_group(\"top-k\");\n",
        subject.size
    );
    for name in subject.approaches {
        let file = format!("{name}.rs");
        let approach = subject.example.join("approaches").join(&file);
        std::fs::copy(approach, source.join(&file))?;
        library.push_str(&format!("pub mod {name};\n"));
        bench.push_str(&format!(
            "group.bench_function(\"{name}\", |bencher| bencher.iter_batched(\n\
             || values.clone(), |values| peer::{name}::top_k(values, k), BatchSize::SmallInput));\n"
        ));
    }
    bench.push_str(
        "group.finish();\n}\n\n\
         criterion::criterion_group!(benches, compare);\ncriterion::criterion_main!(benches);\n",
    );
    std::fs::write(source.join("lib.rs"), library)?;
    std::fs::write(folder.join("benches/compare.rs"), bench)
}

/// Runs cargo to its end, and returns its wall time in seconds.
fn cargo(folder: &Path, arguments: &[&str]) -> Result<f64, String> {
    let shown = format!("cargo {}", arguments[0]);
    let failed = |error: std::io::Error| format!("{shown}: {error}");
    let log = folder.join("log");
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("CRITERION_HOME", home(folder))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(&log).map_err(failed)?)
        .spawn()
        .map_err(failed)?;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        if start.elapsed() > CARGO_MAX {
            child.kill().map_err(failed)?;
            child.wait().map_err(failed)?;
            return Err(format!("{shown} took more than {} s", CARGO_MAX.as_secs()));
        }
        std::thread::sleep(POLL);
    };
    let seconds = start.elapsed().as_secs_f64();
    if status.success() {
        return Ok(seconds);
    }
    let said = std::fs::read_to_string(&log).unwrap_or_default();
    let reason = said.lines().find(|line| line.starts_with("error"));
    Err(format!("{shown}: {}", reason.unwrap_or("it failed")))
}

/// Returns the interval that criterion reports: of the slope where it fitted one, else of the mean.
fn interval(file: &Path) -> Result<(f64, f64), String> {
    let failed = |reason: String| format!("{}: {reason}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
    let estimates: Value =
        serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
    let estimate = match &estimates["slope"] {
        Value::Null => &estimates["mean"],
        slope => slope,
    };
    let end = |name: &str| estimate["confidence_interval"][name].as_f64();
    end("lower_bound")
        .zip(end("upper_bound"))
        .ok_or_else(|| failed("it holds no interval".to_owned()))
}
