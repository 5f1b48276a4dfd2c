//! The file that exchanges are written to, each before its reply is used.

use super::cassette::{Cassette, Exchange, FILE_BYTES_MAX};
use super::error::OpenError;
use super::spending::AskedQuestion;
use super::under_way::UnderWay;
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

/// The longest that a lock is waited for.
const LOCK_WAIT: Duration = Duration::from_secs(2);

/// A file of exchanges that grows. Its lock keeps a second process from writing to it.
#[derive(Debug)]
pub(super) struct Recorder {
    file: File,
    bytes: u64,
    /// Why nothing more can be written, once something could not.
    broken: Option<String>,
    under_way: Option<UnderWay>,
}

impl Recorder {
    /// Opens or makes the file, and returns what it has. A line that is not whole is what a killed process
    /// left, and is removed.
    ///
    /// # Errors
    /// It cannot be opened, another process writes to it, or a line is not an exchange.
    pub(super) fn open(path: &Path) -> Result<(Self, Cassette), OpenError> {
        let wrong = |action: &'static str| {
            move |reason: String| OpenError::File {
                action,
                path: path.to_owned(),
                reason,
            }
        };
        let file = open_file(path).map_err(|error| wrong("open")(error.to_string()))?;
        if !is_locked_soon(&file) {
            return Err(wrong("write")("another process writes to it".to_owned()));
        }
        let (bytes, text) = read_lines(&file).map_err(|error| wrong("read")(error.to_string()))?;
        let mut cassette = Cassette::parse(&text).map_err(wrong("read"))?;
        let under_way = UnderWay::beside(path);
        let lost = under_way.lost(&text).map_err(wrong("read"))?;
        let mut recorder = Self {
            file,
            bytes,
            broken: None,
            under_way: None,
        };
        // What a killed process had sent was paid for, or may have been.
        for exchange in lost {
            recorder.append(&exchange);
            cassette.add(exchange);
        }
        if let Some(reason) = recorder.broken {
            return Err(wrong("write")(reason));
        }
        let cleared = under_way.clear();
        cleared.map_err(|error| wrong("write")(error.to_string()))?;
        recorder.under_way = Some(under_way);
        Ok((recorder, cassette))
    }

    #[cfg(test)]
    pub(super) fn of_file(file: File) -> Self {
        Self {
            file,
            bytes: 0,
            broken: None,
            under_way: None,
        }
    }

    /// Returns why nothing can be written, if so: then nothing more may be paid for.
    pub(super) fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// Notes a call before it is sent, with what is booked for it if this process is killed before it ends.
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

    /// Returns what is under way.
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

    fn try_append(&mut self, exchange: &Exchange) -> io::Result<()> {
        let mut line = serde_json::to_vec(exchange)?;
        line.push(b'\n');
        let bytes = self.bytes + line.len() as u64;
        if bytes > FILE_BYTES_MAX {
            return Err(io::Error::other(format!(
                "it has {FILE_BYTES_MAX} bytes, the most that it may have"
            )));
        }
        self.file.write_all(&line)?;
        self.file.sync_data()?;
        self.bytes = bytes;
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

/// Opens a plain file, or makes one that only its owner can read.
fn open_file(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDWR
        | OFlags::APPEND
        | OFlags::CREATE
        | OFlags::CLOEXEC
        | OFlags::NOFOLLOW
        | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?);
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    // A new name in the folder is on the disk only once the folder is.
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    Ok(file)
}

/// Returns the whole lines of the file, and how many bytes they have; what follows them is cut off.
fn read_lines(mut file: &File) -> io::Result<(u64, Vec<u8>)> {
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut text)?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(io::Error::other(format!(
            "it has more than {FILE_BYTES_MAX} bytes"
        )));
    }
    let whole = text
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1);
    if whole < text.len() {
        text.truncate(whole);
        file.set_len(whole as u64)?;
    }
    Ok((whole as u64, text))
}
