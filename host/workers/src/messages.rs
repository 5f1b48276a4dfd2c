//! Messages between a run and a worker, as bytes: a content, and a header behind it.

use bakeoff_confine::tasks::wire;
use serde::{Deserialize, Serialize};

/// The most bytes of a task in its message; a larger one is kept as a content.
pub(super) const INLINE_BYTES_MAX: usize = 384 << 10;

/// The most bytes of a piece of a frame. A server takes messages of 1 MiB.
pub(super) const PIECE_BYTES_MAX: usize = 384 << 10;

/// The most bytes of a task that is kept as a content.
pub(super) const TASK_BYTES_MAX: usize = 512 << 20;

/// The most bytes of one frame of an answer: those of a runner's, and a header.
pub(super) const FRAME_BYTES_MAX: usize = (4 << 20) + (64 << 10);

/// The most bytes of all frames of an answer: as many as a runner may send.
pub(super) const ANSWER_BYTES_MAX: usize = 256 << 20;

/// The longest key of a task, in bytes.
const KEY_BYTES_MAX: usize = 4_096;

/// Header of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TaskHeader {
    /// The session of the run.
    pub(super) session: String,
    /// The number of the request in that session.
    pub(super) number: u64,
    /// The key of the task.
    pub(super) key: String,
    /// The number of the attempt.
    pub(super) attempt: u32,
    /// The number of the request within the attempt.
    pub(super) request: u32,
    /// The digest of the task's bytes, if they are kept as a content; else they stand before this header.
    pub(super) content: Option<String>,
}

impl TaskHeader {
    /// Returns true if nothing in it is longer than it may be.
    pub(super) fn is_bounded(&self) -> bool {
        super::facts::is_token(&self.session) && self.key.len() <= KEY_BYTES_MAX
    }
}

/// Header of a piece of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AnswerHeader {
    /// The number of the request in its session.
    pub(super) request: u64,
    /// The number of the piece in its answer, from 0 on.
    pub(super) piece: u32,
    /// The use of the piece.
    pub(super) part: AnswerPart,
}

/// Use of a piece of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum AnswerPart {
    /// The beginning or middle of a frame.
    Begun,
    /// The end of a frame.
    Frame,
    /// No frame: the worker is done with the request.
    Over,
}

/// A request that nobody waits for any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cancelled {
    pub(super) session: String,
    pub(super) request: u64,
}

impl Cancelled {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        wire::sealed(Vec::new(), self)
    }

    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        wire::opened(bytes).map(|(cancelled, _)| cancelled)
    }
}

/// Puts the frames of one answer together again.
#[derive(Debug, Default)]
pub(super) struct AnswerFrames {
    next: u32,
    frame: Vec<u8>,
    bytes: usize,
}

/// Gain of a piece of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AnswerPiece {
    /// Nothing yet, or nothing new.
    Nothing,
    /// A whole frame.
    Frame(Vec<u8>),
    /// The answer is over.
    Over,
}

/// Error of a piece of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum AnswerError {
    /// A piece before this one is missing, which no worker must be to blame for: a server may lose what it took.
    #[error("a part of its answer did not arrive")]
    Gap,
    /// The pieces have more bytes than an answer may have.
    #[error("its answer is larger than answers may be")]
    TooLarge,
}

impl AnswerFrames {
    /// Takes the next piece.
    ///
    /// # Errors
    /// A piece is missing, or they have more bytes than an answer may have.
    pub(super) fn take(
        &mut self,
        header: AnswerHeader,
        content: &[u8],
    ) -> Result<AnswerPiece, AnswerError> {
        if header.piece < self.next {
            return Ok(AnswerPiece::Nothing);
        }
        if header.piece > self.next {
            return Err(AnswerError::Gap);
        }
        self.next += 1;
        self.bytes = self.bytes.saturating_add(content.len());
        if self.bytes > ANSWER_BYTES_MAX || self.frame.len() + content.len() > FRAME_BYTES_MAX {
            return Err(AnswerError::TooLarge);
        }
        if header.part == AnswerPart::Over {
            return Ok(AnswerPiece::Over);
        }
        self.frame.extend_from_slice(content);
        Ok(match header.part {
            AnswerPart::Frame => AnswerPiece::Frame(std::mem::take(&mut self.frame)),
            AnswerPart::Begun | AnswerPart::Over => AnswerPiece::Nothing,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(piece: u32, part: AnswerPart) -> AnswerHeader {
        AnswerHeader {
            request: 1,
            piece,
            part,
        }
    }

    #[test]
    fn a_frame_in_pieces_is_whole_again_and_a_repeated_piece_counts_once() {
        let mut frames = AnswerFrames::default();
        assert_eq!(
            frames.take(header(0, AnswerPart::Begun), b"fra"),
            Ok(AnswerPiece::Nothing)
        );
        assert_eq!(
            frames.take(header(0, AnswerPart::Begun), b"fra"),
            Ok(AnswerPiece::Nothing)
        );
        let whole = frames.take(header(1, AnswerPart::Frame), b"me");
        assert_eq!(whole, Ok(AnswerPiece::Frame(b"frame".to_vec())));
        assert_eq!(
            frames.take(header(2, AnswerPart::Over), b""),
            Ok(AnswerPiece::Over)
        );
        let gap = frames.take(header(4, AnswerPart::Frame), b"");
        assert_eq!(gap, Err(AnswerError::Gap));
    }

    #[test]
    fn case_284_an_answer_without_an_end_is_refused_when_it_is_too_large() {
        let piece = vec![0; PIECE_BYTES_MAX];
        let mut frames = AnswerFrames::default();
        let mut taken = 0;
        let refused = (0..).find_map(|number| {
            let header = header(number, AnswerPart::Begun);
            taken += piece.len();
            frames.take(header, &piece).err()
        });
        assert_eq!(refused, Some(AnswerError::TooLarge));
        assert!(taken <= FRAME_BYTES_MAX + 2 * PIECE_BYTES_MAX, "{taken}");
        // Many frames of a size that each may have.
        let mut frames = AnswerFrames::default();
        let refused =
            (0..).find_map(|number| frames.take(header(number, AnswerPart::Frame), &piece).err());
        assert_eq!(refused, Some(AnswerError::TooLarge));
    }
}
