//! Events, kept: in the database first, then in `events.jsonl`, then in `progress.json`, then told
//! to everyone who listens. Whoever hears of an event can rely on its being kept.

use super::error::StoreError;
use super::files::Files;
use super::open::Store;
use crate::events::{Broadcast, Clock, Envelope, Event, Progress, Sink, Stamper};
use rusqlite::{Connection, Row, params};
use serde::Deserialize;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Largest event, in bytes of its data. Compiler diagnostics are the largest that occur, and they
/// are cut at 256 KiB; escaped as JSON they may take six times that.
const EVENT_BYTES_MAX: usize = 2 << 20;
/// How much of the end of `events.jsonl` is looked at: two events always fit.
const TAIL_BYTES: u64 = 3 * EVENT_BYTES_MAX as u64;
/// How often `progress.json` is rewritten at most, unless the run's status changes.
const PROGRESS_EVERY: Duration = Duration::from_millis(200);

/// The writing end of the events of a folder.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
    length: u64,
    /// A line could not be appended: what the file has is not added to, until the next opening adds
    /// all that is missing.
    broken: bool,
    pub(super) stamper: Stamper,
    progress: Progress,
    progress_written: Option<Instant>,
    broadcast: Broadcast,
}

impl Journal {
    /// Opens `events.jsonl`, cuts off a line that was torn by a kill, and adds what the database
    /// has and the file has not.
    pub(super) fn open(db: &Connection, db_file: &Path, files: &Files) -> Result<Self, StoreError> {
        let path = files.events();
        let in_file = |error| StoreError::from_sqlite(db_file, error);
        let in_path = |error| StoreError::from_io("write", &path, error);
        let (mut file, in_lines) = match open_lines(&path).map_err(in_path)? {
            (file, Some(sequence)) => (file, sequence),
            (_, None) => {
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
            broken: false,
            stamper: Stamper::new(sequence),
            progress: Progress::default(),
            progress_written: None,
            broadcast: Broadcast::default(),
        })
    }

    /// Appends one line, whole or not at all. After one that is missing there is none: the next
    /// opening goes by the last one.
    fn append(&mut self, line: &str) -> Result<(), StoreError> {
        if self.broken {
            return Ok(());
        }
        let written = self.file.write_all(line.as_bytes());
        if let Err(error) = written {
            self.broken = true;
            let _ = self.file.set_len(self.length);
            let _ = self.file.seek(SeekFrom::Start(self.length));
            return Err(StoreError::from_io("write", &self.path, error));
        }
        self.length += line.len() as u64;
        Ok(())
    }

    /// Counts the event in, and rewrites `progress.json` if it is time.
    fn follow(&mut self, envelope: &Envelope, files: &Files) -> Result<(), StoreError> {
        let status = self.progress.status.clone();
        self.progress.apply(envelope);
        let due = self
            .progress_written
            .is_none_or(|written| written.elapsed() >= PROGRESS_EVERY);
        if due || status != self.progress.status {
            files.write_progress(&self.progress)?;
            self.progress_written = Some(Instant::now());
        }
        Ok(())
    }
}

impl Store {
    /// Adds a listener to the events of this session.
    pub fn subscribe(&mut self, sink: impl Sink + 'static) {
        if let Some(journal) = &mut self.journal {
            journal.broadcast.subscribe(sink);
        }
    }

    /// Takes times from another clock. For tests of clocks that jump; call it before a run begins.
    pub fn set_clock(&mut self, clock: Box<dyn Clock>) {
        if let Some(journal) = &mut self.journal {
            let sequence = journal.stamper.sequence();
            journal.stamper = Stamper::with_clock(sequence, clock);
        }
    }

    /// Keeps an event of the run that has begun, and tells it to everyone who listens.
    ///
    /// # Errors
    /// [`StoreError::NotBegun`] before a run has begun; those of writing. An event that could not
    /// be kept is not told either, and leaves no gap in the order. Where only `events.jsonl` cannot
    /// be written, that is said once; the file gets what it lacks at the next opening.
    pub fn emit(&mut self, event: Event) -> Result<Envelope, StoreError> {
        let begun = self.active.is_some();
        let Some(journal) = self.journal.as_mut().filter(|_| begun) else {
            return Err(StoreError::NotBegun {
                file: self.file.clone(),
            });
        };
        let envelope = journal.stamper.wrap(event);
        let line = line(&envelope)?;
        self.write(|db| insert(db, &envelope, &line.data))?;
        let Some(journal) = &mut self.journal else {
            return Ok(envelope);
        };
        journal.stamper.accept(&envelope);
        journal.append(&line.text)?;
        journal.follow(&envelope, &self.files)?;
        journal.broadcast.send(&envelope);
        Ok(envelope)
    }

    /// Up to `limit` events after a sequence number, each as the line that `events.jsonl` has,
    /// without its newline: the data of an event that a newer bakeoff wrote passes through.
    ///
    /// # Errors
    /// Those of reading.
    pub fn events_after(&self, sequence: u64, limit: u32) -> Result<Vec<String>, StoreError> {
        let read = || {
            let mut statement = self.db.prepare_cached(
                "SELECT sequence, run, at_ms, time, version, name, data FROM event
                 WHERE sequence > ?1 ORDER BY sequence LIMIT ?2",
            )?;
            let after = i64::try_from(sequence).unwrap_or(i64::MAX);
            let rows = statement.query_map(params![after, limit], line_of_row)?;
            rows.map(|line| line.map(|text| text.trim_end().to_owned()))
                .collect::<Result<Vec<_>, _>>()
        };
        read().map_err(|error| self.failed(error))
    }
}

