//! Messages through a pair of pipes: each a frame with a bounded length.

use super::error::RemoteError;
use super::files::Source;
use super::messages::{Digest, FilePart, GONE};
use bakeoff_confine::FrameReader;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::Read as _;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::time::timeout;

/// Size of the parts in which files and output are sent, in bytes.
pub(crate) const PART_BYTES: usize = 128 << 10;

/// The largest message, in bytes: a part, or a command line.
const FRAME_BYTES_MAX: usize = 4 << 20;

/// The most that all messages of one end may have, in bytes: its files, and what a command prints.
const ALL_BYTES_MAX: u64 = 4 << 30;

/// The end of the pipes at which messages come out.
pub(crate) struct Incoming<R>(FrameReader<R>);

impl<R: AsyncRead + Unpin> Incoming<R> {
    pub(crate) fn new(pipe: R) -> Self {
        Self(FrameReader::new(pipe, FRAME_BYTES_MAX, ALL_BYTES_MAX))
    }

    /// Returns the next message; `None` at the end. Nothing is lost where the wait is given up.
    pub(crate) async fn next<M: DeserializeOwned>(&mut self) -> Result<Option<M>, RemoteError> {
        let Some(frame) = self.0.next().await? else {
            return Ok(None);
        };
        let message = postcard::from_bytes(&frame);
        let unasked = |_| RemoteError::Unasked("something that is no message".to_owned());
        message.map(Some).map_err(unasked)
    }
}

/// The end of the pipes into which messages go.
pub(crate) struct Outgoing<W> {
    pipe: W,
    /// The time in which the other end has to take a message.
    patience: Duration,
    /// True once a message was given up in the midst of it: nothing can follow it.
    is_cut: bool,
}

impl<W: AsyncWrite + Unpin> Outgoing<W> {
    pub(crate) fn new(pipe: W) -> Self {
        Self::with_patience(pipe, GONE)
    }

    fn with_patience(pipe: W, patience: Duration) -> Self {
        Self {
            pipe,
            patience,
            is_cut: false,
        }
    }

    /// Sends a message. Where a connection is cut without a word, the pipes fill, and an end that waited for room would
    /// never learn that the other one is gone: after a while, it is an error.
    pub(crate) async fn send<M: Serialize>(&mut self, message: &M) -> Result<(), RemoteError> {
        let message = postcard::to_stdvec(message).map_err(std::io::Error::other)?;
        let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
        if length as usize > FRAME_BYTES_MAX {
            return Err(RemoteError::TooMuch(
                "the command line is too long to be sent".to_owned(),
            ));
        }
        let mut frame = length.to_le_bytes().to_vec();
        frame.extend(message);
        if self.is_cut {
            return Err(taken_by_nobody());
        }
        let written = async {
            self.pipe.write_all(&frame).await?;
            self.pipe.flush().await
        };
        let Ok(written) = timeout(self.patience, written).await else {
            self.is_cut = true;
            return Err(taken_by_nobody());
        };
        Ok(written?)
    }

    /// Sends a file in parts.
    pub(crate) async fn send_file<M: Serialize>(
        &mut self,
        mut source: Source,
        message: impl Fn(FilePart) -> M,
    ) -> Result<Digest, RemoteError> {
        self.send(&message(FilePart::Head(source.head.clone())))
            .await?;
        let mut part = vec![0; PART_BYTES];
        loop {
            let read = source.read(&mut part);
            let read = read.map_err(|error| RemoteError::file(&source.head.path, error))?;
            if read == 0 {
                break;
            }
            self.send(&message(FilePart::Content(part[..read].to_vec())))
                .await?;
        }
        let digest = source.finish()?;
        self.send(&message(FilePart::End(digest))).await?;
        Ok(digest)
    }
}

fn taken_by_nobody() -> RemoteError {
    RemoteError::Cut(": the other end takes nothing any more".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt as _;

    #[tokio::test]
    async fn an_end_that_takes_nothing_is_given_up_and_gets_nothing_more() {
        let (pipe, mut other) = tokio::io::duplex(8);
        let mut outgoing = Outgoing::with_patience(pipe, Duration::from_millis(20));
        let text = "longer than the pipe".to_owned();
        for _ in 0..2 {
            let refused = outgoing.send(&text).await.unwrap_err();
            assert!(matches!(refused, RemoteError::Cut(_)), "{refused}");
        }
        // Half a frame came, and no beginning of another one.
        drop(outgoing);
        let mut came = Vec::new();
        other.read_to_end(&mut came).await.unwrap();
        assert_eq!(came, [21, 0, 0, 0, 20, b'l', b'o', b'n']);
    }
}
