//! A pair of pipes to the far end, those of a child that leads there.

use super::error::RemoteError;
use super::messages::GONE;
use super::stderr::{ChildStderr, OnStderr};
use bakeoff_confine::kill_with_parent;
use std::fs::File;
use std::io::Read as _;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

/// The most bytes of a text that comes instead of the far end's messages.
const TEXT_BYTES_MAX: u64 = 4 << 10;

/// Size of the parts in which the program is sent, in bytes. Each of them has to be taken within a while.
const PROGRAM_PART_BYTES: usize = 64 << 10;

/// The first byte of what the far end sends: a frame of one byte.
const FRAME: u8 = 1;

/// The time that a connection has to end by itself once everything has come, and once it is given up.
const ENDING: Duration = Duration::from_secs(10);
const GIVING_UP: Duration = Duration::from_secs(1);

/// A child that leads to the far end, or answers a question on the way there: `ssh`, or what starts containers.
#[derive(Debug)]
pub(crate) struct Connector {
    name: String,
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    stderr: ChildStderr,
    /// The time in which something has to happen.
    patience: Duration,
}

/// The text that a child printed, and its exit status; `None` if a signal ended it.
pub(crate) type TextAndStatus = (String, Option<i32>);

/// A connection whose far end is there.
#[derive(Debug)]
pub struct Connection {
    input: ChildStdin,
    connector: Connector,
}

/// The answer of a child that was to lead to the far end.
pub(crate) enum FirstAnswer {
    /// The far end is there.
    FarEnd(Box<Connection>),
    /// Something else answered.
    Other(TextAndStatus),
}

impl Connector {
    /// Starts a child by its command; messages call it by a name.
    pub(crate) fn start(
        mut command: std::process::Command,
        name: &str,
        on_stderr: &OnStderr,
    ) -> Result<Self, RemoteError> {
        // What it says goes through this process, too: the far end may have written it.
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        kill_with_parent(&mut command);
        let started = Command::from(command).kill_on_drop(true).spawn();
        let mut child = started
            .map_err(|error| RemoteError::Start(format!("{name} cannot be started: {error}")))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(stderr)) = pipes else {
            return Err(RemoteError::Start(format!("{name} has no pipes")));
        };
        Ok(Self {
            name: name.to_owned(),
            child,
            input: Some(input),
            output,
            stderr: ChildStderr::new(stderr, name, on_stderr),
            patience: GONE,
        })
    }

    #[cfg(test)]
    fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Waits for the first answer. Where the machine lacks the program, that is sent first.
    ///
    /// # Errors
    /// [`RemoteError::Silent`] if nothing happens for a while.
    pub(crate) async fn first_answer(
        mut self,
        program: Option<File>,
    ) -> Result<FirstAnswer, RemoteError> {
        let mut first = [0];
        let silent = || RemoteError::Silent(self.name.clone());
        let count = {
            let answer = self.output.read(&mut first);
            tokio::pin!(answer);
            let early = match (program, &mut self.input) {
                (Some(program), Some(input)) => tokio::select! {
                    count = &mut answer => Some(count?),
                    is_taken = send(input, program, self.patience) => {
                        if !is_taken? {
                            return Err(silent());
                        }
                        None
                    }
                },
                _ => None,
            };
            match early {
                Some(count) => count,
                None => timeout(self.patience, answer)
                    .await
                    .map_err(|_| silent())??,
            }
        };
        if count == 1
            && first[0] == FRAME
            && let Some(input) = self.input.take()
        {
            return Ok(FirstAnswer::FarEnd(Box::new(Connection {
                input,
                connector: self,
            })));
        }
        self.text(&first[..count]).await.map(FirstAnswer::Other)
    }

    /// Sends a file, and returns the text that follows.
    ///
    /// # Errors
    /// [`RemoteError::Silent`] if nothing happens for a while.
    pub(crate) async fn answer_to(mut self, file: File) -> Result<TextAndStatus, RemoteError> {
        if let Some(input) = &mut self.input
            && !send(input, file, self.patience).await?
        {
            return Err(RemoteError::Silent(self.name));
        }
        self.text(&[]).await
    }

    /// Returns the beginning of what it prints, once it has ended and all that it says is passed on.
    ///
    /// # Errors
    /// [`RemoteError::Silent`] if it does not end.
    pub(crate) async fn text(mut self, first: &[u8]) -> Result<TextAndStatus, RemoteError> {
        drop(self.input.take());
        let mut text = first.to_vec();
        let ended = timeout(self.patience, async {
            let output = &mut self.output;
            output.take(TEXT_BYTES_MAX).read_to_end(&mut text).await?;
            // One that prints more is not waited for.
            if text.len() as u64 >= TEXT_BYTES_MAX {
                self.child.start_kill()?;
            }
            self.child.wait().await
        });
        let Ok(status) = ended.await else {
            self.end(Duration::ZERO).await;
            return Err(RemoteError::Silent(self.name));
        };
        self.stderr.finish().await;
        text.retain(|byte| *byte != 0);
        Ok((String::from_utf8_lossy(&text).into_owned(), status?.code()))
    }

    /// Waits a while for its end, or ends it, and passes on what it said last.
    async fn end(&mut self, patience: Duration) {
        drop(self.input.take());
        if timeout(patience, self.child.wait()).await.is_err() {
            // An error says that it has ended.
            let _ = self.child.kill().await;
        }
        self.stderr.finish().await;
    }
}

