//! Building: what the compiler is made to read, run, say or hoard.

use super::batch::{Attackers, Batch, WIT, World, approach};
use crate::support::variant;
use std::fs;
use std::os::unix::fs::symlink;
use std::sync::LazyLock;

/// All cases that need no world of their own, two builds at a time.
static BATCH: LazyLock<Batch> = LazyLock::new(|| {
    let attackers = Attackers {
        sources: &[
            "const_loop_allowed",
            "monomorphisation_bomb",
            "giant_static",
            "large_static",
            "type_growth",
            "include_absolute_secret",
            "include_dotdot",
            "path_mod_diagnostic_leak",
            "env_leak",
            "env_leak_if_there",
            "dev_zero_include",
            "macro_recursion",
            "beside_build_rs",
            "proc_macro_crate",
            "native_library",
            "response_file_export",
            "env_tmpdir",
            "proc_self_fd_include",
        ],
        texts: vec![
            (
                "option-export",
                named("#[unsafe(export_name = \"--export-all\")]"),
            ),
            (
                "line-export",
                named("#[unsafe(export_name = \"a\\n@prototype.rs\")]"),
            ),
            (
                "odd-section",
                named("#[unsafe(link_section = \".data.@prototype.rs\")]"),
            ),
            (
                "own-section",
                named("#[unsafe(link_section = \"made-up\")]"),
            ),
            ("odd-import", odd_import()),
            ("deep_nesting", deep_nesting()),
            ("stderr_flood", stderr_flood()),
        ],
        ..Attackers::default()
    };
    Batch::run(&attackers, |world| {
        let mark = world.text("temporary/mark");
        for (name, text) in BESIDE {
            world.write(&format!("experiment/{name}"), text.replace("@MARK@", &mark));
        }
    })
});

/// What cargo, rustup and rustc would follow if they were started in the experiment's folder.
const BESIDE: [(&str, &str); 5] = [
    (
        "Cargo.toml",
        "[package]\nname = \"x\"\nversion = \"1.0.0\"\nedition = \"2024\"\nbuild = \"build.rs\"\n[lib]\npath = \"approaches/beside_build_rs.rs\"\n",
    ),
    (
        "build.rs",
        "fn main() { std::fs::write(\"@MARK@\", \"ran\").unwrap(); }\n",
    ),
    (
        "approaches/build.rs",
        "fn main() { std::fs::write(\"@MARK@\", \"ran\").unwrap(); }\n",
    ),
    (
        ".cargo/config.toml",
        "[build]\nrustc-wrapper = \"./wrapper\"\nrustflags = [\"-Clinker=./wrapper\"]\n",
    ),
    ("wrapper", "#!/bin/sh\ntouch @MARK@\n"),
];

/// 9: four thousand errors, each at a place of its own.
fn stderr_flood() -> String {
    let error = "compile_error!(\"a long message that says nothing at all, but says it often\");\n";
    format!("{}{}", error.repeat(4_000), approach("good"))
}

/// 12: a sum in a hundred thousand pairs of brackets.
fn deep_nesting() -> String {
    let (open, close) = ("(".repeat(100_000), ")".repeat(100_000));
    format!(
        "pub fn top_k(mut values: Vec<i64>, k: u32) -> Vec<i64> {{
    values.truncate({open}k as usize{close});
    values
}}
"
    )
}

/// 61: a good prototype with a function or a static of an odd name.
fn named(attribute: &str) -> String {
    let item = match attribute.contains("section") {
        true => "#[used]\nstatic ODD: [u8; 1] = [7];",
        false => "pub extern \"C\" fn odd() {}",
    };
    format!(
        "{attribute}\n{item}\n{}",
        without_inner_docs(&approach("good"))
    )
}

/// 61: one that imports from a module of an odd name.
fn odd_import() -> String {
    let good = without_inner_docs(&approach("good"));
    let good = good.replacen('{', "{ unsafe { odd() };", 1);
    format!(
        "#[link(wasm_import_module = \"@prototype.rs\")]\nunsafe extern \"C\" {{ fn odd(); }}\n{good}"
    )
}

