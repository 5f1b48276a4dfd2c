//! The fence around each command of the server: files outside of the roots are out of reach, whatever a folder of
//! somebody else leads to.

use crate::compile::{self, Cache};
use crate::config::Policy;
use crate::confine::{FileAccess, FileFence};
use crate::files::UserKey;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs and libraries of the system.
const SYSTEM: [&str; 6] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store"];

/// What the program, the loader and the C library read of the machine. What processes other than its own hold under
/// `/proc` (memory, environment, open files), the kernel keeps from whoever is fenced in.
const MACHINE: [&str; 8] = [
    "/proc",
    "/sys",
    "/etc/ld.so.cache",
    "/etc/machine-id",
    "/etc/localtime",
    "/dev/urandom",
    "/dev/random",
    "/dev/zero",
];

/// What is written beside the folders of a command: nothing's end, and the control groups of builders.
const WRITTEN: [&str; 2] = ["/dev/null", "/sys/fs/cgroup"];

/// Keys of models: no command of an agent asks one.
const KEYS: [&str; 3] = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OLLAMA_API_KEY"];

/// The variable that names another cache.
const CACHE_VARIABLE: &str = "BAKEOFF_CACHE_DIR";

/// Why commands cannot be fenced in on this machine, if so.
pub fn missing() -> Option<String> {
    FileFence::new().err()
}

/// What a command of an agent reaches of what is not the program's own.
#[derive(Debug)]
pub(super) struct ReachedFolders<'a> {
    /// The folder that the agent named, in which results are written.
    pub(super) named: Option<&'a File>,
    /// The roots, which are read.
    pub(super) roots: &'a [File],
    /// The folder of the call, with all temporary files.
    pub(super) workspace: &'a Path,
}

/// Puts the fence around a command, where there is one: see [`missing`].
///
/// # Errors
/// The kernel refuses the rules.
pub(super) fn around(command: &mut Command, reached: &ReachedFolders<'_>) -> io::Result<()> {
    for key in KEYS {
        command.env_remove(key);
    }
    let Ok(mut fence) = FileFence::new() else {
        return Ok(());
    };
    let own = std::env::current_exe()?;
    let system = SYSTEM.iter().map(PathBuf::from);
    for program in system.chain(compile::toolchain_folders()).chain([own]) {
        fence.allow(&program, FileAccess::Execute);
    }
    for file in MACHINE {
        fence.allow(Path::new(file), FileAccess::Read);
    }
    for file in WRITTEN {
        fence.allow(Path::new(file), FileAccess::Write);
    }
    if let Some(cache) = cache() {
        fence.allow(&cache, FileAccess::Write);
    }
    // The key is made where it is missing: the command could not.
    if let Ok(keys) = UserKey::of_results().and_then(|_| UserKey::folder_of_results()) {
        fence.allow(&keys, FileAccess::Read);
    }
    // A policy that cannot be read is the command's to say.
    if let Some(file) = Policy::file_of_host() {
        fence.allow(&file, FileAccess::Read);
    }
    if let Ok(policy) = Policy::of_host() {
        for folder in policy.granted_folders() {
            fence.allow(folder, FileAccess::Read);
        }
    }
    for root in reached.roots {
        fence.allow_open(root, FileAccess::Read)?;
    }
    if let Some(folder) = reached.named {
        fence.allow_open(folder, FileAccess::Write)?;
    }
    // Crates that the user allows are built there, and their build scripts started.
    fence.allow(reached.workspace, FileAccess::WriteAndExecute);
    fence.around(command)
}

/// The folder of what was built, which is made where it is missing: the command could not.
fn cache() -> Option<PathBuf> {
    let named = std::env::var_os(CACHE_VARIABLE).map(PathBuf::from);
    let cache = match named.filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) if folder.is_absolute() => Cache::open(&folder),
        // The command refuses it by its name.
        Some(_) => return None,
        None => Cache::open_default(),
    };
    Some(cache.ok()?.folder().to_owned())
}
