//! Commands of this same binary, each in the open folder of an experiment: runs, which live on without this server, and
//! short ones, which end with it.

use bakeoff_confine::{in_open_folder, in_own_session, kill_with_parent};
use bakeoff_files::Folder;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The most bytes of what a command wrote that are read.
const OUTPUT_BYTES_MAX: usize = 16 << 10;
/// The longest time that a short command may take, and the time between two looks at it.
const SHORT_TIME_MAX: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A short command that ended.
#[derive(Debug)]
pub(crate) struct EndedCommand {
    /// Exit status; `None` if a signal ended it.
    pub(crate) status: Option<i32>,
    /// The start of its output.
    pub(crate) stdout: String,
    /// The start of its messages.
    pub(crate) stderr: String,
}

/// A run that was started.
#[derive(Debug)]
pub(crate) struct StartedRun {
    exit: oneshot::Receiver<ExitStatus>,
    messages: File,
}

impl StartedRun {
    /// Waits for the end of the run, and returns its exit status (`None` after a signal) and the start of its messages.
    pub(crate) async fn ended(self) -> (Option<i32>, String) {
        let status = self.exit.await.ok().and_then(|status| status.code());
        (status, start_of(&self.messages))
    }
}

/// Runs a short command of this binary in a folder. It is killed after a minute, and if this server ends.
///
/// # Errors
/// It cannot be started, or took longer.
pub(crate) async fn short(folder: &Folder, words: Vec<OsString>) -> io::Result<EndedCommand> {
    let folder = folder.try_clone()?;
    let (stdout, stderr) = (memory("stdout")?, memory("stderr")?);
    let (sender, ended) = oneshot::channel();
    // A thread of its own: the kernel ties the death of the command to that of the thread that started it.
    std::thread::Builder::new()
        .name("command".to_owned())
        .spawn(move || {
            let run = || {
                let mut command = command(&folder, &words)?;
                command
                    .stdout(stdout.try_clone()?)
                    .stderr(stderr.try_clone()?)
                    .process_group(0);
                let status = wait(kill_with_parent(&mut command).spawn()?)?;
                Ok(EndedCommand {
                    status: status.code(),
                    stdout: start_of(&stdout),
                    stderr: start_of(&stderr),
                })
            };
            // Nobody waits for it any more where this fails.
            let _ = sender.send(run());
        })?;
    ended
        .await
        .unwrap_or_else(|_| Err(io::Error::other("its thread is gone")))
}

/// Starts a run in a folder, in a session of its own: it goes on if this server ends, in whatever way.
///
/// # Errors
/// It cannot be started.
pub(crate) fn detached(folder: &Folder, words: &[OsString]) -> io::Result<StartedRun> {
    // A pipe would break with the server; what is written to memory harms nobody.
    let messages = memory("messages")?;
    let mut command = command(folder, words)?;
    command.stdout(Stdio::null()).stderr(messages.try_clone()?);
    let exit = in_session_of_its_own(&mut command, "run")?;
    Ok(StartedRun { exit, messages })
}

/// Starts a command in a session of its own, and returns the receiver of its exit status. A thread of this name waits for it.
///
/// # Errors
/// It cannot be started.
pub(crate) fn in_session_of_its_own(
    command: &mut Command,
    thread: &str,
) -> io::Result<oneshot::Receiver<ExitStatus>> {
    let mut child = in_own_session(command).spawn()?;
    let (sender, exit) = oneshot::channel();
    std::thread::Builder::new()
        .name(thread.to_owned())
        .spawn(move || {
            // Nobody may wait any more for one that goes on.
            let _ = child.wait().map(|status| sender.send(status));
        })?;
    Ok(exit)
}

/// Returns a command of this binary that starts in an open folder, whatever its path leads to by then.
fn command(folder: &Folder, words: &[OsString]) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg0("bakeoff").args(words).stdin(Stdio::null());
    in_open_folder(&mut command, folder)?;
    Ok(command)
}

fn wait(mut child: Child) -> io::Result<ExitStatus> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if started.elapsed() > SHORT_TIME_MAX {
            child.kill()?;
            child.wait()?;
            let seconds = SHORT_TIME_MAX.as_secs();
            return Err(io::Error::other(format!(
                "it was ended after {seconds} s, the longest that it may take"
            )));
        }
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Makes a file without a name, in memory.
#[cfg(target_os = "linux")]
fn memory(name: &str) -> io::Result<File> {
    let flags = rustix::fs::MemfdFlags::CLOEXEC;
    Ok(rustix::fs::memfd_create(name, flags)?.into())
}

/// Refuses: on other systems pages start no commands.
#[cfg(not(target_os = "linux"))]
fn memory(_name: &str) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

fn start_of(file: &File) -> String {
    let mut bytes = vec![0; OUTPUT_BYTES_MAX];
    let mut count = 0;
    // At its own place: the command has the same place to write at.
    while let Ok(read @ 1..) = file.read_at(&mut bytes[count..], count as u64) {
        count += read;
    }
    bytes.truncate(count);
    String::from_utf8_lossy(&bytes).into_owned()
}
