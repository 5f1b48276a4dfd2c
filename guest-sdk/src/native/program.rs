//! The loop of a program that answers each line with a line.

use super::reader::{Malformed, Reader};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

/// A function that reads the arguments of a call, calls the user's function, and writes its answer.
pub type Answer = fn(&mut Reader<'_>, &mut Vec<u8>) -> Result<(), Malformed>;

/// The bytes that are read at once: as many as a pipe holds.
const READ_BYTES: usize = 64 * 1024;

/// Answers every line of stdin. Returns a failure, told on stderr, if a line is malformed or a stream broke.
pub fn serve(answer: Answer) -> ExitCode {
    let requests = BufReader::with_capacity(READ_BYTES, io::stdin().lock());
    match answer_stream().and_then(|answers| answer_lines(requests, answers, answer)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the stream of answers, and leads stdout to stderr: the user's function may print, as in a component, where
/// that goes nowhere, and its lines are no answers.
fn answer_stream() -> io::Result<File> {
    const STDOUT: i32 = 1;
    const STDERR: i32 = 2;
    unsafe extern "C" {
        fn dup2(from: i32, to: i32) -> i32;
    }
    let answers = io::stdout().as_fd().try_clone_to_owned()?;
    // SAFETY: the descriptor that is replaced belongs to nobody but the stream of that name, which goes on with the
    // new one.
    if unsafe { dup2(STDERR, STDOUT) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(File::from(answers))
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
        if answer(&mut reader, &mut line) == Err(Malformed) {
            let reason = format!("the line is malformed at {}", reader.explain());
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        line.push(b'\n');
        answers.write_all(&line)?;
    }
}

#[cfg(test)]
mod tests {
    use super::super::values::Json;
    use super::*;

    fn double(reader: &mut Reader<'_>, line: &mut Vec<u8>) -> Result<(), Malformed> {
        let [number] = <[u32; 1]>::try_from(Vec::read(reader)?).unwrap();
        reader.end()?;
        (number * 2).write(line);
        Ok(())
    }

    #[test]
    fn each_line_has_a_line_as_its_answer() {
        let mut answers = Vec::new();
        answer_lines(&b"[1]\n [ 2 ] \r\n[3]"[..], &mut answers, double).unwrap();
        assert_eq!(answers, b"2\n4\n6\n");
    }

    #[test]
    fn a_malformed_line_ends_it_with_the_place() {
        let mut answers = Vec::new();
        let error = answer_lines(&b"[1]\n[x]\n[2]\n"[..], &mut answers, double).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the line is malformed at byte 1: expected an integer"
        );
        assert_eq!(answers, b"2\n");
    }
}
