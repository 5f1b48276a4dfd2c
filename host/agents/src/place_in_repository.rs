//! Folders of an experiment and its repository: the place of one, and the modes of a worktree and those above it.

use super::error::AgentError;
use super::experiment::{AgentExperiment, COMPLETIONS, ENTRIES_MAX, WORKTREES};
use super::folder_modes::{FolderModes, OF_OWNER};
use super::worktree::TOP;
use bakeoff_files::Folder;
use std::fs::{Permissions, set_permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

impl AgentExperiment {
    /// Opens the modes of a worktree, of the folders of the experiment above it, and of the one of completions.
    pub(crate) fn modes_above(&self, worktree: &Folder) -> io::Result<FolderModes> {
        let path = worktree.path();
        let above = path.parent().unwrap_or(path);
        let completions = self.folder().join(COMPLETIONS);
        let mut watched = vec![self.folder(), above, path];
        // The first completion makes it.
        watched.extend(completions.is_dir().then_some(&*completions));
        FolderModes::of(&watched)
    }

    /// Gives the owner of worktrees and completions the permissions back that agents took away, by whose order nobody works
    /// any more.
    pub(crate) fn open_folders(&self) -> io::Result<()> {
        open_below(&self.folder().join(WORKTREES))?;
        open_below(&self.folder().join(COMPLETIONS))
    }

    /// Removes the folder of the experiment, if nothing is in it.
    pub fn remove_if_empty(self) {
        // Fails if something is in it, which stays.
        let _ = std::fs::remove_dir(self.folder());
    }

    /// Returns the path of a folder from the top of the repository; empty for the top itself.
    ///
    /// # Errors
    /// It does not lie in the repository, or among what bakeoff keeps there; its name is no UTF-8.
    pub fn place_of(&self, folder: &Path) -> Result<String, AgentError> {
        let refused = |why: &str| {
            AgentError::Usage(format!(
                "agents cannot write files of {}: {why}",
                folder.display()
            ))
        };
        let real = |path: &Path| {
            let real = path.canonicalize();
            real.map_err(|error| refused(&error.to_string()))
        };
        let top = real(self.git().repository().top())?;
        let folder = real(folder)?;
        let place = folder.strip_prefix(&top);
        let place = place.map_err(|_| refused("it does not lie in the repository"))?;
        if place.starts_with(TOP) {
            return Err(refused(
                "it lies in .bakeoff, which no agent's work is taken over from: move the experiment elsewhere",
            ));
        }
        let place = place.to_str();
        let place = place.ok_or_else(|| refused("its name is no UTF-8"))?;
        Ok(place.to_owned())
    }
}

/// Gives their owner the permissions of a folder back, and of the folders in it.
fn open_below(folder: &Path) -> io::Result<()> {
    let open = |path: &Path| -> io::Result<bool> {
        let found = path.symlink_metadata()?;
        let mode = found.permissions().mode();
        if found.is_dir() && mode & OF_OWNER != OF_OWNER {
            set_permissions(path, Permissions::from_mode(mode | OF_OWNER))?;
        }
        Ok(found.is_dir())
    };
    match open(folder) {
        Ok(true) => {}
        Ok(false) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    }
    for entry in folder.read_dir()?.take(ENTRIES_MAX) {
        open(&entry?.path())?;
    }
    Ok(())
}
