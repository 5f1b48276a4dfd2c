//! Symbolic links, pipes and devices in a folder of results.
//!
//! A folder of results may have come with an experiment from somebody else. A link among its files
//! could make a run write anywhere, and a pipe make it wait for ever, so a folder with one is refused.

use super::error::StoreError;
use std::path::Path;

/// Depth of a folder of results: `variants/ID/iteration-N`, and one more.
const DEPTH_MAX: usize = 4;

/// Returns an error if anything in a folder is neither a file nor a folder. A folder that does not exist
/// has nothing in it.
///
/// # Errors
/// [`StoreError::Link`] or [`StoreError::NotAFile`] names the first; any error of reading the folder.
pub(super) fn refuse_special(folder: &Path) -> Result<(), StoreError> {
    refuse_below(folder, DEPTH_MAX)
}

fn refuse_below(folder: &Path, depth: usize) -> Result<(), StoreError> {
    let failed = |error| StoreError::from_io("read", folder, error);
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        other => other.map_err(failed)?,
    };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_symlink() {
            return Err(StoreError::Link { path: entry.path() });
        }
        if !kind.is_dir() && !kind.is_file() {
            return Err(StoreError::NotAFile { path: entry.path() });
        }
        if kind.is_dir() && depth > 1 {
            refuse_below(&entry.path(), depth - 1)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_at_any_depth_is_named() {
        for place in [
            "report.json",
            "variants",
            "variants/a/iteration-1/source.rs",
        ] {
            let folder = tempfile::tempdir().unwrap();
            assert!(refuse_special(&folder.path().join("missing")).is_ok());
            let link = folder.path().join(place);
            std::fs::create_dir_all(link.parent().unwrap()).unwrap();
            std::fs::write(folder.path().join("plain"), "").unwrap();
            assert!(refuse_special(folder.path()).is_ok());
            symlink("/nowhere", &link).unwrap();
            let error = refuse_special(folder.path()).unwrap_err().to_string();
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
        let error = refuse_special(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("events.jsonl is not a plain file"),
            "{error}"
        );
    }
}
