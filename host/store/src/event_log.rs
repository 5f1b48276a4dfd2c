//! The log of events: each is stored in the database first, then appended to `events.jsonl`, counted
//! in `progress.json`, and sent to all sinks. An event that a sink receives is stored.

use super::error::StoreError;
use super::journal::{EVENT_BYTES_MAX, line_of_row};
use super::open::Store;
use crate::events::{Clock, Envelope, Event, Sink, Stamper};
use rusqlite::{Connection, params};

impl Store {
    /// Adds a sink for the events of this session.
    pub fn subscribe(&mut self, sink: impl Sink + 'static) {
        if let Some(journal) = &mut self.journal {
            journal.broadcast.subscribe(sink);
        }
    }

    /// Sets the clock of events. For tests of clocks that jump; call it before a run begins.
    pub fn set_clock(&mut self, clock: Box<dyn Clock>) {
        if let Some(journal) = &mut self.journal {
            let sequence = journal.stamper.sequence();
            journal.stamper = Stamper::with_clock(sequence, clock);
        }
    }

    /// Stores an event of the active run, and sends it to all sinks.
    ///
    /// # Errors
    /// [`StoreError::NoActiveRun`]; any error of writing the database. An event that could not be
    /// stored is not sent either, and leaves no gap in the sequence. An error of writing
    /// `events.jsonl` is returned once; the next opening adds the missing lines.
    pub fn emit(&mut self, event: Event) -> Result<Envelope, StoreError> {
        let has_run = self.active.is_some();
        let Some(journal) = self.journal.as_mut().filter(|_| has_run) else {
            return Err(StoreError::NoActiveRun {
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
        journal.update_progress(&envelope, &self.files)?;
        journal.broadcast.send(&envelope);
        Ok(envelope)
    }

    /// Returns up to `limit` events after a sequence number, each as its line in `events.jsonl` without the newline.
    /// Events that this bakeoff does not know are included.
    ///
    /// # Errors
    /// Any error of reading the database.
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
        read().map_err(|error| self.sqlite_error(error))
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

/// An event as text, ready to be stored.
struct EventLine {
    /// Data of the event as JSON, for the database.
    data: String,
    /// Line of the event with its newline, for `events.jsonl`.
    text: String,
}

fn line(envelope: &Envelope) -> Result<EventLine, StoreError> {
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
    Ok(EventLine {
        data,
        text: text + "\n",
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn a_line_that_could_not_be_appended_is_added_at_the_next_opening() {
        use crate::Mode;
        use crate::open::ActiveRun;
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
        store.active = Some(ActiveRun { run: 1, root: 1 });
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
}
