//! A process of the user's that is held, so that no other one can have its number meanwhile.

use rustix::process::{Pid, PidfdFlags, Signal};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::process::Command;

/// A process that is held by a descriptor, which never names another one.
#[derive(Debug)]
pub struct HeldProcess(OwnedFd);

impl HeldProcess {
    /// Holds the process of this number.
    ///
    /// # Errors
    /// There is none, or no descriptor is left.
    pub fn of(process: Pid) -> io::Result<Self> {
        let held = rustix::process::pidfd_open(process, PidfdFlags::empty())?;
        Ok(Self(held))
    }

    /// Sends it a signal.
    ///
    /// # Errors
    /// It has ended (ESRCH), or this process may not do that.
    pub fn send(&self, signal: Signal) -> io::Result<()> {
        Ok(rustix::process::pidfd_send_signal(&self.0, signal)?)
    }
}

/// Makes `command` start in an open folder, whatever its path leads to by then. The folder has to be open until it is
/// started.
///
/// # Errors
/// There are too many open files; on Linux there is no error.
pub fn in_open_folder(command: &mut Command, folder: impl AsFd) -> io::Result<&mut Command> {
    let number = folder.as_fd().as_raw_fd();
    Ok(command.current_dir(format!("/proc/self/fd/{number}")))
}
