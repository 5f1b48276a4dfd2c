//! Errors of bundles.

use std::path::PathBuf;

/// An error of packing or unpacking a bundle. Text from a bundle is escaped in messages.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The file is not a bundle, or it is damaged.
    #[error("{} is not a bundle, or damaged: {reason}: get it again, or pack it again with \
        `bakeoff pack`", file.display())]
    Malformed {
        /// The bundle.
        file: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The bundle has something that is not allowed: a link, an unsafe path, too much data.
    #[error("{} is refused: {reason}", file.display())]
    Refused {
        /// The bundle.
        file: PathBuf,
        /// The reason.
        reason: String,
    },
    /// A file in the bundle does not have the digest of the manifest.
    #[error("{} was changed or damaged: the SHA-256 of {path} is {found}, not {stated} as in its \
        manifest: get it again", file.display())]
    Digest {
        /// The bundle.
        file: PathBuf,
        /// The file in it.
        path: String,
        /// SHA-256 of its content.
        found: String,
        /// SHA-256 in the manifest.
        stated: String,
    },
    /// The bundle has another format version.
    #[error("{} has bundle version {found}, and this bakeoff knows version {known} only: {}", file.display(),
        other_version(*found, *known))]
    OtherVersion {
        /// The bundle.
        file: PathBuf,
        /// Format version of the bundle.
        found: u32,
        /// The version that is known here.
        known: u32,
    },
    /// There is a file in the place of the bundle already.
    #[error("{} exists already: move it away, or choose another file with --out", file.display())]
    Exists {
        /// The file.
        file: PathBuf,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}{}", path.display(), no_room(source))]
    Io {
        /// The operation: `read`, `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Message of the system.
        source: std::io::Error,
    },
}

impl BundleError {
    /// Returns true for an error of the machine, not of the bundle.
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Io { .. })
    }
}

/// Returns the next step where there is no room for a file; empty for another error.
fn no_room(error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            ": make room on the disk, or raise the quota, and do it again"
        }
        _ => "",
    }
}

/// Returns the next step with a bundle of another format version.
fn other_version(found: u32, known: u32) -> &'static str {
    if found > known {
        "use the newer bakeoff that packed it"
    } else {
        "an older bakeoff packed it: verify it with that one, or run and pack again"
    }
}
