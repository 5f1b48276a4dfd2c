//! A program behind a fence, run to its end with all that it started.

use super::error::AgentError;
use bakeoff_confine::{
    FileAccess, FileFence, Keeper, Network, end_in_words, kept_in, sink, written,
};
use bakeoff_files::Scratch;
use bakeoff_programs::CommandLine;
use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Folders of the system, which every program reads.
const SYSTEM: [&str; 8] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/etc",
    "/opt",
    "/nix/store",
];
/// Devices that every program may use.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"];
/// Time between two looks at what a program has written.
const LOOK: Duration = Duration::from_millis(100);
/// The most bytes of the end of what a program wrote that are kept of it.
const SAID_BYTES_MAX: usize = 4 << 10;
/// The most bytes that an agent or a verification may write.
const OUTPUT_BYTES_MAX: u64 = 64 << 20;

/// Reach of agents and verifications beyond their own folder and the system.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// The network that agents have. Verifications have none.
    pub network: Network,
    /// Names and values of variables that they get, besides PATH, LANG and TERM.
    pub variables: Vec<(String, std::ffi::OsString)>,
    /// Files and folders that they may read and start programs of.
    pub readable: Vec<PathBuf>,
}

/// Bounds of a run.
pub(crate) struct Bounds<'a> {
    /// Bytes that the program reads as its stdin.
    pub(crate) input: &'a [u8],
    /// Time after which it is ended.
    pub(crate) wall: Duration,
    /// The most bytes that it may write to stdout or stderr.
    pub(crate) output_bytes_max: u64,
    /// True once the user has interrupted it.
    pub(crate) interrupted: &'a AtomicBool,
}

/// Run of a program that has ended, with all that it started.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) succeeded: bool,
    /// The end of it, in words.
    pub(crate) end: String,
    /// In whole milliseconds, so that its text in JSON is read as the same number.
    pub(crate) seconds: f64,
    pub(crate) stdout: Vec<u8>,
    /// The end of what it wrote to stderr.
    pub(crate) stderr: String,
}

pub(crate) fn allow_system(fence: &mut FileFence) {
    for folder in SYSTEM {
        fence.allow(Path::new(folder), FileAccess::Execute);
    }
    for device in DEVICES {
        fence.allow(Path::new(device), FileAccess::Write);
    }
    fence.allow(Path::new("/proc"), FileAccess::Read);
}

/// Runs a command of the user's in a folder, which it may change, with a temporary home.
pub(crate) fn run_line(
    line: &CommandLine,
    folder: &Path,
    reach: &Reach,
    bounds: &Bounds<'_>,
) -> Result<Ended, AgentError> {
    let home = Scratch::new()?;
    let mut fence = FileFence::new().map_err(AgentError::Machine)?;
    allow_system(&mut fence);
    for readable in &reach.readable {
        fence.allow(readable, FileAccess::Execute);
    }
    fence.allow(folder, FileAccess::WriteLinkAndExecute);
    fence.allow(home.work(), FileAccess::WriteLinkAndExecute);
    let mut process = kept_in(&fence, reach.network, Path::new(line.program()))?;
    process.env_clear();
    for name in ["PATH", "LANG", "TERM"] {
        process.envs(std::env::var_os(name).map(|value| (name, value)));
    }
    for name in [
        "HOME",
        "TMPDIR",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
    ] {
        process.env(name, home.work());
    }
    process
        .envs(reach.variables.iter().map(|(name, value)| (name, value)))
        .args(line.arguments())
        .current_dir(folder);
    run(process, bounds)
}

impl<'a> Bounds<'a> {
    /// Returns the bounds of an agent or a verification.
    pub(crate) fn of(input: &'a [u8], wall: Duration, interrupted: &'a AtomicBool) -> Self {
        Self {
            input,
            wall,
            output_bytes_max: OUTPUT_BYTES_MAX,
            interrupted,
        }
    }
}

/// Runs a command under a keeper to its end.
pub(crate) fn run(mut command: Command, bounds: &Bounds<'_>) -> Result<Ended, AgentError> {
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
    Ok(Ended {
        succeeded: stopped.is_none() && status.success(),
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
        if keeper.has_ended_within(left.min(LOOK))? {
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

/// Returns the end of what a program wrote.
pub(crate) fn last_part(bytes: &[u8]) -> String {
    let from = bytes.len().saturating_sub(SAID_BYTES_MAX);
    String::from_utf8_lossy(&bytes[from..]).trim().to_owned()
}
