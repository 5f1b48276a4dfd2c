//! What can go wrong with a store, and the way out of each.

use super::lock::Holder;
use rusqlite::ErrorCode;
use std::path::{Path, PathBuf};

/// Why the store could not do what was asked. Every message names the file and what to do next.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another run has the folder.
    #[error("{} is in use by {holder}: wait until it is done, or stop it", folder.display())]
    Locked {
        /// The folder of the experiment.
        folder: PathBuf,
        /// Who has it.
        holder: Holder,
    },
    /// Another program holds a transaction open for longer than we wait.
    #[error("{} is being written to by another program: close its transaction and run again; \
        all finished results are kept", file.display())]
    Busy {
        /// The database.
        file: PathBuf,
    },
    /// The database was written by a newer bakeoff.
    #[error("{} has format version {found}, and this bakeoff knows versions up to {known}: use \
        a newer bakeoff, or keep the file and start another with --fresh", file.display())]
    Newer {
        /// The database.
        file: PathBuf,
        /// Its version.
        found: i64,
        /// The newest version that is known here.
        known: i64,
    },
    /// The database is damaged, or is none of ours.
    #[error("{} cannot be read as a store: {reason}: nothing was changed; restore it from a \
        copy, or run with --fresh, which moves it aside and starts a new one", file.display())]
    Corrupt {
        /// The database.
        file: PathBuf,
        /// What SQLite or a check says.
        reason: String,
    },
    /// There is no room for what was to be written.
    #[error("cannot write {}: {reason}: make room (or raise the quota) and run again; all \
        finished results are kept", file.display())]
    Full {
        /// The file that was written to.
        file: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// The folder or file may not be written.
    #[error("cannot write {}: {reason}: make it writable, or choose another \
        folder with --out", file.display())]
    ReadOnly {
        /// The folder or file.
        file: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// Something in the folder is a link.
    #[error("{} is a link, and results are not written through links, which may lead anywhere: \
        remove it, or choose another folder with --out", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// There is nothing to read.
    #[error("{} holds no results: run the experiment first", folder.display())]
    Missing {
        /// The folder of the experiment.
        folder: PathBuf,
    },
    /// The run that was asked for does not exist.
    #[error("there is no run {run} in {}: list them with `bakeoff runs`", file.display())]
    NoSuchRun {
        /// What was asked for.
        run: i64,
        /// The database.
        file: PathBuf,
    },
    /// A result was to be kept before a run had begun, or by a reader.
    #[error("{} was opened for reading, or no run has begun in it", file.display())]
    NotBegun {
        /// The database.
        file: PathBuf,
    },
    /// An id would not be safe as the name of a file.
    #[error(
        "`{id}` cannot name a file: use 1 to 64 of a-z, 0-9, `-`, `_` and `.`, beginning with a letter or digit"
    )]
    UnsafeId {
        /// The id, with everything but printable ASCII escaped.
        id: String,
    },
    /// A value is larger than the store accepts, or does not fit its column.
    #[error("cannot keep {what}: {reason}")]
    Value {
        /// What was to be kept.
        what: String,
        /// Why not.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: `write`, `create`, …
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// SQLite failed in a way that no other class describes.
    #[error("{} failed: {source}: all finished results are kept; run again", file.display())]
    Database {
        /// The database.
        file: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
}

impl StoreError {
    /// Someone else has the folder or the database.
    pub fn is_locked(&self) -> bool {
        matches!(self, Self::Locked { .. } | Self::Busy { .. })
    }

    /// The database was written by a newer bakeoff.
    pub fn is_newer(&self) -> bool {
        matches!(self, Self::Newer { .. })
    }

    /// The database is damaged, or is none of ours.
    pub fn is_corrupt(&self) -> bool {
        matches!(self, Self::Corrupt { .. })
    }

    /// There is no room for what was to be written.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Full { .. })
    }

    /// The folder or file may not be written.
    pub fn is_read_only(&self) -> bool {
        matches!(self, Self::ReadOnly { .. })
    }

    /// There is nothing to read.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. })
    }

    /// The run that was asked for does not exist.
    pub fn is_no_such_run(&self) -> bool {
        matches!(self, Self::NoSuchRun { .. })
    }

    /// Sorts an error of SQLite into its class.
    pub(super) fn from_sqlite(file: &Path, error: rusqlite::Error) -> Self {
        let file = file.to_path_buf();
        let reason = error.to_string();
        let Some(failure) = error.sqlite_error() else {
            return match error {
                // A column that does not hold what our own schema says.
                rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::IntegralValueOutOfRange(..) => Self::Corrupt { file, reason },
                source => Self::Database { file, source },
            };
        };
        match failure.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy { file },
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::Corrupt { file, reason },
            ErrorCode::DiskFull => Self::Full { file, reason },
            ErrorCode::SystemIoFailure if no_room(failure.extended_code) => {
                Self::Full { file, reason }
            }
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen => {
                Self::ReadOnly { file, reason }
            }
            _ => Self::Database {
                file,
                source: error,
            },
        }
    }

    /// Sorts an error of the system into its class.
    pub(super) fn from_io(action: &'static str, path: &Path, source: std::io::Error) -> Self {
        use std::io::ErrorKind;
        let file = path.to_path_buf();
        let reason = source.to_string();
        match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                Self::Full { file, reason }
            }
            ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied if action != "read" => {
                Self::ReadOnly { file, reason }
            }
            _ => Self::Io {
                action,
                path: file,
                source,
            },
        }
    }

    /// An id that cannot name a file.
    pub(super) fn unsafe_id(id: &str) -> Self {
        let shown: String = id.chars().take(80).collect();
        Self::UnsafeId {
            id: shown.escape_default().to_string(),
        }
    }
}

/// Whether a failed write is one that room would cure. SQLite says `SQLITE_FULL` only for an empty
/// disk; a quota or a limit on the size of files ends as one of these.
fn no_room(extended_code: i32) -> bool {
    use rusqlite::ffi;
    matches!(
        extended_code,
        ffi::SQLITE_IOERR_WRITE
            | ffi::SQLITE_IOERR_TRUNCATE
            | ffi::SQLITE_IOERR_FSYNC
            | ffi::SQLITE_IOERR_SHMSIZE
    )
}
