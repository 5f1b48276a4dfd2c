//! Programs in those folders of the search path where nobody but the user and the system can put one.

use super::changeable::others_can_change;
use super::working::WorkingFolder;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The trusted folders of a search path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchPath {
    folders: Vec<PathBuf>,
}

impl SearchPath {
    /// Returns the folders of the variable `PATH` by these rules. A folder is left out, with all that is
    /// in it, if
    ///
    /// - it is named by a relative path, or not at all: then the working folder would choose;
    /// - it is the working folder or below it, unless that is the user's home or above it;
    /// - others than the user and the system could put something there.
    pub fn of_user() -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        Self::of(&path, &WorkingFolder::current())
    }

    /// Returns the trusted folders of any search path and working folder, by the rules of [`SearchPath::of_user`].
    pub fn of(path: &OsStr, working: &WorkingFolder) -> Self {
        let is_trusted = |folder: &PathBuf| {
            folder.is_absolute()
                && !working.has(folder)
                && matches!(others_can_change(folder), Ok(None))
        };
        Self {
            folders: std::env::split_paths(path).filter(is_trusted).collect(),
        }
    }

    /// Returns the path without the folders that `is_left_out` names.
    #[must_use]
    pub fn without(mut self, is_left_out: impl Fn(&Path) -> bool) -> Self {
        self.folders.retain(|folder| !is_left_out(folder));
        self
    }

    /// Returns the path of a program, if one of the folders has it, and nobody else can change it.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        let files = self.folders.iter().map(|folder| folder.join(name));
        let mut programs = files.filter(|file| {
            let found = file.metadata();
            let runs = |found: std::fs::Metadata| {
                found.is_file() && found.permissions().mode() & 0o111 != 0
            };
            found.is_ok_and(runs) && matches!(others_can_change(file), Ok(None))
        });
        programs.next()
    }

    /// Returns the program that [`find`](Self::find) finds, as it is now, without links on its path.
    pub fn find_now(&self, name: &str) -> Option<FoundProgram> {
        let path = self.find(name)?.canonicalize().ok()?;
        let found = path.metadata().ok()?;
        Some(FoundProgram {
            path: path.to_str()?.to_owned(),
            bytes: found.len(),
            changed_s: found.mtime(),
        })
    }

    /// Returns the folders as a value of `PATH`.
    pub fn to_variable(&self) -> OsString {
        std::env::join_paths(&self.folders).unwrap_or_default()
    }
}

/// A program as it is on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundProgram {
    /// The absolute path, without links.
    pub path: String,
    /// The size of the file, in bytes.
    pub bytes: u64,
    /// The time of the last change of the file, in seconds since 1970.
    pub changed_s: i64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{Permissions, create_dir_all, set_permissions, write};

    /// A folder below another, with a program of the name of the folder.
    fn with_program(folder: &Path, name: &str) -> PathBuf {
        let folder = folder.join(name);
        create_dir_all(&folder).unwrap();
        let file = folder.join("tool");
        write(&file, "").unwrap();
        set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
        folder
    }

    #[test]
    fn only_folders_that_nobody_else_chooses_are_searched() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        let good = with_program(&root, "good");
        let open = with_program(&root, "open");
        set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
        let project = root.join("project");
        let inside = with_program(&project, "bin");
        let path = |folders: &[&Path]| std::env::join_paths(folders).unwrap();
        let (empty, relative) = (Path::new(""), Path::new("bin"));
        let searched = SearchPath::of(
            &path(&[
                empty,
                relative,
                &open,
                &inside,
                &project,
                Path::new("/nonexistent"),
                &good,
            ]),
            &WorkingFolder::of(Some(&project), None),
        );
        assert_eq!(searched.folders, vec![good.clone()]);
        assert_eq!(searched.find("tool"), Some(good.join("tool")));
        assert_eq!(searched.find("other"), None);
        assert_eq!(searched.to_variable(), good.as_os_str());

        // Somebody who starts it in the home folder has programs below it.
        let at = |working: &Path| {
            let working = WorkingFolder::of(Some(working), Some(&project));
            SearchPath::of(&path(&[&inside]), &working)
        };
        assert_eq!(at(&project).folders, vec![inside.clone()]);
        assert_eq!(at(&root).folders, vec![inside.clone()]);
        assert_eq!(at(&inside).folders, Vec::<PathBuf>::new());
    }

    #[test]
    fn a_program_that_others_can_change_is_passed_over() {
        let root = tempfile::tempdir().unwrap();
        let (first, second) = (
            with_program(root.path(), "a"),
            with_program(root.path(), "b"),
        );
        set_permissions(first.join("tool"), Permissions::from_mode(0o777)).unwrap();
        let path = std::env::join_paths([&first, &second]).unwrap();
        let searched = SearchPath::of(&path, &WorkingFolder::default());
        assert_eq!(searched.find("tool"), Some(second.join("tool")));
        set_permissions(second.join("tool"), Permissions::from_mode(0o644)).unwrap();
        assert_eq!(searched.find("tool"), None);
    }
}
