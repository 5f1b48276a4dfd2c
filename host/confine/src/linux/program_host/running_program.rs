//! A program that runs: its pipes, its clock, and its end.

use crate::program::protocol::{MeasuredAnswer, ProgramFailure};
use bakeoff_domain::spec::CallTiming;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The most bytes at the end of stderr that are kept.
const STDERR_KEPT: usize = 2_048;

/// The most characters of the last line on stderr that are told.
const SAID_CHARS_MAX: usize = 300;

/// Words of a line that tells what went wrong, in the languages that people use.
const ERRORS: [&str; 4] = ["error", "exception", "panicked", "fatal"];

/// The first answers of a program, after which it is not stopped: what it writes beyond one line is seen then.
const ANSWERS_AWAITED: u32 = 2;

/// The time in which a second line comes.
const SECOND_LINE: Duration = Duration::from_millis(2);

/// The most bytes of an empty line.
const TURN_BYTES_MAX: u64 = 0;

/// The beginning of a line that follows the message of a panic, and tells nothing.
const ADVICE: &str = "note: run with `RUST_BACKTRACE";

/// A program that was started, with its pipes. Dropping it kills it.
pub(super) struct RunningProgram {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    stderr: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
    clock: libc::clockid_t,
    /// CPU time up to the last answer, in nanoseconds.
    cpu_ns: u64,
    is_stopped: bool,
    /// The number of answers so far.
    answers: u32,
    timing: CallTiming,
    /// True once its end has been waited for: its number may belong to another process.
    is_reaped: bool,
}

/// Readings of the clocks, in nanoseconds: CPU time of the program, and the wall clock.
#[derive(Clone, Copy)]
struct Clocks {
    cpu_ns: u64,
    wall: Instant,
}

impl Clocks {
    /// CPU time in nanoseconds and wall time since an earlier reading.
    fn since(self, earlier: Self) -> (u64, Duration) {
        (
            self.cpu_ns.saturating_sub(earlier.cpu_ns),
            self.wall.saturating_duration_since(earlier.wall),
        )
    }
}

