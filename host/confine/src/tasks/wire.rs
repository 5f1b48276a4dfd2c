//! Messages as bytes. The header of a message stands behind its content, so that nothing large is copied when it is
//! added or taken off: content, header, length of the header as four bytes, the lowest first.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Header of a worker's frame, which stands behind its content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FrameHeader {
    /// The key of the task.
    pub(super) key: String,
    /// The number of the attempt, from 1 on.
    pub(super) attempt: u32,
    /// The number of the request within the attempt, from 0 on.
    pub(super) request: u32,
    /// The number of the frame within the request, from 0 on.
    pub(super) number: u32,
    /// Kind of the content.
    pub(super) body: FrameBody,
}

/// Kind of the content of a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum FrameBody {
    /// No content: the worker is alive.
    Heartbeat,
    /// A part of the result.
    Part,
    /// The end of the result.
    End,
    /// No content, and no result, for this reason.
    Lost(String),
}

const LENGTH_BYTES: usize = size_of::<u32>();

/// Returns a message of this content and header.
pub fn sealed(mut content: Vec<u8>, header: &impl Serialize) -> Vec<u8> {
    // A header of numbers and text, as all of them are, can be encoded.
    let header = postcard::to_stdvec(header).unwrap_or_default();
    let length = u32::try_from(header.len()).unwrap_or(u32::MAX);
    content.reserve_exact(header.len() + LENGTH_BYTES);
    content.extend_from_slice(&header);
    content.extend_from_slice(&length.to_le_bytes());
    content
}

/// Returns the header of a message and its content; `None` if it is no such message.
pub fn opened<H: DeserializeOwned>(message: &[u8]) -> Option<(H, &[u8])> {
    let (rest, length) = message.split_last_chunk::<LENGTH_BYTES>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (content, header) = rest.split_at(rest.len().checked_sub(length)?);
    let (header, left) = postcard::take_from_bytes(header).ok()?;
    left.is_empty().then_some((header, content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_as_it_was_written_and_cut_or_lengthened_it_is_none() {
        let header = FrameHeader {
            key: "check".to_owned(),
            attempt: 2,
            request: 1,
            number: 300,
            body: FrameBody::Lost("refused".to_owned()),
        };
        let message = sealed(b"content".to_vec(), &header);
        let read: Option<(FrameHeader, _)> = opened(&message);
        assert_eq!(read, Some((header, &b"content"[..])));
        for length in 0..message.len() {
            assert_eq!(opened::<FrameHeader>(&message[..length]), None, "{length}");
        }
        let longer = [&message[..], b"!"].concat();
        assert_eq!(opened::<FrameHeader>(&longer), None);
        let huge = [&b"content"[..], &u32::MAX.to_le_bytes()].concat();
        assert_eq!(opened::<FrameHeader>(&huge), None);
    }
}
