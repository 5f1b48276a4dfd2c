//! A command of this same binary, run as a child.
//!
//! The command is a child, because a child can be ended at any moment, whatever it is doing: it is killed, the kernel
//! then kills its builders and runners with it, and all that they wrote lies in one folder. Nothing that a command
//! prints can get among the messages to the client either.

use super::consent::ModelAllowance;
use super::error::ToolError;
use super::fence::{self, CommandKind, ReachedFolders};
use super::limits::REPORT_BYTES_MAX;
use bakeoff_confine::{HeldProcess, in_open_folder, kill_with_parent};
use rustix::process::{Pid, Signal};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{ChildStderr, ChildStdout};
use tokio::sync::oneshot;

/// The most bytes of stdout: a report, and not much more.
const STDOUT_BYTES_MAX: usize = REPORT_BYTES_MAX + (1 << 20);

/// The most bytes of a line of stderr; the rest of a longer line is cut.
const LINE_BYTES_MAX: usize = 256 << 10;

/// Working folder of the child.
#[derive(Debug)]
pub(super) enum WorkingFolder {
    /// A folder of the server's own.
    Own(PathBuf),
    /// A folder that was opened below a root: the child starts in that one, whatever its path leads to
    /// by then.
    Opened(File),
}

/// A command of this binary.
#[derive(Debug)]
pub(super) struct Invocation {
    pub(super) kind: CommandKind,
    pub(super) arguments: Vec<OsString>,
    /// The value that stands behind all options, whatever it begins with.
    pub(super) last: Option<OsString>,
    /// The model that the command may ask.
    pub(super) model: Option<Arc<ModelAllowance>>,
    pub(super) folder: WorkingFolder,
    /// The folder for all temporary files of the child.
    pub(super) temporary: PathBuf,
    /// The folder of the call, in which the temporary folder lies.
    pub(super) workspace: PathBuf,
    /// The roots that the command may read.
    pub(super) roots: Vec<File>,
    /// The longest time that the command may take.
    pub(super) time_max: Duration,
}

/// Result of a command that ended.
#[derive(Debug)]
pub(super) struct FinishedCommand {
    /// Exit status of the command; `None` if a signal ended it.
    pub(super) status: Option<i32>,
    pub(super) stdout: String,
}

/// Reason why a command has no result.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CommandFailure {
    Cancelled,
    Failed(ToolError),
}

impl Invocation {
    /// Runs the command to its end, and passes on each line of its stderr. If `cancelled` returns first, the command is
    /// killed; in any case it has ended when this function returns.
    pub(super) async fn run(
        self,
        on_line: impl FnMut(&str),
        cancelled: impl Future<Output = ()>,
    ) -> Result<FinishedCommand, CommandFailure> {
        let time_max = self.time_max;
        let failed =
            |error| CommandFailure::Failed(ToolError::machine("cannot start a command", error));
        let mut started = start(self).await.map_err(failed)?;
        let (Some(stdout), Some(stderr)) = (started.stdout.take(), started.stderr.take()) else {
            return Err(failed(io::ErrorKind::BrokenPipe.into()));
        };
        let output = async { tokio::join!(read(stdout), lines(stderr, on_line)).0 };
        let ended = tokio::select! {
            stdout = output => match stdout {
                Ok(Some(stdout)) => Ok(stdout),
                Ok(None) => Err(CommandFailure::Failed(ToolError::new(format!(
                    "the report is larger than {} MiB: compare fewer sources or sizes",
                    REPORT_BYTES_MAX >> 20
                )))),
                Err(error) => Err(CommandFailure::Failed(ToolError::machine("cannot read an answer", error))),
            },
            () = cancelled => Err(CommandFailure::Cancelled),
            () = tokio::time::sleep(time_max) => Err(CommandFailure::Failed(ToolError::new(format!(
                "it was ended after {} s, the longest that it may take: use fewer or smaller inputs",
                time_max.as_secs()
            )))),
        };
        if ended.is_err() {
            started.kill();
        }
        let status = (&mut started.exit).await.ok();
        let stdout = ended?;
        Ok(FinishedCommand {
            status: status.and_then(|status| status.code()),
            stdout,
        })
    }
}

/// A running command, which is killed when this value is dropped.
struct RunningCommand {
    process: HeldProcess,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    exit: oneshot::Receiver<ExitStatus>,
}

impl RunningCommand {
    fn kill(&self) {
        // Fails only if it has ended.
        let _ = self.process.send(Signal::KILL);
    }
}

