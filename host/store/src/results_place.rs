//! The place of results: a folder that the user named, or one that came with an experiment.

use super::error::StoreError;
use super::open::{Mode, Store};
use bakeoff_files::{Folder, FolderEntryKind};
use std::io;
use std::path::{Path, PathBuf};

/// The folder of results, whether it is there or not.
#[derive(Clone, Debug)]
pub enum ResultsPlace {
    /// A folder that the user named, or one of ours: it may be a link.
    Named(PathBuf),
    /// A folder below that of an experiment: no name on the way to it may be a link.
    InExperiment {
        /// The folder of the experiment, which the user named.
        dir: PathBuf,
        /// The path below that.
        below: PathBuf,
    },
}

impl ResultsPlace {
    /// The path of the folder, for messages.
    pub fn path(&self) -> PathBuf {
        match self {
            Self::Named(path) => path.clone(),
            Self::InExperiment { dir, below } => dir.join(below),
        }
    }

    /// The place of a folder in this one, of which no name may be a link.
    #[must_use]
    pub fn within(&self, name: &str) -> Self {
        let (dir, below) = match self {
            Self::Named(path) => (path, Path::new("")),
            Self::InExperiment { dir, below } => (dir, below.as_path()),
        };
        Self::InExperiment {
            dir: dir.clone(),
            below: below.join(name),
        }
    }

    /// Opens the folder.
    ///
    /// # Errors
    /// [`StoreError::Missing`]; [`StoreError::Link`] if there is a link where there may be none; any error of opening
    /// folders.
    pub fn open_folder(&self) -> Result<Folder, StoreError> {
        let opened = match self {
            Self::Named(path) => Folder::named_by_user(path),
            Self::InExperiment { dir, below } => {
                Folder::named_by_user(dir).and_then(|dir| dir.below(below))
            }
        };
        opened.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => StoreError::Missing {
                folder: self.path(),
            },
            _ => self.refused("read", error),
        })
    }

    /// Opens the store in the folder, which is made for writing where it is missing.
    ///
    /// # Errors
    /// The errors of [`ResultsPlace::open_folder`] and [`Store::open_in`].
    pub fn open(&self, mode: Mode) -> Result<Store, StoreError> {
        let folder = match (self, mode) {
            (_, Mode::Read) => self.open_folder()?,
            (Self::Named(path), _) => Folder::made_by_user(path)
                .map_err(|error| StoreError::from_io("create", path, error))?,
            (Self::InExperiment { dir, below }, _) => Folder::named_by_user(dir)
                .and_then(|dir| dir.make(below))
                .map_err(|error| self.refused("create", error))?,
        };
        Store::open_in(folder, mode)
    }

    /// Returns an error if there is a link where there may be none.
    ///
    /// # Errors
    /// [`StoreError::Link`] names the first.
    pub fn refuse_links(&self) -> Result<(), StoreError> {
        match self.first_link() {
            Some(path) => Err(StoreError::Link { path }),
            None => Ok(()),
        }
    }

    fn refused(&self, action: &'static str, error: io::Error) -> StoreError {
        match self.first_link() {
            Some(path) => StoreError::Link { path },
            None => StoreError::from_io(action, &self.path(), error),
        }
    }

    fn first_link(&self) -> Option<PathBuf> {
        let Self::InExperiment { dir, below } = self else {
            return None;
        };
        let opened = Folder::named_by_user(dir).ok()?;
        let mut parts: Vec<&Path> = below.ancestors().collect();
        parts.pop();
        let mut parts = parts.into_iter().rev();
        let is_link = |part: &&Path| {
            let found = opened.look(part).ok().flatten();
            found.is_some_and(|found| found.kind == FolderEntryKind::Link)
        };
        parts.find(is_link).map(|link| dir.join(link))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_on_the_way_is_named_and_nothing_is_made_behind_it() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        fs::create_dir(at("experiment")).unwrap();
        fs::create_dir_all(at("outside/name")).unwrap();
        let place = ResultsPlace::InExperiment {
            dir: at("experiment"),
            below: ".bakeoff/name".into(),
        };
        assert!(place.open(Mode::Read).unwrap_err().is_missing());
        assert!(place.refuse_links().is_ok());
        drop(place.open(Mode::Write).unwrap());
        drop(place.open(Mode::Read).unwrap());
        for (link, to) in [
            ("experiment/.bakeoff/name", "outside/name"),
            ("experiment/.bakeoff", "outside"),
        ] {
            fs::remove_dir_all(at(link)).unwrap();
            symlink(at(to), at(link)).unwrap();
            for refused in [
                place.open(Mode::Read).unwrap_err(),
                place.open(Mode::Write).unwrap_err(),
                place.refuse_links().unwrap_err(),
            ] {
                let StoreError::Link { path } = refused else {
                    panic!("{refused}");
                };
                assert_eq!(path, at(link));
            }
            if link.ends_with("name") {
                fs::remove_file(at(link)).unwrap();
                fs::create_dir(at(link)).unwrap();
            }
        }
        assert_eq!(fs::read_dir(at("outside/name")).unwrap().count(), 0);
    }
}
