//! Lines that a child which leads to the far end writes on stderr: passed on one by one, bounded, and marked with its name.

use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The longest line that is passed on, in bytes, and the most of all lines of a child together.
const LINE_BYTES_MAX: usize = 1 << 10;
const ALL_BYTES_MAX: usize = 64 << 10;

/// The time in which the rest comes once the child has ended: something else may hold its pipe.
const DRAINING: Duration = Duration::from_secs(1);

/// Gets each line that a child says on stderr, with its name before it. Whoever shows it escapes it: the far end may
/// have written it.
pub type OnStderr = Arc<dyn Fn(&str) + Send + Sync>;

/// A child's stderr, which is read for as long as the child is there.
#[derive(Debug)]
pub(crate) struct ChildStderr(JoinHandle<()>);

impl ChildStderr {
    /// Begins to read a pipe.
    pub(crate) fn new(
        pipe: impl AsyncRead + Send + Unpin + 'static,
        name: &str,
        on_stderr: &OnStderr,
    ) -> Self {
        let mut lines = Lines {
            mark: format!("{name}: "),
            line: Vec::new(),
            is_cut: false,
            left: Some(ALL_BYTES_MAX),
            on_stderr: on_stderr.clone(),
        };
        Self(tokio::spawn(async move { lines.pass_on(pipe).await }))
    }

    /// Waits until all that was said is passed on, but not for whoever else holds the pipe.
    pub(crate) async fn finish(&mut self) {
        if !self.0.is_finished() {
            let _ = timeout(DRAINING, &mut self.0).await;
        }
    }
}

impl Drop for ChildStderr {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The lines of a child.
struct Lines {
    mark: String,
    line: Vec<u8>,
    /// True if the line is longer than what is kept of it.
    is_cut: bool,
    /// The bytes that may still be passed on; `None` once that was too much.
    left: Option<usize>,
    on_stderr: OnStderr,
}

impl Lines {
    async fn pass_on(&mut self, mut pipe: impl AsyncRead + Unpin) {
        let mut part = [0; 4 << 10];
        // What is too much is read all the same: the child waits for that.
        while let Ok(count @ 1..) = pipe.read(&mut part).await {
            for byte in &part[..count] {
                match byte {
                    b'\n' => self.end_line(),
                    _ if self.line.len() < LINE_BYTES_MAX => self.line.push(*byte),
                    _ => self.is_cut = true,
                }
            }
        }
        if !self.line.is_empty() {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let is_cut = std::mem::take(&mut self.is_cut);
        let Some(left) = self.left else {
            return;
        };
        self.left = left.checked_sub(line.len() + 1);
        let mark = &self.mark;
        if self.left.is_none() {
            (self.on_stderr)(&format!("{mark}… what follows is left out"));
            return;
        }
        let line = String::from_utf8_lossy(&line);
        // Its own messages begin with its name already.
        let line = line.strip_prefix(mark).unwrap_or(&line);
        let end = if is_cut { "…" } else { "" };
        (self.on_stderr)(&format!("{mark}{line}{end}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use tokio::io::AsyncWriteExt as _;

    fn listener() -> (OnStderr, Arc<Mutex<Vec<String>>>) {
        let said = Arc::new(Mutex::new(Vec::new()));
        let kept = said.clone();
        let on_stderr: OnStderr = Arc::new(move |line| kept.lock().unwrap().push(line.to_owned()));
        (on_stderr, said)
    }

    #[tokio::test]
    async fn lines_are_marked_and_bounded_and_nobody_waits_for_an_open_pipe() {
        let (on_stderr, said) = listener();
        let (mut far, near) = tokio::io::duplex(64);
        let mut stderr = ChildStderr::new(near, "ssh", &on_stderr);
        let long = "x".repeat(2 * LINE_BYTES_MAX);
        let text = format!("bakeoff: all is well\nssh: no route\n{long}\nlast");
        far.write_all(text.as_bytes()).await.unwrap();
        // The pipe stays open: the last line has no end yet.
        stderr.finish().await;
        let lines = said.lock().unwrap().clone();
        assert_eq!(lines[..2], ["ssh: bakeoff: all is well", "ssh: no route"]);
        assert!(lines[2].len() < LINE_BYTES_MAX + 20 && lines[2].ends_with('…'));
        assert_eq!(lines.len(), 3);
    }

    #[tokio::test]
    async fn a_flood_is_read_and_only_its_beginning_passed_on() {
        let (on_stderr, said) = listener();
        let (mut far, near) = tokio::io::duplex(64);
        let mut stderr = ChildStderr::new(near, "docker", &on_stderr);
        let flood = "\n".repeat(2 * ALL_BYTES_MAX);
        far.write_all(flood.as_bytes()).await.unwrap();
        far.write_all(b"unseen").await.unwrap();
        drop(far);
        stderr.finish().await;
        let lines = said.lock().unwrap().clone();
        assert_eq!(lines.len(), ALL_BYTES_MAX + 1);
        assert_eq!(lines.last().unwrap(), "docker: … what follows is left out");
    }
}
