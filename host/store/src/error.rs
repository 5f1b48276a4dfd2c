//! Errors of the store.

use super::holder::LockHolder;
use rusqlite::{ErrorCode, ffi};
use std::path::{Path, PathBuf};

/// An error of the store. Every message names the file and the next step.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another run has the folder.
    #[error("{} is in use by {holder}: wait until it ends, or stop it", folder.display())]
    Locked {
        /// The folder of the experiment.
        folder: PathBuf,
        /// The process that has it.
        holder: LockHolder,
    },
    /// Another program keeps a transaction open for longer than the timeout.
    #[error("{} is locked by another program: close its transaction and run again; all finished \
        results are stored", file.display())]
    Busy {
        /// The database.
        file: PathBuf,
    },
    /// The database has another format version.
    #[error("{} has format version {found}, and this bakeoff knows version {known} only: {}", file.display(),
        other_version(*found, *known))]
    OtherVersion {
        /// The database.
        file: PathBuf,
        /// Format version of the database.
        found: i64,
        /// The version that is known here.
        known: i64,
    },
    /// The database is damaged, or belongs to another program.
    #[error("cannot read the database {}: {reason}: restore it from a copy, or run with --fresh, \
        which sets the results aside and starts anew; nothing was changed", file.display())]
    Corrupt {
        /// The database.
        file: PathBuf,
        /// Message of SQLite or of a check.
        reason: String,
    },
    /// The database has no valid seal: it was written or changed elsewhere, and no run writes into such a database.
    #[error("{} comes from elsewhere (another machine, user or program wrote or changed it), and no run \
        goes on with it here: look at it with `bakeoff report`, go on with it on the machine that made it, as with \
        `bakeoff --on`, or run with --fresh, which sets the results aside and starts anew", file.display())]
    Elsewhere {
        /// The database.
        file: PathBuf,
    },
    /// The disk or the quota is full.
    #[error("cannot write {}: {reason}: make room on the disk, or raise the quota, and run again; \
        all finished results are stored", file.display())]
    Full {
        /// The file that was written to.
        file: PathBuf,
        /// Message of the system.
        reason: String,
    },
    /// The folder or file is not writable.
    #[error("cannot write {}: {reason}: make it writable, or choose another \
        folder with --out", file.display())]
    ReadOnly {
        /// The folder or file.
        file: PathBuf,
        /// Message of the system.
        reason: String,
    },
    /// Something in the folder is a symbolic link.
    #[error("{} is a link, and results are neither read nor written through links: remove it, or \
        choose another folder with --out", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// A file has a second name: a hard link.
    #[error("{} has a second name, and whatever is written to it would be written there too: replace \
        it by a copy of itself, or choose another folder with --out", path.display())]
    SecondName {
        /// The file.
        path: PathBuf,
    },
    /// Something in the folder is neither a plain file nor a link.
    #[error("{} is not a plain file: remove it and run again", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// A content-addressed file does not have the content that its name stands for.
    #[error("{} was changed or damaged: the SHA-256 of its content is {found}, not its name: \
        restore it from a copy, or remove it and run again", path.display())]
    Tampered {
        /// The file.
        path: PathBuf,
        /// SHA-256 of its content, as 64 hexadecimal digits.
        found: String,
    },
    /// A content-addressed file is larger than its reader accepts.
    #[error("{} has {bytes} bytes, and at most {bytes_max} are read: remove it and run again", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Size of the file, in bytes.
        bytes: u64,
        /// The limit.
        bytes_max: u64,
    },
    /// A text is not the name of a content-addressed file.
    #[error("`{digest}` is not a SHA-256 digest: 64 of 0-9 and a-f")]
    NotADigest {
        /// The text, with everything but printable ASCII escaped.
        digest: String,
    },
    /// The folder has no database.
    #[error("{} holds no results: run the experiment first", folder.display())]
    Missing {
        /// The folder of the experiment.
        folder: PathBuf,
    },
    /// Exporting results from elsewhere takes more than their size accounts for.
    #[error("the table {table} of {} is far larger than its database accounts for, which comes from \
        elsewhere: results that many runs share are written once for each of them; export one run with \
        --run, or leave the table out with --table", file.display())]
    ExportTooLarge {
        /// The database.
        file: PathBuf,
        /// The table, as `bakeoff export` calls it.
        table: &'static str,
    },
    /// The requested run does not exist.
    #[error("there is no run {run} in {}: list them with `bakeoff runs`", file.display())]
    NoSuchRun {
        /// The requested run.
        run: i64,
        /// The database.
        file: PathBuf,
    },
    /// No run has begun, or the store was opened for reading.
    #[error("{} was opened for reading, or no run has begun in it", file.display())]
    NoActiveRun {
        /// The database.
        file: PathBuf,
    },
    /// An id is not safe as the name of a file.
    #[error(
        "`{id}` cannot be the name of a file: use 1 to 64 of a-z, 0-9, `-`, `_` and `.`, beginning with a letter or digit"
    )]
    UnsafeId {
        /// The id, with everything but printable ASCII escaped.
        id: String,
    },
    /// A value cannot be stored: it is too large, or it is not valid JSON.
    #[error("cannot store {what}: {reason}")]
    Value {
        /// The value.
        what: String,
        /// Reason why the value cannot be stored.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The operation: `write`, `create`, …
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Message of the system.
        source: std::io::Error,
    },
    /// Any other error of SQLite.
    #[error("error in {}: {reason}: run again; all finished results are stored", file.display())]
    Database {
        /// The database.
        file: PathBuf,
        /// SQLite's code in words.
        reason: String,
        /// `true` if SQLite was stopped by a bound of steps or memory.
        is_out_of_bounds: bool,
    },
}

