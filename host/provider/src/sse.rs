//! Server-sent events: a stream of bytes to the data of events.

/// The longest line of a stream, in bytes.
const LINE_BYTES_MAX: usize = 1 << 20;

/// The most bytes of data of one event.
const DATA_BYTES_MAX: usize = 1 << 20;

/// Reason why a stream cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SseError {
    /// A line or an event is too long.
    TooLong,
    /// A line is not UTF-8.
    NotText,
}

/// Puts events together from chunks of a stream, however it is cut.
#[derive(Debug, Default)]
pub(super) struct SseReader {
    line: Vec<u8>,
    data: String,
    has_data: bool,
}

impl SseReader {
    /// Takes the next bytes, and appends the data of each event that is complete.
    pub(super) fn push(&mut self, bytes: &[u8], events: &mut Vec<String>) -> Result<(), SseError> {
        for byte in bytes {
            match byte {
                b'\n' => self.end_line(events)?,
                _ if self.line.len() == LINE_BYTES_MAX => return Err(SseError::TooLong),
                byte => self.line.push(*byte),
            }
        }
        Ok(())
    }

    fn end_line(&mut self, events: &mut Vec<String>) -> Result<(), SseError> {
        let line = std::str::from_utf8(&self.line).map_err(|_| SseError::NotText)?;
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.is_empty() {
            if std::mem::take(&mut self.has_data) {
                events.push(std::mem::take(&mut self.data));
            }
        } else if let Some(data) = line.strip_prefix("data:") {
            if self.data.len() + data.len() > DATA_BYTES_MAX {
                return Err(SseError::TooLong);
            }
            if self.has_data {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
            self.has_data = true;
        }
        self.line.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_the_same_however_the_stream_is_cut() {
        let stream = ": hello\r\nevent: a\r\ndata: {\"x\":\r\ndata: \"é\"}\r\n\r\n\ndata:[DONE]\n\ndata: cut";
        for size in [1, 2, 3, stream.len()] {
            let (mut reader, mut events) = (SseReader::default(), Vec::new());
            for chunk in stream.as_bytes().chunks(size) {
                reader.push(chunk, &mut events).unwrap();
            }
            assert_eq!(events, ["{\"x\":\n\"é\"}", "[DONE]"]);
        }
    }

    #[test]
    fn endless_lines_and_events_and_bytes_that_are_no_text_end_it() {
        let mut events = Vec::new();
        let line = vec![b'x'; LINE_BYTES_MAX + 1];
        assert_eq!(
            SseReader::default().push(&line, &mut events),
            Err(SseError::TooLong)
        );
        let data = format!("data: {}\n", "x".repeat(999)).repeat(DATA_BYTES_MAX / 999 + 2);
        assert_eq!(
            SseReader::default().push(data.as_bytes(), &mut events),
            Err(SseError::TooLong)
        );
        assert_eq!(
            SseReader::default().push(b"data: \xff\n", &mut events),
            Err(SseError::NotText)
        );
        assert!(events.is_empty());
    }
}
