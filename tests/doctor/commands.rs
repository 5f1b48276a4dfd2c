//! `doctor` and `build`, on this machine and on others that it plays.

use crate::support::{CommandOutput, bakeoff, measuring_slot};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

/// Runs a command that measures to its end.
pub(crate) fn measured(command: &mut Command) -> CommandOutput {
    let _slot = measuring_slot();
    command.output().unwrap().into()
}

/// The answer about this machine as it is.
pub(crate) static THIS_MACHINE: LazyLock<CommandOutput> = LazyLock::new(|| doctor(|_| ()));

/// What `doctor` says of a machine that the command is adjusted to.
pub(crate) fn doctor(adjust: impl FnOnce(&mut Command)) -> CommandOutput {
    let mut command = bakeoff(&["doctor", "--format", "json"]);
    adjust(&mut command);
    measured(&mut command)
}

/// A build of one prototype, which needs a compiler and a fence around it, and no cache.
pub(crate) fn build(cache: &Path) -> Command {
    let arguments = ["build", "examples/top-k/approaches/heap.rs"];
    let interface = ["--wit", "examples/top-k/wit", "--call", "top-k"];
    let mut command = bakeoff(&[&arguments[..], &interface, &["--format", "json"]].concat());
    command.env("BAKEOFF_CACHE_DIR", cache);
    command
}

/// A `bwrap` that is this script, before all others on the search path.
pub(crate) fn with_bwrap(script: &str) -> (tempfile::TempDir, OsString) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bwrap");
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.path().to_owned()).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).unwrap();
    (folder, path)
}
