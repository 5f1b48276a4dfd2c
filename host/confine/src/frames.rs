//! Frames: the messages of a child. Each is a length (four bytes, little-endian) and that many bytes.

use super::error::FrameError;
use std::fs::File;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::{AsyncRead, AsyncReadExt};

/// Size of a frame's length, in bytes.
const LENGTH_BYTES: usize = 4;

/// The child's end of the pipe. Nothing that the child or its own children print can get among the
/// frames, because they have no other handle on this pipe.
#[derive(Debug)]
pub struct Frames {
    pipe: File,
    frame_bytes_max: u64,
    /// The word that the parent can read at any time, if the job has one.
    page: Option<&'static AtomicU64>,
}

impl Frames {
    #[cfg(target_os = "linux")]
    pub(super) fn new(pipe: File, frame_bytes_max: u64, page: Option<&'static AtomicU64>) -> Self {
        Self {
            pipe,
            frame_bytes_max,
            page,
        }
    }

    /// Writes a word where the parent finds it the next time it looks, or when this process has
    /// ended. That takes no system call and wakes nobody. Without
    /// [`ChildJob::announces`](super::ChildJob::announces) nobody reads it.
    pub fn announce(&self, word: u64) {
        if let Some(page) = self.page {
            page.store(word, Ordering::Relaxed);
        }
    }

    /// Returns the word that was announced last; 0 if there was none.
    pub fn announced(&self) -> u64 {
        self.page.map_or(0, |page| page.load(Ordering::Relaxed))
    }

    /// Sends one frame; returns when the pipe has taken it.
    ///
    /// # Errors
    /// `InvalidInput` if it is larger than the job allows; `BrokenPipe` if the parent is gone.
    pub fn send(&mut self, frame: &[u8]) -> io::Result<()> {
        let length = u32::try_from(frame.len())
            .ok()
            .filter(|&length| u64::from(length) <= self.frame_bytes_max)
            .ok_or_else(|| {
                let message = format!(
                    "a frame of {} bytes; the job allows {}",
                    frame.len(),
                    self.frame_bytes_max
                );
                io::Error::new(io::ErrorKind::InvalidInput, message)
            })?;
        let mut bytes = Vec::with_capacity(LENGTH_BYTES + frame.len());
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(frame);
        self.pipe.write_all(&bytes)
    }
}

/// The end of a pipe at which frames come out. The input is not trusted: each length is checked against its bound
/// before memory is allocated.
#[derive(Debug)]
pub struct FrameReader<R> {
    pipe: R,
    /// Bytes that were read but not returned yet. They are kept here, so that a cancelled read loses
    /// nothing.
    pending: Vec<u8>,
    frame_bytes_max: usize,
    output_bytes_left: u64,
    output_bytes_max: u64,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    /// Reads frames of at most so many bytes each, and of so many in all.
    pub fn new(pipe: R, frame_bytes_max: usize, output_bytes_max: u64) -> Self {
        Self {
            pipe,
            pending: Vec::new(),
            frame_bytes_max,
            output_bytes_left: output_bytes_max,
            output_bytes_max,
        }
    }

    /// Returns the next frame; `None` at the end. Nothing is lost where the wait is given up.
    ///
    /// # Errors
    /// A frame is larger than the bounds, or the pipe ends within one or cannot be read.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, FrameError> {
        let Some(length) = self.fill(LENGTH_BYTES).await? else {
            return Ok(None);
        };
        let length: [u8; LENGTH_BYTES] = length.try_into().map_err(|_| FrameError::Truncated)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > self.frame_bytes_max {
            return Err(FrameError::FrameTooLarge {
                bytes: length as u64,
                max: self.frame_bytes_max as u64,
            });
        }
        if length as u64 > self.output_bytes_left {
            return Err(FrameError::OutputTooLarge {
                max: self.output_bytes_max,
            });
        }
        if self.fill(LENGTH_BYTES + length).await?.is_none() {
            return Err(FrameError::Truncated);
        }
        self.output_bytes_left -= length as u64;
        let mut frame = std::mem::take(&mut self.pending);
        frame.drain(..LENGTH_BYTES);
        Ok(Some(frame))
    }

    /// Waits until `wanted` bytes are pending; `None` if the pipe ends before the first.
    async fn fill(&mut self, wanted: usize) -> Result<Option<&[u8]>, FrameError> {
        while self.pending.len() < wanted {
            let missing = (wanted - self.pending.len()) as u64;
            let mut limited = (&mut self.pipe).take(missing);
            if limited.read_buf(&mut self.pending).await? == 0 {
                return if self.pending.is_empty() {
                    Ok(None)
                } else {
                    Err(FrameError::Truncated)
                };
            }
        }
        Ok(Some(&self.pending[..wanted]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns all frames that a reader of these bytes gives out, with bounds of 8 bytes a frame and 12 in all.
    async fn read_all(bytes: &[u8]) -> Result<Vec<Vec<u8>>, FrameError> {
        let mut reader = FrameReader::new(bytes, 8, 12);
        let mut frames = Vec::new();
        while let Some(frame) = reader.next().await? {
            frames.push(frame);
        }
        Ok(frames)
    }

    fn framed(frames: &[&[u8]]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for frame in frames {
            bytes.extend_from_slice(&u32::try_from(frame.len()).unwrap().to_le_bytes());
            bytes.extend_from_slice(frame);
        }
        bytes
    }

    #[tokio::test]
    async fn frames_come_out_as_they_went_in() {
        let bytes = framed(&[b"one", b"", b"three"]);
        let frames = read_all(&bytes).await.unwrap();
        assert_eq!(frames, [&b"one"[..], b"", b"three"]);
        assert!(read_all(&[]).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn a_frame_that_ends_early_is_an_error_wherever_it_ends() {
        let whole = framed(&[b"one"]);
        for end in 1..whole.len() {
            let error = read_all(&whole[..end]).await.unwrap_err();
            assert!(matches!(error, FrameError::Truncated), "{end}: {error}");
        }
    }

    #[tokio::test]
    async fn a_claimed_length_is_checked_before_anything_is_read() {
        let error = read_all(&u32::MAX.to_le_bytes()).await.unwrap_err();
        assert!(
            matches!(error, FrameError::FrameTooLarge { bytes, max: 8 } if bytes == u64::from(u32::MAX))
        );
    }

    #[tokio::test]
    async fn many_small_frames_meet_the_bound_on_the_sum() {
        let error = read_all(&framed(&[b"123456", b"123456", b"1"])).await;
        assert!(matches!(error, Err(FrameError::OutputTooLarge { max: 12 })));
    }

    #[tokio::test]
    async fn a_reader_that_was_interrupted_loses_nothing() {
        let (mut sender, receiver) = tokio::io::duplex(64);
        let mut reader = FrameReader::new(receiver, 8, 12);
        let bytes = framed(&[b"abc"]);
        tokio::io::AsyncWriteExt::write_all(&mut sender, &bytes[..5])
            .await
            .unwrap();
        tokio::select! {
            biased;
            _ = reader.next() => panic!("the frame is not complete"),
            () = tokio::task::yield_now() => {}
        }
        tokio::io::AsyncWriteExt::write_all(&mut sender, &bytes[5..])
            .await
            .unwrap();
        assert_eq!(reader.next().await.unwrap().unwrap(), b"abc");
    }
}
