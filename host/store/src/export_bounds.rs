//! Bounds on the export of results from elsewhere.
//!
//! The views join tables, so a small database can have views of any size: a thousand runs that rest on
//! the same samples, or that many results.

use super::error::StoreError;
use rusqlite::Connection;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Steps of SQLite's machine for each byte of the database. A sample has 45 bytes there and takes about
/// 150 steps, so a run takes about 3 for each byte, and a chain of 40 runs that all rest on the same
/// samples is exported still.
const STEPS_PER_BYTE: u64 = 128;
/// Bytes that are written for each byte of the database. A sample takes up to 400.
const OUTPUT_PER_BYTE: u64 = 256;
/// Size that a smaller database is counted as, in bytes.
const BYTES_MIN: u64 = 1 << 20;
/// Steps of SQLite's machine between two checks of the bound.
const STEPS_AT_ONCE: u16 = 1_000;

/// Number of steps left that means no bound.
const UNBOUNDED: u64 = u64::MAX;

/// Bounds on the export of one table of results from elsewhere, by the size of their database.
#[derive(Debug)]
pub(super) struct ExportBounds {
    /// Largest number of bytes that are written.
    bytes: u64,
    /// Largest number of steps of SQLite's machine.
    steps: u64,
    /// Steps that the connection may still take in the export under way; [`UNBOUNDED`] outside of one.
    steps_left: Arc<AtomicU64>,
}

impl ExportBounds {
    /// Bounds the exports from `db`, the copy of a database of `database_bytes` bytes.
    pub(super) fn attach(db: &mut Connection, database_bytes: u64) -> rusqlite::Result<Self> {
        let steps_left = Arc::new(AtomicU64::new(UNBOUNDED));
        let left = Arc::clone(&steps_left);
        let is_over = move || match left.load(Ordering::Relaxed) {
            UNBOUNDED => false,
            steps => {
                let after = steps.saturating_sub(u64::from(STEPS_AT_ONCE));
                left.store(after, Ordering::Relaxed);
                after == 0
            }
        };
        db.progress_handler(i32::from(STEPS_AT_ONCE), Some(is_over))?;
        let size = database_bytes.max(BYTES_MIN);
        Ok(Self {
            bytes: size.saturating_mul(OUTPUT_PER_BYTE),
            steps: size.saturating_mul(STEPS_PER_BYTE),
            steps_left,
        })
    }

    /// Exports a table to an output; `None` if that takes more than the bounds allow.
    pub(super) fn hold<T>(
        &self,
        to: &mut dyn Write,
        export: impl FnOnce(&mut dyn Write) -> Result<T, StoreError>,
    ) -> Option<Result<T, StoreError>> {
        let mut out = BoundedOutput {
            to,
            left: Some(self.bytes),
        };
        self.steps_left.store(self.steps, Ordering::Relaxed);
        let exported = export(&mut out);
        self.steps_left.store(UNBOUNDED, Ordering::Relaxed);
        match exported {
            Err(_) if out.left.is_none() => None,
            Err(error) if error.is_out_of_bounds() => None,
            other => Some(other),
        }
    }
}

/// An output that takes a bounded number of bytes.
struct BoundedOutput<'a> {
    to: &'a mut dyn Write,
    /// Bytes that may still be written; `None` once there were more.
    left: Option<u64>,
}

impl Write for BoundedOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self
            .left
            .and_then(|left| left.checked_sub(bytes.len() as u64));
        match self.left {
            Some(_) => self.to.write_all(bytes).map(|()| bytes.len()),
            None => Err(io::Error::other("more than it may be")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