impl Connection {
    /// Returns the pipes: what the far end sends, and what it gets.
    pub fn pipes(&mut self) -> (impl AsyncRead + Unpin, impl AsyncWrite + Unpin) {
        // The byte that was read already.
        let output = AsyncReadExt::chain(&[FRAME][..], &mut self.connector.output);
        (output, &mut self.input)
    }

    /// Ends a connection through which everything has come.
    pub async fn close(mut self) {
        drop(self.input);
        self.connector.end(ENDING).await;
    }

    /// Ends a connection that cannot be used any more. What was said on the way of its end is passed on.
    pub async fn give_up(mut self) {
        drop(self.input);
        self.connector.end(GIVING_UP).await;
    }
}

/// Sends a file; returns false if for a while nothing of it is taken.
async fn send(
    input: &mut (impl AsyncWrite + Unpin),
    mut file: File,
    patience: Duration,
) -> Result<bool, RemoteError> {
    let mut part = vec![0; PROGRAM_PART_BYTES];
    loop {
        let count = file.read(&mut part)?;
        if count == 0 {
            return Ok(true);
        }
        match timeout(patience, input.write_all(&part[..count])).await {
            Ok(Ok(())) => {}
            // Why it is not taken stands in the answer.
            Ok(Err(_)) => return Ok(true),
            Err(_) => return Ok(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::sync::{Arc, Mutex};
    use std::time::Instant;

    /// Lines that a child said on stderr.
    type Said = Arc<Mutex<Vec<String>>>;

    fn started(script: &str) -> (Connector, Said) {
        let said = Said::default();
        let kept = said.clone();
        let on_stderr: OnStderr = Arc::new(move |line| kept.lock().unwrap().push(line.to_owned()));
        let mut command = std::process::Command::new("/bin/sh");
        command.args(["-c", script]);
        let connector = Connector::start(command, "ssh", &on_stderr).unwrap();
        (connector, said)
    }

    fn program() -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![0; 1 << 20]).unwrap();
        std::io::Seek::rewind(&mut file).unwrap();
        file
    }

    #[tokio::test]
    async fn case_311_what_a_connection_says_is_passed_on_before_its_error() {
        // What is left of it holds the pipes, and is not waited for.
        let (connector, said) = started("echo no route >&2; sleep 60 >/dev/null & exit 255");
        let began = Instant::now();
        let FirstAnswer::Other((text, status)) = connector.first_answer(None).await.unwrap() else {
            panic!("there is no far end");
        };
        assert_eq!((&*text, status), ("", Some(255)));
        assert_eq!(*said.lock().unwrap(), ["ssh: no route"]);
        assert!(began.elapsed() < Duration::from_secs(30));
    }

    #[tokio::test]
    async fn case_314_a_machine_that_is_silent_at_the_start_is_given_up() {
        let patience = Duration::from_millis(200);
        let is_silent = |error| matches!(error, RemoteError::Silent(name) if name == "ssh");
        for (script, sends) in [
            ("exec sleep 60", false),
            ("echo bakeoff-lacks x; exec sleep 60", false),
            // Nothing of the program is taken; or all of it, and nothing follows.
            ("exec sleep 60", true),
            ("cat >/dev/null; exec sleep 60", true),
        ] {
            let connector = started(script).0.with_patience(patience);
            let answer = connector.first_answer(sends.then(program)).await;
            assert!(answer.is_err_and(is_silent), "{script}");
            let connector = started(script).0.with_patience(patience);
            assert!(connector.text(&[]).await.is_err_and(is_silent), "{script}");
            let connector = started(script).0.with_patience(patience);
            let answer = connector.answer_to(program()).await;
            assert!(answer.is_err_and(is_silent), "{script}");
        }
        // One that prints without an end is cut off.
        let (connector, _) = started("while echo bakeoff-lacks x; do :; done");
        let (text, _) = connector.text(&[]).await.unwrap();
        assert_eq!(text.len() as u64, TEXT_BYTES_MAX);
    }

    #[tokio::test]
    async fn a_connection_that_does_not_end_is_ended() {
        let (connector, said) = started("printf '\\001'; echo last >&2; exec sleep 60");
        let FirstAnswer::FarEnd(connection) = connector.first_answer(None).await.unwrap() else {
            panic!("the far end answered");
        };
        let began = Instant::now();
        connection.give_up().await;
        assert!(began.elapsed() < Duration::from_secs(30));
        assert_eq!(*said.lock().unwrap(), ["ssh: last"]);
    }
}