impl Drop for RunningCommand {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts the command on a thread of its own, which waits for the command's end: the kernel ties the death of the child
/// to that of the thread that started it.
async fn start(invocation: Invocation) -> io::Result<RunningCommand> {
    let (sender, started) = oneshot::channel();
    let (exit_sender, exit) = oneshot::channel();
    std::thread::Builder::new()
        .name("bakeoff-command".to_owned())
        .spawn(move || {
            let spawned = spawn(&invocation);
            drop(invocation);
            let (mut child, process) = match spawned {
                Ok(spawned) => spawned,
                Err(error) => {
                    let _ = sender.send(Err(error));
                    return;
                }
            };
            let pipes = (child.stdout.take(), child.stderr.take());
            if sender.send(Ok((process, pipes))).is_err() {
                // The caller does not wait for the command any more.
                let _ = child.kill();
            }
            let status = child.wait();
            let _ = exit_sender.send(status.unwrap_or_else(|_| ExitStatus::from_raw(-1)));
        })?;
    let gone = |_| io::Error::other("its thread is gone");
    let (process, (stdout, stderr)) = started.await.map_err(gone)??;
    Ok(RunningCommand {
        process,
        stdout: stdout.map(ChildStdout::from_std).transpose()?,
        stderr: stderr.map(ChildStderr::from_std).transpose()?,
        exit,
    })
}

fn spawn(invocation: &Invocation) -> io::Result<(std::process::Child, HeldProcess)> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args(&invocation.arguments)
        .args(
            invocation
                .last
                .iter()
                .flat_map(|last| [OsStr::new("--"), last]),
        )
        .env("TMPDIR", &invocation.temporary)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Ctrl-C at the server's terminal is the server's to answer.
        .process_group(0);
    match &invocation.folder {
        WorkingFolder::Own(path) => command.current_dir(path),
        WorkingFolder::Opened(folder) => in_open_folder(&mut command, folder)?,
    };
    let reached = ReachedFolders {
        named: match &invocation.folder {
            WorkingFolder::Own(_) => None,
            WorkingFolder::Opened(folder) => Some(folder),
        },
        roots: &invocation.roots,
        workspace: &invocation.workspace,
        model: invocation.model.as_deref().map(|asking| &asking.consent),
    };
    fence::around(&mut command, invocation.kind, &reached)?;
    let mut child = kill_with_parent(&mut command).spawn()?;
    match HeldProcess::of(Pid::from_child(&child)) {
        Ok(process) => Ok((child, process)),
        Err(error) => {
            let _ = child.kill();
            let _ = child.wait();
            Err(error)
        }
    }
}

/// Reads all of stdout as text; `None` if it has too many bytes.
async fn read(stdout: impl AsyncRead + Unpin) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let mut bounded = stdout.take(STDOUT_BYTES_MAX as u64 + 1);
    bounded.read_to_end(&mut bytes).await?;
    let fits = bytes.len() <= STDOUT_BYTES_MAX;
    Ok(fits.then(|| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Passes on each line of a stream, to its end or to an error.
async fn lines(mut stream: impl AsyncRead + Unpin, mut on_line: impl FnMut(&str)) {
    let mut line = Vec::new();
    let mut chunk = [0; 8 << 10];
    loop {
        let read = match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => break,
            Ok(read) => &chunk[..read],
        };
        for byte in read {
            match byte {
                b'\n' => {
                    on_line(&String::from_utf8_lossy(&line));
                    line.clear();
                }
                byte if line.len() < LINE_BYTES_MAX => line.push(*byte),
                _ => {}
            }
        }
    }
    if !line.is_empty() {
        on_line(&String::from_utf8_lossy(&line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap()
            .block_on(future)
    }

    #[test]
    fn lines_are_passed_on_and_long_ones_are_cut() {
        let long = "x".repeat(LINE_BYTES_MAX + 9);
        let text = format!("one\n\n{long}\nlast");
        let mut found = Vec::new();
        block_on(lines(text.as_bytes(), |line| found.push(line.to_owned())));
        assert_eq!(found.len(), 4);
        assert_eq!((&*found[0], &*found[1], &*found[3]), ("one", "", "last"));
        assert_eq!(found[2].len(), LINE_BYTES_MAX);
    }

    #[test]
    fn too_much_output_is_not_kept() {
        let much = vec![b'x'; STDOUT_BYTES_MAX + 1];
        assert_eq!(block_on(read(&much[..])).unwrap(), None);
        assert_eq!(
            block_on(read(&much[1..])).unwrap().map(|text| text.len()),
            Some(STDOUT_BYTES_MAX)
        );
    }
}
