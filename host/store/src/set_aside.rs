//! Results that are set aside: moved to a folder of their own, and never written to again.

use super::error::StoreError;
use super::files::LAYOUT;
use bakeoff_files::Folder;
use std::io;
use std::path::{Path, PathBuf};

/// Begins the names of folders with results that were set aside.
const ASIDE: &str = "aside-";
/// Largest number of folders with results that were set aside, in one folder of results.
const ASIDE_MAX: u32 = 10_000;

/// Moves all results of a folder to the first free `aside-N` in it, and returns the path of that
/// folder; `None` if there are no results. `bakeoff report` reads the new folder like any other
/// folder of results.
pub(super) fn set_aside(folder: &Folder) -> Result<Option<PathBuf>, StoreError> {
    let mut found = LAYOUT
        .into_iter()
        .filter(|name| folder.has(name))
        .peekable();
    if found.peek().is_none() {
        return Ok(None);
    }
    let (name, aside) = new_folder(folder)?;
    for file in found {
        folder
            .rename(file, Path::new(&name).join(file))
            .map_err(|error| StoreError::from_io("move", &folder.path().join(file), error))?;
    }
    let synced = aside.sync().and_then(|()| folder.sync());
    synced.map_err(|error| StoreError::from_io("write", aside.path(), error))?;
    Ok(Some(aside.path().to_owned()))
}

fn new_folder(folder: &Folder) -> Result<(String, Folder), StoreError> {
    for number in 1..=ASIDE_MAX {
        let name = format!("{ASIDE}{number}");
        match folder.make_new(&name) {
            Ok(made) => return Ok((name, made)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                let path = folder.path().join(name);
                return Err(StoreError::from_io("create", &path, error));
            }
        }
    }
    Err(StoreError::Io {
        action: "set aside what is in",
        path: folder.path().to_owned(),
        source: io::Error::other(format!(
            "{ASIDE_MAX} folders `{ASIDE}N` are there already: remove some"
        )),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_results_are_moved_and_nothing_that_was_set_aside_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let opened = Folder::named_by_user(folder.path()).unwrap();
        assert_eq!(set_aside(&opened).unwrap(), None);
        for number in ["1", "2"] {
            write("lock", "");
            write("notes.txt", "the user's own");
            write("bakeoff.db-journal", number);
            write("variants/heap/iteration-1/source.rs", number);
            let aside = set_aside(&opened).unwrap().unwrap();
            assert_eq!(aside, folder.path().join(format!("aside-{number}")));
            let moved = |name: &str| std::fs::read_to_string(aside.join(name)).unwrap();
            assert_eq!(moved("bakeoff.db-journal"), number);
            assert_eq!(moved("variants/heap/iteration-1/source.rs"), number);
        }
        let left = std::fs::read_dir(folder.path()).unwrap();
        let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["aside-1", "aside-2", "lock", "notes.txt"]);
    }
}
