//! Landlock: which files a child may touch, and on new kernels which ports and processes.

use crate::job::{Fence, FileAccess};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};
use rustix::fs::{FileType, Mode, OFlags};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

/// The newest ABI whose rights this code knows. A newer kernel is asked for these.
const NEWEST: i32 = 9;

/// Returns the Landlock ABI of this kernel.
///
/// # Errors
/// The reason why there is none.
pub(super) fn abi() -> Result<i32, String> {
    // SAFETY: with a null pointer, size 0 and this flag the call only returns the ABI's number.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<libc::c_void>(),
            0_usize,
            1_u32,
        )
    };
    if let Ok(abi @ 1..) = i32::try_from(answer) {
        return Ok(abi.min(NEWEST));
    }
    let error = std::io::Error::last_os_error();
    Err(match error.raw_os_error() {
        Some(libc::ENOSYS) => "this kernel has no Landlock".to_owned(),
        Some(libc::EOPNOTSUPP) => {
            "Landlock is switched off: it is not in the kernel's lsm= list".to_owned()
        }
        _ => format!("Landlock cannot be queried: {error}"),
    })
}

/// Confines this process, and all that it will start, to the files of `fence`. From ABI 4 on it
/// binds and connects no TCP port, from ABI 6 on it reaches no process and no abstract socket
/// outside.
///
/// # Errors
/// A path cannot be opened, or the kernel refuses the rules. The caller must not go on: the rules may
/// be applied in part.
pub(super) fn restrict(abi: i32, fence: &Fence) -> Result<(), String> {
    let abi = ABI::from(abi);
    let refused = |error: landlock::RulesetError| format!("Landlock: {error}");
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(abi))
        .map_err(refused)?;
    if abi >= ABI::V4 {
        ruleset = ruleset
            .handle_access(AccessNet::from_all(abi))
            .map_err(refused)?;
    }
    if abi >= ABI::V6 {
        ruleset = ruleset.scope(Scope::from_all(abi)).map_err(refused)?;
    }
    let mut ruleset = ruleset.create().map_err(refused)?;
    for (paths, rights) in [
        (&fence.execute, execute(abi)),
        (&fence.read, read()),
        (&fence.write, write(abi)),
    ] {
        for path in paths {
            ruleset = allow(ruleset, abi, path, rights)?;
        }
    }
    let status = ruleset.restrict_self().map_err(refused)?;
    match status.ruleset {
        RulesetStatus::FullyEnforced => Ok(()),
        other => Err(format!("Landlock: the rules are {other:?}")),
    }
}

/// Processes that a fence of files lets a program send signals to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FenceSignals {
    /// All that the system allows.
    Anywhere,
    /// Processes inside the fence, where the kernel can hold that (ABI 6).
    Inside,
}

/// A file or folder that was opened to make a rule for it.
#[derive(Debug)]
pub(super) struct OpenedPath {
    handle: OwnedFd,
    is_folder: bool,
}

impl OpenedPath {
    /// Opens what a path leads to now.
    pub(super) fn of_path(path: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        Self::of(rustix::fs::open(path, flags, Mode::empty())?)
    }

    /// Takes an open file or folder, whatever its path.
    pub(super) fn of_file(file: &File) -> io::Result<Self> {
        Self::of(file.try_clone()?.into())
    }

    fn of(handle: OwnedFd) -> io::Result<Self> {
        let found = rustix::fs::fstat(&handle)?;
        let is_folder = FileType::from_raw_mode(found.st_mode) == FileType::Directory;
        Ok(Self { handle, is_folder })
    }
}

/// Makes rules about files alone, for a process that is restricted later.
///
/// # Errors
/// The kernel refuses the rules.
pub(super) fn of_files(
    abi: i32,
    rules: &[(OpenedPath, FileAccess)],
    signals: FenceSignals,
) -> Result<OwnedFd, String> {
    let abi = ABI::from(abi);
    let refused = |error: &dyn std::fmt::Display| format!("Landlock: {error}");
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(abi))
        .and_then(|ruleset| {
            if signals == FenceSignals::Inside && abi >= ABI::V6 {
                ruleset.scope(Scope::from_all(abi))
            } else {
                Ok(ruleset)
            }
        })
        .and_then(Ruleset::create)
        .map_err(|error| refused(&error))?;
    for (path, access) in rules {
        let rights = match access {
            FileAccess::Read => read(),
            FileAccess::Execute => execute(abi),
            FileAccess::Write => write(abi),
            FileAccess::WriteAndExecute => write(abi) | execute(abi),
            FileAccess::WriteLinkAndExecute => write(abi) | execute(abi) | AccessFs::MakeSym,
        };
        let rights = if path.is_folder {
            rights
        } else {
            rights & AccessFs::from_file(abi)
        };
        let rule = PathBeneath::new(&path.handle, rights);
        ruleset = ruleset.add_rule(rule).map_err(|error| refused(&error))?;
    }
    Option::<OwnedFd>::from(ruleset).ok_or_else(|| "Landlock: there are no rules".to_owned())
}

/// Puts the rules around this thread.
///
/// # Errors
/// The kernel refuses them.
pub(super) fn restrict_self(rules: &OwnedFd) -> io::Result<()> {
    // SAFETY: the call takes two numbers, of which the first is that of a ruleset that the caller owns.
    let done = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0_u32) };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Adds a rule that allows `rights` on a path.
fn allow(
    ruleset: RulesetCreated,
    abi: ABI,
    path: &Path,
    rights: BitFlags<AccessFs>,
) -> Result<RulesetCreated, String> {
    let refused = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let folder = path.metadata().map_err(|error| refused(&error))?.is_dir();
    let opened = PathFd::new(path).map_err(|error| refused(&error))?;
    // The kernel refuses rights that make no sense for a file.
    let rights = if folder {
        rights
    } else {
        rights & AccessFs::from_file(abi)
    };
    ruleset
        .add_rule(PathBeneath::new(opened, rights))
        .map_err(|error| refused(&error))
}

fn read() -> BitFlags<AccessFs> {
    AccessFs::ReadFile | AccessFs::ReadDir
}

fn execute(abi: ABI) -> BitFlags<AccessFs> {
    AccessFs::from_read(abi)
}

/// Returns the rights of writing: plain files and folders, but no device, no socket, no pipe, and no symbolic link that
/// the parent could be made to follow. What is written cannot be executed.
fn write(abi: ABI) -> BitFlags<AccessFs> {
    let special = AccessFs::MakeChar
        | AccessFs::MakeBlock
        | AccessFs::MakeSock
        | AccessFs::MakeFifo
        | AccessFs::MakeSym
        | AccessFs::IoctlDev
        | AccessFs::ResolveUnix;
    read() | (AccessFs::from_write(abi) & !special)
}
