//! Programs in any language as approaches: `command = ["python3", "top_k.py"]`.

use crate::support::{CommandOutput, bakeoff, measuring_slot, root, run_bakeoff, variant};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use tempfile::TempDir;

pub(crate) const WIT: &str = "package programs:test;
world prototype { export total: func(values: list<u64>) -> u64; }
world workload {
  export generate: func(size: u32, seed: u64) -> list<u64>;
  export check: func(values: list<u64>, answer: u64) -> result<_, string>;
}
";

pub(crate) const WORKLOAD: &str = "pub fn generate(size: u32, seed: u64) -> Vec<u64> {
    (0..u64::from(size)).map(|i| (i * 7).wrapping_add(seed) % 1000).collect()
}
pub fn check(values: Vec<u64>, answer: u64) -> Result<(), String> {
    let sum: u64 = values.iter().sum();
    if sum == answer { Ok(()) } else { Err(format!(\"expected {sum}, got {answer}\")) }
}
";

/// The program of the fixture, built for this machine once.
static COMPILED: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("answers");
    let source = root().join("tests/fixtures/program/answers.rs");
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let options = ["-O", "-Cstrip=symbols", "--edition", "2024", "-o"];
    let mut command = Command::new(compiler);
    let built = command.args(options).arg(&program).arg(source).output();
    let built = built.unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    (folder, program)
});

pub(crate) fn compiled() -> &'static Path {
    &COMPILED.1
}

/// A folder with the interface, the workload, the compiled program, and these approaches.
fn experiment(approaches: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("total.wit"), WIT).unwrap();
    fs::write(at("workload.rs"), WORKLOAD).unwrap();
    let sum = "pub fn total(values: Vec<u64>) -> u64 { values.iter().sum() }";
    fs::write(at("sum.rs"), sum).unwrap();
    fs::copy(compiled(), at("answers")).unwrap();
    let file = "name = \"programs\"\nproblem = \"Add up.\"\n\
                interface = { wit = \"total.wit\", call = \"total\" }\n\
                workload = { source = \"workload.rs\", sizes = [500, 2_000] }\n\
                measure = { budget = \"5 s\" }\n";
    fs::write(at("bakeoff.toml"), format!("{file}{approaches}")).unwrap();
    folder
}

const BOTH: &str = "[[approach]]\nname = \"component\"\nsource = \"sum.rs\"\n\
                    [[approach]]\nname = \"native\"\ncommand = [\"./answers\", \"good\"]\n\
                    [[criterion]]\nname = \"speed\"\nfrom = \"time\"\n\
                    [[criterion]]\nname = \"memory\"\nfrom = \"peak-memory\"\n\
                    [[criterion]]\nname = \"start\"\nfrom = \"cold-start\"\nweight = 0\n";

fn run_in(folder: &TempDir, more: &[&str]) -> CommandOutput {
    let _slot = measuring_slot();
    let dir = folder.path().to_str().unwrap();
    run_bakeoff(&[&["run", dir, "--format", "json"], more].concat())
}

#[test]
fn a_program_is_judged_and_timed_beside_a_component() {
    let folder = experiment(BOTH);
    let output = run_in(&folder, &["--programs"]);
    assert!(output.ended_a_run(), "{}", output.stderr);
    let report = output.json();
    let native = variant(&report, "native");
    assert!(native["failure"].is_null(), "{native:#}");
    let readings = &native["readings"];
    let number = |name: &str| readings[name]["value"].as_f64();
    assert!(number("time").is_some_and(|ns| ns > 0.0), "{native:#}");
    // Its start-up is in its first call alone.
    assert!(number("cold-start") > number("time"), "{native:#}");
    let memory = &readings["peak-memory"];
    assert!(
        memory["low"].as_f64() < memory["value"].as_f64(),
        "{memory:#}"
    );
    // What is built for it does nothing, and nothing is counted in it.
    for none in [
        "fuel",
        "component-size",
        "build-time",
        "source-lines",
        "growth",
    ] {
        assert!(readings[none].is_null(), "{none}: {readings:#}");
    }
    let notes = report["notes"].to_string();
    assert!(notes.contains("Programs: native"), "{notes}");
    // All that does not belong to its moment is the same again.
    let dir = folder.path().to_str().unwrap();
    let verified = run_bakeoff(&["verify", dir, "--programs"]);
    assert_eq!(verified.status, 0, "{}{}", verified.stdout, verified.stderr);
    let refused = run_bakeoff(&["verify", dir]);
    assert_eq!(refused.status, 2, "{}", refused.stdout);
    assert!(refused.explains("--programs"), "{}", refused.stderr);
}

