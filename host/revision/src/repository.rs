//! The place of a git repository.

use super::error::RevisionError;
use bakeoff_files::Folder;
use std::path::{Component, Path, PathBuf};

/// The largest file that says where the rest of a repository is, in bytes.
const POINTER_BYTES_MAX: u64 = 4 << 10;

/// Files of a repository that git reads before all others.
const FILES: [&str; 5] = ["HEAD", "commondir", "config", "packed-refs", "shallow"];

/// A git repository, found at or above a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    top: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
}

impl Repository {
    /// Finds the repository of a folder: the nearest folder at or above it with a `.git`.
    ///
    /// # Errors
    /// There is none, or its own files do not say where it is.
    pub fn above(folder: &Path) -> Result<Self, RevisionError> {
        let none = || RevisionError::NoRepository(folder.display().to_string());
        let start = folder.canonicalize().map_err(|_| none())?;
        let top = start
            .ancestors()
            .find(|folder| folder.join(".git").symlink_metadata().is_ok())
            .ok_or_else(none)?;
        Self::at(top)
    }

    fn at(top: &Path) -> Result<Self, RevisionError> {
        let failed = |reason: &str| RevisionError::Repository {
            folder: top.display().to_string(),
            reason: reason.to_owned(),
        };
        let git = top.join(".git");
        let kind = git.symlink_metadata().map_err(|_| failed("it is gone"))?;
        let git_dir = if kind.is_dir() {
            git
        } else if kind.is_file() {
            // A working tree of its own (`git worktree`), or a submodule.
            let place = pointer(top, ".git", "gitdir: ").ok_or_else(|| {
                failed("its file .git does not name a folder, as that of a working tree does")
            })?;
            joined(top, &place)
        } else if kind.is_symlink() {
            return Err(failed(
                "its .git is a link: name the folder that it leads to",
            ));
        } else {
            return Err(failed("its .git is neither a folder nor a plain file"));
        };
        if !git_dir.join("HEAD").is_file() {
            return Err(failed("it has no HEAD, as every repository of git does"));
        }
        let common_dir = match pointer(&git_dir, "commondir", "") {
            Some(place) => joined(&git_dir, &place),
            None => git_dir.clone(),
        };
        let files = FILES
            .iter()
            .flat_map(|name| [git_dir.join(name), common_dir.join(name)]);
        for file in files {
            // Git waits for a writer of a FIFO.
            let found = file.metadata();
            if found.is_ok_and(|found| !found.is_file()) {
                let name = file.file_name().unwrap_or_default().display();
                return Err(failed(&format!("its {name} is no plain file")));
            }
        }
        if !common_dir.join("objects").is_dir() {
            return Err(failed("it has no objects, as every repository of git does"));
        }
        Ok(Self {
            top: top.to_owned(),
            git_dir,
            common_dir,
        })
    }

    /// Returns the folder of the working tree.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Returns the folder of git of this working tree.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Returns the folder of git that all working trees share.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Returns true if some of the repository's objects lie in another one.
    pub fn has_alternates(&self) -> bool {
        self.common_dir.join("objects/info/alternates").is_file()
    }

    /// Returns true if the repository has a part of its history alone.
    pub fn is_shallow(&self) -> bool {
        self.common_dir.join("shallow").is_file()
    }
}

/// Returns the path that stands behind `begin` in a file of one line; `None` if there is no such file.
fn pointer(folder: &Path, name: &str, begin: &str) -> Option<PathBuf> {
    let folder = Folder::named_by_user(folder).ok()?;
    let bytes = folder.read(name, POINTER_BYTES_MAX).ok()??;
    let text = String::from_utf8(bytes).ok()?;
    let path = text.strip_prefix(begin)?.trim_end_matches(['\n', '\r']);
    let is_path = !path.is_empty() && !path.contains(['\n', '\0']);
    is_path.then(|| PathBuf::from(path))
}

/// Returns a path from a folder, without `.` and `..`.
fn joined(folder: &Path, path: &Path) -> PathBuf {
    let mut joined = PathBuf::new();
    for component in folder.join(path).components() {
        match component {
            Component::ParentDir => {
                joined.pop();
            }
            Component::CurDir => {}
            other => joined.push(other),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn repository(folder: &Path) {
        fs::create_dir_all(folder.join("objects")).unwrap();
        fs::write(folder.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    }

    #[test]
    fn the_nearest_folder_with_a_repository_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let inner = top.join("a/b");
        fs::create_dir_all(&inner).unwrap();
        assert!(matches!(
            Repository::above(&inner),
            Err(RevisionError::NoRepository(_))
        ));
        repository(&top.join(".git"));
        let found = Repository::above(&inner).unwrap();
        assert_eq!(found.top(), top);
        assert_eq!(found.git_dir(), top.join(".git"));
        assert_eq!(found.common_dir(), top.join(".git"));
    }

    #[test]
    fn a_working_tree_names_its_repository() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        repository(&top.join("main/.git"));
        let own = top.join("main/.git/worktrees/other");
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("HEAD"), "x").unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        fs::create_dir_all(top.join("other")).unwrap();
        let pointer = format!("gitdir: {}\n", own.display());
        fs::write(top.join("other/.git"), pointer).unwrap();
        let found = Repository::above(&top.join("other")).unwrap();
        assert_eq!(found.git_dir(), own);
        assert_eq!(found.common_dir(), top.join("main/.git"));
    }

    #[test]
    fn what_is_no_repository_is_said_without_quoting_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        fs::write(top.join(".git"), "secret of another file").unwrap();
        let said = Repository::above(&top).unwrap_err().to_string();
        assert!(!said.contains("secret"), "{said}");
        fs::remove_file(top.join(".git")).unwrap();
        std::os::unix::fs::symlink("/etc", top.join(".git")).unwrap();
        let said = Repository::above(&top).unwrap_err().to_string();
        assert!(said.contains("link"), "{said}");
        fs::remove_file(top.join(".git")).unwrap();
        repository(&top.join(".git"));
        for name in ["packed-refs", "config", "HEAD"] {
            let _ = fs::remove_file(top.join(".git").join(name));
            fs::create_dir(top.join(".git").join(name)).unwrap();
            let said = Repository::above(&top).unwrap_err().to_string();
            let known = said.contains("is no plain file") || said.contains("no HEAD");
            assert!(known && said.contains(name), "{said}");
            fs::remove_dir(top.join(".git").join(name)).unwrap();
        }
    }
}
