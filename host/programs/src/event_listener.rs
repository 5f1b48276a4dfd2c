//! A command of the user that gets lines on its stdin while something else goes on, which it can neither stop nor slow.

use super::command_line::CommandLine;
use bakeoff_confine::{Keeper, kept};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The most lines that wait for the command; what comes then is left out, and counted.
pub const LINES_WAITING_MAX: usize = 1_024;

/// The longest that the command may take to end, once its stdin is closed.
pub const END_WAIT_MAX: Duration = Duration::from_secs(2);

/// Time between two looks whether it has ended.
const LOOK: Duration = Duration::from_millis(20);

/// A command that was started once, and gets a line for each event.
#[derive(Debug)]
pub struct EventListener {
    lines: Mutex<Option<SyncSender<String>>>,
    left_out: AtomicU64,
    keeper: Keeper,
    thread: Mutex<Option<JoinHandle<Option<String>>>>,
}

/// End of a command that got lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ListenerEnd {
    /// Number of lines that it did not get, since it was too slow or had ended.
    pub left_out: u64,
    /// Reason why it failed, if it did.
    pub failure: Option<String>,
}

impl EventListener {
    /// Starts the command. Its stdout is nowhere; its stderr is that of this process.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(line: &CommandLine) -> io::Result<Self> {
        let (sender, receiver) = sync_channel(LINES_WAITING_MAX);
        let (started, is_started) = sync_channel(1);
        let mut command = kept(Path::new(line.program()))?;
        command
            .args(line.arguments())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit());
        // The kernel ties the death of the command to that of the thread that starts it.
        let thread = std::thread::Builder::new()
            .name("bakeoff-on-event".to_owned())
            .spawn(move || {
                let mut child = match command.spawn() {
                    Ok(child) => child,
                    Err(error) => {
                        let _ = started.send(Err(error));
                        return None;
                    }
                };
                drop(command);
                let stdin = child.stdin.take();
                let _ = started.send(Keeper::of_child(&mut child));
                pass_on(stdin, &receiver, &mut child)
            })?;
        let gone = |_| io::Error::other("its thread is gone");
        let keeper = is_started.recv().map_err(gone)??;
        Ok(Self {
            lines: Mutex::new(Some(sender)),
            left_out: AtomicU64::new(0),
            keeper,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Gives the command a line, which has no line break. Never waits.
    pub fn tell(&self, line: String) {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let is_sent = lines
            .as_ref()
            .is_some_and(|lines| lines.try_send(line).is_ok());
        if !is_sent {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Closes the stdin of the command, waits for its end for [`END_WAIT_MAX`] at most, and ends it then.
    pub fn end(&self) -> ListenerEnd {
        drop(
            self.lines
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(thread) = thread else {
            return ListenerEnd::default();
        };
        let until = Instant::now() + END_WAIT_MAX;
        while !thread.is_finished() && Instant::now() < until {
            std::thread::sleep(LOOK);
        }
        let is_late = !thread.is_finished();
        if is_late {
            self.keeper.end();
        }
        let failure = thread.join().unwrap_or(None);
        let late = format!(
            "it was ended, as it took longer than {} s once all was told",
            END_WAIT_MAX.as_secs()
        );
        ListenerEnd {
            left_out: self.left_out.load(Ordering::Relaxed),
            failure: if is_late { Some(late) } else { failure },
        }
    }
}

/// Writes lines to the command until there are no more or it takes none, and waits for its end. Returns the reason why it
/// failed.
fn pass_on(
    stdin: Option<ChildStdin>,
    lines: &Receiver<String>,
    child: &mut Child,
) -> Option<String> {
    let mut stdin = stdin?;
    let mut is_open = true;
    for line in lines {
        if stdin.write_all((line + "\n").as_bytes()).is_err() {
            is_open = false;
            break;
        }
    }
    drop(stdin);
    match child.wait() {
        Ok(status) if !status.success() => Some(format!("it ended with {status}")),
        Ok(_) if !is_open => Some("it ended before all was told".to_owned()),
        Ok(_) => None,
        Err(error) => Some(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Shell;

    fn started(text: &str) -> EventListener {
        let shell = Shell::Program("/bin/sh".to_owned());
        let line = CommandLine::all(&[text.to_owned()], &shell)
            .unwrap()
            .remove(0);
        EventListener::start(&line).unwrap()
    }

    #[test]
    fn each_line_is_passed_on_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lines");
        let listener = started(&format!("cat > {}", file.display()));
        for number in 0..100 {
            listener.tell(number.to_string());
        }
        assert_eq!(listener.end(), ListenerEnd::default());
        let expected: String = (0..100).map(|number| format!("{number}\n")).collect();
        assert_eq!(std::fs::read_to_string(file).unwrap(), expected);
    }

    #[test]
    fn one_that_reads_nothing_holds_nothing_up_and_what_it_missed_is_counted() {
        let listener = started("sleep 600");
        let line = "x".repeat(1 << 10);
        for _ in 0..LINES_WAITING_MAX * 4 {
            listener.tell(line.clone());
        }
        let end = listener.end();
        assert!(end.left_out > LINES_WAITING_MAX as u64, "{end:?}");
        assert!(end.failure.unwrap().contains("longer than 2 s"));
        assert_eq!(listener.end(), ListenerEnd::default());
    }

    #[test]
    fn one_that_fails_says_so_once() {
        let failed = started("exit 3").end();
        assert!(failed.failure.unwrap().contains("exit status: 3"));
        let none = Shell::None;
        assert!(CommandLine::all(&["/no/such/program".to_owned()], &none).is_err());
    }
}
