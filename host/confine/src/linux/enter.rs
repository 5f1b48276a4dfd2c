//! The child's side: from the first line of `main` to the function of its role.

use super::syscalls::{self, Signals};
use super::{cores, keeper, landlock_rules, memory_file, privileges, shared_page, sockets};
use crate::exit::ROLE_FAILED;
use crate::frames::Frames;
use crate::job::{Fence, Role};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::process::ExitCode;

/// The first argument of a child. The second is the name of its role, the third the number of the open file of its
/// shared page, or [`NO_PAGE`]; all others are numbers of sockets.
pub(super) const MARKER: &str = "--bakeoff-child";

/// The argument of a child that has no shared page.
pub(super) const NO_PAGE: &str = "-";

/// The exit status of a child that could not be fenced.
const FENCE_FAILED: u8 = 71;

/// The header before the payload in a child's memory file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) kernel: KernelFeatures,
    /// The process that must still be the parent.
    pub(super) parent: Option<u32>,
    pub(super) fence: Fence,
    pub(super) core: Option<usize>,
    pub(super) frame_bytes_max: u64,
}

/// The kernel features that the parent found to work on this machine. A child applies exactly these,
/// or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KernelFeatures {
    pub(super) landlock_abi: Option<i32>,
    pub(super) seccomp: bool,
}

/// Size of the header's length, in bytes.
const LENGTH_BYTES: usize = 4;

impl Header {
    /// Returns the header with its length in front.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, String> {
        let header = postcard::to_stdvec(self).map_err(|error| error.to_string())?;
        let length = u32::try_from(header.len()).map_err(|error| error.to_string())?;
        Ok([&length.to_le_bytes()[..], &header].concat())
    }

    /// Splits a memory file into header and payload.
    fn split(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (length, rest) = bytes.split_first_chunk::<LENGTH_BYTES>()?;
        let length = u32::from_le_bytes(*length) as usize;
        let (header, payload) = rest.split_at_checked(length)?;
        Some((postcard::from_bytes(header).ok()?, payload))
    }
}

/// Runs this process as a child, if it was started as one: builds the fence, runs the role, and
/// returns the exit status; or as the keeper of a program. In any other process it returns `None` at
/// once. It must be the first call in `main`.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     if let Some(status) = bakeoff_confine::enter_if_child(&[bakeoff_confine::PROBE]) {
///         return status;
///     }
///     // the command line
/// #   std::process::ExitCode::SUCCESS
/// }
/// ```
pub fn enter_if_child(roles: &[Role]) -> Option<ExitCode> {
    if let Some(status) = keeper::enter_if_keeper() {
        return Some(ExitCode::from(status));
    }
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next()? != MARKER {
        return None;
    }
    let name = arguments.next().unwrap_or_default();
    Some(match roles.iter().find(|role| name == role.name) {
        Some(role) => {
            let mut numbers = arguments.map(|number| number.to_str()?.parse().ok());
            let page = numbers.next().flatten();
            enter(role, page, &numbers.flatten().collect::<Vec<RawFd>>())
        }
        None => {
            eprintln!("there is no role {}", name.display());
            ExitCode::from(FENCE_FAILED)
        }
    })
}

fn enter(role: &Role, page: Option<RawFd>, sockets: &[RawFd]) -> ExitCode {
    let (payload, mut frames) = match prepare(role, page, sockets) {
        Ok(ready) => ready,
        Err(reason) => {
            eprintln!("{reason}");
            return ExitCode::from(FENCE_FAILED);
        }
    };
    // An empty frame reports that the fence is up.
    let done = frames
        .send(&[])
        .map_err(|error| error.to_string())
        .and_then(|()| (role.run)(payload, &mut frames));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::from(ROLE_FAILED as u8)
        }
    }
}

/// Reads the header and builds the fence, without looking at the payload.
fn prepare(
    role: &Role,
    page: Option<RawFd>,
    sockets: &[RawFd],
) -> Result<(&'static [u8], Frames), String> {
    let failed = |what: &'static str| move |error: io::Error| format!("{what}: {error}");
    let kept: Vec<RawFd> = page.into_iter().chain(sockets.iter().copied()).collect();
    privileges::close_other_files(&kept).map_err(failed("cannot close inherited files"))?;
    sockets::receive(sockets).map_err(failed("cannot take over the sockets"))?;
    let page = page.map(shared_page::receive).transpose();
    let page = page.map_err(failed("cannot share a page with the parent"))?;
    let bytes = memory_file::map(io::stdin()).map_err(failed("cannot read the job"))?;
    let (header, payload) = Header::split(bytes).ok_or("the job has no header")?;
    privileges::tie_to(header.parent, header.fence.processes)
        .map_err(failed("cannot be set to die with the parent"))?;
    let pipe = take_stdout().map_err(failed("cannot redirect the standard streams"))?;
    if let Some(core) = header.core {
        cores::pin(core).map_err(|error| format!("cannot run on core {core}: {error}"))?;
    }
    raise_fence(&header, role.before_fence)?;
    Ok((payload, Frames::new(pipe, header.frame_bytes_max, page)))
}

/// Builds the fence. Each step takes away something that an earlier one needed.
fn raise_fence(header: &Header, before: fn()) -> Result<(), String> {
    let Header { kernel, fence, .. } = header;
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    std::env::set_current_dir(&fence.working_dir)
        .map_err(|error| format!("{}: {error}", fence.working_dir.display()))?;
    let kept = |error| format!("cannot give up privileges: {error}");
    privileges::drop_capabilities().map_err(kept)?;
    before();
    privileges::hide_memory().map_err(kept)?;
    if let Some(abi) = kernel.landlock_abi {
        landlock_rules::restrict(abi, fence)?;
    }
    privileges::limit(&fence.rlimits).map_err(|error| format!("cannot set limits: {error}"))?;
    if kernel.seccomp {
        syscalls::restrict(fence.processes, kernel.signals())?;
    }
    Ok(())
}

impl KernelFeatures {
    fn signals(self) -> Signals {
        match self.landlock_abi {
            Some(6..) => Signals::ScopedByLandlock,
            _ => Signals::OnlyOwn,
        }
    }
}

/// Reserves the pipe to the parent for frames: stdout becomes stderr, so that nothing printed gets
/// among them, and stdin becomes an empty file.
fn take_stdout() -> io::Result<File> {
    let stdout = io::stdout();
    let pipe = rustix::io::fcntl_dupfd_cloexec(&stdout, 3)?;
    replace(io::stderr().as_raw_fd(), stdout.as_raw_fd())?;
    let empty = memory_file::seal(&[])?;
    replace(empty.as_raw_fd(), io::stdin().as_raw_fd())?;
    Ok(File::from(pipe))
}

fn replace(source: RawFd, target: RawFd) -> io::Result<()> {
    // SAFETY: both are open; the target is a standard stream, which std never closes and only uses
    // by number.
    match unsafe { libc::dup2(source, target) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
