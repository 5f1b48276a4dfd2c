//! Records the toolchain that bakeoff is built with: it is the first choice for prototypes.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTUP_TOOLCHAIN");
    println!("cargo::rerun-if-env-changed=BAKEOFF_RELEASE");
    // A release runs on other machines, and is the same wherever it is built.
    if std::env::var_os("BAKEOFF_RELEASE").is_some() {
        return;
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(["--print", "sysroot"]).output();
    // Without it, the user's default is the first choice.
    let Ok(sysroot) = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    else {
        return;
    };
    let sysroot = sysroot.trim();
    if Path::new(sysroot).is_absolute() {
        println!("cargo::rustc-env=BAKEOFF_BUILT_WITH={sysroot}");
    }
}
