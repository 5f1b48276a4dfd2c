//! The bound on the first line of a request, which is held before the rest of it is waited for.

use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The most bytes of a request's first line: no address of a page has more than a few hundred.
const LINE_BYTES_MAX: usize = 8 << 10;
/// Time between two looks at a line that has not ended.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// The most bytes, and the most time, that a refused request is read for: with less, its sender may not get the answer.
const REFUSED_BYTES_MAX: usize = 1 << 20;
const REFUSED_TIME_MAX: Duration = Duration::from_secs(1);

/// The answer to a line that is longer.
const TOO_LONG: &[u8] = b"HTTP/1.1 414 URI Too Long\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\
    Cache-Control: no-store\r\n\r\nThe first line of the request has more than 8 KiB.\n";

/// Waits until the first line of a request has ended, without taking it from the stream. Returns false if it is too long:
/// that is answered.
///
/// # Errors
/// The connection ended, or cannot be read.
pub(crate) async fn is_within_bound(stream: &mut TcpStream) -> io::Result<bool> {
    let mut start = vec![0; LINE_BYTES_MAX];
    let mut before = 0;
    loop {
        let count = stream.peek(&mut start).await?;
        let read = start.get(..count).unwrap_or_default();
        if read.contains(&b'\n') {
            return Ok(true);
        }
        if count == LINE_BYTES_MAX {
            refuse(stream).await?;
            return Ok(false);
        }
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if count == before {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        before = count;
    }
}

/// Answers a line that is too long, and reads what its sender still sends, within bounds.
async fn refuse(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(TOO_LONG).await?;
    stream.shutdown().await?;
    let rest = async {
        let (mut chunk, mut read) = (vec![0; LINE_BYTES_MAX], 0);
        while read < REFUSED_BYTES_MAX {
            match stream.read(&mut chunk).await {
                Ok(0) | Err(_) => return,
                Ok(count) => read += count,
            }
        }
    };
    // Whether it read the answer concerns its sender alone.
    let _ = tokio::time::timeout(REFUSED_TIME_MAX, rest).await;
    Ok(())
}
