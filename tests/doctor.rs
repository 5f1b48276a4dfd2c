//! `bakeoff doctor`: what it says of a fixed machine, and that what it says of this one holds.

mod commands;
mod fixture;
mod machines;

use bakeoff_render::Colour;
use bakeoff_run::doctor::{Examination, MachineFacts};
use std::path::PathBuf;

/// Compares with `tests/golden/doctor/NAME`, or writes it when `BLESS=1` is set.
fn golden(name: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/golden/doctor")
        .join(name);
    if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        return;
    }
    let wanted = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; BLESS=1 writes it", path.display()));
    assert_eq!(text, wanted, "{name}; BLESS=1 accepts it");
}

/// What is said of facts; the version of bakeoff is not theirs.
fn examination(facts: MachineFacts) -> Examination {
    Examination {
        bakeoff: "1.2.3".to_owned(),
        ..Examination::of(facts)
    }
}

#[test]
fn a_good_machine_is_golden() {
    let good = examination(fixture::good());
    assert!(good.can_run);
    golden(
        "good.txt",
        &bakeoff_render::doctor(&good, 100, Colour::Never),
    );
    let json = serde_json::to_string_pretty(&good).unwrap();
    golden("good.json", &format!("{json}\n"));
}

#[test]
fn a_limited_machine_is_golden() {
    let limited = examination(fixture::limited());
    assert!(limited.can_run);
    golden(
        "limited.txt",
        &bakeoff_render::doctor(&limited, 60, Colour::Always),
    );
}

#[test]
fn a_machine_that_can_run_nothing_is_golden() {
    let nothing = examination(fixture::nothing());
    assert!(!nothing.can_run);
    golden(
        "nothing.txt",
        &bakeoff_render::doctor(&nothing, 100, Colour::Never),
    );
    let json = serde_json::to_string_pretty(&nothing).unwrap();
    golden("nothing.json", &format!("{json}\n"));
}
