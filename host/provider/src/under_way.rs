//! Calls that are under way, in a file of their own beside the record: what a killed process had sent is booked by
//! the next one.

use super::cassette::{Cassette, Exchange, FILE_BYTES_MAX};
use super::record_seal::RecordSeal;
use super::spending::AskedQuestion;
use bakeoff_files::{Folder, parse_json_of};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write as _};

/// Ending of the file's name, after the record's name.
const ENDING: &str = ".under-way";

/// The largest file, in bytes, and the most values of it.
const BYTES_MAX: u64 = 1 << 20;
const VALUES_MAX: usize = 1 << 16;

/// A call that is under way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SentCall {
    /// Exchange that is booked if nothing more is heard of the call, with the most that it can have taken.
    exchange: Exchange,
    /// Length of the record when the call was sent, in bytes.
    record_bytes: u64,
}

/// The calls of a process that are under way.
#[derive(Debug)]
pub(super) struct UnderWay {
    folder: Folder,
    name: String,
    seal: RecordSeal,
    calls: BTreeMap<u64, SentCall>,
    next: u64,
}

/// Calls under way that a killed process left.
#[derive(Debug)]
pub(super) enum LeftCalls {
    /// Calls with no later line about them in the record.
    Ours(Vec<Exchange>),
    /// The file is not ours, for this reason.
    Foreign(String),
}

impl UnderWay {
    /// Creates an empty list of calls, for the file beside a record of this name.
    pub(super) fn beside(folder: Folder, record: &str, seal: RecordSeal) -> Self {
        Self {
            folder,
            name: format!("{record}{ENDING}"),
            seal,
            calls: BTreeMap::new(),
            next: 0,
        }
    }

    /// Sets the seal of the record whose calls are noted from now on.
    pub(super) fn belongs_to(&mut self, record: RecordSeal) {
        self.seal = record;
    }

    /// Returns the name of the file.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the calls that a killed process had sent and heard no more of: no later line of the record is about
    /// them. Nothing in a file without our seal is believed.
    pub(super) fn left(&self, record: &[u8]) -> LeftCalls {
        let sealed = match self.folder.read(&self.name, BYTES_MAX) {
            Ok(Some(sealed)) => sealed,
            Ok(None) => return LeftCalls::Foreign(format!("it has more than {BYTES_MAX} bytes")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return LeftCalls::Ours(Vec::new());
            }
            Err(error) => return LeftCalls::Foreign(error.to_string()),
        };
        let Some(text) = self.seal.opened_under_way(&sealed) else {
            return LeftCalls::Foreign("it does not have your seal".to_owned());
        };
        match lost(text, record) {
            Some(lost) => LeftCalls::Ours(lost),
            None => LeftCalls::Foreign("it is of another version".to_owned()),
        }
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

    /// Returns the purposes and subjects of the calls.
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

    /// Forgets the calls that a killed process had sent, once they are booked.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn clear(&self) -> io::Result<()> {
        self.write()
    }

    fn write(&self) -> io::Result<()> {
        if self.calls.is_empty() {
            return self.folder.remove(&self.name);
        }
        let calls: Vec<&SentCall> = self.calls.values().collect();
        let new = self.folder.new_private_file(&self.name)?;
        let sealed = self.seal.seal_under_way(&serde_json::to_vec(&calls)?);
        new.file().write_all(&sealed)?;
        new.file().sync_data()?;
        new.put_in_place()
    }
}

/// Returns the calls of a text that no later line of the record is about; `None` if it is no list of calls.
pub(super) fn lost(text: &[u8], record: &[u8]) -> Option<Vec<Exchange>> {
    let calls: Vec<SentCall> = parse_json_of(text, VALUES_MAX).ok()?;
    let mut lost = Vec::new();
    for call in calls {
        let after = usize::try_from(call.record_bytes.min(FILE_BYTES_MAX)).unwrap_or(0);
        let later = Cassette::parse(record.get(after..).unwrap_or_default()).ok()?;
        if !later.is_about(&call.exchange) {
            lost.push(call.exchange);
        }
    }
    Some(lost)
}
