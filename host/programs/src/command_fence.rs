//! Commands behind a fence, in a folder of their own.

use super::command_line::CommandLine;
use bakeoff_confine::{FileAccess, FileFence, Measurement, Network, measured_in};
use bakeoff_files::Scratch;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

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
/// Variables of the environment that every program gets.
const VARIABLES: [&str; 3] = ["PATH", "LANG", "TERM"];
/// Variables that name the temporary home.
const HOMES: [&str; 5] = [
    "HOME",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
];

/// Reach of a command behind a fence, beyond its own folder and the system.
#[derive(Clone, Debug, Default)]
pub struct FenceReach {
    /// The network that it has.
    pub network: Network,
    /// Names and values of variables that it gets, besides PATH, LANG and TERM.
    pub variables: Vec<(String, OsString)>,
    /// Files and folders that it may read and start programs of.
    pub readable: Vec<PathBuf>,
}

/// Fence around commands that run in one folder. Each run has a temporary home of its own, so that what it writes there
/// is gone with it.
#[derive(Clone, Debug)]
pub struct CommandFence {
    /// The folder that commands are started in.
    pub folder: PathBuf,
    /// Access of commands to that folder.
    pub access: FileAccess,
    /// Reach beyond it.
    pub reach: FenceReach,
}

/// Command that is ready to be started behind a fence.
#[derive(Debug)]
pub struct FencedCommand {
    /// Command of its keeper.
    pub command: Command,
    /// Place of its measurement, which is empty for a program that could not be started.
    pub measurement: Measurement,
    /// The home of the run. Dropping it removes it.
    pub home: Scratch,
}

/// Allows what every program of the system needs.
pub fn allow_system(fence: &mut FileFence) {
    for folder in SYSTEM {
        fence.allow(Path::new(folder), FileAccess::Execute);
    }
    for device in DEVICES {
        fence.allow(Path::new(device), FileAccess::Write);
    }
    fence.allow(Path::new("/proc"), FileAccess::Read);
}

impl CommandFence {
    /// Returns the command of one run, which reads nothing yet and writes nowhere: its streams are the caller's to set.
    ///
    /// # Errors
    /// There can be no fence on this machine, or no temporary folder.
    pub fn command(&self, line: &CommandLine) -> io::Result<FencedCommand> {
        let home = Scratch::new()?;
        let (command, measurement) = self.command_at(line, home.work())?;
        Ok(FencedCommand {
            command,
            measurement,
            home,
        })
    }

    /// Returns the command of one run as [`CommandFence::command`] does, with a home that others may share.
    ///
    /// # Errors
    /// There can be no fence on this machine.
    pub(crate) fn command_at(
        &self,
        line: &CommandLine,
        home: &Path,
    ) -> io::Result<(Command, Measurement)> {
        let mut fence = FileFence::new().map_err(io::Error::other)?;
        allow_system(&mut fence);
        for readable in &self.reach.readable {
            fence.allow(readable, FileAccess::Execute);
        }
        fence.allow(&self.folder, self.access);
        fence.allow(home, FileAccess::WriteLinkAndExecute);
        let (mut command, measurement) = measured_in(&fence, self.reach.network, line.program())?;
        command.env_clear();
        for name in VARIABLES {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        command
            .envs(HOMES.map(|name| (name, home)))
            .envs(
                self.reach
                    .variables
                    .iter()
                    .map(|(name, value)| (name, value)),
            )
            .args(line.arguments())
            .current_dir(&self.folder);
        Ok((command, measurement))
    }
}
