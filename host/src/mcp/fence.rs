//! The fence around each command of the server: files outside of the roots are out of reach, wherever the links of a
//! foreign folder lead.

use super::consent::Consent;
use bakeoff_compile::Cache;
use bakeoff_config::Policy;
use bakeoff_confine::{FileAccess, FileFence};
use bakeoff_files::UserKey;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs and libraries of the system.
const SYSTEM: [&str; 6] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store"];

/// Files of the machine that the program, the loader and the C library read. The kernel keeps from a fenced process
/// what other processes hold under `/proc`: memory, environment, open files.
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

/// File that every command may write to.
const NOTHING: &str = "/dev/null";

/// The control groups of builders.
const CONTROL_GROUPS: &str = "/sys/fs/cgroup";

/// Files of the machine by which a server is found and known, for a command that asks a model.
const NETWORK: [&str; 10] = [
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/nsswitch.conf",
    "/etc/gai.conf",
    "/etc/ssl",
    "/etc/pki",
    "/etc/ca-certificates",
    "/run/systemd/resolve",
    "/run/nscd",
];

/// Environment variables with the keys of models, of which a command gets that of the model that it may ask, and with the
/// password for a registry.
const KEYS: [&str; 4] = [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "OLLAMA_API_KEY",
    bakeoff_registry::PASSWORD_VARIABLE,
];

/// The variable that names another folder for the build cache.
const CACHE_VARIABLE: &str = "BAKEOFF_CACHE_DIR";

/// Returns the reason why commands cannot be fenced in on this machine; `None` if they can.
pub fn missing() -> Option<String> {
    FileFence::new().err()
}

/// Kind of a command of an agent, which decides what it can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandKind {
    /// A command that reads what is kept in a folder, and starts nothing. SQLite needs no file of its own there: where
    /// it cannot make an index of the journal, it keeps one in memory.
    Reading,
    /// A command that reads what git keeps of what coding agents left: git is started behind a fence of its own, with settings
    /// in the workspace that link to the repository.
    ReadingGit,
    /// A command that changes files of a folder, and starts nothing.
    Writing,
    /// A command that builds and runs code, and keeps results.
    Running,
}

/// Folders that a command of an agent reaches beside those of the program itself.
#[derive(Debug)]
pub(super) struct ReachedFolders<'a> {
    /// The folder that the agent named, in which a command that runs code writes results.
    pub(super) named: Option<&'a File>,
    /// The roots, which a command that runs code reads.
    pub(super) roots: &'a [File],
    /// The folder of the call, with all temporary files.
    pub(super) workspace: &'a Path,
    /// The model that the command may ask.
    pub(super) model: Option<&'a Consent>,
}

/// Puts the fence around a command, where there can be one: see [`missing`].
///
/// # Errors
/// The kernel refuses the rules.
pub(super) fn around(
    command: &mut Command,
    kind: CommandKind,
    reached: &ReachedFolders<'_>,
) -> io::Result<()> {
    let own_key = reached.model.and_then(|model| model.key);
    for key in KEYS.into_iter().filter(|key| Some(*key) != own_key) {
        command.env_remove(key);
    }
    let Ok(mut fence) = FileFence::new() else {
        return Ok(());
    };
    match kind {
        CommandKind::Reading => allow_reading(&mut fence, reached)?,
        CommandKind::ReadingGit => allow_reading_git(&mut fence, reached)?,
        CommandKind::Writing => allow_writing(&mut fence, reached)?,
        CommandKind::Running => allow_running(&mut fence, reached, cache().as_deref())?,
    }
    if let Some(model) = reached.model {
        let files = model.files.iter().map(PathBuf::as_path);
        for file in NETWORK.iter().map(Path::new).chain(files) {
            fence.allow(file, FileAccess::Read);
        }
    }
    fence.around(command)
}

fn allow_reading(fence: &mut FileFence, reached: &ReachedFolders<'_>) -> io::Result<()> {
    allow_program(fence)?;
    if let Some(folder) = reached.named {
        fence.allow_open(folder, FileAccess::Read)?;
    }
    fence.allow(reached.workspace, FileAccess::Write);
    Ok(())
}

fn allow_reading_git(fence: &mut FileFence, reached: &ReachedFolders<'_>) -> io::Result<()> {
    allow_reading(fence, reached)?;
    fence.allow(reached.workspace, FileAccess::WriteLinkAndExecute);
    Ok(())
}

fn allow_writing(fence: &mut FileFence, reached: &ReachedFolders<'_>) -> io::Result<()> {
    allow_program(fence)?;
    for root in reached.roots {
        fence.allow_open(root, FileAccess::Read)?;
    }
    if let Some(folder) = reached.named {
        fence.allow_open(folder, FileAccess::Write)?;
    }
    fence.allow(reached.workspace, FileAccess::Write);
    Ok(())
}

