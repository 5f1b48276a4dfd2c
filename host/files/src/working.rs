//! The folder that bakeoff is started in: files in it must not choose programs or settings.

use std::path::{Path, PathBuf};

/// The working folder, whose files need not be the user's own. `None` inside if it is the user's home or above
/// it, as everything of the user's own lies there.
#[derive(Clone, Debug, Default)]
pub struct WorkingFolder(Option<PathBuf>);

impl WorkingFolder {
    /// Returns the working folder of this process.
    pub fn current() -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        Self::of(std::env::current_dir().ok().as_deref(), home.as_deref())
    }

    /// Returns the working folder for a process that was started in `working` by a user with this home.
    pub fn of(working: Option<&Path>, home: Option<&Path>) -> Self {
        let home = home.and_then(real);
        let working = working.and_then(real);
        Self(working.filter(|working| {
            let home = home.as_deref();
            home.is_none_or(|home| !home.starts_with(working)) && working.parent().is_some()
        }))
    }

    /// Returns true if a path leads into this folder; false if it leads nowhere.
    pub fn has(&self, path: &Path) -> bool {
        let inside = |working: &PathBuf| real(path).is_some_and(|real| real.starts_with(working));
        self.0.as_ref().is_some_and(inside)
    }
}

fn real(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_it_is_known_also_through_links_and_not_in_the_home() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        for folder in ["home/project/inside", "home/other"] {
            std::fs::create_dir_all(path(folder)).unwrap();
        }
        std::os::unix::fs::symlink(path("home/project/inside"), path("link")).unwrap();
        let (project, home) = (path("home/project"), path("home"));
        let folder = WorkingFolder::of(Some(&project), Some(&home));
        assert!(folder.has(&project) && folder.has(&path("link")));
        assert!(folder.has(&path("home/project/inside/../inside")));
        assert!(!folder.has(&path("home/other")) && !folder.has(&path("home/project/absent")));
        let at_home = WorkingFolder::of(Some(&home), Some(&home));
        assert!(!at_home.has(&project));
        let above = WorkingFolder::of(Some(root.path()), Some(&home));
        assert!(!above.has(&project));
        assert!(!WorkingFolder::of(None, None).has(&project));
    }
}
