//! Programs of the user's, which are refused: no keeper can find and end all that they start.

use super::{confinement_error, refused};
use crate::job::FileAccess;
use crate::network::Network;
use crate::program_measurement::ProgramMeasurement;
use std::convert::Infallible;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

/// Refuses to run a program under a keeper.
///
/// # Errors
/// Always.
pub fn kept(_program: &Path) -> io::Result<Command> {
    Err(refused())
}

/// Refuses to run a program behind a fence.
///
/// # Errors
/// Always.
pub fn kept_in(_fence: &FileFence, _network: Network, _program: &Path) -> io::Result<Command> {
    Err(refused())
}

/// Refuses to run a program under a keeper which measures it.
///
/// # Errors
/// Always.
pub fn measured(_program: &OsStr) -> io::Result<(Command, Measurement)> {
    Err(refused())
}

/// Refuses to run a program behind a fence, under a keeper which measures it.
///
/// # Errors
/// Always.
pub fn measured_in(
    _fence: &FileFence,
    _network: Network,
    _program: &OsStr,
) -> io::Result<(Command, Measurement)> {
    Err(refused())
}

/// Refuses to make a file that takes what a program writes.
///
/// # Errors
/// Always.
pub fn sink() -> io::Result<File> {
    Err(refused())
}

/// A keeper that was started. There is none on this system.
#[derive(Debug)]
pub struct Keeper(Infallible);

impl Keeper {
    /// Refuses: no process on this system is a keeper.
    ///
    /// # Errors
    /// Always.
    pub fn of(_process: u32) -> io::Result<Self> {
        Err(refused())
    }

    /// Refuses as [`Keeper::of`] does, and ends the child.
    ///
    /// # Errors
    /// Always.
    pub fn of_child(child: &mut Child) -> io::Result<Self> {
        let _ = child.kill();
        let _ = child.wait();
        Err(refused())
    }

    /// Waits for the end of the keeper.
    ///
    /// # Errors
    /// The system cannot say.
    pub fn has_ended_within(&self, _most: Duration) -> io::Result<bool> {
        match self.0 {}
    }

    /// Ends the program with all that it started.
    pub fn end(&self) {
        match self.0 {}
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        match self.0 {}
    }
}

/// File into which a keeper writes what it measured. There is none on this system.
#[derive(Debug)]
pub struct Measurement(Infallible);

impl Measurement {
    /// Returns what the keeper measured.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(self) -> io::Result<Option<ProgramMeasurement>> {
        match self.0 {}
    }
}

/// Fence of files and folders. There is none on this system.
#[derive(Debug)]
pub struct FileFence(Infallible);

impl FileFence {
    /// Refuses, since this system has no fences.
    ///
    /// # Errors
    /// Always.
    pub fn new() -> Result<Self, String> {
        Err(confinement_error().to_string())
    }

    /// Allows this access to what a path leads to.
    pub fn allow(&mut self, _path: &Path, _access: FileAccess) {
        match self.0 {}
    }

    /// Allows this access to an open folder.
    ///
    /// # Errors
    /// There are too many open files.
    pub fn allow_open(&mut self, _folder: &File, _access: FileAccess) -> io::Result<()> {
        match self.0 {}
    }

    /// Returns true if the kernel keeps signals inside the fence.
    pub fn holds_signals(&self) -> bool {
        match self.0 {}
    }

    /// Puts the fence around a command and all that it starts.
    ///
    /// # Errors
    /// The kernel refuses the rules.
    pub fn around(self, _command: &mut Command) -> io::Result<()> {
        match self.0 {}
    }
}