/// The user's own policy, in a file.
fn with_policy(folder: &TempDir, policy: &str, more: &[&str]) -> CommandOutput {
    let _slot = measuring_slot();
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("policy.toml");
    fs::write(&file, policy).unwrap();
    let dir = folder.path().to_str().unwrap();
    let mut command = bakeoff(&[&["run", dir, "--format", "json"], more].concat());
    command
        .env("BAKEOFF_POLICY", &file)
        .output()
        .unwrap()
        .into()
}

#[test]
fn no_program_runs_without_leave() {
    let folder = experiment(BOTH);
    let refused = run_in(&folder, &[]);
    assert_eq!(refused.status, 2, "{}", refused.stdout);
    assert!(
        refused.explains("nobody has allowed that it runs"),
        "{}",
        refused.stderr
    );
    let allowed = with_policy(&folder, "[programs]\nallow = true\n", &[]);
    assert!(allowed.ended_a_run(), "{}", allowed.stderr);
    let forbidden = with_policy(&folder, "[programs]\nallow = false\n", &["--programs"]);
    assert_eq!(forbidden.status, 2, "{}", forbidden.stdout);
    assert!(
        forbidden.explains("refused by the host's policy"),
        "{}",
        forbidden.stderr
    );
}

#[test]
fn what_is_no_command_is_said_where_it_stands() {
    for (approach, why) in [
        ("command = []", "has 0 words"),
        ("command = [\"python3\"]", "names no file of the experiment"),
        (
            "command = [\"python3\", \"-u\"]",
            "names no file of the experiment",
        ),
        (
            "command = [\"python3\", \"../up.py\"]",
            "leaves the experiment's folder",
        ),
        ("command = [\"/bin/sh\", \"answers\"]", "is absolute"),
        ("command = [\"python3\", \"lost.py\"]", "does not exist"),
        ("command = [\"./answers\", 3]", "no word of a command"),
        ("command = \"./answers\"", "`command`"),
        (
            "command = [\"./answers\"]\nsource = \"sum.rs\"",
            "and another code",
        ),
        (
            "command = [\"./answers\"]\nsweep = { k = [1, 2] }",
            "no `sweep`",
        ),
        (
            "command = [\"no-such-interpreter\", \"answers\"]",
            "on the search path",
        ),
    ] {
        let folder = experiment(&format!("[[approach]]\nname = \"a\"\n{approach}\n"));
        let output = run_in(&folder, &["--programs"]);
        assert_eq!(output.status, 2, "{approach}: {}", output.stdout);
        assert!(output.explains(why), "{approach}: {}", output.stderr);
    }
}

