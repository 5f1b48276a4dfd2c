//! Files of an experiment that a model writes, and the name of the experiment.

use crate::library::written_files::{PlaceError, cannot_write};
use bakeoff_domain::ids;
use bakeoff_files::Folder;
use bakeoff_propose::DraftFile;
use bakeoff_source::content_address;
use std::collections::BTreeMap;
use std::path::Path;

/// Returns the name of the experiment in a folder: that of the folder, as an id.
pub(crate) fn experiment_name(folder: &Path) -> String {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let last = absolute
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    ids::slug(&last.unwrap_or_default())
}

/// Returns the digest of each file's content, by the name of the file.
pub(super) fn digests<'a>(
    files: impl IntoIterator<Item = &'a DraftFile>,
) -> BTreeMap<String, String> {
    let digest = |file: &DraftFile| {
        let digest = content_address(file.text.as_bytes());
        (file.name.clone(), digest)
    };
    files.into_iter().map(digest).collect()
}

/// Writes files of the experiment, each as a whole.
///
/// # Errors
/// A file cannot be written, or exists with other content.
pub(crate) fn write_all(folder: &Path, files: &[&DraftFile]) -> Result<(), PlaceError> {
    let opened = Folder::made_by_user(folder);
    let opened = opened.map_err(|error| cannot_write(folder, &error))?;
    for file in files {
        let is_there = |error: &std::io::Error| {
            error.kind() == std::io::ErrorKind::AlreadyExists
                && opened
                    .read(&file.name, bakeoff_config::FILE_BYTES_MAX)
                    .is_ok_and(|bytes| bytes.as_deref() == Some(file.text.as_bytes()))
        };
        match opened.write_new(&file.name, file.text.as_bytes()) {
            Err(error) if !is_there(&error) => {
                return Err(cannot_write(&folder.join(&file.name), &error));
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn no_file_is_overwritten_and_what_was_written_before_an_interruption_is_no_hindrance() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| DraftFile {
            name: name.to_owned(),
            text: text.to_owned(),
        };
        let files = [file("wit/problem.wit", "one"), file("workload.rs", "two")];
        let files: Vec<&DraftFile> = files.iter().collect();
        write_all(folder.path(), &files).unwrap();
        write_all(folder.path(), &files).unwrap();
        fs::write(folder.path().join("workload.rs"), "mine").unwrap();
        assert!(write_all(folder.path(), &files).is_err());
        let kept = fs::read_to_string(folder.path().join("workload.rs")).unwrap();
        assert_eq!(kept, "mine");
    }

    #[test]
    fn nothing_is_written_through_a_link() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::os::unix::fs::symlink(other.path(), folder.path().join("wit")).unwrap();
        let file = DraftFile {
            name: "wit/problem.wit".to_owned(),
            text: "one".to_owned(),
        };
        assert!(write_all(folder.path(), &[&file]).is_err());
        assert!(!other.path().join("problem.wit").exists());
    }
}
