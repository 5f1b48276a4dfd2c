//! A digest of the files of a revision, made in the parent, by which builds of them are known. The id of a commit is the
//! repository's word.

use super::protocol::FILE_BYTES_MAX;
use bakeoff_files::Folder;
use sha2::{Digest as _, Sha256};
use std::io;
use std::path::{Path, PathBuf};

/// Returns the SHA-256 of the paths and contents of all files below a folder, as 64 hexadecimal digits.
///
/// # Errors
/// A file cannot be read, or is no plain file.
pub(super) fn digest(folder: &Path) -> io::Result<String> {
    let opened = Folder::named_by_user(folder)?;
    let mut paths = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(within) = folders.pop() {
        for entry in std::fs::read_dir(folder.join(&within))? {
            let entry = entry?;
            let path = within.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else {
                paths.push(path);
            }
        }
    }
    paths.sort();
    let mut sum = Sha256::new();
    for path in paths {
        let contents = opened.read(&path, FILE_BYTES_MAX)?;
        let contents = contents.ok_or_else(|| io::Error::other("a file is too large"))?;
        let name = path.as_os_str().as_encoded_bytes();
        for part in [name, &contents] {
            sum.update((part.len() as u64).to_le_bytes());
            sum.update(part);
        }
    }
    let digest = sum.finalize();
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn other_files_have_another_digest_and_equal_ones_the_same() {
        let of = |files: &[(&str, &str)]| {
            let folder = tempfile::tempdir().unwrap();
            for (path, text) in files {
                let path = folder.path().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            digest(folder.path()).unwrap()
        };
        let first = of(&[("a/b", "1"), ("c", "2")]);
        assert_eq!(first, of(&[("c", "2"), ("a/b", "1")]));
        for other in [
            &[("a/b", "1"), ("c", "3")][..],
            &[("a/b", "12"), ("c", "")],
            &[("a/c", "1"), ("c", "2")],
            &[("a/b", "1")],
        ] {
            assert_ne!(first, of(other));
        }
    }

    #[test]
    fn a_link_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("a")).unwrap();
        assert!(digest(folder.path()).is_err());
    }
}