/// Programs of languages that this machine has; the others are said to be skipped.
#[test]
fn languages_answer_alike() {
    let python = "import json, sys\nfor line in sys.stdin:\n    print(sum(json.loads(line)[0]))\n";
    let node = "require('readline').createInterface({ input: process.stdin }).on('line', line =>\n\
                \x20 console.log(JSON.stringify(JSON.parse(line)[0].reduce((a, b) => a + b, 0))));\n";
    let perl = "use strict; $| = 1;\nwhile (<STDIN>) { my $s = 0; $s += $_ for /\\d+/g; print \"$s\\n\"; }\n";
    let mut approaches = BOTH.to_owned();
    let mut there = Vec::new();
    let folder = experiment("");
    for (interpreter, file, text) in [
        ("python3", "total.py", python),
        ("node", "total.js", node),
        ("perl", "total.pl", perl),
    ] {
        // Not the script of a version manager.
        let found = ["/usr/bin", "/usr/local/bin"].map(|at| Path::new(at).join(interpreter));
        if !found.iter().any(|path| path.exists()) {
            eprintln!("skipped: there is no {interpreter}");
            continue;
        }
        fs::write(folder.path().join(file), text).unwrap();
        let approach = format!(
            "[[approach]]\nname = \"{interpreter}\"\ncommand = [\"{interpreter}\", \"{file}\"]\n"
        );
        approaches.insert_str(0, &approach);
        there.push(interpreter);
    }
    let path = folder.path().join("bakeoff.toml");
    let file = fs::read_to_string(&path).unwrap() + &approaches;
    fs::write(&path, file).unwrap();
    // Enough for all of them on a machine that has much else to do.
    let output = run_in(&folder, &["--programs", "--budget", "40s"]);
    assert!(output.ended_a_run(), "{}", output.stderr);
    let report = output.json();
    // Their text is shown as that of sources is; a compiled program has none.
    let dir = folder.path().to_str().unwrap();
    let page = run_bakeoff(&["report", dir, "--format", "html"]).stdout;
    if there.contains(&"perl") {
        assert!(
            page.contains("use strict;"),
            "the text of a program is not shown"
        );
    }
    for interpreter in there {
        let answered: &Value = variant(&report, interpreter);
        assert!(answered["failure"].is_null(), "{answered:#}");
        assert!(
            answered["readings"]["time"]["value"].is_f64(),
            "{answered:#}"
        );
    }
}

#[test]
fn granted_folders_lie_in_the_programs_own() {
    let approach = "[[approach]]\nname = \"native\"\ncommand = [\"./answers\", \"has\", \"data/table\"]\n\
                    grant = { files = { \"/data\" = \"tables\" } }\n";
    let folder = experiment(approach);
    fs::create_dir(folder.path().join("tables")).unwrap();
    fs::write(folder.path().join("tables/table"), "there").unwrap();
    let output = run_in(&folder, &["--programs"]);
    let report = output.json();
    let native = variant(&report, "native");
    assert!(native["failure"].is_null(), "{native:#}");
}

/// An option is null or the value, so that the same program answers.
#[test]
fn an_answer_that_may_be_missing_is_the_value_or_null() {
    let folder =
        experiment("[[approach]]\nname = \"native\"\ncommand = [\"./answers\", \"good\"]\n");
    let wit = WIT.replace("-> u64", "-> option<u64>");
    let wit = wit.split("  export check").next().unwrap().to_owned() + "}\n";
    fs::write(folder.path().join("total.wit"), wit).unwrap();
    let workload = WORKLOAD.split("pub fn check").next().unwrap();
    fs::write(folder.path().join("workload.rs"), workload).unwrap();
    let report = run_in(&folder, &["--programs"]).json();
    let native = variant(&report, "native");
    assert!(native["failure"].is_null(), "{native:#}");
}

/// Older kernels have no Landlock that keeps signals inside a fence, and a host has to end its program all the same.
#[test]
fn programs_end_where_signals_are_kept_by_calls_alone() {
    let folder = experiment(
        "[[approach]]\nname = \"program\"\ncommand = [\"./answers\", \"good\"]\n\
         [[approach]]\nname = \"sum\"\nsource = \"sum.rs\"\n",
    );
    let _slot = measuring_slot();
    let folder = folder.path().to_str().unwrap();
    let mut command = bakeoff(&["run", folder, "--programs", "--quick", "--format", "json"]);
    command.env("BAKEOFF_LANDLOCK_AT_MOST", "2");
    let said: CommandOutput = command.output().unwrap().into();
    let report = said.json();
    let failure = &variant(&report, "program")["failure"];
    assert!(failure.is_null(), "{failure:#}");
    assert_eq!(report["environment"]["confinement"], "standard");
}
