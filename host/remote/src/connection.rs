//! A pair of pipes to the far end, those of a child that leads there.

use super::error::RemoteError;
use std::fs::File;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::process::{Child, ChildStdin, ChildStdout};

/// The most bytes of a text that comes instead of the far end's messages.
const TEXT_BYTES_MAX: u64 = 4 << 10;

/// The first byte of what the far end sends: a frame of one byte.
const FRAME: u8 = 1;

/// A connection whose far end is there.
#[derive(Debug)]
pub struct Connection {
    input: ChildStdin,
    output: ChildStdout,
    child: Child,
}

/// The answer of a child that was to lead to the far end.
pub(crate) enum FirstAnswer {
    /// The far end is there.
    FarEnd(Box<Connection>),
    /// Something else answered.
    Other {
        /// The beginning of it.
        text: String,
        /// The child's exit status; `None` if a signal ended it.
        status: Option<i32>,
    },
}

impl FirstAnswer {
    /// Waits for the first answer of a child. Where its machine lacks the program, that is sent first.
    pub(crate) async fn of(mut child: Child, program: Option<File>) -> Result<Self, RemoteError> {
        let (Some(mut input), Some(mut output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(RemoteError::Start("there are no pipes to it".to_owned()));
        };
        let mut first = [0];
        let count = match program {
            None => output.read(&mut first).await?,
            Some(program) => {
                let mut program = tokio::fs::File::from_std(program);
                let answer = output.read(&mut first);
                tokio::pin!(answer);
                tokio::select! {
                    count = &mut answer => count?,
                    // Why it is not taken stands in the answer.
                    _ = tokio::io::copy(&mut program, &mut input) => answer.await?,
                }
            }
        };
        if count == 1 && first[0] == FRAME {
            return Ok(Self::FarEnd(Box::new(Connection {
                input,
                output,
                child,
            })));
        }
        drop(input);
        let text = text(&first[..count], output).await?;
        let status = child.wait().await?.code();
        Ok(Self::Other { text, status })
    }
}

impl Connection {
    /// Returns the pipes: what the far end sends, and what it gets.
    pub fn pipes(&mut self) -> (impl AsyncRead + Unpin, impl AsyncWrite + Unpin) {
        // The byte that was read already.
        let output = (&[FRAME][..]).chain(&mut self.output);
        (output, &mut self.input)
    }

    /// Ends the connection.
    pub async fn close(mut self) {
        drop(self.input);
        drop(self.output);
        // It has nothing left to say.
        let _ = self.child.wait().await;
    }
}

/// Returns the beginning of what a child prints.
pub(crate) async fn text(
    first: &[u8],
    output: impl AsyncRead + Unpin,
) -> Result<String, RemoteError> {
    let mut text = first.to_vec();
    output.take(TEXT_BYTES_MAX).read_to_end(&mut text).await?;
    text.retain(|byte| *byte != 0);
    Ok(String::from_utf8_lossy(&text).into_owned())
}
