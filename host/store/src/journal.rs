//! The files of events: `events.jsonl` and `progress.json`.

use super::error::StoreError;
use super::files::Files;
use crate::events::{Broadcast, Envelope, Progress, Stamper};
use bakeoff_files::{Folder, FolderEntryKind};
use rusqlite::{Connection, Row};
use serde::Deserialize;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Name of the file of events, in the folder of results.
const EVENTS: &str = "events.jsonl";
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
    /// True once a line could not be appended. No other line is appended then, until the next opening adds all that are
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
        let folder = files.open_folder();
        let path = folder.path().join(EVENTS);
        let in_file = |error| StoreError::from_sqlite(db_file, error);
        let in_path = |error| StoreError::from_io("write", &path, error);
        let last: i64 = db
            .query_row("SELECT coalesce(max(sequence), 0) FROM event", [], |row| {
                row.get(0)
            })
            .map_err(in_file)?;
        let (mut file, in_lines) = match open_lines(folder).map_err(in_path)? {
            (Some(file), Some(sequence)) if sequence <= last.cast_unsigned() => (file, sequence),
            _ => {
                folder.set_aside(EVENTS).map_err(in_path)?;
                (folder.open_to_write(EVENTS).map_err(in_path)?, 0)
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
            // A part of the line would be taken for the beginning of the next one.
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

/// Returns the line of an event in the database: the same fields in the same order as [`Envelope`].
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

/// Opens the file for appending, with an incomplete last line cut off, and returns the number of its last event: 0 if
/// it has no line, `None` if its last line is not an event. Anything but a plain file of one name is left as it is, and
/// not opened.
fn open_lines(folder: &Folder) -> std::io::Result<(Option<File>, Option<u64>)> {
    if let Some(found) = folder.look(EVENTS)?
        && (found.kind != FolderEntryKind::File || found.names > 1)
    {
        return Ok((None, None));
    }
    let mut file = folder.open_to_write(EVENTS)?;
    let length = file.metadata()?.len();
    let start = length.saturating_sub(TAIL_BYTES);
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.read_to_end(&mut tail)?;
    let whole = tail
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    if whole == 0 && start > 0 {
        return Ok((Some(file), None));
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
    Ok((Some(file), sequence))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(content: &str) -> (Option<u64>, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(EVENTS);
        std::fs::write(&path, content).unwrap();
        let opened = Folder::named_by_user(folder.path()).unwrap();
        let (_, sequence) = open_lines(&opened).unwrap();
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
