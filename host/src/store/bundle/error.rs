//! What can be wrong with a bundle.

use std::path::PathBuf;

/// Why a bundle could not be packed or unpacked. Text from a bundle is escaped in messages.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// It is no bundle, or it is damaged.
    #[error("{} is not a bundle that can be read: {reason}: nothing of it was used; get it again, \
        or pack it again with `bakeoff pack`", file.display())]
    Malformed {
        /// The bundle.
        file: PathBuf,
        /// What was found.
        reason: String,
    },
    /// It holds something that no bundle holds: a link, a path that leads elsewhere, too much.
    #[error("{} is refused: {reason}: nothing of it was used", file.display())]
    Refused {
        /// The bundle.
        file: PathBuf,
        /// What was found.
        reason: String,
    },
    /// A file in it is not what the manifest says.
    #[error("{} is not as it was packed: the digest of {path} is {found}, and its manifest says \
        {stated}: get it again", file.display())]
    Digest {
        /// The bundle.
        file: PathBuf,
        /// The file in it.
        path: String,
        /// SHA-256 of what is there.
        found: String,
        /// What the manifest says.
        stated: String,
    },
    /// A newer bakeoff packed it.
    #[error("{} has bundle version {found}, and this bakeoff knows version {known}: use a newer \
        bakeoff", file.display())]
    Newer {
        /// The bundle.
        file: PathBuf,
        /// Its version.
        found: u32,
        /// The newest version that is known here.
        known: u32,
    },
    /// There is a file already where the bundle should be.
    #[error("{} exists already: move it away, or name another file with --out", file.display())]
    Exists {
        /// The file.
        file: PathBuf,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: `read`, `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
}

impl BundleError {
    /// The machine's fault, not the bundle's.
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Io { .. })
    }
}
