//! Time and memory of a program of the user's, measured by the keeper that starts it.
//!
//! The keeper is small, so that starting a program from it takes little, and the memory that it has itself does not pass
//! for the program's. It stands between the program and everything that the program leaves behind, so that the CPU time
//! of all its processes is known.

use super::file_fence::FileFence;
use super::keeper::{self, REPORT_BYTES};
use super::memory_file;
use crate::network::Network;
use crate::program_measurement::ProgramMeasurement;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::process::Command;

/// File into which a keeper writes what it measured.
#[derive(Debug)]
pub struct Measurement {
    file: File,
}

/// Returns a command that runs a program under a keeper which measures it, as [`kept`](super::kept) does otherwise, and
/// the place of the measurement.
///
/// # Errors
/// Too many open files, or no memory.
pub fn measured(program: &OsStr) -> io::Result<(Command, Measurement)> {
    let file = memory_file::create()?;
    let report = inheritable(&file)?;
    let mut command = keeper::command(Path::new(program), Some(report.as_raw_fd()));
    // The keeper gets it under its own number; this process closes its end with the command.
    keep_open(&mut command, report);
    Ok((
        command,
        Measurement {
            file: File::from(file),
        },
    ))
}

/// Returns a command that runs a program behind a fence as [`kept_in`](super::kept_in) does, under a keeper which measures
/// it, and the place of the measurement.
///
/// # Errors
/// The kernel refuses the rules of the fence, or as for [`measured`].
pub fn measured_in(
    fence: &FileFence,
    network: Network,
    program: &OsStr,
) -> io::Result<(Command, Measurement)> {
    let file = memory_file::create()?;
    let report = inheritable(&file)?;
    let number = Some(report.as_raw_fd());
    let mut command = keeper::command_in(fence.rules()?, network, Path::new(program), number)?;
    keep_open(&mut command, report);
    Ok((
        command,
        Measurement {
            file: File::from(file),
        },
    ))
}

/// Returns a second descriptor of the file that a program which is started inherits.
fn inheritable(file: &OwnedFd) -> io::Result<OwnedFd> {
    let second = rustix::io::dup(file)?;
    rustix::io::fcntl_setfd(&second, rustix::io::FdFlags::empty())?;
    Ok(second)
}

/// Keeps a descriptor open as long as the command lives.
fn keep_open(command: &mut Command, file: OwnedFd) {
    use std::os::unix::process::CommandExt as _;
    let held = move || {
        let _ = file.as_raw_fd();
        Ok(())
    };
    // SAFETY: between fork and exec nothing is called but this, which does nothing.
    unsafe { command.pre_exec(held) };
}

impl Measurement {
    /// Returns what the keeper measured; `None` if the program was not started, or was ended from outside.
    ///
    /// # Errors
    /// The memory file cannot be read.
    pub fn read(mut self) -> io::Result<Option<ProgramMeasurement>> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(0))?;
        self.file.read_to_end(&mut bytes)?;
        let Ok(bytes) = <[u8; REPORT_BYTES]>::try_from(bytes) else {
            return Ok(None);
        };
        let number = |place: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[8 * place..8 * (place + 1)]);
            u64::from_le_bytes(number)
        };
        Ok(Some(ProgramMeasurement {
            wall_ns: number(0),
            cpu_ns: number(1),
            peak_bytes: number(2),
        }))
    }
}

/// Creates an empty memory file, which takes what a program writes.
///
/// # Errors
/// Too many open files, or no memory.
pub fn sink() -> io::Result<File> {
    memory_file::create().map(File::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Stdio;

    fn shell(script: &str) -> (std::process::ExitStatus, Option<ProgramMeasurement>) {
        let (mut command, measurement) = measured(OsStr::new("sh")).unwrap();
        let status = command
            .args(["-c", script])
            .stdin(Stdio::null())
            .status()
            .unwrap();
        (status, measurement.read().unwrap())
    }

    #[test]
    fn waiting_takes_wall_time_and_the_work_of_any_process_takes_cpu_time() {
        let (status, waited) = shell("sleep 0.2; exit 3");
        assert_eq!(status.code(), Some(3));
        let waited = waited.unwrap();
        assert!(waited.wall_ns >= 200_000_000, "{waited:?}");
        assert!(waited.cpu_ns < waited.wall_ns, "{waited:?}");
        // The system ends it after a second of CPU time, in a process below the program.
        let (_, busy) = shell("(ulimit -t 1; while :; do :; done) > /dev/null 2>&1; true");
        let busy = busy.unwrap();
        assert!(busy.cpu_ns >= 900_000_000, "{busy:?}");
    }

    #[test]
    fn memory_is_the_programs_and_not_the_keepers() {
        let held = "x=$(head -c 60000000 /dev/zero | tr '\\0' x); echo ${#x}";
        let (_, small) = shell("true");
        let (_, large) = shell(held);
        let (small, large) = (small.unwrap(), large.unwrap());
        assert!(small.peak_bytes < 8 << 20, "{small:?}");
        assert!(large.peak_bytes > 50_000_000, "{large:?}");
    }

    #[test]
    fn a_program_that_does_not_exist_or_is_ended_has_no_measurement() {
        let (mut command, measurement) = measured(OsStr::new("/no/such/program")).unwrap();
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(127));
        assert_eq!(measurement.read().unwrap(), None);
        let (mut command, measurement) = measured(OsStr::new("sleep")).unwrap();
        let mut child = command.arg("1000").spawn().unwrap();
        let keeper = super::super::Keeper::of(child.id()).unwrap();
        drop(keeper);
        child.wait().unwrap();
        assert_eq!(measurement.read().unwrap(), None);
    }

    #[test]
    fn the_program_does_not_see_where_it_is_measured() {
        let (_, found) = shell("ls /proc/self/fd | wc -l > /dev/null");
        assert!(found.is_some());
        let (mut command, measurement) = measured(OsStr::new("sh")).unwrap();
        let output = command.args(["-c", "ls /proc/$$/fd"]).output().unwrap();
        let open = String::from_utf8(output.stdout).unwrap();
        let above: Vec<&str> = open
            .lines()
            .filter(|fd| fd.len() > 1 || *fd > "2")
            .collect();
        assert!(above.is_empty(), "{open}");
        assert!(measurement.read().unwrap().is_some());
    }
}
