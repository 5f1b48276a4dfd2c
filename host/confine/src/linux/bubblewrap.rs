//! Bubblewrap: a second fence around builders, of namespaces, where it is installed and works.
//!
//! The child's own fence is inside and the same as without. Outside of it nothing exists that is not
//! named: no other process, no network device, no file.

use crate::exit::ExitCause;
use crate::job::Fence;
use bakeoff_files::SearchPath;
use std::ffi::OsStr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders of the dynamic linker and the C library, which the child itself needs. Its own fence
/// decides what else in there it may touch.
const LIBRARIES: [&str; 6] = [
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/nix/store",
    "/gnu/store",
];

/// Returns true if there is a `bwrap` on the search path where nobody else can put one, working or not.
pub fn bubblewrap_is_installed() -> bool {
    installed().is_some()
}

fn installed() -> Option<PathBuf> {
    SearchPath::of_user().find("bwrap")
}

/// An installed bubblewrap, and the binary that it starts.
#[derive(Clone, Debug)]
pub(super) struct Bubblewrap {
    bwrap: PathBuf,
    program: PathBuf,
}

impl Bubblewrap {
    /// Number of processes that bubblewrap adds: one outside, and the first one inside.
    pub(super) const PROCESSES: usize = 2;

    /// Finds `bwrap` on the search path. A probe must tell whether it works.
    pub(super) fn find(program: &Path) -> Option<Self> {
        let bwrap = installed()?;
        // Inside, /proc/self is another process.
        let program = std::fs::canonicalize(program).ok()?;
        Some(Self { bwrap, program })
    }

    /// Returns the command that starts the binary inside; the caller adds the arguments. It has a process group of its
    /// own, so that signals from the terminal do not reach it.
    pub(super) fn command(&self, fence: &Fence) -> Command {
        let mut command = Command::new(&self.bwrap);
        command.process_group(0);
        command.args(["--unshare-all", "--die-with-parent", "--cap-drop", "ALL"]);
        // The dynamic linker finds a compiler's own libraries beside /proc/self/exe. This /proc shows
        // only the processes inside, and the child's own fence does not let it open a file there.
        command.args(["--proc", "/proc"]);
        for (mount, path) in self.mounts(fence) {
            command.args([OsStr::new(mount), path.as_os_str(), path.as_os_str()]);
        }
        command.args(["--chdir", "/", "--"]).arg(&self.program);
        command
    }

    /// Returns the mounts, folders before their contents.
    fn mounts<'a>(&'a self, fence: &'a Fence) -> Vec<(&'static str, &'a Path)> {
        let libraries = LIBRARIES.map(|path| ("--ro-bind-try", Path::new(path)));
        let readable = fence.execute.iter().chain(&fence.read);
        let readable = readable.map(|path| ("--ro-bind", path.as_path()));
        let writable = fence.write.iter().map(|path| ("--bind", path.as_path()));
        let mut mounts: Vec<_> = libraries.into_iter().collect();
        mounts.extend(readable);
        mounts.push(("--ro-bind", &self.program));
        mounts.extend(writable);
        // The sort is stable: of two mounts of the same path, a writable one comes last, and wins.
        mounts.sort_by_key(|(_, path)| path.components().count());
        mounts
    }

    /// Returns the exit cause of the child, by that of bubblewrap, which reports a signal N as status 128 + N.
    pub(super) fn inner_cause(cause: ExitCause) -> ExitCause {
        match cause {
            ExitCause::Exited(status @ 129..=192) => ExitCause::Signalled(status - 128),
            other => other,
        }
    }
}