impl StoreError {
    /// Returns true if another process has the folder or the database.
    pub fn is_locked(&self) -> bool {
        matches!(self, Self::Locked { .. } | Self::Busy { .. })
    }

    /// Returns true if the database has another format version.
    pub fn is_other_version(&self) -> bool {
        matches!(self, Self::OtherVersion { .. })
    }

    /// Returns true if the database is damaged, or belongs to another program.
    pub fn is_corrupt(&self) -> bool {
        matches!(self, Self::Corrupt { .. })
    }

    /// Returns true if the results come from elsewhere.
    pub fn is_elsewhere(&self) -> bool {
        matches!(self, Self::Elsewhere { .. })
    }

    /// Returns true if only the results are at fault, so that setting them aside helps.
    pub(super) fn is_about_the_results(&self) -> bool {
        self.is_corrupt() || self.is_other_version() || self.is_elsewhere()
    }

    /// Returns true if the disk or the quota is full.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Full { .. })
    }

    /// Returns true if SQLite was stopped by a bound of steps or memory.
    pub(super) fn is_out_of_bounds(&self) -> bool {
        matches!(
            self,
            Self::Database {
                is_out_of_bounds: true,
                ..
            }
        )
    }

    /// Returns true if an export takes more than its database accounts for.
    pub fn is_export_too_large(&self) -> bool {
        matches!(self, Self::ExportTooLarge { .. })
    }

    /// Returns true if the folder or file is not writable.
    pub fn is_read_only(&self) -> bool {
        matches!(self, Self::ReadOnly { .. })
    }

    /// Returns true if the folder has no database.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Missing { .. })
    }

    /// Returns true if the requested run does not exist.
    pub fn is_no_such_run(&self) -> bool {
        matches!(self, Self::NoSuchRun { .. })
    }

    /// Returns true if a content-addressed file does not have the content that its name stands for.
    pub fn is_tampered(&self) -> bool {
        matches!(self, Self::Tampered { .. })
    }

    /// Returns the error that an error of SQLite stands for. SQLite's own text may name and quote what is in a
    /// database, which anybody may have written: only its code is passed on.
    pub(super) fn from_sqlite(file: &Path, error: rusqlite::Error) -> Self {
        let file = file.to_path_buf();
        let reason = words_of(&error);
        let Some(failure) = error.sqlite_error() else {
            return if is_of_another_type(&error) {
                Self::Corrupt { file, reason }
            } else {
                Self::Database {
                    file,
                    reason,
                    is_out_of_bounds: false,
                }
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
            code => Self::Database {
                file,
                reason,
                is_out_of_bounds: matches!(
                    code,
                    ErrorCode::OperationInterrupted | ErrorCode::OutOfMemory
                ),
            },
        }
    }

    /// Returns the error that an error of the system stands for.
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

    /// Returns the error of an id that cannot name a file.
    pub(super) fn unsafe_id(id: &str) -> Self {
        Self::UnsafeId { id: escaped(id) }
    }

    /// Returns the error of a text that is not a digest.
    pub(super) fn not_a_digest(digest: &str) -> Self {
        Self::NotADigest {
            digest: escaped(digest),
        }
    }
}

