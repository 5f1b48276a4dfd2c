//! The loop of a program that answers each line with a line.

use super::reader::{Malformed, Reader};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

/// A function that reads the arguments of a call, calls the user's function in a turn of its own, and writes its answer.
pub type Answer = fn(&mut Reader<'_>, &mut Vec<u8>, &mut Turns<'_>) -> Result<(), Unanswered>;

/// The reason why a line has no answer.
#[derive(Debug)]
pub enum Unanswered {
    /// The line is malformed.
    Malformed,
    /// A stream broke.
    Broken(io::Error),
}

impl From<Malformed> for Unanswered {
    fn from(_: Malformed) -> Self {
        Self::Malformed
    }
}

impl From<io::Error> for Unanswered {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}

/// The turns that a program and its host take around a call, so that the call alone is timed.
pub struct Turns<'a> {
    requests: &'a mut dyn BufRead,
    answers: &'a mut dyn Write,
}

impl Turns<'_> {
    /// Makes a call between two turns of the host, which reads the clocks in them. A turn with nothing after it comes
    /// first: what the exchange itself takes.
    ///
    /// # Errors
    /// The host is gone.
    pub fn call<T>(&mut self, call: impl FnOnce() -> T) -> Result<T, Unanswered> {
        self.give_up()?;
        self.give_up()?;
        let called = call();
        self.give_up()?;
        Ok(called)
    }

    /// Writes an empty line, and waits for one.
    fn give_up(&mut self) -> io::Result<()> {
        self.answers.write_all(b"\n")?;
        self.requests.read_exact(&mut [0])
    }
}

/// The bytes that are read at once: as many as a pipe holds.
const READ_BYTES: usize = 64 * 1024;

/// Answers every line of stdin. Returns a failure, told on stderr, if a line is malformed or a stream broke.
pub fn serve(answer: Answer) -> ExitCode {
    let served = streams().and_then(|[requests, answers]| {
        let requests = BufReader::with_capacity(READ_BYTES, requests);
        answer_lines(requests, answers, answer)
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the streams of requests and of answers, and leads stdin and stdout to stderr: the user's function may read and
/// print, as in a component, where nothing comes and that goes nowhere. What it prints is no answer, and what it reads no
/// request.
fn streams() -> io::Result<[File; 2]> {
    const STDIN: i32 = 0;
    const STDOUT: i32 = 1;
    const STDERR: i32 = 2;
    unsafe extern "C" {
        fn dup2(from: i32, to: i32) -> i32;
    }
    let requests = io::stdin().as_fd().try_clone_to_owned()?;
    let answers = io::stdout().as_fd().try_clone_to_owned()?;
    // SAFETY: the descriptors that are replaced belong to nobody but the streams of those names, which go on with the new
    // one.
    if unsafe { dup2(STDERR, STDIN) < 0 || dup2(STDERR, STDOUT) < 0 } {
        return Err(io::Error::last_os_error());
    }
    Ok([requests, answers].map(File::from))
}

/// Answers every line, each before the next one is read.
fn answer_lines(
    mut requests: impl BufRead,
    mut answers: impl Write,
    answer: Answer,
) -> io::Result<()> {
    let mut request = Vec::new();
    let mut line = Vec::new();
    loop {
        request.clear();
        if requests.read_until(b'\n', &mut request)? == 0 {
            return Ok(());
        }
        let mut reader = Reader::new(&request);
        line.clear();
        let mut turns = Turns {
            requests: &mut requests,
            answers: &mut answers,
        };
        match answer(&mut reader, &mut line, &mut turns) {
            Ok(()) => {}
            Err(Unanswered::Malformed) => {
                let reason = format!("the line is malformed at {}", reader.explain());
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
            Err(Unanswered::Broken(error)) => return Err(error),
        }
        line.push(b'\n');
        answers.write_all(&line)?;
    }
}

#[cfg(test)]
mod tests {
    use super::super::values::Json;
    use super::*;

    fn double(
        reader: &mut Reader<'_>,
        line: &mut Vec<u8>,
        turns: &mut Turns<'_>,
    ) -> Result<(), Unanswered> {
        let [number] = <[u32; 1]>::try_from(Vec::read(reader)?).unwrap();
        reader.end()?;
        turns.call(|| number * 2)?.write(line);
        Ok(())
    }

    #[test]
    fn each_line_has_a_line_as_its_answer() {
        let mut answers = Vec::new();
        // Each request is followed by the three turns of its host.
        let requests = &b"[1]\n\n\n\n [ 2 ] \r\n\n\n\n[3]\n\n\n\n"[..];
        answer_lines(requests, &mut answers, double).unwrap();
        assert_eq!(answers, b"\n\n\n2\n\n\n\n4\n\n\n\n6\n");
    }

    #[test]
    fn a_malformed_line_ends_it_with_the_place() {
        let mut answers = Vec::new();
        let error = answer_lines(&b"[1]\n\n\n\n[x]\n[2]\n"[..], &mut answers, double).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the line is malformed at byte 1: expected an integer"
        );
        assert_eq!(answers, b"\n\n\n2\n");
    }
}