impl RunningProgram {
    /// Starts a program.
    pub(super) fn start(command: &mut Command, timing: CallTiming) -> Result<Self, ProgramFailure> {
        let failed = |why: &dyn std::fmt::Display| ProgramFailure::NotStarted(why.to_string());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| failed(&error))?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(failed(&"it has no pipes"));
        };
        let kept = Arc::new(Mutex::new(Vec::new()));
        let reader = std::thread::spawn({
            let kept = Arc::clone(&kept);
            move || keep_end(stderr, &kept)
        });
        let clock = clock_of(child.id()).ok_or_else(|| failed(&"it has no clock"))?;
        Ok(Self {
            child,
            stdin,
            stdout: BufReader::new(stdout),
            stderr: kept,
            reader: Some(reader),
            clock,
            cpu_ns: 0,
            is_stopped: false,
            answers: 0,
            timing,
            is_reaped: false,
        })
    }

    /// Writes a request and reads the answer. Between calls the program is stopped, where the fence lets its host do so.
    pub(super) fn call(
        &mut self,
        line: &str,
        bytes_max: u64,
    ) -> Result<MeasuredAnswer, ProgramFailure> {
        if (1..=ANSWERS_AWAITED).contains(&self.answers) {
            // A second line of the same answer may be on its way.
            std::thread::sleep(SECOND_LINE);
        }
        if self.has_said_more() {
            return Err(ProgramFailure::MoreThanOneLine);
        }
        let request = [line.as_bytes(), b"\n"].concat();
        let asked = Clocks {
            cpu_ns: self.cpu_ns,
            wall: Instant::now(),
        };
        self.signal(false);
        // A program that has ended has said why.
        let _ = self.stdin.write_all(&request);
        let turns = match self.timing {
            CallTiming::Answer => None,
            CallTiming::Alone => Some([self.next_turn()?, self.next_turn()?, self.next_turn()?]),
        };
        let answer = self.read_line(bytes_max)?;
        let now = self.clocks();
        self.answers = self.answers.saturating_add(1);
        self.signal(self.answers > ANSWERS_AWAITED);
        self.cpu_ns = self.cpu_ns.max(now.cpu_ns);
        let (cpu_ns, wall) = match turns {
            None => now.since(asked),
            Some([read, began, ended]) => {
                let (exchange, call) = (began.since(read), ended.since(began));
                (
                    call.0.saturating_sub(exchange.0),
                    call.1.saturating_sub(exchange.1),
                )
            }
        };
        let wall_ns = u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX);
        if !self.stdout.buffer().is_empty() {
            return Err(ProgramFailure::MoreThanOneLine);
        }
        let line = String::from_utf8(answer).map_err(|_| ProgramFailure::NotText)?;
        Ok(MeasuredAnswer {
            line,
            cpu_ns,
            wall_ns,
        })
    }

    /// Reads the empty line with which a program says that it waits for its turn, reads the clocks, and lets it go on.
    fn next_turn(&mut self) -> Result<Clocks, ProgramFailure> {
        match self.read_line(TURN_BYTES_MAX) {
            Ok(line) if line.is_empty() => {}
            Ok(_) | Err(ProgramFailure::TooLong(_)) => return Err(ProgramFailure::NoTurn),
            Err(failure) => return Err(failure),
        }
        let clocks = self.clocks();
        // A program that has ended has said why.
        let _ = self.stdin.write_all(b"\n");
        Ok(clocks)
    }

    fn clocks(&self) -> Clocks {
        Clocks {
            cpu_ns: self.now_ns(),
            wall: Instant::now(),
        }
    }

    fn read_line(&mut self, bytes_max: u64) -> Result<Vec<u8>, ProgramFailure> {
        let mut line = Vec::new();
        let mut limited = (&mut self.stdout).take(bytes_max.saturating_add(1));
        let read = limited.read_until(b'\n', &mut line);
        match (read, line.pop()) {
            (Ok(_), Some(b'\n')) => {
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                Ok(line)
            }
            (Ok(read), Some(_)) if read as u64 > bytes_max => {
                Err(ProgramFailure::TooLong(bytes_max))
            }
            _ => Err(self.ended()),
        }
    }

    /// Returns true if the program wrote something that nobody asked for.
    fn has_said_more(&self) -> bool {
        rustix::io::ioctl_fionread(self.stdout.get_ref()).is_ok_and(|bytes| bytes > 0)
    }

    fn now_ns(&self) -> u64 {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: the call fills the structure that the pointer leads to.
        let done = unsafe { libc::clock_gettime(self.clock, &raw mut time) };
        let part = |number: i64| u64::try_from(number).unwrap_or(0);
        match done {
            0 => part(time.tv_sec) * 1_000_000_000 + part(time.tv_nsec),
            _ => self.cpu_ns,
        }
    }

    /// Stops the program, or lets it go on. Without the right to do so it just runs; its time counts all the same.
    fn signal(&mut self, stops: bool) {
        if self.is_stopped == stops {
            return;
        }
        let signal = if stops { Signal::STOP } else { Signal::CONT };
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        let sent = pid.is_some_and(|pid| kill_process(pid, signal).is_ok());
        self.is_stopped = stops && sent;
    }

    /// Kills the program, and returns the most memory that it had, in bytes.
    pub(super) fn end(mut self) -> u64 {
        let _ = self.child.kill();
        self.is_reaped = true;
        peak_of(self.child.id())
    }

    /// Waits for the end of a program that closed its stdout, and returns how it ended.
    fn ended(&mut self) -> ProgramFailure {
        self.signal(false);
        // It may only have closed the pipe.
        let _ = self.child.kill();
        let status = self.child.wait();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
        let kept = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = String::from_utf8_lossy(&kept);
        ProgramFailure::Ended {
            how: status.map_or_else(|error| error.to_string(), describe),
            said: said(&kept),
        }
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        if self.is_reaped {
            return;
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns what a program said last: the last line that names an error, and the one after it, or else the last line.
/// Interpreters write where it happened behind that, or their version.
fn said(stderr: &str) -> Option<String> {
    let tells = |line: &&str| !line.trim().is_empty() && !line.starts_with(ADVICE);
    let lines: Vec<&str> = stderr.lines().filter(tells).collect();
    let names_error = |line: &&str| {
        let line = line.to_ascii_lowercase();
        ERRORS.iter().any(|word| line.contains(word))
    };
    let place = lines.iter().rposition(names_error);
    let told = match place {
        Some(place) => lines[place..]
            .iter()
            .take(2)
            .copied()
            .collect::<Vec<_>>()
            .join(" / "),
        None => (*lines.last()?).to_owned(),
    };
    Some(told.chars().take(SAID_CHARS_MAX).collect())
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("ended with status {code}"),
        // What is killed for closing its stdout.
        (None, Some(libc::SIGKILL)) => "closed its stdout".to_owned(),
        (None, Some(signal)) => format!("died of signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

/// Reads a pipe to its end, and keeps the last bytes.
fn keep_end(mut pipe: ChildStderr, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 4_096];
    while let Ok(read @ 1..) = pipe.read(&mut buffer) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&buffer[..read]);
        let over = kept.len().saturating_sub(STDERR_KEPT);
        kept.drain(..over);
    }
}

/// Returns the CPU clock of a process: that of all its threads.
fn clock_of(pid: u32) -> Option<libc::clockid_t> {
    let mut clock = 0;
    // SAFETY: the call fills the number that the pointer leads to.
    let done = unsafe { libc::clock_getcpuclockid(pid.cast_signed(), &raw mut clock) };
    (done == 0).then_some(clock)
}

/// Waits for the end of a process that was killed, and returns the most memory that it had, in bytes.
fn peak_of(pid: u32) -> u64 {
    // SAFETY: a rusage is plain numbers, for which zero is valid; the call fills it.
    let (done, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        let done = libc::wait4(pid.cast_signed(), std::ptr::null_mut(), 0, &raw mut usage);
        (done, usage)
    };
    match done {
        -1 => 0,
        _ => u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1_024,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_went_wrong_is_told_whatever_follows_it() {
        for (stderr, told) in [
            (
                "Traceback:\n  File \"a.py\", line 3\nValueError: no\n",
                "ValueError: no",
            ),
            (
                "a.js:3\n  throw x\n\nTypeError: no\n    at f (a.js:3:1)\n\nNode.js v20.1\n",
                "TypeError: no /     at f (a.js:3:1)",
            ),
            (
                "thread 'main' panicked at a.rs:1:2:\nno such file\nnote: run with `RUST_BACKTRACE=1`\n",
                "thread 'main' panicked at a.rs:1:2: / no such file",
            ),
            ("loading\nout of luck\n\n", "out of luck"),
        ] {
            assert_eq!(said(stderr).as_deref(), Some(told));
        }
        assert_eq!(said("\n"), None);
    }
}
