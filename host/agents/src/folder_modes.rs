//! Modes of folders, which a program of the same user can change wherever they lie: they are given back while an agent works.

use std::cell::Cell;
use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Bits of a mode by which its owner reads, writes and enters a folder.
pub(crate) const OF_OWNER: u32 = 0o700;
/// Bits of a mode that are given back.
const PERMISSIONS: u32 = 0o7777;

/// Open folders with the modes that they are to have.
#[derive(Debug)]
pub(crate) struct FolderModes {
    folders: Vec<(File, u32)>,
    lost: Cell<Option<u32>>,
}

impl FolderModes {
    /// Opens these folders, whose modes stay as they are now.
    pub(crate) fn of(paths: &[&Path]) -> io::Result<Self> {
        let open = |path: &&Path| {
            let folder = File::open(path)?;
            let mode = folder.metadata()?.permissions().mode();
            Ok((folder, mode & PERMISSIONS))
        };
        let folders: io::Result<Vec<(File, u32)>> = paths.iter().map(open).collect();
        Ok(Self {
            folders: folders?,
            lost: Cell::new(None),
        })
    }

    /// Gives each folder its mode back whose owner could do less with it than before.
    pub(crate) fn restore(&self) {
        for (folder, mode) in &self.folders {
            let Ok(found) = folder.metadata() else {
                continue;
            };
            let now = found.permissions().mode() & PERMISSIONS;
            if mode & OF_OWNER & !now != 0 {
                self.lost.set(Some(now));
                // A folder that is gone has no mode to give back.
                let _ = folder.set_permissions(Permissions::from_mode(*mode));
            }
        }
    }

    /// Returns a sentence on a mode that had to be given back; `None` if there was none.
    pub(crate) fn remark(&self) -> Option<String> {
        let mode = self.lost.get()?;
        Some(format!(
            "the permissions of its worktree, or of a folder above it, were taken away while it worked (mode {mode:03o}), from \
             outside or by itself, and were given back; the same command starts it once more"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_files::Scratch;

    #[test]
    fn a_mode_that_was_taken_away_is_given_back_and_said_and_any_other_stays() {
        let folder = Scratch::new().unwrap();
        let path = folder.work();
        let set = |mode| std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        let mode = || path.metadata().unwrap().permissions().mode() & PERMISSIONS;
        set(0o755);
        let modes = FolderModes::of(&[path]).unwrap();
        set(0o700);
        modes.restore();
        assert_eq!((mode(), modes.remark()), (0o700, None));
        set(0o050);
        modes.restore();
        assert_eq!(mode(), 0o755);
        assert!(modes.remark().unwrap().contains("(mode 050)"));
    }
}
