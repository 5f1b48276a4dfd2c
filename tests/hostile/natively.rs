//! Sources that do natively what WebAssembly does not let them do.

use super::batch::World;
use crate::natively::has_linker;

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
        "20s",
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
