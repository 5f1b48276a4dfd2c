//! Components that users bring, and the files that they are granted.
//!
//! Only bytes are handled here: what is in a component is looked at by a builder child, which says
//! whether it is one of the problem's world.

mod folders;
mod grant;

pub use folders::{Folders, PackedFolders, Place, Standing};
pub use grant::{
    DEPTH_MAX, ENTRIES_MAX, GRANTED_BYTES_MAX, GrantError, GrantedFolder, read_granted,
};

use crate::build::limits::COMPONENT_BYTES_MAX;
use crate::build::{CodeBytes, oversize};
use bakeoff_domain::failure::{Failure, FailureClass, Phase};
use bakeoff_domain::hex;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

/// A file that should be a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// The file, as the user names it.
    pub path_shown: String,
    /// What is in it.
    pub bytes: Arc<[u8]>,
    /// SHA-256 of the bytes, in hexadecimal.
    pub digest: String,
}

impl Artifact {
    /// Reads a component's file. It is not looked into, and nothing larger than
    /// [`COMPONENT_BYTES_MAX`] is read.
    ///
    /// # Errors
    /// `oversize-component`, or `invalid-component` for a file that cannot be read.
    pub fn load(path: &Path, path_shown: &str) -> Result<Self, Failure> {
        let unreadable = |error: io::Error| Failure {
            class: FailureClass::InvalidComponent,
            message: format!("cannot read the component {path_shown}: {error}"),
            phase: Phase::Load,
            limit: None,
        };
        let file = File::open(path).map_err(unreadable)?;
        let found = file.metadata().map_err(unreadable)?;
        if !found.is_file() {
            return Err(unreadable(io::Error::other("it is not a file")));
        }
        if found.len() > COMPONENT_BYTES_MAX as u64 {
            return Err(oversize(path_shown, found.len()));
        }
        let mut bytes = Vec::new();
        let most = COMPONENT_BYTES_MAX as u64 + 1;
        file.take(most)
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        if bytes.len() as u64 == most {
            return Err(oversize(path_shown, most));
        }
        Ok(Self {
            path_shown: path_shown.to_owned(),
            digest: hex(&Sha256::digest(&bytes)),
            bytes: bytes.into(),
        })
    }

    /// The code to request a build with.
    pub fn code(&self) -> CodeBytes {
        CodeBytes::Component {
            path_shown: self.path_shown.clone(),
            bytes: self.bytes.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_with_its_digest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.wasm");
        std::fs::write(&path, b"abc").unwrap();
        let artifact = Artifact::load(&path, "a.wasm").unwrap();
        assert_eq!(&artifact.bytes[..], b"abc");
        assert!(artifact.digest.starts_with("ba7816bf8f01cfea"));
    }

    #[test]
    fn what_is_too_large_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.wasm");
        // A hole: it has the size, and takes no space.
        File::create(&path)
            .unwrap()
            .set_len(COMPONENT_BYTES_MAX as u64 + 1)
            .unwrap();
        let failure = Artifact::load(&path, "big.wasm").unwrap_err();
        assert_eq!(failure.class, FailureClass::OversizeComponent);
        assert!(
            failure.message.starts_with("big.wasm has 33554433 bytes"),
            "{}",
            failure.message
        );
    }

    #[test]
    fn what_is_no_file_is_refused() {
        for path in ["/dev/zero", "/nonexistent", "/"] {
            let failure = Artifact::load(Path::new(path), path).unwrap_err();
            assert_eq!(failure.class, FailureClass::InvalidComponent);
            assert!(failure.message.contains(path), "{}", failure.message);
        }
    }
}
