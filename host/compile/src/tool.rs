//! Run of a program of the toolchain to its end, in the child.

use super::failures::{build_failure, with_limit};
use super::limits::DIAGNOSTICS_JSON_BYTES_MAX;
use bakeoff_confine::{cpu_time, kill_with_parent};
use bakeoff_domain::failure::{Failure, FailureClass};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// The exit status, CPU time and stderr of a program.
pub(super) struct ToolOutput {
    pub(super) status: ExitStatus,
    /// The CPU time of all programs of this build so far.
    pub(super) cpu: Duration,
    pub(super) stderr: Vec<u8>,
}

/// Runs a program in the build's folder. Its environment is the same in every build and on every
/// machine, because a source can read it.
///
/// Its standard streams are sockets without a name: a source can include any file that the program has
/// open, by `/proc/self/fd`, and would wait for its own stdout or stderr if they were pipes. A socket
/// cannot be opened so.
///
/// # Errors
/// The program cannot be started, or writes too much to stderr.
pub(super) fn run(
    command: &mut Command,
    environment: &[(&str, &str)],
    scratch: &Path,
) -> Result<ToolOutput, Failure> {
    let program = Path::new(command.get_program()).file_name();
    let program = program.unwrap_or_default().display().to_string();
    let failed = |error: io::Error| {
        let message = format!("cannot run {program}: {error}");
        build_failure(FailureClass::MachineFailed, message)
    };
    let (closed_in, stdin) = UnixStream::pair().map_err(failed)?;
    let (closed_out, stdout) = UnixStream::pair().map_err(failed)?;
    drop((closed_in, closed_out));
    let (said, stderr) = UnixStream::pair().map_err(failed)?;
    let mut command = std::mem::replace(command, Command::new(""));
    command
        .env_clear()
        .envs(environment.iter().copied())
        .current_dir(scratch)
        .stdin(Stdio::from(OwnedFd::from(stdin)))
        .stdout(Stdio::from(OwnedFd::from(stdout)))
        .stderr(Stdio::from(OwnedFd::from(stderr)));
    let mut child = kill_with_parent(&mut command).spawn().map_err(failed)?;
    // The command holds the child's end of stderr open, so that reading would never come to the end.
    drop(command);
    let mut stderr = Vec::new();
    let within = DIAGNOSTICS_JSON_BYTES_MAX as u64;
    let read = said.take(within + 1).read_to_end(&mut stderr);
    let overflowed = stderr.len() as u64 > within;
    if overflowed || read.is_err() {
        // The child may have ended by itself meanwhile, which is fine.
        drop(child.kill());
    }
    let status = child.wait().map_err(failed)?;
    if overflowed {
        let message =
            format!("the compiler wrote more than {within} bytes of diagnostics about this file");
        let failure = build_failure(FailureClass::BuildOutputLimit, message);
        return Err(with_limit(failure, format!("diagnostics = {within} bytes")));
    }
    Ok(ToolOutput {
        status,
        cpu: cpu_time::children(),
        stderr,
    })
}
