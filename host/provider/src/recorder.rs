//! The file that exchanges are written to, each before its reply is used.

use super::cassette::{Cassette, Exchange, FILE_BYTES_MAX};
use super::error::OpenError;
use super::record_seal::RecordSeal;
use super::spending::AskedQuestion;
use super::under_way::{LeftCalls, UnderWay};
use bakeoff_files::Folder;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest wait for a lock.
const LOCK_WAIT: Duration = Duration::from_secs(2);

/// A file of exchanges that grows. Its lock keeps a second process from writing to it.
#[derive(Debug)]
pub(super) struct Recorder {
    file: File,
    bytes: u64,
    seal: RecordSeal,
    /// Reason why nothing more can be written, once a write failed.
    broken: Option<String>,
    under_way: Option<UnderWay>,
}

/// A record that was opened.
#[derive(Debug)]
pub(super) struct OpenedRecord {
    pub(super) recorder: Recorder,
    /// Exchanges of the record.
    pub(super) cassette: Cassette,
    /// Notices about the record for the user, in sentences.
    pub(super) notices: Vec<String>,
}

impl Recorder {
    /// Opens or makes the file. Anything else in its place is set aside as it was: only lines that this user's bakeoff
    /// sealed are believed, and nothing is changed before all of them have been verified. An incomplete last line of
    /// such a record was left by a killed process, and is removed.
    ///
    /// # Errors
    /// The file cannot be opened, or another process writes to it.
    pub(super) fn open(path: &Path) -> Result<OpenedRecord, OpenError> {
        let wrong = |action: &'static str| {
            move |reason: String| OpenError::File {
                action,
                path: path.to_owned(),
                reason,
            }
        };
        let failed = |action| move |error: io::Error| wrong(action)(error.to_string());
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| wrong("open")("it has no name".to_owned()))?;
        let folder = Folder::of_file(path).map_err(failed("open"))?;
        let (empty, unsealed) = RecordSeal::of_user().map_err(failed("open"))?;
        let mut notices: Vec<String> = unsealed
            .into_iter()
            .map(|why| unsealed_notice(path, &why))
            .collect();
        let mut aside = |name: &str, why: &str| {
            let to = folder.set_aside(name).map_err(failed("set aside"))?;
            notices.push(aside_notice(&path.with_file_name(name), why, &to));
            Ok(())
        };
        let (file, text, seal) = match look(&folder, name, &empty).map_err(wrong("open"))? {
            RecordContent::Ours(file, text, seal) => (file, text, *seal),
            RecordContent::Foreign(why) => {
                aside(name, &why)?;
                let file = locked(&folder, name).map_err(wrong("open"))?;
                (file, Vec::new(), empty.clone())
            }
        };
        folder.sync().map_err(failed("open"))?;
        let mut cassette = Cassette::parse(&text).map_err(wrong("read"))?;
        let in_folder = folder.try_clone().map_err(failed("open"))?;
        let mut under_way = UnderWay::beside(in_folder, name, seal.clone());
        let lost = match under_way.left(&text) {
            LeftCalls::Ours(lost) => lost,
            LeftCalls::Foreign(why) => {
                aside(under_way.name(), &why)?;
                Vec::new()
            }
        };
        // All of it is ours: from here on it may be changed.
        let bytes = text.len() as u64;
        if file.metadata().map_err(failed("read"))?.len() > bytes {
            file.set_len(bytes).map_err(failed("write"))?;
        }
        let mut recorder = Self {
            file,
            bytes,
            seal,
            broken: None,
            under_way: None,
        };
        if bytes == 0 {
            recorder.begin_record().map_err(failed("write"))?;
        }
        under_way.belongs_to(recorder.seal.clone());
        // What a killed process had sent was paid for, or may have been.
        for exchange in lost {
            recorder.append(&exchange);
            cassette.add(exchange);
        }
        if let Some(reason) = recorder.broken {
            return Err(wrong("write")(reason));
        }
        under_way.clear().map_err(failed("write"))?;
        recorder.under_way = Some(under_way);
        Ok(OpenedRecord {
            recorder,
            cassette,
            notices,
        })
    }

    #[cfg(test)]
    pub(super) fn of_file(file: File) -> Self {
        Self {
            file,
            bytes: 0,
            seal: RecordSeal::of_user().unwrap().0,
            broken: None,
            under_way: None,
        }
    }

    /// Returns the reason why nothing can be written, if so: then nothing more may be paid for.
    pub(super) fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// Notes a call before it is sent, with the exchange that is booked if this process is killed before the call ends.
    pub(super) fn begin(&mut self, exchange: Exchange) -> Option<u64> {
        let under_way = self.under_way.as_mut()?;
        match under_way.begin(exchange, self.bytes) {
            Ok(number) => Some(number),
            Err(error) => {
                self.broken.get_or_insert(error.to_string());
                None
            }
        }
    }

    /// Returns the questions that are under way.
    pub(super) fn questions(&self) -> Vec<AskedQuestion> {
        let under_way = self.under_way.as_ref();
        under_way.map(UnderWay::questions).unwrap_or_default()
    }

    /// Forgets a call that ended, after its exchange was written if it was paid for.
    pub(super) fn end(&mut self, number: u64) {
        if let Some(under_way) = &mut self.under_way
            && let Err(error) = under_way.end(number)
        {
            self.broken.get_or_insert(error.to_string());
        }
    }

    /// Writes an exchange, and waits until the disk has it.
    pub(super) fn append(&mut self, exchange: &Exchange) {
        if self.broken.is_some() {
            return;
        }
        if let Err(error) = self.try_append(exchange) {
            // What is not whole would be taken for the beginning of the next line.
            let _ = self.file.set_len(self.bytes);
            self.broken = Some(error.to_string());
        }
    }

    /// Writes the first line, by which all others belong to this record.
    fn begin_record(&mut self) -> io::Result<()> {
        let (line, seal) = self.seal.begun()?;
        self.write_line(&line, seal)
    }

    fn try_append(&mut self, exchange: &Exchange) -> io::Result<()> {
        let object = serde_json::to_vec(exchange)?;
        let sealed = self.seal.sealed(&object);
        let (mut line, seal) = sealed.ok_or_else(|| io::Error::other("it is no object"))?;
        line.push(b'\n');
        self.write_line(&line, seal)
    }

    fn write_line(&mut self, line: &[u8], seal: RecordSeal) -> io::Result<()> {
        let bytes = self.bytes + line.len() as u64;
        if bytes > FILE_BYTES_MAX {
            return Err(io::Error::other(format!(
                "it has {FILE_BYTES_MAX} bytes, the most that it may have"
            )));
        }
        self.file.write_all(line)?;
        self.file.sync_data()?;
        self.bytes = bytes;
        self.seal = seal;
        Ok(())
    }
}

