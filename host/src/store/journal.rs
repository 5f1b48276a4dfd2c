//! The files of events: `events.jsonl` and `progress.json`.

use super::atomic_file::aside_path;
use super::error::StoreError;
use super::files::Files;
use crate::events::{Broadcast, Envelope, Progress, Stamper};
use rusqlite::{Connection, Row};
use serde::Deserialize;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Largest event, in bytes of its data. Compiler diagnostics are the largest that occur, and they
/// are cut at 256 KiB; escaped as JSON they may take six times that.
pub(super) const EVENT_BYTES_MAX: usize = 2 << 20;
/// Bytes at the end of `events.jsonl` that are read at opening: two events always fit.
const TAIL_BYTES: u64 = 3 * EVENT_BYTES_MAX as u64;
/// Shortest time between two writes of `progress.json`, unless the status of the run changes.
const PROGRESS_INTERVAL_MIN: Duration = Duration::from_millis(200);

/// The writer of the events of a folder.
#[derive(Debug)]
pub(super) struct Journal {
    pub(super) file: File,
    path: PathBuf,
    length: u64,
    /// A line could not be appended. No other line is, until the next opening adds all that are
    /// missing.
    is_broken: bool,
    pub(super) stamper: Stamper,
    progress: Progress,
    progress_written: Option<Instant>,
    pub(super) broadcast: Broadcast,
}

impl Journal {
    /// Opens `events.jsonl`, cuts off an incomplete last line, and adds the events that are in the
    /// database only.
    pub(super) fn open(db: &Connection, db_file: &Path, files: &Files) -> Result<Self, StoreError> {
        let path = files.events();
        let in_file = |error| StoreError::from_sqlite(db_file, error);
        let in_path = |error| StoreError::from_io("write", &path, error);
        let last: i64 = db
            .query_row("SELECT coalesce(max(sequence), 0) FROM event", [], |row| {
                row.get(0)
            })
            .map_err(in_file)?;
        let (mut file, in_lines) = match open_lines(&path).map_err(in_path)? {
            (file, Some(sequence)) if sequence <= last.cast_unsigned() => (file, sequence),
            _ => {
                move_aside(&path).map_err(in_path)?;
                (open_lines(&path).map_err(in_path)?.0, 0)
            }
        };
        let mut statement = db
            .prepare(
                "SELECT sequence, run, at_ms, time, version, name, data FROM event
                 WHERE sequence > ?1 ORDER BY sequence",
            )
            .map_err(in_file)?;
        let after = i64::try_from(in_lines).unwrap_or(i64::MAX);
        let mut rows = statement.query([after]).map_err(in_file)?;
        let mut sequence = in_lines;
        let mut missing = std::io::BufWriter::new(&mut file);
        while let Some(row) = rows.next().map_err(in_file)? {
            sequence = row.get::<_, i64>(0).map_err(in_file)?.cast_unsigned();
            let line = line_of_row(row).map_err(in_file)?;
            missing.write_all(line.as_bytes()).map_err(in_path)?;
        }
        missing.flush().map_err(in_path)?;
        drop(missing);
        let length = file.stream_position().map_err(in_path)?;
        Ok(Self {
            file,
            path,
            length,
            is_broken: false,
            stamper: Stamper::new(sequence),
            progress: Progress::default(),
            progress_written: None,
            broadcast: Broadcast::default(),
        })
    }

    /// Appends one line, whole or not at all. After a line that is missing, none is appended: the
    /// next opening adds all events after the last line.
    pub(super) fn append(&mut self, line: &str) -> Result<(), StoreError> {
        if self.is_broken {
            return Ok(());
        }
        let written = self.file.write_all(line.as_bytes());
        if let Err(error) = written {
            self.is_broken = true;
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
            return Err(StoreError::from_io("write", &self.path, error));
        }
        self.length += line.len() as u64;
        Ok(())
    }

    /// Updates the progress, and writes `progress.json` if it is time.
    pub(super) fn update_progress(
        &mut self,
        envelope: &Envelope,
        files: &Files,
    ) -> Result<(), StoreError> {
        let status = self.progress.status;
        self.progress.apply(envelope);
        let due = self
            .progress_written
            .is_none_or(|written| written.elapsed() >= PROGRESS_INTERVAL_MIN);
        if due || status != self.progress.status {
            files.write_progress(&self.progress)?;
            self.progress_written = Some(Instant::now());
        }
        Ok(())
    }
}

/// The line of an event in the database: the same fields in the same order as [`Envelope`].
pub(super) fn line_of_row(row: &Row<'_>) -> rusqlite::Result<String> {
    let (sequence, run, at_ms): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let (time, version, name): (String, i64, String) = (row.get(3)?, row.get(4)?, row.get(5)?);
    let data: String = row.get(6)?;
    let time = serde_json::Value::String(time);
    let name = serde_json::Value::String(name);
    Ok(format!(
        "{{\"version\":{version},\"sequence\":{sequence},\"run\":{run},\"at_ms\":{at_ms},\
         \"time\":{time},\"name\":{name},\"data\":{data}}}\n"
    ))
}

/// The part of a line that is read back.
#[derive(Deserialize)]
struct LineNumber {
    sequence: u64,
}

/// Opens the file for appending, with an incomplete last line cut off, and returns the number of
/// its last event: 0 if it has no line, `None` if its last line is not an event, or if the file has a
/// second name, which is left as it is.
fn open_lines(path: &Path) -> std::io::Result<(File, Option<u64>)> {
    let mut file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(path)?;
    let found = file.metadata()?;
    if !found.is_file() || found.nlink() > 1 {
        return Ok((file, None));
    }
    let length = found.len();
    let start = length.saturating_sub(TAIL_BYTES);
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.read_to_end(&mut tail)?;
    let whole = tail
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    if whole == 0 && start > 0 {
        return Ok((file, None));
    }
    file.set_len(start + whole as u64)?;
    file.seek(SeekFrom::End(0))?;
    let lines = &tail[..whole.saturating_sub(1)];
    let last = lines
        .rsplit(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default();
    let sequence = match last {
        [] if whole == 0 => Some(0),
        line => serde_json::from_slice::<LineNumber>(line)
            .ok()
            .map(|line| line.sequence),
    };
    Ok((file, sequence))
}

/// Moves a file that cannot be understood to the first free `.aside-N`.
fn move_aside(path: &Path) -> std::io::Result<()> {
    std::fs::rename(path, aside_path(path, Path::exists))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(content: &str) -> (Option<u64>, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        std::fs::write(&path, content).unwrap();
        let (_, sequence) = open_lines(&path).unwrap();
        (sequence, std::fs::read_to_string(&path).unwrap())
    }

    #[test]
    fn an_incomplete_last_line_is_cut_off() {
        let whole = "{\"sequence\":1}\n{\"sequence\":2}\n";
        let torn = format!("{whole}{{\"sequence\":3,\"da");
        assert_eq!(opened(&torn), (Some(2), whole.to_owned()));
        assert_eq!(opened(whole), (Some(2), whole.to_owned()));
        assert_eq!(opened("{\"seq"), (Some(0), String::new()));
        assert_eq!(opened(""), (Some(0), String::new()));
    }

    #[test]
    fn a_last_line_that_is_not_an_event_is_noticed() {
        assert_eq!(opened("{\"sequence\":1}\n\0\0\0\n").0, None);
        assert_eq!(opened("\n").0, None);
    }
}
