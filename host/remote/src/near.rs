//! The near end: sends a command and its files, shows what it prints, and takes what it wrote.

use super::arriving::Arriving;
use super::channel::{Incoming, Outgoing};
use super::error::RemoteError;
use super::files::{BYTES_MAX, NamedFiles, RESULTS, Source, digest_of, is_of_results, is_output};
use super::messages::{ALIVE, Digest, GONE, PROTOCOL, ToFar, ToNear};
use bakeoff_files::{Folder, Scratch};
use std::collections::BTreeMap;
use std::io;
use std::time::Instant;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

/// The folder into which files come whose place was taken meanwhile; a number follows.
const ASIDE: &str = "bakeoff-from-elsewhere";

/// The most such folders.
const ASIDE_MAX: u32 = 1_000;

/// A command that is to be run elsewhere.
#[derive(Debug)]
pub struct RemoteCommand {
    /// Its arguments, without the program.
    pub arguments: Vec<String>,
    /// The folder in which it is run, and to which its paths lead.
    pub folder: Folder,
    /// Files below the folder that it may read.
    pub files: NamedFiles,
    /// Paths that it may write, beside folders of results.
    pub outputs: Vec<String>,
}

/// A stream on which a command prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// The output.
    Stdout,
    /// Progress and errors.
    Stderr,
}

/// The end of a command that was run elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoteOutcome {
    /// Its exit status; `None` if a signal ended it.
    pub status: Option<i32>,
    /// Number of files that came back.
    pub brought: usize,
    /// Files that it wrote where nothing was wanted, which stayed behind and are gone.
    pub left: Vec<String>,
    /// The folder that the files are in because others changed here meanwhile.
    pub aside: Option<String>,
}

/// Runs a command at the far end of a pair of pipes. Each interrupt is passed on, and the second one ends the wait.
///
/// # Errors
/// See [`RemoteError`]; nothing that the command wrote is in its place then.
pub async fn run(
    (input, output): (impl AsyncRead + Unpin, impl AsyncWrite + Unpin),
    command: &RemoteCommand,
    interrupts: &mut UnboundedReceiver<()>,
    on_output: &mut dyn FnMut(Stream, &[u8]),
) -> Result<RemoteOutcome, RemoteError> {
    let mut incoming = Incoming::new(input);
    let mut outgoing = Outgoing::new(output);
    let sent = match send(command, &mut outgoing, interrupts).await {
        Err(RemoteError::Connection(error)) => {
            return Err(refusal(&mut incoming).await.unwrap_or(error.into()));
        }
        sent => sent?,
    };
    let scratch = Scratch::new()?;
    let came = Folder::named_by_user(scratch.work())?;
    let mut arriving = Arriving::new(came.try_clone()?);
    let is_wanted = |path: &str| is_wanted(command, path);
    let mut outcome = RemoteOutcome::default();
    let (mut gone, mut has_ended, mut is_interrupted) = (Vec::new(), false, false);
    let (mut heard, mut ticks) = (Instant::now(), tokio::time::interval(ALIVE));
    loop {
        let message = tokio::select! {
            message = incoming.next::<ToNear>() => message?,
            Some(()) = interrupts.recv() => {
                if std::mem::replace(&mut is_interrupted, true) {
                    return Err(RemoteError::Interrupted);
                }
                outgoing.send(&ToFar::Interrupt).await?;
                continue;
            }
            _ = ticks.tick() => {
                if heard.elapsed() > GONE {
                    let silent = ": it gives no sign of life";
                    return Err(RemoteError::Cut(silent.to_owned()));
                }
                // The far end does not listen any more once the command has ended.
                if !has_ended {
                    let _ = outgoing.send(&ToFar::Alive).await;
                }
                continue;
            }
        };
        heard = Instant::now();
        match message {
            Some(ToNear::Alive) => {}
            Some(ToNear::Stdout(text)) if !has_ended => on_output(Stream::Stdout, &text),
            Some(ToNear::Stderr(text)) if !has_ended => on_output(Stream::Stderr, &text),
            Some(ToNear::Ended(status)) if !has_ended => {
                outcome.status = status;
                has_ended = true;
            }
            Some(ToNear::File(part)) if has_ended => arriving.take(part, is_wanted)?,
            Some(ToNear::Gone(path)) if sent.contains_key(&path) && is_of_results(&path) => {
                gone.push(path);
            }
            Some(ToNear::Left(paths)) if has_ended => outcome.left = paths,
            Some(ToNear::Complete) if has_ended => break,
            Some(ToNear::Refused(reason)) => return Err(RemoteError::Refused(reason)),
            Some(_) => return Err(RemoteError::Unasked("a message out of turn".to_owned())),
            None => return Err(RemoteError::Cut(String::new())),
        }
    }
    let arrived = arriving.finish()?;
    outcome.brought = arrived.len();
    outcome.aside = place(command, (&came, &arrived), &sent, &gone)?;
    Ok(outcome)
}

