//! A program that runs to its end or to a limit, and is killed with all that it started.

use super::excerpt::excerpt;
use bakeoff_confine::{Keeper, kept};
use bakeoff_files::Scratch;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::oneshot;

/// The most bytes of stdout.
const STDOUT_BYTES_MAX: usize = 8 << 20;

/// The most bytes of stderr that are kept.
const STDERR_BYTES_MAX: usize = 4 << 10;

/// Stack of the thread that waits for a program, in bytes.
const STACK_BYTES: usize = 256 << 10;

/// A program with all that it gets.
#[derive(Debug)]
pub(super) struct Program<'a> {
    pub(super) path: &'a Path,
    pub(super) arguments: Vec<String>,
    /// All environment variables of the program, but for the folder of temporary files.
    pub(super) environment: &'a [(OsString, OsString)],
    pub(super) input: Vec<u8>,
    pub(super) time_max: Duration,
}

/// End of a program: its output, or the limit that it met.
#[derive(Debug)]
pub(super) enum ProgramEnd {
    Exited {
        stdout: Vec<u8>,
        /// Exit status in words, with the end of stderr; `None` if the program succeeded.
        failure: Option<String>,
    },
    /// The program wrote more to stdout than is read.
    TooMuch,
    TimedOut,
}

impl Program<'_> {
    /// Runs the program in an empty folder, which is removed afterwards. `on_bytes` is told how many bytes it has
    /// written. If the future is dropped, the program is killed.
    pub(super) async fn run(
        self,
        on_bytes: &(dyn Fn(usize) + Send + Sync),
    ) -> io::Result<ProgramEnd> {
        let folder = Scratch::new()?;
        let mut command = kept(self.path)?;
        command
            .args(&self.arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("TMPDIR", folder.work())
            .current_dir(folder.work())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let SpawnedProgram {
            keeper,
            pipes: (stdin, stdout, stderr),
            exit,
        } = start(command).await?;
        let communicate = async {
            // What it does not read is no error: its reply tells.
            let write = async {
                let mut stdin = stdin;
                let _ = stdin.write_all(&self.input).await;
            };
            let read = async {
                let read = read(stdout, on_bytes).await;
                if !matches!(read, Ok(Some(_))) {
                    keeper.end();
                }
                read
            };
            let ((), stdout, stderr) = tokio::join!(write, read, tail(stderr));
            (stdout, stderr, exit.await)
        };
        let ended = tokio::time::timeout(self.time_max, communicate).await;
        let ended = match ended {
            Err(_) => ProgramEnd::TimedOut,
            Ok((stdout, stderr, status)) => match stdout? {
                None => ProgramEnd::TooMuch,
                Some(stdout) => {
                    let status = status.unwrap_or_else(|_| ExitStatus::from_raw(-1));
                    let failure = format!("the command ended with {status}: {}", stderr.trim());
                    let failure = (!status.success()).then(|| excerpt(&failure));
                    ProgramEnd::Exited { stdout, failure }
                }
            },
        };
        // What is left is killed before its folder is removed.
        drop(keeper);
        drop(folder);
        Ok(ended)
    }
}

/// A program that was started.
struct SpawnedProgram {
    /// Keeper of the program: dropping it ends the program with all that it started.
    keeper: Keeper,
    pipes: (ChildStdin, ChildStdout, ChildStderr),
    exit: oneshot::Receiver<ExitStatus>,
}

/// Starts a program on a thread of its own, which stays until it has ended: the kernel ties the death of a
/// child to the thread that started it.
async fn start(mut command: Command) -> io::Result<SpawnedProgram> {
    let (sender, started) = oneshot::channel();
    let (exit_sender, exit) = oneshot::channel();
    std::thread::Builder::new()
        .name("bakeoff-command".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let mut child = match command.spawn() {
                Ok(child) => child,
                Err(error) => {
                    let _ = sender.send(Err(error));
                    return;
                }
            };
            let keeper = match Keeper::of_child(&mut child) {
                Ok(keeper) => keeper,
                Err(error) => {
                    let _ = sender.send(Err(error));
                    return;
                }
            };
            let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
            // If nobody waits for it any more, the keeper is dropped, and the program ends.
            drop(sender.send(Ok((keeper, pipes))));
            let status = child.wait();
            let _ = exit_sender.send(status.unwrap_or_else(|_| ExitStatus::from_raw(-1)));
        })?;
    let gone = |_| io::Error::other("its thread is gone");
    let (keeper, pipes) = started.await.map_err(gone)??;
    let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    Ok(SpawnedProgram {
        keeper,
        pipes: (
            ChildStdin::from_std(stdin)?,
            ChildStdout::from_std(stdout)?,
            ChildStderr::from_std(stderr)?,
        ),
        exit,
    })
}

/// Reads all of stdout; `None` if it is more than [`STDOUT_BYTES_MAX`].
async fn read(
    mut stdout: impl AsyncRead + Unpin,
    on_bytes: &(dyn Fn(usize) + Send + Sync),
) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 8 << 10];
    loop {
        match stdout.read(&mut chunk).await? {
            0 => return Ok(Some(bytes)),
            read if bytes.len() + read > STDOUT_BYTES_MAX => return Ok(None),
            read => bytes.extend_from_slice(&chunk[..read]),
        }
        on_bytes(bytes.len());
    }
}

/// Reads all of stderr, and keeps its end.
async fn tail(mut stderr: impl AsyncRead + Unpin) -> String {
    let mut kept = Vec::new();
    let mut chunk = [0; 4 << 10];
    while let Ok(read) = stderr.read(&mut chunk).await {
        if read == 0 {
            break;
        }
        kept.extend_from_slice(&chunk[..read]);
        let surplus = kept.len().saturating_sub(STDERR_BYTES_MAX);
        kept.drain(..surplus);
    }
    String::from_utf8_lossy(&kept).into_owned()
}
