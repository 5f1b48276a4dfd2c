//! Links in a folder of results.
//!
//! A folder of results may have come with an experiment that somebody sent. Whatever is written
//! into it must land in it: a link among its files would lead the writing anywhere.

use super::error::StoreError;
use std::path::Path;

/// How far down a folder of results goes: `variants/ID/iteration-N`.
const DEPTH_MAX: usize = 4;

/// Refuses a folder in which anything is a link. A folder that is not there has none.
///
/// # Errors
/// [`StoreError::Link`] names the first; those of reading the folder.
pub(super) fn refuse(folder: &Path) -> Result<(), StoreError> {
    below(folder, DEPTH_MAX)
}

fn below(folder: &Path, depth: usize) -> Result<(), StoreError> {
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
        if kind.is_dir() && depth > 1 {
            below(&entry.path(), depth - 1)?;
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
            assert!(refuse(&folder.path().join("missing")).is_ok());
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
}
