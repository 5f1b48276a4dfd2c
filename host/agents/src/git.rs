//! Git behind a fence, on the user's objects and names of commits, with settings of our own.

use super::error::AgentError;
use super::fenced_program::{self, Bounds, ProgramRun};
use bakeoff_confine::{FileAccess, FileFence, Network, kept_in};
use bakeoff_files::{Folder, Scratch, SearchPath};
use bakeoff_programs::allow_system;
use bakeoff_revision::{Repository, git_command_line, write_own_settings};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The longest time that a command of git may take.
const WALL: Duration = Duration::from_secs(300);
/// The most bytes that a command of git may write.
const OUTPUT_BYTES_MAX: u64 = 64 << 20;
/// The name of the file with the commits at which a shallow clone ends.
const SHALLOW: &str = "shallow";
/// The largest such file, in bytes.
const SHALLOW_BYTES_MAX: u64 = 16 << 20;

/// Git on a repository of the user's.
#[derive(Debug)]
pub(crate) struct Git {
    program: PathBuf,
    repository: Repository,
    settings: Scratch,
}

/// Repository that a command of git works on.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    /// The user's objects and names of commits, read.
    Objects,
    /// The same, to write new objects and names.
    NewObjects,
    /// The repository of a worktree that was just made.
    Inner(&'a Path),
}

/// Command of git.
pub(crate) struct GitCommand<'a> {
    pub(crate) place: Place<'a>,
    /// The folder with files, and how they may be used.
    pub(crate) files: Option<(&'a Path, FileAccess)>,
    pub(crate) arguments: &'a [&'a str],
    pub(crate) input: &'a [u8],
}

impl Git {
    /// Finds git, and writes the settings that it has.
    ///
    /// # Errors
    /// There is no git, or it cannot be used on this repository.
    pub(crate) fn open(repository: Repository) -> Result<Self, AgentError> {
        let usage = |text: &str| Err(AgentError::Usage(text.to_owned()));
        let program = SearchPath::of_user().find("git");
        let Some(program) = program else {
            return usage(
                "worktrees are made by git, and there is none in a folder of PATH that nobody else can write: install git",
            );
        };
        if repository.has_alternates() {
            return usage(
                "this clone borrows objects of another repository, which is not read: `git repack -a -d` copies them, \
                 and then objects/info/alternates can be removed",
            );
        }
        let settings = Scratch::new()?;
        if !write_own_settings(&repository, settings.work())? {
            return usage(
                "the repository keeps its names of commits as a reftable or its objects by SHA-256, and worktrees are made \
                 of others alone: `git refs migrate --ref-format=files` changes the first",
            );
        }
        Ok(Self {
            program,
            repository,
            settings,
        })
    }

    pub(crate) fn repository(&self) -> &Repository {
        &self.repository
    }

    /// Runs a command and returns its output, or why it failed.
    pub(crate) fn run(&self, command: &GitCommand<'_>) -> Result<Vec<u8>, AgentError> {
        let ended = self.ended(command)?;
        if ended.succeeded {
            return Ok(ended.stdout);
        }
        let said = if ended.stderr.is_empty() {
            ended.end
        } else {
            ended.stderr
        };
        let name = command.arguments.first().copied().unwrap_or_default();
        Err(AgentError::of_git(format!("git {name} says: {said}")))
    }

    /// Runs a command that reads, and returns its output.
    pub(crate) fn output(&self, arguments: &[&str]) -> Result<Vec<u8>, AgentError> {
        self.run(&GitCommand {
            place: Place::Objects,
            files: None,
            arguments,
            input: &[],
        })
    }

    /// Runs a command that reads, and returns its output as text.
    pub(crate) fn text(&self, arguments: &[&str]) -> Result<String, AgentError> {
        let text = String::from_utf8(self.output(arguments)?).map_err(|_| {
            AgentError::Usage(
                "the repository has names of files that are no UTF-8, and worktrees are made of others alone: rename them on a \
                 branch of your own, and name that by --base"
                    .to_owned(),
            )
        })?;
        Ok(text.trim().to_owned())
    }

    /// Runs a command to its end.
    pub(crate) fn ended(&self, command: &GitCommand<'_>) -> Result<ProgramRun, AgentError> {
        let mut fence = FileFence::new().map_err(AgentError::Machine)?;
        allow_system(&mut fence);
        fence.allow(&self.program, FileAccess::Execute);
        let (common, own) = (self.repository.common_dir(), self.repository.git_dir());
        fence.allow(common, FileAccess::Read);
        fence.allow(own, FileAccess::Read);
        fence.allow(self.settings.work(), FileAccess::Write);
        if matches!(command.place, Place::NewObjects) {
            for name in ["objects", "refs", "logs"] {
                fence.allow(&common.join(name), FileAccess::Write);
            }
        }
        if let Some((folder, access)) = command.files {
            fence.allow(folder, access);
        }
        let mut process = kept_in(&fence, Network::Closed, &self.program)?;
        git_command_line(&mut process);
        // Files have the names and the contents that git keeps, whatever the machine has otherwise.
        process.args(["-c", "core.quotePath=false", "-c", "core.symlinks=true"]);
        match command.place {
            Place::Inner(folder) => {
                process.env("GIT_DIR", folder.join(".git"));
            }
            Place::Objects | Place::NewObjects => {
                process
                    .env("GIT_DIR", own)
                    .env("GIT_COMMON_DIR", self.settings.work())
                    .env("GIT_INDEX_FILE", self.settings.work().join("index"));
            }
        }
        if let Some((folder, _)) = command.files {
            process.env("GIT_WORK_TREE", folder).current_dir(folder);
        } else {
            process.current_dir(self.settings.work());
        }
        for who in ["AUTHOR", "COMMITTER"] {
            process
                .env(format!("GIT_{who}_NAME"), "bakeoff")
                .env(format!("GIT_{who}_EMAIL"), "bakeoff@localhost");
        }
        process.args(command.arguments);
        let bounds = Bounds {
            input: command.input,
            wall: WALL,
            output_bytes_max: OUTPUT_BYTES_MAX,
            modes: None,
            interrupted: &AtomicBool::new(false),
        };
        fenced_program::run(process, &bounds)
    }

    /// Lets the repository in a worktree find the user's objects, and the end of a history that is cut off.
    pub(crate) fn lend_objects(&self, inner: &Folder) -> Result<(), AgentError> {
        let objects = self.repository.common_dir().join("objects");
        let mut line = objects.into_os_string().into_encoded_bytes();
        line.push(b'\n');
        inner.write_new("objects/info/alternates", &line)?;
        let common = Folder::named_by_user(self.repository.common_dir())?;
        if common.has(SHALLOW)
            && let Some(ends) = common.read(SHALLOW, SHALLOW_BYTES_MAX)?
        {
            inner.write_new(SHALLOW, &ends)?;
        }
        Ok(())
    }
}
