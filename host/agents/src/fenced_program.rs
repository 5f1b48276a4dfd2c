//! A program behind a fence, run to its end with all that it started.

use super::error::AgentError;
use super::folder_modes::FolderModes;
use bakeoff_confine::{FileAccess, Keeper, end_in_words, sink, written};
use bakeoff_programs::{CommandFence, CommandLine, FenceReach};
use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time between two looks at what a program has written.
const LOOK: Duration = Duration::from_millis(100);
/// The most bytes of the end of what a program wrote that are kept of it.
const SAID_BYTES_MAX: usize = 4 << 10;
/// The most bytes of the end of its stdout that stand beside its stderr.
const STDOUT_BYTES_MAX: usize = 1 << 10;
/// Statuses by which a shell says that there is no such program, or that it cannot be started.
const NOT_STARTED: [i32; 2] = [126, 127];
/// The most bytes that an agent or a verification may write.
const OUTPUT_BYTES_MAX: u64 = 64 << 20;

/// Bounds of a run.
pub(crate) struct Bounds<'a> {
    /// Bytes that the program reads as its stdin.
    pub(crate) input: &'a [u8],
    /// Time after which it is ended.
    pub(crate) wall: Duration,
    /// The most bytes that it may write to stdout or stderr.
    pub(crate) output_bytes_max: u64,
    /// Modes of folders, which are kept while it runs.
    pub(crate) modes: Option<&'a FolderModes>,
    /// True once the user has interrupted it.
    pub(crate) interrupted: &'a AtomicBool,
}

/// Run of a program that has ended, with all that it started.
#[derive(Debug)]
pub(crate) struct ProgramRun {
    pub(crate) succeeded: bool,
    /// True if it was ended for what it did.
    pub(crate) is_stopped: bool,
    /// Its exit status, if it ended by itself and with one.
    pub(crate) status: Option<i32>,
    /// The end of it, in words.
    pub(crate) end: String,
    /// Its wall time in seconds: whole milliseconds, so that its text in JSON is read as the same number.
    pub(crate) seconds: f64,
    pub(crate) stdout: Vec<u8>,
    /// The end of what it wrote to stderr.
    pub(crate) stderr: String,
}

/// Run of a command line, and whether there was one.
#[derive(Debug)]
pub(crate) struct EndedLine {
    pub(crate) ended: ProgramRun,
    /// False if the program could not be started, or its shell says so.
    pub(crate) is_started: bool,
}

/// Runs a command of the user's in a folder, which it may change, with a temporary home.
pub(crate) fn run_line(
    line: &CommandLine,
    folder: &Path,
    reach: &FenceReach,
    bounds: &Bounds<'_>,
) -> Result<EndedLine, AgentError> {
    let fenced = CommandFence {
        folder: folder.to_owned(),
        access: FileAccess::WriteLinkAndExecute,
        reach: reach.clone(),
    };
    let fenced = fenced.command(line)?;
    let ended = run(fenced.command, bounds)?;
    let has_measurement = fenced.measurement.read()?.is_some();
    let says_not_started = line.is_by_shell()
        && ended
            .status
            .is_some_and(|status| NOT_STARTED.contains(&status));
    Ok(EndedLine {
        is_started: ended.is_stopped || has_measurement && !says_not_started,
        ended,
    })
}

impl<'a> Bounds<'a> {
    /// Returns the bounds of an agent or a verification.
    pub(crate) fn of(input: &'a [u8], wall: Duration, interrupted: &'a AtomicBool) -> Self {
        Self {
            input,
            wall,
            output_bytes_max: OUTPUT_BYTES_MAX,
            modes: None,
            interrupted,
        }
    }
}

/// Runs a command under a keeper to its end.
pub(crate) fn run(mut command: Command, bounds: &Bounds<'_>) -> Result<ProgramRun, AgentError> {
    let (stdout, stderr) = (sink()?, sink()?);
    let mut input = sink()?;
    input.write_all(bounds.input)?;
    input.seek(SeekFrom::Start(0))?;
    command
        .stdin(Stdio::from(input))
        .stdout(Stdio::from(stdout.try_clone()?))
        .stderr(Stdio::from(stderr.try_clone()?));
    let started = Instant::now();
    let mut child = command.spawn()?;
    drop(command);
    let keeper = Keeper::of_child(&mut child)?;
    let stopped = watch(&keeper, [&stdout, &stderr], started, bounds);
    drop(keeper);
    let status = child.wait()?;
    let stopped = stopped?;
    Ok(ProgramRun {
        succeeded: stopped.is_none() && status.success(),
        is_stopped: stopped.is_some(),
        status: status.code().filter(|_| stopped.is_none()),
        end: stopped.unwrap_or_else(|| end_in_words(status)),
        seconds: started.elapsed().as_millis() as f64 / 1e3,
        stdout: written(stdout, bounds.output_bytes_max)?,
        stderr: last_part(&written(stderr, bounds.output_bytes_max)?),
    })
}

/// Waits for the end of a program, or returns why it has to be ended.
fn watch(
    keeper: &Keeper,
    written: [&File; 2],
    started: Instant,
    bounds: &Bounds<'_>,
) -> Result<Option<String>, AgentError> {
    loop {
        let left = bounds.wall.saturating_sub(started.elapsed());
        let has_ended = keeper.has_ended_within(left.min(LOOK))?;
        if let Some(modes) = bounds.modes {
            modes.restore();
        }
        if has_ended {
            return Ok(None);
        }
        if bounds.interrupted.load(Ordering::Relaxed) {
            return Err(AgentError::Interrupted);
        }
        for file in written {
            if file.metadata()?.len() > bounds.output_bytes_max {
                let mib = bounds.output_bytes_max >> 20;
                return Ok(Some(format!("it wrote more than {mib} MiB")));
            }
        }
        if started.elapsed() >= bounds.wall {
            return Ok(Some(format!("it did not end within {:?}", bounds.wall)));
        }
    }
}

impl ProgramRun {
    /// Returns the end of it, and of what it wrote: to stderr, or else to stdout.
    pub(crate) fn reason(&self) -> String {
        let said = if self.stderr.is_empty() {
            last_part(&self.stdout)
        } else {
            self.stderr.clone()
        };
        let reason = format!("{}: {said}", self.end);
        reason.trim_end_matches(": ").to_owned()
    }

    /// Returns the reason with the end of what it wrote to stdout, where runners of tests name those that failed.
    pub(crate) fn reason_with_stdout(&self) -> String {
        let mut reason = self.reason();
        if !self.stderr.is_empty() && !self.stdout.is_empty() {
            reason += "\n";
            reason += &last_bytes(&self.stdout, STDOUT_BYTES_MAX);
        }
        reason
    }
}

/// Returns the end of what a program wrote.
pub(crate) fn last_part(bytes: &[u8]) -> String {
    last_bytes(bytes, SAID_BYTES_MAX)
}

fn last_bytes(bytes: &[u8], count: usize) -> String {
    let from = bytes.len().saturating_sub(count);
    String::from_utf8_lossy(&bytes[from..]).trim().to_owned()
}
