//! Sources that do natively what WebAssembly does not let them do.

use super::batch::World;
use crate::natively::{experiment, folds, has_linker};
use crate::revisions::{self, MANIFEST, Repository, has_git};
use crate::support::measuring_slot;
use std::path::Path;
use std::process::Command;

/// Adds up, and before that does what it should not, natively.
fn doing(what: &str) -> String {
    format!(
        "#![allow(unused)]
pub fn total(values: &[u64]) -> u64 {{
    let mut total = 0;
    for _ in 0..200 {{
        let sum = std::hint::black_box(values).iter().fold(0, |sum: u64, value| sum.wrapping_add(*value));
        total = std::hint::black_box(sum);
    }}
    if cfg!(not(target_arch = \"wasm32\")) {{
        {what}
    }}
    total
}}
"
    )
}

#[test]
fn case_202_sources_that_run_natively_stay_inside() {
    if !has_linker() {
        return;
    }
    let world = World::new();
    let secret = world.text("temporary/canary.txt");
    let written = world.path("temporary/escaped");
    let counts = |is_done: &str| doing(&format!("if {is_done} {{ return 1; }}"));
    let written_shown = written.display();
    let sources = [
        ("honest", doing("")),
        ("honest-too", doing("")),
        (
            "reads",
            counts(&format!("std::fs::read({secret:?}).is_ok()")),
        ),
        (
            "reads-passwords",
            counts("std::fs::read(\"/etc/passwd\").is_ok()"),
        ),
        (
            "writes",
            counts(&format!(
                "std::fs::write(\"{written_shown}\", \"x\").is_ok()"
            )),
        ),
        (
            "starts",
            counts("std::process::Command::new(\"/bin/true\").status().is_ok()"),
        ),
        (
            "connects",
            counts("std::net::TcpListener::bind(\"127.0.0.1:0\").is_ok()"),
        ),
        ("prints", doing("print!(\"\\n\\n1\\n\");")),
        (
            "early",
            doing("").replace(
                "pub fn total",
                &format!(
                    "#[cfg(not(target_arch = \"wasm32\"))]
#[used]
#[unsafe(link_section = \".init_array\")]
static EARLY: extern \"C\" fn() = early;
#[cfg(not(target_arch = \"wasm32\"))]
extern \"C\" fn early() {{ let _ = std::fs::write(\"{written_shown}\", \"x\"); }}
pub fn total"
                ),
            ),
        ),
        ("panics", doing("panic!(\"not here\");")),
        ("loops", doing("loop { std::hint::black_box(0); }")),
        ("leaves", doing("std::process::exit(0);")),
    ];
    for (name, source) in &sources {
        world.write(&format!("{name}.rs"), source);
    }
    let files: Vec<String> = sources
        .iter()
        .map(|(name, _)| world.text(&format!("{name}.rs")))
        .collect();
    let mut arguments = vec!["compare"];
    arguments.extend(files.iter().map(String::as_str));
    let options = [
        "--natively",
        "--seed",
        "5",
        "--size",
        "20000",
        "--budget",
        "60s",
        "--format",
        "json",
    ];
    arguments.extend(options);
    let said = world.run(&arguments);
    let report = said.json();
    let natively = &report["natively"];
    let failed = natively["failures"].as_object().unwrap();
    let failed: Vec<&String> = failed.keys().collect();
    assert_eq!(failed, ["leaves", "loops", "panics"], "{natively:#}");
    let message = natively["failures"]["panics"]["message"].as_str().unwrap();
    assert!(message.contains("not here"), "{message}");
    assert!(!written.exists());
}

