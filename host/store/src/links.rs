//! Symbolic links, pipes and devices in a folder of results.
//!
//! A folder of results may have come with an experiment from somebody else. A link among its files
//! could make a run write anywhere, and a pipe make it wait for ever, so a folder with one is refused.

use super::error::StoreError;
use bakeoff_files::{Folder, FolderEntryKind};
use std::io;

/// Depth of a folder of results: `variants/ID/iteration-N`, and one more.
const DEPTH_MAX: usize = 4;

/// The most entries of one of its folders: each variant of a sweep has one, and a few contents.
const ENTRIES_MAX: usize = 1 << 20;

/// Returns an error if anything in a folder is neither a file nor a folder.
///
/// # Errors
/// [`StoreError::Link`] or [`StoreError::NotAFile`] names the first; any error of reading the folder.
pub(super) fn refuse_special(folder: &Folder) -> Result<(), StoreError> {
    refuse_below(folder, DEPTH_MAX)
}

fn refuse_below(folder: &Folder, depth: usize) -> Result<(), StoreError> {
    let failed = |error| StoreError::from_io("read", folder.path(), error);
    let entries = folder.entries(ENTRIES_MAX).map_err(failed)?;
    let too_many = || {
        failed(io::Error::other(format!(
            "it has more than {ENTRIES_MAX} entries"
        )))
    };
    for entry in entries.ok_or_else(too_many)? {
        let path = folder.path().join(&entry.name);
        match entry.kind {
            FolderEntryKind::Link => return Err(StoreError::Link { path }),
            FolderEntryKind::Other => return Err(StoreError::NotAFile { path }),
            FolderEntryKind::Folder if depth > 1 => match folder.below(&entry.name) {
                // Somebody has just removed it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                below => {
                    let below = below.map_err(|error| StoreError::from_io("read", &path, error))?;
                    refuse_below(&below, depth - 1)?;
                }
            },
            FolderEntryKind::Folder | FolderEntryKind::File => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    fn refuse(folder: &Path) -> Result<(), StoreError> {
        refuse_special(&Folder::named_by_user(folder).unwrap())
    }

    #[test]
    fn a_link_at_any_depth_is_named() {
        for place in [
            "report.json",
            "variants",
            "variants/a/iteration-1/source.rs",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let link = folder.path().join(place);
            std::fs::create_dir_all(link.parent().unwrap()).unwrap();
            std::fs::write(folder.path().join("plain"), "").unwrap();
            assert!(refuse(folder.path()).is_ok());
            symlink("/nowhere", &link).unwrap();
            let error = refuse(folder.path()).unwrap_err().to_string();
            assert!(
                error.contains(place) && error.contains("is a link"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_pipe_is_named_and_not_opened() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("events.jsonl");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR, 0).unwrap();
        let error = refuse(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("events.jsonl is not a plain file"),
            "{error}"
        );
    }
}