/// Sends a command and its files, and returns the digest of each.
async fn send<W: AsyncWrite + Unpin>(
    command: &RemoteCommand,
    outgoing: &mut Outgoing<W>,
    interrupts: &mut UnboundedReceiver<()>,
) -> Result<BTreeMap<String, Digest>, RemoteError> {
    let begin = ToFar::Begin {
        protocol: PROTOCOL,
        arguments: command.arguments.clone(),
        outputs: command.outputs.clone(),
    };
    outgoing.send(&begin).await?;
    let (mut sent, mut bytes) = (BTreeMap::new(), 0_u64);
    for path in &command.files.paths {
        if interrupts.try_recv().is_ok() {
            return Err(RemoteError::Interrupted);
        }
        let source = Source::open(&command.folder, path)?;
        bytes = bytes.saturating_add(source.head.bytes);
        if bytes > BYTES_MAX {
            return Err(RemoteError::TooMuch(format!(
                "the files that would be sent have more than {BYTES_MAX} bytes, {path} among them: start it in a \
                 smaller folder, or name the files"
            )));
        }
        sent.insert(path.clone(), outgoing.send_file(source, ToFar::File).await?);
    }
    outgoing.send(&ToFar::Start).await?;
    Ok(sent)
}

/// Returns why the far end took no more, if it says so.
async fn refusal<R: AsyncRead + Unpin>(incoming: &mut Incoming<R>) -> Option<RemoteError> {
    let reason = async {
        while let Ok(Some(message)) = incoming.next::<ToNear>().await {
            if let ToNear::Refused(reason) = message {
                return Some(RemoteError::Refused(reason));
            }
        }
        None
    };
    timeout(GONE, reason).await.ok().flatten()
}

/// Returns true if a file of this path may come: it is an output, or a result below a folder that there is.
fn is_wanted(command: &RemoteCommand, path: &str) -> bool {
    if is_output(&command.outputs, path) {
        return true;
    }
    let names: Vec<&str> = path.split('/').collect();
    match names.iter().position(|name| *name == RESULTS) {
        Some(place) if place + 1 < names.len() => {
            command.folder.below(names[..place].join("/")).is_ok()
        }
        _ => false,
    }
}

/// Puts the files that came in their places, all of them, and removes what is gone; where one of them was changed here
/// meanwhile, puts them into a folder of their own instead, and returns its name.
fn place(
    command: &RemoteCommand,
    (came, arrived): (&Folder, &BTreeMap<String, Digest>),
    sent: &BTreeMap<String, Digest>,
    gone: &[String],
) -> Result<Option<String>, RemoteError> {
    let folder = &command.folder;
    // A file that cannot be read is another one than was sent.
    let is_as_sent =
        |path: &String| digest_of(folder, path).is_ok_and(|found| found.as_ref() == sent.get(path));
    let is_free = arrived.keys().chain(gone).all(is_as_sent);
    if is_free {
        for path in arrived.keys() {
            copy(came, path, folder)?;
        }
        for path in gone {
            let removed = folder.remove(path);
            removed.map_err(|error| RemoteError::file(path, error))?;
        }
        return Ok(None);
    }
    for number in 1..=ASIDE_MAX {
        let name = format!("{ASIDE}-{number}");
        match folder.make_new(&name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => {
                let aside = made.map_err(|error| RemoteError::file(&name, error))?;
                for path in arrived.keys() {
                    copy(came, path, &aside)?;
                }
                return Ok(Some(name));
            }
        }
    }
    let reason = format!("there are {ASIDE_MAX} such folders: remove some");
    Err(RemoteError::file(ASIDE, reason))
}

fn copy(from: &Folder, path: &str, to: &Folder) -> Result<(), RemoteError> {
    let copied = || {
        let mut source = from.open(path)?;
        let new = to.new_file(path)?;
        io::copy(&mut source, &mut new.file())?;
        new.put_in_place()
    };
    copied().map_err(|error| RemoteError::file(path, error))
}

#[cfg(test)]
mod tests;
