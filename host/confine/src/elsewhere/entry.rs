//! Processes and cores, as far as this system has the same.

use super::REASON;
use crate::job::Role;
use rustix::process::{Pid, Signal};
use std::convert::Infallible;
use std::io;
use std::num::NonZero;
use std::os::fd::AsFd;
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

/// Returns the numbers of the cores that a thread may run on, counted from 0; none if the system does not say.
pub fn usable_cores() -> Vec<usize> {
    let count = std::thread::available_parallelism().map_or(0, NonZero::get);
    (0..count).collect()
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

/// Makes `command` start in an open folder, whatever its path leads to by then.
///
/// # Errors
/// There are too many open files.
pub fn in_open_folder(command: &mut Command, folder: impl AsFd) -> io::Result<&mut Command> {
    let folder = folder.as_fd().try_clone_to_owned()?;
    let enter = move || Ok(rustix::process::fchdir(&folder)?);
    // SAFETY: between fork and exec only one system call is made, on a descriptor that the closure owns, and nothing is
    // allocated.
    Ok(unsafe { command.pre_exec(enter) })
}

/// A process that is held, so that no other one can have its number meanwhile. This system holds none.
#[derive(Debug)]
pub struct HeldProcess(Infallible);

impl HeldProcess {
    /// Refuses: a number alone may be that of another process by the time that a signal is sent.
    ///
    /// # Errors
    /// Always.
    pub fn of(_process: Pid) -> io::Result<Self> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "this system has no handles of processes",
        ))
    }

    /// Sends it a signal.
    ///
    /// # Errors
    /// It has ended, or this process may not do that.
    pub fn send(&self, _signal: Signal) -> io::Result<()> {
        match self.0 {}
    }
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