/// Locks the file, and waits a little for it: what a killed process was about to start may hold its lock for a moment
/// longer than that process lived.
fn is_locked_soon(file: &File) -> bool {
    let since = Instant::now();
    while file.try_lock().is_err() {
        if since.elapsed() > LOCK_WAIT {
            return false;
        }
        std::thread::sleep(LOCK_WAIT / 40);
    }
    true
}

/// Content in the place of a record.
enum RecordContent {
    /// Nothing yet, or a record of ours: the file, its whole lines, and their seal.
    Ours(File, Vec<u8>, Box<RecordSeal>),
    /// Something else, for this reason.
    Foreign(String),
}

/// Examines what is in the place of a record, and changes nothing of it.
///
/// # Errors
/// Another process writes to the record, or it cannot be read.
fn look(folder: &Folder, name: &str, empty: &RecordSeal) -> Result<RecordContent, String> {
    // Anything but a plain file of one name is not opened, or not to be written to.
    if let Some(why) = folder.refusal(name) {
        return Ok(RecordContent::Foreign(why));
    }
    let was_there = folder.has(name);
    let file = match folder.open_to_append(name) {
        Ok(file) => file,
        Err(error) if was_there && error.kind() == io::ErrorKind::Other => {
            return Ok(RecordContent::Foreign(error.to_string()));
        }
        Err(error) => return Err(error.to_string()),
    };
    if !is_locked_soon(&file) {
        return Err(BUSY.to_owned());
    }
    let Some(text) = whole_lines(&file).map_err(|error| error.to_string())? else {
        return Ok(RecordContent::Foreign(format!(
            "it has more than {FILE_BYTES_MAX} bytes"
        )));
    };
    let is_begun = text.is_empty() && file.metadata().is_ok_and(|found| found.len() > 0);
    Ok(match empty.clone().with_lines(&text) {
        // The first line was not whole: nobody can say whose it is.
        Some(_) if is_begun => RecordContent::Foreign("it has no whole line".to_owned()),
        Some(seal) => RecordContent::Ours(file, text, Box::new(seal)),
        None => RecordContent::Foreign("not all of it has your seal".to_owned()),
    })
}

/// Makes a record in a free place, and locks it.
fn locked(folder: &Folder, name: &str) -> Result<File, String> {
    let file = folder.open_to_append(name);
    let file = file.map_err(|error| error.to_string())?;
    if is_locked_soon(&file) && file.metadata().is_ok_and(|found| found.len() == 0) {
        Ok(file)
    } else {
        Err(BUSY.to_owned())
    }
}

/// Reason why a record cannot be used that another process has locked.
const BUSY: &str = "another process writes to it";

/// Returns the whole lines of the file; `None` if it is too large.
fn whole_lines(mut file: &File) -> io::Result<Option<Vec<u8>>> {
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut text)?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Ok(None);
    }
    let whole = text.iter().rposition(|byte| *byte == b'\n');
    text.truncate(whole.map_or(0, |end| end + 1));
    Ok(Some(text))
}

fn aside_notice(path: &Path, why: &str, to: &str) -> String {
    format!(
        "{} was not written by your bakeoff on this machine ({why}): nothing in it was believed, and it was set aside \
         as {to}",
        path.display()
    )
}

fn unsealed_notice(path: &Path, why: &str) -> String {
    format!(
        "{} cannot be sealed, so no later command goes on with its replies, and they are paid for again: {why}",
        path.display()
    )
}
