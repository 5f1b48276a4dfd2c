//! Processes and cores, as far as this system has the same.

use super::REASON;
use crate::job::Role;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

/// The first arguments of children and of keepers on Linux.
const MARKERS: [&str; 2] = ["--bakeoff-child", "--bakeoff-keeper"];

/// The exit status of a child that could not be fenced.
const FENCE_FAILED: u8 = 71;

/// Refuses to be a child or a keeper: returns the exit status of a process that was started as one, and `None` in any
/// other. No role is run.
pub fn enter_if_child(_roles: &[Role]) -> Option<ExitCode> {
    enter_if_keeper().map(ExitCode::from)
}

/// Refuses as [`enter_if_child`] does.
pub fn enter_if_keeper() -> Option<u8> {
    let first = std::env::args_os().nth(1)?;
    MARKERS.iter().any(|marker| first == *marker).then(|| {
        eprintln!("{REASON}");
        FENCE_FAILED
    })
}

/// Returns false: bubblewrap is Linux's.
pub fn bubblewrap_is_installed() -> bool {
    false
}

/// Returns the numbers of the cores that a thread may run on: none, since this system does not say.
pub fn usable_cores() -> Vec<usize> {
    Vec::new()
}

/// Pins this thread to a core, which this system does not offer.
///
/// # Errors
/// Always.
pub fn pin(_core: usize) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Returns the command as it is: this system ends no process with its parent. What is started must end by itself when its
/// streams are closed, as `ssh` and the clients of containers do.
pub fn kill_with_parent(command: &mut Command) -> &mut Command {
    command
}

/// Makes `command` the first process of a session of its own: neither the end of this process nor that of its terminal
/// reaches it.
pub fn in_own_session(command: &mut Command) -> &mut Command {
    let part = || {
        rustix::process::setsid()?;
        Ok(())
    };
    // SAFETY: between fork and exec only one system call is made, and nothing is allocated.
    unsafe { command.pre_exec(part) }
}
