//! A program of the user's that has ended: its measurement, its output and its end.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;

/// Measurement of a program that was run to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramMeasurement {
    /// Time from before the program was started until its end was seen, in nanoseconds (monotonic).
    pub wall_ns: u64,
    /// CPU time of the program and of all processes that it started, the ones that it left behind included, in
    /// nanoseconds. The system counts it in microseconds.
    pub cpu_ns: u64,
    /// The largest memory of a single one of these processes, in bytes.
    pub peak_bytes: u64,
}

/// Reads what a program wrote to a [sink](super::sink), from its beginning, at most `bytes_max`.
///
/// # Errors
/// The file cannot be read.
pub fn written(mut file: File, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(bytes_max).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns how a program ended, in words that stand in a message.
pub fn end_in_words(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("it ended with status {code}"),
        (None, Some(signal)) => format!("it was ended by signal {signal}"),
        (None, None) => "it ended without a status".to_owned(),
    }
}
