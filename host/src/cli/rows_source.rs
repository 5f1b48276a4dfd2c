//! Rows as they come in: a reader that an interruption ends, also while it waits.

use super::failure::Failure;
use std::fs::File;
use std::io::{self, BufRead, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Bytes that are read at once.
const CHUNK_BYTES: usize = 32 << 10;
/// Number of chunks that wait to be taken.
const CHUNKS: usize = 16;
/// Time between two looks at whether it was interrupted, and at whether a file has grown.
const LOOK: Duration = Duration::from_millis(100);

/// A reader of a file or of stdin. Another thread waits for what comes, and ends with the process.
#[derive(Debug)]
pub(super) struct RowsSource {
    chunks: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    taken: usize,
    interrupted: Arc<AtomicBool>,
}

impl RowsSource {
    /// Opens a file, or stdin for `-`. With `follows`, the end of a file is not the end: more may be written.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub(super) fn open(
        file: &Path,
        follows: bool,
        interrupted: Arc<AtomicBool>,
    ) -> Result<Self, Failure> {
        let (sender, chunks) = sync_channel(CHUNKS);
        if file == Path::new("-") {
            std::thread::spawn(move || send(io::stdin().lock(), false, &sender));
        } else {
            let failed = |error: io::Error| {
                Failure::usage(format!("cannot read {}: {error}", file.display()))
            };
            let opened = File::open(file).map_err(failed)?;
            let kind = opened.metadata().map_err(failed)?;
            if kind.is_dir() {
                return Err(Failure::usage(format!(
                    "{} is a folder: name a file with rows, or compare two folders with kept results by `bakeoff compare`",
                    file.display()
                )));
            }
            let grows = follows && kind.is_file();
            std::thread::spawn(move || send(opened, grows, &sender));
        }
        Ok(Self {
            chunks,
            chunk: Vec::new(),
            taken: 0,
            interrupted,
        })
    }
}

/// Sends all that is read, until nobody takes it any more.
fn send(mut reader: impl Read, grows: bool, chunks: &SyncSender<io::Result<Vec<u8>>>) {
    loop {
        let mut chunk = vec![0; CHUNK_BYTES];
        let read = match reader.read(&mut chunk) {
            Ok(0) if grows => {
                std::thread::sleep(LOOK);
                continue;
            }
            Ok(0) => return,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                // Fails only if nobody takes it.
                let _ = chunks.send(Err(error));
                return;
            }
        };
        chunk.truncate(read);
        if chunks.send(Ok(chunk)).is_err() {
            return;
        }
    }
}

impl Read for RowsSource {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let from = self.fill_buf()?;
        let count = from.len().min(into.len());
        into[..count].copy_from_slice(&from[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for RowsSource {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.taken == self.chunk.len() {
            if self.interrupted.load(Ordering::Relaxed) {
                return Ok(&[]);
            }
            match self.chunks.recv_timeout(LOOK) {
                Ok(chunk) => {
                    self.chunk = chunk?;
                    self.taken = 0;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(&[]),
            }
        }
        Ok(&self.chunk[self.taken..])
    }

    fn consume(&mut self, count: usize) {
        self.taken += count;
    }
}
