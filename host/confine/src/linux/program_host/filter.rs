//! The filter of system calls that stands around a program, inside the filter of its host.

use crate::linux::syscalls;
use seccompiler::BpfProgram;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Puts the filter around the program that `command` starts. It starts no other process, so that the CPU clock of its
/// process is that of all that it does; it stops none, and puts up no filter of its own.
///
/// # Errors
/// The filter cannot be made for this machine.
pub(super) fn around(command: &mut Command) -> Result<(), String> {
    let filter: BpfProgram = syscalls::of_program()?;
    let enter = move || {
        seccompiler::apply_filter(&filter).map_err(|_| io::Error::from(io::ErrorKind::Unsupported))
    };
    // SAFETY: between fork and exec two system calls are made, and nothing is allocated: an error of a plain kind holds
    // no memory.
    unsafe { command.pre_exec(enter) };
    Ok(())
}
