//! One run of a command.

use super::command_line::CommandLine;
use super::places::FencedPlace;
use bakeoff_confine::{Keeper, ProgramMeasurement, end_in_words, measured, sink, written};
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The most that a command may write to its stdout or its stderr: both are kept in memory until it ends.
const OUTPUT_BYTES_MAX: u64 = 256 << 20;
/// Time between two looks at what a command has written, and whether it is to be ended.
const LOOK: Duration = Duration::from_millis(100);
/// The most characters of what a command wrote to stderr that an error has.
const STDERR_CHARS_MAX: usize = 600;
/// Words behind the end of a command that failed behind a fence.
const BEHIND_A_FENCE: &str = " (behind a fence: it writes to $TMPDIR alone, and reads its folder, the system and what --read names)";

/// A run that ended by itself.
#[derive(Debug)]
pub(crate) struct EndedRun {
    /// Measurement by the keeper.
    pub(crate) measured: ProgramMeasurement,
    /// Status of the program.
    pub(crate) status: ExitStatus,
    /// Bytes that it wrote to stdout.
    pub(crate) output: Vec<u8>,
    /// The end of what it wrote to stderr.
    pub(crate) said: String,
}

/// The reason why a run has no result.
#[derive(Debug)]
pub(crate) enum RunFailure {
    /// The command did something that fails it, in words.
    OfCommand(String),
    /// The user interrupted it.
    Interrupted,
    /// This machine could not start or watch it.
    OfMachine(io::Error),
}

impl From<io::Error> for RunFailure {
    fn from(error: io::Error) -> Self {
        Self::OfMachine(error)
    }
}

/// Bounds of a run.
#[derive(Clone, Copy)]
pub(crate) struct RunBounds<'a> {
    /// The place behind a fence that it runs in; `None` for the user's rights and folder.
    pub(crate) fenced: Option<FencedPlace<'a>>,
    /// File that it reads as its stdin.
    pub(crate) input: Option<&'a Path>,
    /// Time after which it is ended.
    pub(crate) timeout: Option<Duration>,
    /// True once the user has interrupted it.
    pub(crate) interrupted: &'a AtomicBool,
}

impl RunBounds<'_> {
    /// Returns what stands behind the end of a command that failed, where a fence may be the reason.
    pub(crate) fn advice_on_failure(&self) -> &'static str {
        if self.fenced.is_some() {
            BEHIND_A_FENCE
        } else {
            ""
        }
    }
}

/// Runs a command to its end, with all that it starts.
pub(crate) fn run(line: &CommandLine, bounds: &RunBounds<'_>) -> Result<EndedRun, RunFailure> {
    let (mut command, measurement) = match bounds.fenced {
        Some(place) => place.fenced.command_at(line, place.home)?,
        None => {
            let (mut command, measurement) = measured(line.program())?;
            command.args(line.arguments());
            (command, measurement)
        }
    };
    let (stdout, stderr) = (sink()?, sink()?);
    let stdin = match bounds.input {
        Some(path) => Stdio::from(File::open(path).map_err(|error| {
            let path = path.display();
            RunFailure::OfCommand(format!(
                "the file of --input, {path}, cannot be read: {error}"
            ))
        })?),
        None => Stdio::null(),
    };
    command
        .stdin(stdin)
        .stdout(Stdio::from(stdout.try_clone()?))
        .stderr(Stdio::from(stderr.try_clone()?));
    let mut child = command.spawn()?;
    drop(command);
    // Dropping it ends the program with all that it started.
    let keeper = Keeper::of_child(&mut child)?;
    let outcome = watch(&keeper, [&stdout, &stderr], bounds);
    drop(keeper);
    let status = child.wait()?;
    outcome?;
    let said = said(stderr)?;
    let Some(measured) = measurement.read()? else {
        // A program that could not be started has said why.
        return Err(RunFailure::OfCommand(if said.is_empty() {
            "it was ended from outside".to_owned()
        } else {
            said + bounds.advice_on_failure()
        }));
    };
    Ok(EndedRun {
        measured,
        status,
        output: written(stdout, OUTPUT_BYTES_MAX)?,
        said,
    })
}