/// Inner documentation may only stand at the top of a file.
fn without_inner_docs(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("//!"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// That of one process as a rule; where two of them are large, what both have together.
const MEMORY: [&str; 2] = [
    "address space = 3221225472 bytes",
    "resident memory = 3221225472 bytes",
];
/// On a machine with little else to do, the first; on a busy one the wall ends a build before.
const TIME: [&str; 2] = ["cpu = 30 s", "wall = 60 s"];

#[test]
fn case_01_include_absolute_secret() {
    BATCH.assert_failed(
        "include-absolute-secret",
        "build-failed",
        &[],
        "couldn't read",
    );
}

#[test]
fn case_02_include_dotdot() {
    BATCH.assert_failed("include-dotdot", "build-failed", &[], "../canary.txt");
}

#[test]
fn case_03_path_mod_diagnostic_leak() {
    BATCH.assert_failed(
        "path-mod-diagnostic-leak",
        "build-failed",
        &[],
        "couldn't read",
    );
}

#[test]
fn case_04_env_leak() {
    BATCH.assert_failed("env-leak", "build-failed", &[], "not defined");
    BATCH.assert_ranked("env-leak-if-there");
}

#[test]
fn case_05_dev_zero_include() {
    BATCH.assert_failed("dev-zero-include", "build-failed", &[], "/dev/zero");
}

#[test]
fn case_06_const_loop_allowed() {
    BATCH.assert_failed("const-loop-allowed", "build-timeout", &TIME, "more time");
}

#[test]
fn case_07_monomorphisation_bomb() {
    // Time and memory both run out; which is first is the machine's affair.
    let failure = &variant(&BATCH.report, "monomorphisation-bomb")["failure"];
    let class = failure["class"].as_str().unwrap();
    assert!(
        ["build-timeout", "build-memory"].contains(&class),
        "{failure:#}"
    );
    assert!(!failure["limit"].is_null(), "{failure:#}");
}

#[test]
fn case_08_macro_recursion() {
    BATCH.assert_failed("macro-recursion", "build-memory", &MEMORY, "more memory");
}

#[test]
fn case_09_stderr_flood() {
    let limit = ["diagnostics = 2097152 bytes"];
    BATCH.assert_failed(
        "stderr-flood",
        "build-output-limit",
        &limit,
        "bytes of diagnostics",
    );
}

#[test]
fn case_10_type_growth() {
    BATCH.assert_failed("type-growth", "build-memory", &MEMORY, "more memory");
}

#[test]
fn case_11_giant_static() {
    BATCH.assert_failed("giant-static", "build-memory", &MEMORY, "more memory");
    let limit = ["file = 67108864 bytes"];
    BATCH.assert_failed(
        "large-static",
        "build-output-limit",
        &limit,
        "a larger file",
    );
}

#[test]
fn case_12_deep_nesting() {
    BATCH.assert_failed(
        "deep-nesting",
        "build-crashed",
        &[],
        "the compiler died on this file",
    );
}

/// That nothing ran is seen by the mark that is not there: every batch looks for files that were
/// left.
#[test]
fn case_13_manifest_with_build_rs() {
    BATCH.assert_ranked("beside-build-rs");
    let world = World::new();
    world.write("experiment/Cargo.toml", BESIDE[0].1);
    world.write("experiment/wit/top-k.wit", WIT);
    let file = "name = \"x\"\nproblem = \"x\"\n[interface]\nwit = \"wit\"\ncall = \"top-k\"\n\
                [workload]\ncases = \"cases.toml\"\n[[approach]]\nname = \"x\"\nsource = \"Cargo.toml\"\n";
    world.write("experiment/bakeoff.toml", file);
    let said = world.run(&["run", ".", "--color", "never"]);
    assert_eq!(said.status, 2, "{}", said.stderr);
    assert!(
        said.stderr.contains("does not end in `.rs`"),
        "{}",
        said.stderr
    );
}

#[test]
fn case_14_proc_macro_crate() {
    BATCH.assert_failed("proc-macro-crate", "build-failed", &[], "proc_macro");
    let says = "could not find native static library";
    BATCH.assert_failed("native-library", "build-failed", &[], says);
}

/// An experiment that somebody sends may bring a folder of results whose parts are links to files
/// of whoever runs it.
#[test]
fn case_17_output_symlink_to_host() {
    for link in [
        "lock",
        "events.jsonl",
        "bakeoff.db",
        "bakeoff.db.new",
        "report.json",
        "variants",
        "charts",
        "variants/good/iteration-1/source.rs",
        ".",
    ] {
        let world = World::new();
        world.write("home/precious", "precious");
        world.write("experiment/wit/top-k.wit", WIT);
        world.write(
            "experiment/cases.toml",
            "[[case]]\ncall = \"top-k([3, 1], 1)\"\nexpect = \"[3]\"\n",
        );
        world.write_approach("good");
        let file = "name = \"x\"\nproblem = \"x\"\n[interface]\nwit = \"wit\"\ncall = \"top-k\"\n\
                    [workload]\ncases = \"cases.toml\"\n[measure]\nbudget = \"100 ms\"\n\
                    [[approach]]\nname = \"good\"\nsource = \"approaches/good.rs\"\n";
        world.write("experiment/bakeoff.toml", file);
        let at = world.path("experiment/.bakeoff/x").join(link);
        let at = at.components().collect::<std::path::PathBuf>();
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        let is_folder = matches!(link, "variants" | "charts" | ".");
        let target = world.path(if is_folder { "home" } else { "home/precious" });
        symlink(target, &at).unwrap();
        let said = world.run(&["run", ".", "--color", "never"]);
        assert_eq!(said.status, 5, "{link}: {} {}", said.stdout, said.stderr);
        let solid = said.stderr.split_whitespace().collect::<String>();
        assert!(
            solid.contains("isalink") && solid.contains("--out"),
            "{link}: {}",
            said.stderr
        );
        assert_eq!(
            fs::read(world.path("home/precious")).unwrap(),
            b"precious",
            "{link}"
        );
        assert_eq!(
            fs::read_dir(world.path("home")).unwrap().count(),
            1,
            "{link}"
        );
    }
}

#[test]
fn case_18_no_confinement() {
    let world = World::new();
    world.write("experiment/wit/top-k.wit", WIT);
    world.write_approach("good");
    let interface = ["--wit", "wit", "--call", "top-k"];
    for command in ["build", "check"] {
        let mut arguments = vec![command, "approaches/good.rs"];
        arguments.extend(interface);
        let output = world
            .command(&arguments)
            .env("BAKEOFF_LANDLOCK_AT_MOST", "0")
            .output()
            .unwrap();
        let said = output.into();
        world.assert_untouched(&said);
        assert_eq!(said.status, 5, "{}", said.stderr);
        assert!(
            said.stderr.contains("confinement is not available"),
            "{}",
            said.stderr
        );
        assert!(
            said.stderr.contains("--allow-unconfined"),
            "{}",
            said.stderr
        );
        assert_eq!(said.stdout, "");
    }
}

#[test]
fn case_60_response_file_export() {
    BATCH.assert_failed("response-file-export", "build-failed", &[], "is named `");
}

#[test]
fn case_61_link_names() {
    for (id, says) in [
        ("option-export", "a symbol that is named `--export-all`"),
        ("line-export", "a symbol that is named `a\\n@prototype.rs`"),
        (
            "odd-section",
            "a section that is named `.data.@prototype.rs",
        ),
        ("own-section", "a section that is named `made-up`"),
        (
            "odd-import",
            "an import from a module that is named `@prototype.rs`",
        ),
    ] {
        BATCH.assert_failed(id, "build-failed", &[], says);
    }
}

#[test]
fn case_62_env_tmpdir() {
    let says = "evaluation panicked: .\n";
    BATCH.assert_failed("env-tmpdir", "build-failed", &[], says);
    let failure = variant(&BATCH.report, "env-tmpdir")["failure"].to_string();
    for path in ["/temporary", "bakeoff-build"] {
        assert!(!failure.contains(path), "{failure}");
    }
}

#[test]
fn case_84_proc_self_fd_include() {
    BATCH.assert_failed("proc-self-fd-include", "build-failed", &[], "couldn't read");
}

pub(super) fn exact_readings() -> std::collections::BTreeMap<String, serde_json::Value> {
    BATCH.exact_readings()
}
