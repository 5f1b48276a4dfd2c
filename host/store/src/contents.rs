//! Content-addressed files: everything that a run was made from.

use super::atomic_file::{Durability, refused, replace};
use super::error::StoreError;
use bakeoff_files::Folder;
use bakeoff_source::content_address;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the folder of content-addressed files, in the folder of results.
const CONTENTS: &str = "contents";

/// Hexadecimal digits of a SHA-256 digest.
const DIGEST_DIGITS: usize = 64;

/// A folder of files that are named by the SHA-256 of their bytes, as 64 lower-case hexadecimal
/// digits.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// let contents = bakeoff_store::Files::named_by_user(folder.path()).unwrap().contents();
/// let digest = contents.put(b"pub fn sort() {}").unwrap();
/// assert_eq!(digest.len(), 64);
/// assert_eq!(contents.get(&digest, 1_000).unwrap().unwrap(), b"pub fn sort() {}");
/// ```
#[derive(Clone, Debug)]
pub struct Contents {
    folder: Arc<Folder>,
}

impl Contents {
    /// The content-addressed files of a folder of results, whose own folder need not exist yet.
    pub(super) fn new(folder: Arc<Folder>) -> Self {
        Self { folder }
    }

    /// Returns where the content of a digest is, or would be; `None` if the text is not a digest.
    pub fn path(&self, digest: &str) -> Option<PathBuf> {
        is_digest(digest).then(|| self.folder.path().join(CONTENTS).join(digest))
    }

    /// Returns true if there is anything under the name of a digest.
    pub fn has(&self, digest: &str) -> bool {
        is_digest(digest) && self.folder.has(Path::new(CONTENTS).join(digest))
    }

    /// Writes a content under its digest and returns the digest. When this returns, the content
    /// survives a power cut. A file that has this content already is left as it is; one that was
    /// changed is replaced.
    ///
    /// # Errors
    /// [`StoreError::Link`] and [`StoreError::NotAFile`] for what is in the place of the file or
    /// its folder; any error of writing.
    pub fn put(&self, bytes: &[u8]) -> Result<String, StoreError> {
        let digest = content_address(bytes);
        let path = Path::new(CONTENTS).join(&digest);
        let is_there = match self.open(&digest)? {
            Some((file, length)) => {
                length == bytes.len() as u64
                    && content_address(&read(file, length, &path)?) == digest
            }
            None => false,
        };
        if !is_there {
            replace(&self.folder, &path, bytes, Durability::PowerCut)?;
        }
        Ok(digest)
    }

    /// Returns the content of a digest, or `None` if there is no such file.
    ///
    /// # Errors
    /// [`StoreError::Tampered`] if the content does not have this digest;
    /// [`StoreError::TooLarge`], [`StoreError::Link`], [`StoreError::NotAFile`];
    /// [`StoreError::NotADigest`] if the text is not one; any error of reading.
    pub fn get(&self, digest: &str, bytes_max: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self
            .path(digest)
            .ok_or_else(|| StoreError::not_a_digest(digest))?;
        let Some((file, length)) = self.open(digest)? else {
            return Ok(None);
        };
        if length > bytes_max {
            return Err(StoreError::TooLarge {
                path,
                bytes: length,
                bytes_max,
            });
        }
        let bytes = read(file, length, &path)?;
        let found = content_address(&bytes);
        if found != digest {
            return Err(StoreError::Tampered { path, found });
        }
        Ok(Some(bytes))
    }

    /// Opens a plain file for reading; `None` if there is none of this name.
    fn open(&self, digest: &str) -> Result<Option<(File, u64)>, StoreError> {
        let path = Path::new(CONTENTS).join(digest);
        let opened = self.folder.open(&path).and_then(|file| {
            let bytes = file.metadata()?.len();
            Ok((file, bytes))
        });
        match opened {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(refused(&self.folder, &path, "read", error)),
            Ok(opened) => Ok(Some(opened)),
        }
    }
}

fn read(file: File, bytes: u64, path: &Path) -> Result<Vec<u8>, StoreError> {
    let mut content = Vec::new();
    file.take(bytes.saturating_add(1))
        .read_to_end(&mut content)
        .map_err(|error| StoreError::from_io("read", path, error))?;
    Ok(content)
}

