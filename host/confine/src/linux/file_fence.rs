//! A fence of files around a command of ours, which reads files that somebody else left.
//!
//! Such a command is no child with a role: it starts builders and runners of its own, each behind its whole fence.
//! This one stands around all of them, so that a path which leads elsewhere leads nowhere.

use super::keeper;
use super::landlock_rules::{self, FenceSignals, OpenedPath, restrict_self};
use super::probe::ProbeConfig;
use crate::job::FileAccess;
use crate::network::Network;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// The first version of Landlock that keeps signals inside a fence.
const SCOPES_ABI: i32 = 6;

/// Fence of files and folders with the access to each; all that is not named is out of reach.
#[derive(Debug)]
pub struct FileFence {
    abi: i32,
    rules: Vec<(OpenedPath, FileAccess)>,
}

impl FileFence {
    /// Makes a fence that allows nothing yet.
    ///
    /// # Errors
    /// The reason why there can be no fence on this machine.
    pub fn new() -> Result<Self, String> {
        let config = ProbeConfig::current().map_err(|error| error.to_string())?;
        let abi = config.landlock_abi()?;
        Ok(Self {
            abi,
            rules: Vec::new(),
        })
    }

    /// Allows this access to what a path leads to now, if anything is there.
    pub fn allow(&mut self, path: &Path, access: FileAccess) {
        if let Ok(opened) = OpenedPath::of_path(path) {
            self.rules.push((opened, access));
        }
    }

    /// Allows this access to an open folder, whatever its name leads to.
    ///
    /// # Errors
    /// There are too many open files.
    pub fn allow_open(&mut self, folder: &File, access: FileAccess) -> io::Result<()> {
        let opened = OpenedPath::of_file(folder)?;
        self.rules.push((opened, access));
        Ok(())
    }

    /// Makes the rules of the fence for a [program under a keeper](kept_in), which sends no signals out of it.
    ///
    /// # Errors
    /// The kernel refuses the rules.
    pub(super) fn rules(&self) -> io::Result<OwnedFd> {
        landlock_rules::of_files(self.abi, &self.rules, FenceSignals::Inside)
            .map_err(io::Error::other)
    }

    /// Returns true if the kernel keeps signals of a [program under a keeper](kept_in) inside the fence.
    pub fn holds_signals(&self) -> bool {
        self.abi >= SCOPES_ABI
    }

    /// Puts the fence around a command and all that it starts. The command gains no privileges any more.
    ///
    /// # Errors
    /// The kernel refuses the rules.
    pub fn around(self, command: &mut Command) -> io::Result<()> {
        let ruleset: OwnedFd =
            landlock_rules::of_files(self.abi, &self.rules, FenceSignals::Anywhere)
                .map_err(io::Error::other)?;
        let enter = move || {
            rustix::thread::set_no_new_privs(true)?;
            restrict_self(&ruleset)
        };
        // SAFETY: between fork and exec only two system calls are made, and nothing is allocated: an error of the
        // system holds no memory.
        unsafe { command.pre_exec(enter) };
        Ok(())
    }
}

/// Returns a command as [`kept`](super::kept) does, whose program with all that it starts is behind a fence. The keeper is
/// outside of it, so that the program cannot end its keeper where the kernel holds signals back.
///
/// # Errors
/// The kernel refuses the rules, or there are too many open files.
pub fn kept_in(fence: &FileFence, network: Network, program: &Path) -> io::Result<Command> {
    keeper::command_in(fence.rules()?, network, program, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// Runs a script in a fence that allows the system's programs, this access to `inside`, and nothing else.
    fn said(inside: &Path, access: FileAccess, script: &str) -> Option<String> {
        let mut fence = match FileFence::new() {
            Ok(fence) => fence,
            Err(why) => {
                eprintln!("skipped: {why}");
                return None;
            }
        };
        for system in ["/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache"] {
            fence.allow(Path::new(system), FileAccess::Execute);
        }
        let open = File::open(inside).unwrap();
        fence.allow_open(&open, access).unwrap();
        fence.allow(Path::new("/nothing/of/this/name"), FileAccess::Read);
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).current_dir(inside);
        fence.around(&mut command).unwrap();
        let output = command.output().unwrap();
        Some(String::from_utf8(output.stdout).unwrap())
    }

    #[test]
    fn what_is_not_named_is_out_of_reach_also_through_links() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        fs::create_dir(at("inside")).unwrap();
        fs::write(at("secret"), "secret").unwrap();
        fs::write(at("inside/own"), "own ").unwrap();
        std::os::unix::fs::symlink("../secret", at("inside/link")).unwrap();
        let script = "cat own link ../secret 2>&-; echo new 2>&- >made; echo new 2>&- >../made; cat made 2>&-; :";
        let inside = at("inside");
        if let Some(said) = said(&inside, FileAccess::Read, script) {
            assert_eq!(said, "own ");
            assert!(!at("inside/made").exists());
        }
        if let Some(said) = said(&inside, FileAccess::Write, script) {
            assert_eq!(said, "own new\n");
            assert!(!at("made").exists());
        }
        let script = "printf '#!/bin/sh\\necho ran' >x; chmod +x x; ./x 2>&-; :";
        if let Some(said) = said(&inside, FileAccess::Write, script) {
            assert_eq!(said, "");
        }
        if let Some(said) = said(&inside, FileAccess::WriteAndExecute, script) {
            assert_eq!(said, "ran\n");
        }
    }
}