/// Returns the next step with results of another format version.
fn other_version(found: i64, known: i64) -> &'static str {
    if found > known {
        "use the newer bakeoff that wrote it, or run with --fresh, which sets the results aside and starts anew"
    } else {
        "an older bakeoff wrote it: move the folder away, or run with --fresh, which sets the results aside and \
         starts anew"
    }
}

/// Describes an error of SQLite, in words that no content of a database can choose.
pub(super) fn words_of(error: &rusqlite::Error) -> String {
    let Some(failure) = error.sqlite_error() else {
        let kind = match error {
            other if is_of_another_type(other) => "a value is not of its column's type",
            rusqlite::Error::QueryReturnedNoRows => "a row is missing",
            _ => "it cannot be used",
        };
        return kind.to_owned();
    };
    let code = failure.extended_code;
    format!("{} (SQLite code {code})", meaning(failure.code, code))
}

/// Returns the meaning of a code of SQLite for whoever has results: SQLite's own words are about its inside.
fn meaning(primary: ErrorCode, code: i32) -> &'static str {
    match primary {
        ErrorCode::NotADatabase => "it begins as a database does, and is none",
        ErrorCode::DatabaseCorrupt => "its content is damaged",
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => "another program uses it",
        ErrorCode::DiskFull => "the disk is full",
        ErrorCode::SystemIoFailure => "the system cannot read or write it",
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => "it may not be written",
        ErrorCode::CannotOpen => "it, or a file beside it, cannot be opened",
        ErrorCode::OutOfMemory => "more memory is needed than it may take",
        ErrorCode::OperationInterrupted => "more steps are needed than it may take",
        ErrorCode::TooBig => "a value is larger than results have",
        ErrorCode::ConstraintViolation => "a value is none that may be there",
        _ => ffi::code_to_str(code),
    }
}

/// Returns true if a column does not have the type of our schema.
fn is_of_another_type(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
    )
}

/// Returns at most 80 characters of a text, with everything but printable ASCII escaped.
fn escaped(text: &str) -> String {
    let start: String = text.chars().take(80).collect();
    start.escape_default().to_string()
}

/// Returns true if a write may have failed for want of space. SQLite reports `SQLITE_FULL` for a full
/// disk only; a quota or a limit on the size of files gives one of these codes.
fn no_room(extended_code: i32) -> bool {
    matches!(
        extended_code,
        ffi::SQLITE_IOERR_WRITE
            | ffi::SQLITE_IOERR_TRUNCATE
            | ffi::SQLITE_IOERR_FSYNC
            | ffi::SQLITE_IOERR_SHMSIZE
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    #[test]
    fn an_error_of_sqlite_is_told_by_its_code_and_quotes_nothing() {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(
            "CREATE TABLE t (n CHECK (n <> 'forged')); INSERT INTO t VALUES ('secret')",
        )
        .unwrap();
        let read = |sql: &str| {
            db.query_row(sql, [], |row| row.get::<_, i64>(0))
                .unwrap_err()
        };
        for error in [
            read("SELECT forged FROM t"),
            read("SELECT n FROM t"),
            read("SELECT n FROM t WHERE n = 'other'"),
            read("SELECT json('{\"secret')"),
            db.execute_batch("INSERT INTO t VALUES ('forged')")
                .unwrap_err(),
        ] {
            let said = StoreError::from_sqlite(Path::new("x.db"), error).to_string();
            assert!(said.contains("x.db"), "{said}");
            assert!(
                !said.contains("forged") && !said.contains("secret"),
                "{said}"
            );
        }
    }
}