fn allow_running(
    fence: &mut FileFence,
    reached: &ReachedFolders<'_>,
    cache: Option<&Path>,
) -> io::Result<()> {
    allow_program(fence)?;
    for folder in bakeoff_compile::toolchain_folders() {
        fence.allow(&folder, FileAccess::Execute);
    }
    fence.allow(Path::new(CONTROL_GROUPS), FileAccess::Write);
    if let Some(cache) = cache {
        fence.allow(cache, FileAccess::Write);
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
    Ok(())
}

/// Allows everything that the program itself needs for any command.
fn allow_program(fence: &mut FileFence) -> io::Result<()> {
    let own = std::env::current_exe()?;
    for program in SYSTEM.iter().map(PathBuf::from).chain([own]) {
        fence.allow(&program, FileAccess::Execute);
    }
    for file in MACHINE {
        fence.allow(Path::new(file), FileAccess::Read);
    }
    fence.allow(Path::new(NOTHING), FileAccess::Write);
    // Makes the key where it is missing, since the fenced command could not.
    if let Ok(keys) = UserKey::of_results().and_then(|_| UserKey::folder_of_results()) {
        fence.allow(&keys, FileAccess::Read);
    }
    // If the policy cannot be read, the command itself reports that.
    if let Some(file) = Policy::file_of_host() {
        fence.allow(&file, FileAccess::Read);
    }
    Ok(())
}

/// Returns the folder of the build cache, which is made where it is missing: the command could not. `None` if it cannot
/// be made, or is named by a relative path.
fn cache() -> Option<PathBuf> {
    let named = std::env::var_os(CACHE_VARIABLE).map(PathBuf::from);
    let cache = match named.filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) if folder.is_absolute() => Cache::open(&folder),
        // The command refuses a relative path, and names the variable.
        Some(_) => return None,
        None => Cache::open_default(),
    };
    Some(cache.ok()?.folder().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tempfile::TempDir;

    /// Makes a folder that is named, another one in the same root, a workspace and a cache, with a file in each.
    fn machine() -> TempDir {
        let machine = tempfile::tempdir().unwrap();
        for folder in ["root/named", "root/other", "outside", "cache", "workspace"] {
            let folder = machine.path().join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("file"), "read ").unwrap();
        }
        let link = machine.path().join("root/named/link");
        std::os::unix::fs::symlink("../../outside/file", link).unwrap();
        machine
    }

    /// Returns the output of a script that ignores what it may not open; `None` where there are no fences.
    fn said(machine: &TempDir, kind: CommandKind, script: &str) -> Option<String> {
        let at = |name: &str| machine.path().join(name);
        if let Some(why) = missing() {
            eprintln!("skipped: {why}");
            return None;
        }
        let (named, root) = (File::open(at("root/named")), File::open(at("root")));
        let (named, roots) = (named.unwrap(), [root.unwrap()]);
        let workspace = at("workspace");
        let reached = ReachedFolders {
            named: Some(&named),
            roots: &roots,
            workspace: &workspace,
            model: None,
        };
        let mut fence = FileFence::new().unwrap();
        match kind {
            CommandKind::Reading => allow_reading(&mut fence, &reached).unwrap(),
            CommandKind::ReadingGit => allow_reading_git(&mut fence, &reached).unwrap(),
            CommandKind::Writing => allow_writing(&mut fence, &reached).unwrap(),
            CommandKind::Running => {
                allow_running(&mut fence, &reached, Some(&at("cache"))).unwrap();
            }
        }
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).current_dir(machine.path());
        fence.around(&mut command).unwrap();
        let output = command.output().unwrap();
        Some(String::from_utf8(output.stdout).unwrap())
    }

    /// Script that tries to read, to write and to start something in every folder, and prints where it could.
    const FORGETFUL: &str = r"
        for folder in root/named root/other outside cache workspace; do
            cat $folder/file >/dev/null 2>&1 && echo read $folder
            (: >$folder/new) 2>/dev/null && echo write $folder
            (printf '#!/bin/sh\nexit 0' >$folder/x; chmod +x $folder/x; $folder/x) 2>/dev/null && echo start $folder
        done
        cat root/named/link >/dev/null 2>&1 && echo read link
        (mkdir /sys/fs/cgroup/bakeoff-test && rmdir /sys/fs/cgroup/bakeoff-test) 2>/dev/null && echo make group
        :";

    #[test]
    fn a_command_that_reads_reaches_the_named_folder_and_writes_its_workspace_alone() {
        let machine = machine();
        if let Some(said) = said(&machine, CommandKind::Reading, FORGETFUL) {
            let expected = "read root/named\nread workspace\nwrite workspace\n";
            assert_eq!(said, expected);
        }
    }

    #[test]
    fn a_command_that_reads_what_git_keeps_reaches_no_more_although_links_lead_out() {
        let machine = machine();
        let linked = format!(
            "ln -s ../outside/file workspace/link && echo link; cat workspace/link >/dev/null 2>&1 && echo read link\n{FORGETFUL}"
        );
        if let Some(said) = said(&machine, CommandKind::ReadingGit, &linked) {
            let expected =
                "link\nread root/named\nread workspace\nwrite workspace\nstart workspace\n";
            assert_eq!(said, expected);
        }
    }

    #[test]
    fn a_command_that_changes_files_starts_nothing_and_leaves_the_cache() {
        let machine = machine();
        if let Some(said) = said(&machine, CommandKind::Writing, FORGETFUL) {
            let expected = "read root/named\nwrite root/named\nread root/other\nread workspace\nwrite workspace\n";
            assert_eq!(said, expected);
        }
    }

    #[test]
    fn a_command_that_runs_writes_the_named_folder_and_the_cache_and_reads_the_roots() {
        let machine = machine();
        if let Some(said) = said(&machine, CommandKind::Running, FORGETFUL) {
            let said = said.replace("make group\n", "");
            let expected = "read root/named\nwrite root/named\nread root/other\nread cache\nwrite cache\n\
                            read workspace\nwrite workspace\nstart workspace\n";
            assert_eq!(said, expected);
        }
    }
}
