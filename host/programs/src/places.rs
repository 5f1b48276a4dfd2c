//! Places of the runs of a command: the fence behind which they take place, and their temporary home.

use super::command_fence::CommandFence;
use super::options::TimedCommand;
use bakeoff_files::Scratch;
use std::io;
use std::path::Path;

/// Variable by which the runs of a command behind a fence find what `--setup` left in its own temporary folder.
pub const SETUP_VARIABLE: &str = "BAKEOFF_SETUP";

/// The place of a run behind a fence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FencedPlace<'a> {
    pub(crate) fenced: &'a CommandFence,
    /// The folder that it may write: its temporary home.
    pub(crate) home: &'a Path,
}

/// The fence of a command, and the folder of what is run once before and after its runs.
#[derive(Debug)]
pub(crate) struct CommandPlace {
    /// The fence of what is run once, which writes in `once` alone.
    around: CommandFence,
    /// The fence of runs, which may read `once`.
    runs: CommandFence,
    once: Option<Scratch>,
}

impl CommandPlace {
    /// Returns the place of a command; `None` if it runs without a fence.
    ///
    /// # Errors
    /// There can be no temporary folder.
    pub(crate) fn of(command: &TimedCommand) -> io::Result<Option<Self>> {
        let Some(around) = command.fenced.clone() else {
            return Ok(None);
        };
        let mut runs = around.clone();
        let is_used = command.setup.is_some() || command.cleanup.is_some();
        let once = is_used.then(Scratch::new).transpose()?;
        if let Some(once) = &once {
            let folder = once.work();
            runs.reach.readable.push(folder.to_owned());
            let variable = (SETUP_VARIABLE.to_owned(), folder.as_os_str().to_owned());
            runs.reach.variables.push(variable);
        }
        Ok(Some(Self { around, runs, once }))
    }

    /// Returns the place of a run with this home.
    pub(crate) fn of_run<'a>(&'a self, home: &'a Scratch) -> FencedPlace<'a> {
        FencedPlace {
            fenced: &self.runs,
            home: home.work(),
        }
    }

    /// Returns the place of what is run once; `None` if nothing is.
    pub(crate) fn of_once(&self) -> Option<FencedPlace<'_>> {
        let home = self.once.as_ref()?.work();
        Some(FencedPlace {
            fenced: &self.around,
            home,
        })
    }
}
