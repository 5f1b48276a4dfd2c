//! The near end: sends a command and its files, shows what it prints, and takes what it wrote.

use super::arriving_files::Arriving;
use super::channel::{Incoming, Outgoing};
use super::error::RemoteError;
use super::file_places::{Placed, place};
use super::files::{BYTES_MAX, NamedFiles, Source};
use super::messages::{ALIVE, Digest, GONE, LEFT_MAX, PROTOCOL, ToFar, ToNear};
use super::returned_files::ReturnedFiles;
use bakeoff_files::{Folder, Scratch};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

/// A command that is to be run elsewhere.
#[derive(Debug)]
pub struct RemoteCommand {
    /// Its arguments, without the program.
    pub arguments: Vec<String>,
    /// The folder in which it is run, and to which its paths lead.
    pub folder: Folder,
    /// Files below the folder that it may read.
    pub files: NamedFiles,
    /// The files that come back.
    pub wanted: ReturnedFiles,
    /// The command line that goes on with it, as the user would type it.
    pub again: String,
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
    /// The place of the files.
    pub placed: Placed,
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
    let sent = tokio::select! {
        sent = send(command, &mut outgoing) => sent,
        Some(()) = interrupts.recv() => Err(RemoteError::Interrupted),
    };
    let sent = match sent {
        Err(RemoteError::Connection(error)) => {
            return Err(refusal(&mut incoming).await.unwrap_or(error.into()));
        }
        sent => sent?,
    };
    let scratch = Scratch::new()?;
    let came = Folder::named_by_user(scratch.work())?;
    let mut arriving = Arriving::new(came.try_clone()?);
    let is_wanted = |path: &str| command.wanted.allows(path);
    let mut outcome = RemoteOutcome::default();
    let (mut gone, mut has_ended, mut is_interrupted) = (BTreeSet::new(), false, false);
    let (mut heard, mut ticks) = (Instant::now(), tokio::time::interval(ALIVE));
    loop {
        let message = tokio::select! {
            message = incoming.next::<ToNear>() => message?,
            Some(()) = interrupts.recv() => {
                if std::mem::replace(&mut is_interrupted, true) {
                    return Err(RemoteError::Interrupted);
                }
                tokio::select! {
                    sent = outgoing.send(&ToFar::Interrupt) => sent?,
                    // The other end may take nothing any more.
                    Some(()) = interrupts.recv() => return Err(RemoteError::Interrupted),
                }
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
            Some(ToNear::Gone(path))
                if has_ended && sent.contains_key(&path) && is_wanted(&path) =>
            {
                gone.insert(path);
            }
            Some(ToNear::Left(paths)) if has_ended => {
                outcome.left = paths.into_iter().take(LEFT_MAX).collect();
            }
            Some(ToNear::Complete) if has_ended => break,
            Some(ToNear::Refused(reason)) => return Err(RemoteError::Refused(reason)),
            Some(_) => return Err(RemoteError::Unasked("a message out of turn".to_owned())),
            None => return Err(RemoteError::Cut(String::new())),
        }
    }
    let arrived = arriving.finish()?;
    outcome.brought = arrived.len();
    outcome.placed = place(&command.folder, (&came, &arrived), &sent, &gone)?;
    Ok(outcome)
}

/// Sends a command and its files, and returns the digest of each.
async fn send<W: AsyncWrite + Unpin>(
    command: &RemoteCommand,
    outgoing: &mut Outgoing<W>,
) -> Result<BTreeMap<String, Digest>, RemoteError> {
    let begin = ToFar::Begin {
        protocol: PROTOCOL,
        arguments: command.arguments.clone(),
        wanted: command.wanted.clone(),
        again: command.again.clone(),
    };
    outgoing.send(&begin).await?;
    let (mut sent, mut bytes) = (BTreeMap::new(), 0_u64);
    for path in &command.files.paths {
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

#[cfg(test)]
mod tests;
