//! Folders of results below a folder that the user named. Somebody else may have filled it: no link is followed, and
//! there is a bound on all that is looked at.

use bakeoff_config::FILE_NAME;
use bakeoff_files::{Folder, FolderEntryKind};
use bakeoff_store::{Fingerprint, ResultsPlace, Store};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// The most folders on the way to one that is looked into.
const DEPTH_MAX: usize = 8;
/// The most entries of a folder that is looked into.
const ENTRIES_MAX: usize = 4_096;
/// The most folders that are looked into.
const FOLDERS_MAX: usize = 20_000;
/// The most folders of results that are listed.
const PLACES_MAX: usize = 500;

/// The folder of everything that is kept of an experiment.
pub(crate) const KEPT: &str = ".bakeoff";
/// Folders of other tools, which are large and have no results.
const SKIPPED: [&str; 2] = ["target", "node_modules"];

/// A folder of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Id in addresses: 16 hexadecimal digits, which follow from the path.
    pub(crate) id: String,
    /// Path below the folder that the user named; empty for that folder itself.
    pub(crate) below: PathBuf,
}

impl Place {
    pub(crate) fn new(below: PathBuf) -> Self {
        let digest = Sha256::digest(below.as_os_str().as_bytes());
        let id = bakeoff_domain::hex(&digest[..8]);
        Self { id, below }
    }

    /// Returns the place of the results below the folder that the user named.
    pub(crate) fn results(&self, root: &Path) -> ResultsPlace {
        if self.below.as_os_str().is_empty() {
            ResultsPlace::Named(root.to_owned())
        } else {
            ResultsPlace::InExperiment {
                dir: root.to_owned(),
                below: self.below.clone(),
            }
        }
    }

    /// Returns the folder of the experiment below the folder that the user named: that in which `.bakeoff` lies, or
    /// the folder of results itself.
    pub(crate) fn experiment(&self) -> &Path {
        let kept = self
            .below
            .parent()
            .filter(|parent| parent.file_name() == Some(OsStr::new(KEPT)));
        kept.and_then(Path::parent).unwrap_or(&self.below)
    }

    /// Returns the folder that the records of models lie in, below the folder that the user named; `None` for results
    /// that lie elsewhere.
    pub(crate) fn kept(&self) -> Option<&Path> {
        self.below
            .parent()
            .filter(|parent| parent.file_name() == Some(OsStr::new(KEPT)))
    }
}

/// The folders of results that were found.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundPlaces {
    /// The folders, by their path.
    pub(crate) places: Vec<Place>,
    /// The folders of experiments without results.
    pub(crate) unrun: Vec<Place>,
    /// True if a bound left some folders out.
    pub(crate) is_partial: bool,
}

/// Finds the folders of results in an open folder and below it.
pub(crate) fn find(root: &Folder) -> FoundPlaces {
    let mut walk = Walk {
        found: FoundPlaces::default(),
        folders: 0,
    };
    walk.enter(root, Path::new(""), 0);
    let mut found = walk.found;
    let run: BTreeSet<&Path> = found.places.iter().map(Place::experiment).collect();
    found.unrun.retain(|place| !run.contains(&*place.below));
    found
}

struct Walk {
    found: FoundPlaces,
    folders: usize,
}

impl Walk {
    fn enter(&mut self, folder: &Folder, below: &Path, depth: usize) {
        // Also what is no plain file: its row says why that cannot be read.
        if Store::is_named_in(folder) {
            if self.found.places.len() < PLACES_MAX {
                self.found.places.push(Place::new(below.to_owned()));
            } else {
                self.found.is_partial = true;
            }
            // What only has the name of a database hides nothing that lies below.
            if Fingerprint::of(folder).is_some() {
                return;
            }
        }
        let file = folder.look(FILE_NAME).ok().flatten();
        if file.is_some_and(|found| found.kind == FolderEntryKind::File) {
            if self.found.unrun.len() < PLACES_MAX {
                self.found.unrun.push(Place::new(below.to_owned()));
            } else {
                self.found.is_partial = true;
            }
        }
        self.folders += 1;
        if depth > DEPTH_MAX || self.folders > FOLDERS_MAX {
            self.found.is_partial = true;
            return;
        }
        // A folder that may not be read has nothing for this user.
        let Ok(listed) = folder.entries(ENTRIES_MAX) else {
            return;
        };
        let Some(entries) = listed else {
            self.found.is_partial = true;
            return;
        };
        for entry in entries {
            if entry.kind == FolderEntryKind::Folder
                && is_entered(&entry.name)
                && let Ok(child) = folder.below(&entry.name)
            {
                self.enter(&child, &below.join(&entry.name), depth + 1);
            }
        }
    }
}

fn is_entered(name: &OsStr) -> bool {
    name == KEPT || !is_passed_over(name)
}

/// Returns true for what is no part of an experiment: what is hidden, as results and repositories are, and folders of
/// other tools.
pub(crate) fn is_passed_over(name: &OsStr) -> bool {
    name.as_bytes().starts_with(b".") || SKIPPED.iter().any(|skipped| name == *skipped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_store::Mode;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn results_are_found_and_no_link_is_followed() {
        let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let make = |folder: PathBuf| drop(Store::open(&folder, Mode::Write).unwrap());
        for below in [
            "a/.bakeoff/x",
            "b/c/results",
            "target/.bakeoff/y",
            ".hidden/.bakeoff/z",
        ] {
            fs::create_dir_all(root.path().join(below)).unwrap();
            make(root.path().join(below));
        }
        fs::create_dir_all(outside.path().join(".bakeoff/w")).unwrap();
        make(outside.path().join(".bakeoff/w"));
        symlink(outside.path(), root.path().join("linked")).unwrap();
        fs::create_dir(root.path().join("d")).unwrap();
        symlink(
            outside.path().join(".bakeoff"),
            root.path().join("d/.bakeoff"),
        )
        .unwrap();
        let found = find(&Folder::named_by_user(root.path()).unwrap());
        let below: Vec<&str> = found
            .places
            .iter()
            .map(|place| place.below.to_str().unwrap())
            .collect();
        assert_eq!(below, ["a/.bakeoff/x", "b/c/results"]);
        assert!(!found.is_partial);
        assert_eq!(found.places[0].experiment(), Path::new("a"));
        assert_eq!(found.places[1].experiment(), Path::new("b/c/results"));
        assert!(found.places[1].kept().is_none());
        for name in ["a", "e", "b"] {
            fs::create_dir_all(root.path().join(name)).unwrap();
            fs::write(root.path().join(name).join(FILE_NAME), "").unwrap();
        }
        let found = find(&Folder::named_by_user(root.path()).unwrap());
        let unrun: Vec<&Path> = found.unrun.iter().map(|place| &*place.below).collect();
        // The results below `b` lie apart from it.
        assert_eq!(unrun, [Path::new("b"), Path::new("e")]);
        let of_results = find(&Folder::named_by_user(&root.path().join("a/.bakeoff/x")).unwrap());
        assert_eq!(of_results.places, [Place::new(PathBuf::new())]);
    }

    #[test]
    fn a_deep_tree_is_left_out_and_said_to_be() {
        let root = tempfile::tempdir().unwrap();
        let deep: PathBuf = (0..DEPTH_MAX + 3)
            .map(|level| format!("f{level}"))
            .collect();
        fs::create_dir_all(root.path().join(&deep)).unwrap();
        let found = find(&Folder::named_by_user(root.path()).unwrap());
        assert!(found.places.is_empty() && found.is_partial);
    }
}
