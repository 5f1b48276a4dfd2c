//! Compilers that are ended by a signal: what it says about the prototype.

use super::SORT;
use crate::support::{CommandOutput, bakeoff};
use bakeoff_compile::{TARGET, Toolchain};
use std::fs;
use std::path::Path;
use std::process::Command;

/// A compiler that says what one is asked, and ends itself by a signal where it should compile.
const FAKE: &str = r#"
unsafe extern "C" {
    fn kill(pid: i32, signal: i32) -> i32;
}
fn main() {
    let first = std::env::args().nth(1).unwrap_or_default();
    match first.as_str() {
        "--print" => println!("SYSROOT"),
        "-vV" => println!("rustc 1.0\nhost: here"),
        _ => {
            unsafe { kill(std::process::id() as i32, SIGNAL) };
        }
    }
}
"#;

/// Builds a prototype by a compiler that a signal ends.
async fn built_by_one_that_dies_of(signal: i32) -> CommandOutput {
    let folder = tempfile::tempdir().unwrap();
    let sysroot = folder.path().canonicalize().unwrap();
    for inside in ["bin", "lib/rustlib/here/bin"] {
        fs::create_dir_all(sysroot.join(inside)).unwrap();
    }
    let libraries = sysroot.join("lib/rustlib").join(TARGET).join("lib");
    fs::create_dir_all(&libraries).unwrap();
    fs::write(libraries.join("libcore-1.rlib"), "").unwrap();
    let rustc = sysroot.join("bin/rustc");
    compile(&sysroot, &rustc, signal).await;
    let prototype = sysroot.join("sort.rs");
    fs::write(&prototype, SORT).unwrap();
    let mut command = bakeoff(&["build", "--wit", "examples/top-k/wit", "--call", "top-k"]);
    command.arg(prototype).env("RUSTC", &rustc);
    command.output().unwrap().into()
}

/// A program for this machine.
async fn compile(folder: &Path, program: &Path, signal: i32) {
    let source = FAKE
        .replace("SYSROOT", folder.to_str().unwrap())
        .replace("SIGNAL", &signal.to_string());
    let file = folder.join("fake.rs");
    fs::write(&file, source).unwrap();
    let toolchain = Toolchain::find(&mut |_| ()).await.unwrap();
    let compiled = Command::new(toolchain.rustc())
        .args(["--edition=2024", "-o"])
        .args([program, &file])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{said}");
}

#[tokio::test]
async fn a_compiler_that_is_killed_early_met_no_limit() {
    let said = built_by_one_that_dies_of(libc::SIGKILL).await;
    assert_eq!(said.status, 1, "{said:?}");
    assert!(said.explains("build-crashed"), "{}", said.stderr);
    assert!(said.explains("run out of memory"), "{}", said.stderr);
    assert!(!said.explains("cpu ="), "{}", said.stderr);

    let said = built_by_one_that_dies_of(libc::SIGXCPU).await;
    assert!(said.explains("build-timeout"), "{}", said.stderr);
    assert!(said.explains("cpu = 30 s"), "{}", said.stderr);
}
