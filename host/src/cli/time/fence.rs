//! The fence around the commands of a comparison.

use crate::cli::failure::Failure;
use crate::cli::fence_reach;
use bakeoff_confine::{FileAccess, FileFence, Network};
use bakeoff_files::files_of_program;
use bakeoff_programs::{CommandFence, CommandLine};
use clap::Args;
use std::path::{Path, PathBuf};

/// Options on the fence around commands.
#[derive(Debug, Args)]
pub(super) struct FenceOptions {
    /// Run the commands, and what is run around them, behind a fence: they read the system, their programs and the
    /// current folder, write to $TMPDIR alone, and have no network
    #[arg(long)]
    fence: bool,
    /// With --fence: a file or folder that commands may read and start programs of as well
    #[arg(long, value_name = "PATH", requires = "fence")]
    read: Vec<PathBuf>,
    /// With --fence: a variable of the environment that commands get, besides PATH, LANG and TERM
    #[arg(long, value_name = "VARIABLE", requires = "fence")]
    env: Vec<String>,
}

impl FenceOptions {
    /// Returns the fence around these commands; `None` if none is asked for.
    ///
    /// # Errors
    /// There can be no fence on this machine, or it would have no effect in the current folder; what is to be reached
    /// does not exist.
    pub(super) fn fenced(&self, lines: &[CommandLine]) -> Result<Option<CommandFence>, Failure> {
        if !self.fence {
            return Ok(None);
        }
        if let Err(reason) = FileFence::new() {
            return Err(Failure::infrastructure(format!(
                "--fence: there can be no fence on this machine: {reason}. `bakeoff doctor` says what it lacks; without \
                 --fence the commands run with your rights"
            )));
        }
        let folder = std::env::current_dir().map_err(|error| {
            Failure::infrastructure(format!("the current folder cannot be used: {error}"))
        })?;
        if fence_reach::holds_home(&folder) {
            return Err(Failure::usage(format!(
                "--fence: {} holds your home, and commands read the folder that they start in: start in the folder that \
                 has their files, and name others with --read",
                folder.display()
            )));
        }
        let mut reach = fence_reach::reach(Network::Closed, &self.env, &self.read)?;
        let programs = lines.iter().map(|line| Path::new(line.program()));
        reach.readable.extend(programs.flat_map(files_of_program));
        Ok(Some(CommandFence {
            folder,
            access: FileAccess::Execute,
            reach,
        }))
    }
}