fn is_digest(text: &str) -> bool {
    text.len() == DIGEST_DIGITS
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{MetadataExt, symlink};

    /// The output of `printf abc | sha256sum`.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    fn contents() -> (tempfile::TempDir, Contents) {
        let folder = tempfile::tempdir().unwrap();
        let contents = Contents::new(Arc::new(Folder::named_by_user(folder.path()).unwrap()));
        (folder, contents)
    }

    #[test]
    fn a_content_is_found_under_its_sha256() {
        let (folder, contents) = contents();
        assert_eq!(contents.get(ABC, 3).unwrap(), None);
        assert_eq!(contents.put(b"abc").unwrap(), ABC);
        assert_eq!(contents.get(ABC, 3).unwrap().unwrap(), b"abc");
        let empty = contents.put(b"").unwrap();
        assert_eq!(contents.get(&empty, 0).unwrap().unwrap(), b"");
        let path = contents.path(ABC).unwrap();
        assert_eq!(std::fs::read(path).unwrap(), b"abc");
        let files = std::fs::read_dir(folder.path().join(CONTENTS)).unwrap();
        let files = files.count();
        assert_eq!(files, 2, "nothing temporary is left");
    }

    #[test]
    fn a_content_that_is_there_is_not_written_again() {
        let (_folder, contents) = contents();
        contents.put(b"abc").unwrap();
        let inode = || {
            std::fs::metadata(contents.path(ABC).unwrap())
                .unwrap()
                .ino()
        };
        let before = inode();
        contents.put(b"abc").unwrap();
        assert_eq!(inode(), before);
    }

    #[test]
    fn a_changed_or_truncated_content_is_refused_and_can_be_put_again() {
        let (_folder, contents) = contents();
        let path = contents.path(ABC).unwrap();
        for changed in ["abd", "ab", "", "abcd"] {
            contents.put(b"abc").unwrap();
            std::fs::write(&path, changed).unwrap();
            let error = contents.get(ABC, 10).unwrap_err();
            assert!(error.is_tampered(), "{error}");
            let text = error.to_string();
            assert!(text.contains(ABC) && text.contains("restore it"), "{text}");
            contents.put(b"abc").unwrap();
            assert_eq!(contents.get(ABC, 10).unwrap().unwrap(), b"abc");
        }
    }

    #[test]
    fn a_link_a_folder_and_a_pipe_are_refused() {
        let (folder, contents) = contents();
        contents.put(b"other").unwrap();
        let outside = folder.path().join("outside");
        std::fs::write(&outside, "abc").unwrap();
        let path = contents.path(ABC).unwrap();
        symlink(&outside, &path).unwrap();
        let is_link = |error: StoreError| matches!(error, StoreError::Link { .. });
        assert!(is_link(contents.get(ABC, 10).unwrap_err()));
        assert!(is_link(contents.put(b"abc").unwrap_err()));
        std::fs::remove_file(&path).unwrap();

        let is_no_file = |error: StoreError| matches!(error, StoreError::NotAFile { .. });
        std::fs::create_dir(&path).unwrap();
        assert!(is_no_file(contents.get(ABC, 10).unwrap_err()));
        assert!(is_no_file(contents.put(b"abc").unwrap_err()));
        std::fs::remove_dir(&path).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
            0,
        )
        .unwrap();
        assert!(is_no_file(contents.get(ABC, 10).unwrap_err()));
    }

    #[test]
    fn a_folder_that_is_a_link_is_refused() {
        let (folder, contents) = contents();
        let outside = folder.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join(ABC), "abc").unwrap();
        symlink(&outside, folder.path().join(CONTENTS)).unwrap();
        for error in [
            contents.get(ABC, 10).unwrap_err(),
            contents.put(b"abc").unwrap_err(),
        ] {
            assert!(matches!(error, StoreError::Link { .. }), "{error}");
        }
    }

    #[test]
    fn only_digests_are_names() {
        let (_folder, contents) = contents();
        let upper = ABC.to_uppercase();
        let long = format!("{ABC}0");
        for name in ["", "../bakeoff.db", &ABC[1..], &upper, &long] {
            assert_eq!(contents.path(name), None);
            let error = contents.get(name, 10).unwrap_err();
            assert!(matches!(error, StoreError::NotADigest { .. }), "{error}");
        }
    }

    #[test]
    fn a_content_above_the_limit_is_not_read() {
        let (_folder, contents) = contents();
        contents.put(b"abc").unwrap();
        let error = contents.get(ABC, 2).unwrap_err();
        assert!(matches!(error, StoreError::TooLarge { .. }), "{error}");
    }
}
