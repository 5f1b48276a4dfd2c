//! The far end: takes the files, runs the command, and sends what it wrote.

use super::arriving_files::Arriving;
use super::channel::{Incoming, Outgoing, PART_BYTES};
use super::error::RemoteError;
use super::files::{NamedFiles, Source, digest_of};
use super::messages::{ALIVE, Digest, GONE, LEFT_MAX, PROTOCOL, ToFar, ToNear};
use super::returned_files::ReturnedFiles;
use bakeoff_confine::kill_with_parent;
use bakeoff_files::{Folder, Scratch};
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::process::Child;

/// The time that an interrupted command has to end.
const ENDING: Duration = Duration::from_secs(20);

/// The time in which the output of a command comes that has ended: what it started may hold the pipes.
const DRAINING: Duration = Duration::from_secs(2);

/// The variable by which the command knows the command line that goes on with it.
pub const AGAIN_VARIABLE: &str = "BAKEOFF_AGAIN";

/// A command that was sent, with its files in a folder.
struct SentCommand {
    arguments: Vec<String>,
    wanted: ReturnedFiles,
    again: String,
    files: BTreeMap<String, Digest>,
}

/// Serves one command: takes its files, starts `program` with its arguments in a temporary folder, passes on what it
/// prints, and sends what it wrote. Where the near end is gone, the command is interrupted, and nothing of it stays.
///
/// # Errors
/// The near end is gone, or sent something else than a command with its files; or the folder cannot be used.
pub async fn serve(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
    program: &Path,
) -> Result<(), RemoteError> {
    let mut outgoing = Outgoing::new(output);
    let mut incoming = Incoming::new(input);
    let served = async {
        outgoing.send(&ToNear::Alive).await?;
        let scratch = Scratch::new()?;
        let folder = Folder::named_by_user(scratch.work())?;
        let sent = command(&mut incoming, &folder).await?;
        for output in &sent.wanted.outputs {
            if let Some((above, _)) = output.rsplit_once('/') {
                folder.make(above)?;
            }
        }
        let child = start(program, &sent, scratch.work())?;
        let status = attend(child, &mut incoming, &mut outgoing).await?;
        outgoing.send(&ToNear::Ended(status.code())).await?;
        give_back(&folder, &sent, &mut outgoing).await
    };
    let served = served.await;
    if let Err(error) = &served {
        // Nobody may be there to hear it.
        let _ = outgoing.send(&ToNear::Refused(error.to_string())).await;
    }
    served
}

/// Takes the command and its files.
async fn command<R: AsyncRead + Unpin>(
    incoming: &mut Incoming<R>,
    folder: &Folder,
) -> Result<SentCommand, RemoteError> {
    let mut arriving = Arriving::new(folder.try_clone()?);
    let mut begun = None;
    loop {
        let message = tokio::time::timeout(GONE, incoming.next()).await;
        let message = message.map_err(|_| RemoteError::Cut(String::new()))??;
        match (message, &begun) {
            (
                Some(ToFar::Begin {
                    protocol: PROTOCOL,
                    arguments,
                    wanted,
                    again,
                }),
                None,
            ) => begun = Some((arguments, wanted, again)),
            (Some(ToFar::Begin { protocol, .. }), None) => {
                return Err(RemoteError::Start(format!(
                    "it speaks version {protocol} of the protocol, and this end {PROTOCOL}"
                )));
            }
            (Some(ToFar::File(part)), Some(_)) => arriving.take(part, |_| true)?,
            (Some(ToFar::Alive), _) => {}
            (Some(ToFar::Start), Some((arguments, wanted, again))) => {
                return Ok(SentCommand {
                    arguments: arguments.clone(),
                    wanted: wanted.clone(),
                    again: again.clone(),
                    files: arriving.finish()?,
                });
            }
            (None, _) => return Err(RemoteError::Cut(String::new())),
            (Some(_), _) => return Err(RemoteError::Unasked("a message out of turn".to_owned())),
        }
    }
}

fn start(program: &Path, sent: &SentCommand, folder: &Path) -> Result<Child, RemoteError> {
    let mut command = std::process::Command::new(program);
    command
        .args(&sent.arguments)
        .current_dir(folder)
        .env(AGAIN_VARIABLE, &sent.again)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // However this process ends, the command does not go on for nobody.
    kill_with_parent(&mut command);
    let mut command = tokio::process::Command::from(command);
    let started = command.kill_on_drop(true).spawn();
    started.map_err(|error| RemoteError::Start(format!("the command cannot be started: {error}")))
}

