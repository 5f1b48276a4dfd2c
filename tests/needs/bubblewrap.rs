//! Builds inside bubblewrap, the layer around a builder where it is installed.

use crate::commands::{THIS_MACHINE, build, doctor, with_bwrap};
use crate::support::CommandOutput;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// The real one, if it is installed and works here.
pub(crate) fn working_bubblewrap() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut folders = std::env::split_paths(&path);
    let found = folders.find_map(|folder| Some(folder.join("bwrap")).filter(|file| file.is_file()));
    found.filter(|bwrap| {
        let mut trial = Command::new(bwrap);
        trial.args([
            "--unshare-all",
            "--ro-bind",
            "/",
            "/",
            "--proc",
            "/proc",
            "--",
            "/bin/true",
        ]);
        trial.output().is_ok_and(|output| output.status.success())
    })
}

/// One in which a builder works, but not the compiler: the dynamic linker finds no libraries
/// without /proc.
pub(crate) fn a_bubblewrap_that_the_compiler_does_not_start_in_is_left_out() {
    let real = working_bubblewrap().unwrap();
    let script = format!(
        "n=$#\nwhile [ $n -gt 0 ]; do\n  a=$1; shift; n=$((n - 1))\n  \
         if [ \"$a\" = --proc ]; then shift; n=$((n - 1)); else set -- \"$@\" \"$a\"; fi\ndone\n\
         exec '{}' \"$@\"",
        real.display()
    );
    let (_folder, path) = with_bwrap(&script);
    let said = doctor(|command| {
        command.env("PATH", &path);
    });
    let confinement = &said.json()["facts"]["confinement"];
    assert_eq!(confinement["means"]["outer_layer"], Value::Null);
    let cache = tempfile::tempdir().unwrap();
    let said: CommandOutput = build(cache.path())
        .env("PATH", &path)
        .output()
        .unwrap()
        .into();
    assert_eq!(said.status, 0, "{}", said.stderr);
}

pub(crate) fn inside_bubblewrap_the_same_comes_out_of_a_build() {
    let confinement = THIS_MACHINE.json()["facts"]["confinement"].clone();
    assert_eq!(confinement["means"]["outer_layer"], "bubblewrap");
    let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let inside: CommandOutput = build(inside.path()).output().unwrap().into();
    assert_eq!(inside.status, 0, "{}", inside.stderr);
    let (_folder, path) = with_bwrap("exit 1");
    let outside: CommandOutput = build(outside.path())
        .env("PATH", path)
        .output()
        .unwrap()
        .into();
    let (inside, outside) = (inside.json(), outside.json());
    assert_eq!(inside["digest"], outside["digest"]);
    // The time of a build is known although bubblewrap itself does not tell.
    assert!(inside["build_cpu_seconds"].as_f64().unwrap() > 0.0);
}