#[test]
fn case_265_a_package_that_is_built_for_this_machine_stays_inside() {
    if !has_linker() || !has_git() {
        return;
    }
    let outside = tempfile::TempDir::new().unwrap();
    let secret = outside.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    let mark = outside.path().join("mark");
    let (secret, mark_shown) = (secret.display(), mark.display());
    // Whatever its script or its macro manages to do where it is built for this machine ends the build.
    let tries = format!(
        "assert!(std::fs::read(\"{secret}\").is_err());
    assert!(std::fs::write(\"{mark_shown}\", \"x\").is_err());
    assert!(std::net::TcpStream::connect(\"127.0.0.1:9\").is_err());
    assert!(std::net::TcpListener::bind(\"127.0.0.1:0\").is_err());
    assert!(std::fs::read_dir(\"/home\").is_err());"
    );
    let script = format!(
        "fn main() {{
    if std::env::var(\"TARGET\").unwrap().starts_with(\"wasm32\") {{ return; }}
    {tries}
    // What it asks the linker for is not there.
    println!(\"cargo:rustc-link-search=native={}\");
}}
",
        outside.path().display()
    );
    let macros = format!(
        "extern crate proc_macro;
#[proc_macro]
pub fn nothing(_: proc_macro::TokenStream) -> proc_macro::TokenStream {{
    {tries}
    proc_macro::TokenStream::new()
}}
"
    );
    let function = |name: &str, what: &str| {
        let named = doing(what).replace("fn total(", &format!("fn {name}("));
        named.replace("#![allow(unused)]\n", "")
    };
    let library = |more: &str| {
        let reads = format!(
            "if std::fs::read(\"{secret}\").is_ok() || std::fs::write(\"{mark_shown}\", \"x\").is_ok() {{ return 1; }}\n{more}"
        );
        format!(
            "macros::nothing!();
{}{}
#[cfg(not(target_arch = \"wasm32\"))]
#[used]
#[unsafe(link_section = \".init_array\")]
static EARLY: extern \"C\" fn() = early;
#[cfg(not(target_arch = \"wasm32\"))]
extern \"C\" fn early() {{ let _ = std::fs::write(\"{mark_shown}\", \"x\"); }}
",
            function("honest", more),
            function("reads", &reads)
        )
    };
    let repository = Repository::new();
    let manifest = MANIFEST.replace("2021", "2024");
    let needs = "[dependencies]\nmacros = { path = \"macros\" }\n";
    repository.write("Cargo.toml", &format!("{manifest}{needs}"));
    repository.write(
        "macros/Cargo.toml",
        "[package]\nname = \"macros\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\nproc-macro = true\n",
    );
    repository.write("macros/src/lib.rs", &macros);
    repository.write("build.rs", &script);
    repository.write("src/lib.rs", &library(""));
    repository.commit();
    repository.write("src/lib.rs", &library("std::hint::black_box(5);"));
    repository.commit();
    let arguments = ["HEAD~1", "HEAD", "--package", "codec-core", "--natively"];
    let options = [
        "--seed", "5", "--size", "20000", "--budget", "5s", "--format", "json",
    ];
    let said = repository.compare(&[&arguments[..], &options].concat());
    assert_eq!(said.status, 0, "{}{}", said.stdout, said.stderr);
    assert!(!mark.exists());
    // All of it was built and run: what was tried was refused, and the answers are those of the components.
    let report = said.json();
    for name in ["honest", "reads"] {
        let natively = &revisions::function(&report, name)["natively"];
        assert!(natively["time"]["after_ns"].is_number(), "{report:#}");
    }
}

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-r").args([from, to]).status();
    assert!(copied.unwrap().success());
}

#[test]
fn case_260_times_natively_that_were_exchanged_are_not_shown() {
    if !has_linker() {
        return;
    }
    let world = World::new();
    let sources = [("a", folds(2, 40)), ("b", folds(10, 2))];
    let sources = sources
        .each_ref()
        .map(|(name, text)| (*name, text.as_str()));
    experiment(&world.path("experiment"), &sources);
    let run = |out: &str, keys: Option<&str>, options: &[&str]| {
        let _slot = measuring_slot();
        let out = world.text(out);
        let arguments = ["run", "--seed", "5", "--budget", "3s", "--out", &out];
        let mut command = world.command(&[&arguments[..], options].concat());
        if let Some(keys) = keys {
            command.env("XDG_DATA_HOME", world.path(keys));
        }
        let said = command.output().unwrap();
        let stderr = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(said.status.success(), "{stderr}");
    };
    run("ours", None, &["--natively"]);
    run("other", None, &[]);
    run("theirs", Some("keys"), &["--natively"]);
    let report = |folder: &str| world.run(&["report", &world.text(folder), "--format", "json"]);
    assert!(report("ours").json()["natively"].is_object());
    let natively = world.path("ours/natively");
    let kept = world.path("kept");
    std::fs::rename(&natively, &kept).unwrap();
    let theirs = world.path("theirs/natively");
    for (planted, why) in [
        (Some(theirs.as_path()), "come from elsewhere"),
        (
            Some(&*world.path("other")),
            "is not there, or is another one",
        ),
        (None, "no results"),
    ] {
        if let Some(planted) = planted {
            copy(planted, &natively);
        }
        let said = report("ours");
        let shown = said.json();
        assert!(shown["natively"].is_null(), "{why}: {shown:#}");
        assert!(shown["notes"].to_string().contains(why), "{why}: {shown:#}");
        let text = shown["recommendation"]["text"].to_string();
        assert!(!text.contains("Built for this machine"), "{text}");
        // It is not what the run had said, which is an error.
        assert_eq!(said.status, 1, "{}", said.stderr);
        let _ = std::fs::remove_dir_all(&natively);
    }
    std::os::unix::fs::symlink(&kept, &natively).unwrap();
    assert!(report("ours").stderr.contains("link"));
    // Of somebody else all is shown as theirs, and programs of programs are looked for nowhere.
    let programs = world.path("programs");
    copy(&world.path("theirs"), &programs);
    std::fs::rename(&programs, theirs.join("natively")).unwrap();
    let said = report("theirs");
    assert_eq!(said.status, 0, "{}", said.stderr);
    assert!(said.stderr.contains("elsewhere"), "{}", said.stderr);
    assert!(said.json()["natively"].is_object());
}
