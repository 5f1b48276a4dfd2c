//! Calls that are under way, in a file of their own beside the record: what a killed process had sent is booked by
//! the next one.

use super::cassette::{Cassette, Exchange, FILE_BYTES_MAX};
use super::spending::AskedQuestion;
use crate::files::{NewFile, open_plain, parse_json_of};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The largest file, in bytes, and the most values of it.
const BYTES_MAX: u64 = 1 << 20;
const VALUES_MAX: usize = 1 << 16;

/// A call that is under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SentCall {
    /// What is booked for it if nothing more is heard of it: the most that it can have taken.
    exchange: Exchange,
    /// The length of the record when it was sent.
    record_bytes: u64,
}

/// The calls of a process that are under way.
#[derive(Debug)]
pub(super) struct UnderWay {
    path: PathBuf,
    calls: BTreeMap<u64, SentCall>,
    next: u64,
}

impl UnderWay {
    /// The file beside a record.
    pub(super) fn beside(record: &Path) -> Self {
        let mut path = record.as_os_str().to_owned();
        path.push(".under-way");
        Self {
            path: path.into(),
            calls: BTreeMap::new(),
            next: 0,
        }
    }

    /// Returns what a killed process had sent, and heard no more of: no later line of the record is about it.
    ///
    /// # Errors
    /// The file cannot be read, or is none of ours.
    pub(super) fn lost(&self, record: &[u8]) -> Result<Vec<Exchange>, String> {
        let unreadable = |reason: String| format!("{}: {reason}", self.path.display());
        let mut bytes = Vec::new();
        match open_plain(&self.path) {
            Ok(file) => {
                let read = file.take(BYTES_MAX + 1).read_to_end(&mut bytes);
                read.map_err(|error| unreadable(error.to_string()))?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unreadable(error.to_string())),
        }
        if bytes.len() as u64 > BYTES_MAX {
            return Err(unreadable(format!("it has more than {BYTES_MAX} bytes")));
        }
        let calls: Vec<SentCall> =
            parse_json_of(&bytes, VALUES_MAX).map_err(|error| unreadable(error.to_string()))?;
        let mut lost = Vec::new();
        for call in calls {
            let after = usize::try_from(call.record_bytes.min(FILE_BYTES_MAX)).unwrap_or(0);
            let later = Cassette::parse(record.get(after..).unwrap_or_default())?;
            if !later.is_about(&call.exchange) {
                lost.push(call.exchange);
            }
        }
        Ok(lost)
    }

    /// Notes a call before it is sent, and waits until the disk has it. `exchange` is booked if nothing more is
    /// heard of it.
    ///
    /// # Errors
    /// The file cannot be written: then the call may not be made.
    pub(super) fn begin(&mut self, exchange: Exchange, record_bytes: u64) -> io::Result<u64> {
        let number = self.next;
        self.next += 1;
        let call = SentCall {
            exchange,
            record_bytes,
        };
        self.calls.insert(number, call);
        self.write()?;
        Ok(number)
    }

    /// Returns what the calls are for, and about.
    pub(super) fn questions(&self) -> Vec<AskedQuestion> {
        let calls = self.calls.values();
        calls.map(|call| call.exchange.question()).collect()
    }

    /// Forgets a call, whose end is in the record if it was paid for.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn end(&mut self, number: u64) -> io::Result<()> {
        self.calls.remove(&number);
        self.write()
    }

    /// Forgets what a killed process had sent, once it is booked.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn clear(&self) -> io::Result<()> {
        self.write()
    }

    fn write(&self) -> io::Result<()> {
        if self.calls.is_empty() {
            return match std::fs::remove_file(&self.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        let calls: Vec<&SentCall> = self.calls.values().collect();
        let new = NewFile::private(&self.path)?;
        new.file().write_all(&serde_json::to_vec(&calls)?)?;
        new.file().sync_data()?;
        new.put_in_place()
    }
}