/// The near end, as far as the far end knows of it.
struct NearEnd {
    heard: Instant,
    /// The time from which on it is gone.
    gone: Option<Instant>,
}

impl NearEnd {
    fn is_gone(&mut self, child: Option<Pid>) {
        if self.gone.is_none() {
            self.gone = Some(Instant::now());
            interrupt(child);
        }
    }
}

/// Waits for the end of a command, and passes on what it prints and what the near end asks of it.
async fn attend<R: AsyncRead + Unpin, W: AsyncWrite + Unpin>(
    mut child: Child,
    incoming: &mut Incoming<R>,
    outgoing: &mut Outgoing<W>,
) -> Result<ExitStatus, RemoteError> {
    let process = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    let pipes = (child.stdout.take(), child.stderr.take());
    let (Some(mut stdout), Some(mut stderr)) = pipes else {
        return Err(RemoteError::Start("the command has no pipes".to_owned()));
    };
    let (mut out, mut err) = (vec![0; PART_BYTES], vec![0; PART_BYTES]);
    let (mut has_out, mut has_err) = (true, true);
    let mut near = NearEnd {
        heard: Instant::now(),
        gone: None,
    };
    let mut ended: Option<(ExitStatus, Instant)> = None;
    let mut spoke = Instant::now();
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    while ended.is_none() || has_out || has_err {
        let message = tokio::select! {
            message = incoming.next::<ToFar>(), if near.gone.is_none() => {
                match message {
                    Ok(Some(ToFar::Interrupt)) => interrupt(process),
                    Ok(Some(ToFar::Alive)) => {}
                    _ => near.is_gone(process),
                }
                near.heard = Instant::now();
                continue;
            }
            read = stdout.read(&mut out), if has_out => {
                let count = read.unwrap_or(0);
                has_out = count > 0;
                ToNear::Stdout(out[..count].to_vec())
            }
            read = stderr.read(&mut err), if has_err => {
                let count = read.unwrap_or(0);
                has_err = count > 0;
                ToNear::Stderr(err[..count].to_vec())
            }
            status = child.wait(), if ended.is_none() => {
                ended = Some((status?, Instant::now()));
                continue;
            }
            _ = ticks.tick() => {
                if near.heard.elapsed() > GONE {
                    near.is_gone(process);
                }
                if near.gone.is_some_and(|since| since.elapsed() > ENDING) && ended.is_none() {
                    // An error says that it has ended.
                    let _ = child.start_kill();
                }
                if ended.is_some_and(|(_, at)| at.elapsed() > DRAINING) {
                    break;
                }
                if spoke.elapsed() < ALIVE {
                    continue;
                }
                ToNear::Alive
            }
        };
        spoke = Instant::now();
        if near.gone.is_none() && outgoing.send(&message).await.is_err() {
            near.is_gone(process);
        }
    }
    match (ended, near.gone) {
        (Some((status, _)), None) => Ok(status),
        _ => Err(RemoteError::Cut(String::new())),
    }
}

fn interrupt(process: Option<Pid>) {
    if let Some(process) = process {
        // An error says that it has ended.
        let _ = kill_process(process, Signal::INT);
    }
}

/// Sends what the command wrote where something was wanted, and names what it wrote elsewhere.
async fn give_back<W: AsyncWrite + Unpin>(
    folder: &Folder,
    sent: &SentCommand,
    outgoing: &mut Outgoing<W>,
) -> Result<(), RemoteError> {
    let mut found = NamedFiles::default();
    found.add(folder, "")?;
    let mut left = Vec::new();
    for path in &found.paths {
        if sent.files.get(path) == digest_of(folder, path)?.as_ref() {
            continue;
        }
        if sent.wanted.allows(path) {
            let source = Source::open(folder, path)?;
            outgoing.send_file(source, ToNear::File).await?;
        } else if left.len() < LEFT_MAX {
            left.push(path.clone());
        }
    }
    let files = sent.files.keys().filter(|path| sent.wanted.allows(path));
    for path in files.filter(|path| !folder.has(path)) {
        outgoing.send(&ToNear::Gone(path.clone())).await?;
    }
    if !left.is_empty() {
        outgoing.send(&ToNear::Left(left)).await?;
    }
    outgoing.send(&ToNear::Complete).await
}
