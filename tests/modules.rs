//! Sources whose modules lie in files beside them.

use crate::support::{CommandOutput, run_bakeoff};
use std::fs;

const WITH_MODULE: &str = "mod adding;

pub fn sum(values: Vec<u32>) -> u64 {
    adding::all(&values)
}
";

const ALONE: &str = "pub fn sum(values: Vec<u32>) -> u64 {
    values.iter().map(|value| u64::from(*value)).sum()
}
";

/// The comparison of a source with a module, which is this, and one without.
fn compared(module: &str) -> CommandOutput {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("parts.rs", WITH_MODULE),
        ("adding.rs", module),
        ("alone.rs", ALONE),
    ] {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let paths = ["parts.rs", "alone.rs"].map(|name| folder.path().join(name));
    let [parts, alone] = paths.each_ref().map(|path| path.to_str().unwrap());
    run_bakeoff(&["compare", parts, alone, "--budget", "300ms"])
}

#[test]
fn a_source_has_the_modules_that_lie_beside_it() {
    let same = "pub fn all(values: &[u32]) -> u64 {
    let mut total = 0;
    for value in values {
        total += u64::from(*value);
    }
    total
}
";
    let output = compared(same);
    assert!(output.ended_a_run(), "{}{}", output.stdout, output.stderr);
    let output = compared(&same.replace("total +=", "total |="));
    assert!(output.stdout.contains("differ"), "{}", output.stdout);
    // Messages show the line of the module: of the compiler, of who reads the file before, and of a panic.
    let output = compared(&same.replace("u64::from(*value)", "missing(*value)"));
    let said = output.stdout + &output.stderr;
    assert!(said.contains("total += missing(*value);"), "{said}");
    assert!(said.contains("adding.rs:4:18"), "{said}");
    let output = compared(&same.replace("let mut total = 0", "let mut total = ="));
    let said = output.stdout + &output.stderr;
    assert!(said.contains("adding.rs:2:21"), "{said}");
    let output = compared(&same.replace("total += u64", "assert!(*value != 7); total += u64"));
    let said = output.stdout + &output.stderr;
    assert!(said.contains("/adding.rs:4:9"), "{said}");
}