fn insert(db: &Connection, envelope: &Envelope, data: &str) -> rusqlite::Result<()> {
    let sequence = i64::try_from(envelope.sequence).unwrap_or(i64::MAX);
    let at_ms = i64::try_from(envelope.at_ms).unwrap_or(i64::MAX);
    db.prepare_cached(
        "INSERT INTO event (sequence, run, at_ms, time, version, name, data)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        sequence,
        envelope.run,
        at_ms,
        envelope.time,
        envelope.version,
        envelope.event.name(),
        data
    ])?;
    db.prepare_cached("UPDATE run SET spent_ms = ?2, updated = ?3 WHERE id = ?1")?
        .execute(params![envelope.run, at_ms, envelope.time])?;
    Ok(())
}

/// An event as it is written.
struct Line {
    /// Its data alone, for the database.
    data: String,
    /// The whole line with its newline, for the file.
    text: String,
}

fn line(envelope: &Envelope) -> Result<Line, StoreError> {
    let refused = |reason: String| StoreError::Value {
        what: format!("event {}", envelope.event.name()),
        reason,
    };
    let text = serde_json::to_string(envelope).map_err(|error| refused(error.to_string()))?;
    let value =
        serde_json::to_value(&envelope.event).map_err(|error| refused(error.to_string()))?;
    let data = value.get("data").unwrap_or(&serde_json::Value::Null);
    let data = data.to_string();
    if data.len() > EVENT_BYTES_MAX {
        let size = data.len();
        return Err(refused(format!(
            "its {size} bytes are more than {EVENT_BYTES_MAX}"
        )));
    }
    Ok(Line {
        data,
        text: text + "\n",
    })
}

/// The line of an event in the database: the same fields in the same order as [`Envelope`].
fn line_of_row(row: &Row<'_>) -> rusqlite::Result<String> {
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

/// All that is read back of a line.
#[derive(Deserialize)]
struct Numbered {
    sequence: u64,
}

/// Opens the file for appending with its torn last line cut off, and says the number of its last
/// event: 0 if there is none, nothing if its end is not a line of ours.
fn open_lines(path: &Path) -> std::io::Result<(File, Option<u64>)> {
    let mut file = File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
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
        line => serde_json::from_slice::<Numbered>(line)
            .ok()
            .map(|numbered| numbered.sequence),
    };
    Ok((file, sequence))
}

/// Moves a file that is not understood to the first free `.aside-N`.
fn move_aside(path: &Path) -> std::io::Result<()> {
    let aside = |number: u32| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".aside-{number}"));
        PathBuf::from(name)
    };
    let free = (1..=u32::MAX).map(aside).find(|path| !path.exists());
    std::fs::rename(path, free.unwrap_or_else(|| aside(0)))
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
    fn a_torn_last_line_is_cut_off() {
        let whole = "{\"sequence\":1}\n{\"sequence\":2}\n";
        let torn = format!("{whole}{{\"sequence\":3,\"da");
        assert_eq!(opened(&torn), (Some(2), whole.to_owned()));
        assert_eq!(opened(whole), (Some(2), whole.to_owned()));
        assert_eq!(opened("{\"seq"), (Some(0), String::new()));
        assert_eq!(opened(""), (Some(0), String::new()));
    }

    #[test]
    fn a_line_that_could_not_be_appended_is_there_after_the_next_opening() {
        use crate::store::Mode;
        use crate::store::runs::Active;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        let warning = |text: &str| Event::Warning {
            message: text.to_owned(),
        };
        let mut store = Store::open(folder.path(), Mode::Write).unwrap();
        let run = "INSERT INTO run (root, name, experiment_id, seed, bakeoff, started, updated,
            status, environment, settings)
            VALUES (1, 'n', 'e', '1', 'b', 's', 'u', 'running', '{}', '{}')";
        store.db.execute_batch(run).unwrap();
        store.active = Some(Active { run: 1, root: 1 });
        store.journal.as_mut().unwrap().stamper.enter(1, 0);
        store.emit(warning("one")).unwrap();

        // A file that is open to be read cannot be written to: as if the disk were full.
        let mut writable = File::open(&path).unwrap();
        std::mem::swap(&mut store.journal.as_mut().unwrap().file, &mut writable);
        store.emit(warning("two")).unwrap_err();
        std::mem::swap(&mut store.journal.as_mut().unwrap().file, &mut writable);
        // There is room again, but this line would hide that one is missing.
        store.emit(warning("three")).unwrap();
        let lines = || {
            let text = std::fs::read_to_string(&path).unwrap();
            text.lines().map(str::to_owned).collect::<Vec<String>>()
        };
        assert_eq!(lines().len(), 1);
        drop(store);

        let store = Store::open(folder.path(), Mode::Write).unwrap();
        assert_eq!(lines(), store.events_after(0, 10).unwrap());
        assert_eq!(lines().len(), 3);
    }

    #[test]
    fn an_end_that_is_not_ours_is_noticed() {
        assert_eq!(opened("{\"sequence\":1}\n\0\0\0\n").0, None);
        assert_eq!(opened("\n").0, None);
    }
}