/// Waits until the keeper has ended, and looks now and then whether it has to be ended.
fn watch(keeper: &Keeper, written: [&File; 2], bounds: &RunBounds<'_>) -> Result<(), RunFailure> {
    let started = Instant::now();
    loop {
        let left = bounds
            .timeout
            .map(|timeout| timeout.saturating_sub(started.elapsed()));
        if keeper.has_ended_within(left.map_or(LOOK, |left| left.min(LOOK)))? {
            return Ok(());
        }
        if bounds.interrupted.load(Ordering::Relaxed) {
            return Err(RunFailure::Interrupted);
        }
        for file in written {
            if file.metadata()?.len() > OUTPUT_BYTES_MAX {
                return Err(RunFailure::OfCommand(format!(
                    "it wrote more than {} MiB: let it write to a file, or to /dev/null",
                    OUTPUT_BYTES_MAX >> 20
                )));
            }
        }
        if let Some(timeout) = bounds
            .timeout
            .filter(|timeout| started.elapsed() >= *timeout)
        {
            return Err(RunFailure::OfCommand(format!(
                "it did not end within {timeout:?}{}",
                if bounds.fenced.is_none() {
                    " (--timeout)"
                } else {
                    ""
                }
            )));
        }
    }
}

/// The end of what was written to stderr.
fn said(file: File) -> io::Result<String> {
    let bytes = written(file, OUTPUT_BYTES_MAX)?;
    let from = bytes.len().saturating_sub(4 * STDERR_CHARS_MAX);
    let text = String::from_utf8_lossy(&bytes[from..]);
    let text = text.trim();
    let count = text.chars().count();
    Ok(text
        .chars()
        .skip(count.saturating_sub(STDERR_CHARS_MAX))
        .collect())
}

impl EndedRun {
    /// The reason why it counts as failed, by its exit status; `advice` stands behind that.
    pub(crate) fn failure(&self, advice: &str) -> Option<String> {
        if self.status.success() {
            return None;
        }
        let how = end_in_words(self.status);
        // The last line is what most programs end with; all of it stands below.
        let last = self.said.lines().last().unwrap_or_default();
        let said = match self.said.lines().count() {
            0 => String::new(),
            1 => format!(": {last}"),
            _ => format!(": {last}\n{}", self.said),
        };
        Some(format!("{how}{advice}{said}"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::command_line::Shell;
    use super::*;

    fn run_text(text: &str, timeout: Option<Duration>) -> Result<EndedRun, RunFailure> {
        let line = CommandLine::all(&[text.to_owned()], &Shell::Program("sh".to_owned()));
        let bounds = RunBounds {
            fenced: None,
            input: None,
            timeout,
            interrupted: &AtomicBool::new(false),
        };
        run(&line.unwrap()[0], &bounds)
    }

    #[test]
    fn a_run_has_its_output_and_its_status() {
        let ended = run_text("echo out; echo wrong >&2; exit 4", None).unwrap();
        assert_eq!(ended.output, b"out\n");
        let failure = ended.failure("").unwrap();
        assert_eq!(failure, "it ended with status 4: wrong");
        assert!(run_text("cat", None).unwrap().failure("").is_none());
    }

    #[test]
    fn who_hangs_floods_or_does_not_exist_has_failed_by_itself() {
        let reason = |found: Result<EndedRun, RunFailure>| match found {
            Err(RunFailure::OfCommand(reason)) => reason,
            other => panic!("{other:?}"),
        };
        let hangs = reason(run_text("sleep 1000", Some(Duration::from_millis(50))));
        assert!(hangs.contains("did not end within 50ms"), "{hangs}");
        let floods = reason(run_text("yes", None));
        assert!(floods.contains("more than 256 MiB"), "{floods}");
    }
}
