//! Files that come from the other end, written below a folder.

use super::error::RemoteError;
use super::files::{BYTES_MAX, FILES_MAX, plain_path};
use super::messages::{Digest, FileHead, FilePart};
use bakeoff_files::{Folder, NewFile};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs::Permissions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;

/// Files that come into an empty folder of this process, each bounded, held against its digest, and put in its place as a
/// whole.
pub(crate) struct Arriving {
    folder: Folder,
    bytes_left: u64,
    open: Option<OpenFile>,
    arrived: BTreeMap<String, Digest>,
}

/// The file of which parts come.
struct OpenFile {
    head: FileHead,
    new: NewFile,
    left: u64,
    digest: Sha256,
}

impl Arriving {
    pub(crate) fn new(folder: Folder) -> Self {
        Self {
            folder,
            bytes_left: BYTES_MAX,
            open: None,
            arrived: BTreeMap::new(),
        }
    }

    /// Takes a part of a file whose path is one of those that `is_wanted`.
    pub(crate) fn take(
        &mut self,
        part: FilePart,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<(), RemoteError> {
        match part {
            FilePart::Head(head) => self.begin(head, is_wanted),
            FilePart::Content(content) => self.go_on(&content),
            FilePart::End(digest) => self.end(digest),
        }
    }

    /// Returns the digest of each file that came, by path.
    pub(crate) fn finish(self) -> Result<BTreeMap<String, Digest>, RemoteError> {
        match self.open {
            Some(open) => Err(RemoteError::Cut(format!(
                ": half of {} is missing",
                open.head.path
            ))),
            None => Ok(self.arrived),
        }
    }

    fn begin(
        &mut self,
        head: FileHead,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<(), RemoteError> {
        let path = &head.path;
        let is_plain = plain_path(path).is_ok_and(|plain| plain == *path) && !path.is_empty();
        if self.open.is_some() || !is_plain || !is_wanted(path) || self.arrived.contains_key(path) {
            return Err(RemoteError::Unasked(format!(
                "the file {path:?}, which nothing asked for"
            )));
        }
        if self.arrived.len() == FILES_MAX {
            return Err(RemoteError::Unasked(format!("more than {FILES_MAX} files")));
        }
        self.bytes_left = self.bytes_left.checked_sub(head.bytes).ok_or_else(|| {
            RemoteError::TooMuch(format!("the files have more than {BYTES_MAX} bytes"))
        })?;
        // Nobody else writes there, and no killed writer left anything.
        let new = self.folder.further_new_file(path);
        let new = new.map_err(|error| RemoteError::file(path, error))?;
        self.open = Some(OpenFile {
            left: head.bytes,
            head,
            new,
            digest: Sha256::new(),
        });
        Ok(())
    }

    fn go_on(&mut self, content: &[u8]) -> Result<(), RemoteError> {
        let open = self
            .open
            .as_mut()
            .ok_or_else(|| RemoteError::Unasked("a part of no file".to_owned()))?;
        open.left = open
            .left
            .checked_sub(content.len() as u64)
            .ok_or_else(|| RemoteError::Unasked("more of a file than there is".to_owned()))?;
        open.digest.update(content);
        let written = open.new.file().write_all(content);
        written.map_err(|error| RemoteError::file(&open.head.path, error))
    }

    fn end(&mut self, digest: Digest) -> Result<(), RemoteError> {
        let open = self
            .open
            .take()
            .ok_or_else(|| RemoteError::Unasked("the end of no file".to_owned()))?;
        let found: Digest = open.digest.finalize().into();
        let path = open.head.path;
        if open.left > 0 || found != digest {
            return Err(RemoteError::Unasked(format!(
                "{path:?} with another digest than it has"
            )));
        }
        let in_place = || {
            if open.head.is_executable {
                open.new
                    .file()
                    .set_permissions(Permissions::from_mode(0o700))?;
            }
            open.new.put_in_place()
        };
        in_place().map_err(|error| RemoteError::file(&path, error))?;
        self.arrived.insert(path, digest);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(path: &str, bytes: u64) -> FilePart {
        FilePart::Head(FileHead {
            path: path.to_owned(),
            bytes,
            is_executable: false,
        })
    }

    fn arriving() -> (tempfile::TempDir, Arriving) {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::named_by_user(home.path()).unwrap();
        (home, Arriving::new(folder))
    }

    #[test]
    fn a_file_is_there_as_a_whole_or_not_at_all() {
        let (home, mut arriving) = arriving();
        let digest: Digest = Sha256::digest("content").into();
        let parts = [
            head("a/b", 7),
            FilePart::Content(b"cont".to_vec()),
            FilePart::Content(b"ent".to_vec()),
        ];
        for part in parts {
            arriving.take(part, |_| true).unwrap();
            assert!(!home.path().join("a/b").exists());
        }
        arriving.take(FilePart::End(digest), |_| true).unwrap();
        assert_eq!(
            std::fs::read_to_string(home.path().join("a/b")).unwrap(),
            "content"
        );
        assert_eq!(arriving.finish().unwrap()["a/b"], digest);
    }

    #[test]
    fn what_nobody_asked_for_is_refused() {
        for path in ["../x", "/x", "a/../../x", "", "a//b", "./a", "secret"] {
            let (_home, mut arriving) = arriving();
            let refused = arriving.take(head(path, 1), |path| path != "secret");
            assert!(
                matches!(refused, Err(RemoteError::Unasked(_))),
                "{path}: {refused:?}"
            );
        }
        let (_home, mut large) = arriving();
        let refused = large.take(head("a", BYTES_MAX + 1), |_| true);
        assert!(matches!(refused, Err(RemoteError::TooMuch(_))));
        let (home, mut longer) = arriving();
        longer.take(head("a", 1), |_| true).unwrap();
        let refused = longer.take(FilePart::Content(vec![0; 2]), |_| true);
        assert!(matches!(refused, Err(RemoteError::Unasked(_))));
        let (_there, mut other) = arriving();
        other.take(head("a", 0), |_| true).unwrap();
        assert!(other.take(FilePart::End([0; 32]), |_| true).is_err());
        let (_here, mut half) = arriving();
        half.take(head("a", 2), |_| true).unwrap();
        assert!(matches!(half.finish(), Err(RemoteError::Cut(_))));
        assert!(std::fs::read_dir(home.path()).unwrap().count() == 0);
    }
}
