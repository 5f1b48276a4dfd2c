//! The way from an attempt at a task to the worker that does it.

use super::report::AttemptReport;
use super::wire::{self, FrameBody, FrameHeader};
use super::worker::{Worker, WorkerFrames, WorkerJob};
use bakeoff_domain::queue::{Attempt, TaskKey};
use bakeoff_domain::wording;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::sync::mpsc::unbounded_channel;

/// The most characters of a reason that a worker gives.
const REASON_CHARS_MAX: usize = 500;

/// The reason why a request to a worker has no end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The worker is lost: another attempt may have a result.
    #[error("{0}")]
    Lost(String),
    /// A part that the worker sent was refused by the caller.
    #[error("{0}")]
    Refused(String),
}

impl RequestError {
    fn lost(reason: &str) -> Self {
        Self::Lost(reason.to_owned())
    }
}

/// The link from one attempt at a task to its worker.
#[derive(Clone)]
pub struct WorkerLink {
    worker: Arc<dyn Worker>,
    attempt: Attempt,
    /// Callback for each frame of the attempt, which extends the lease.
    alive: Option<Arc<dyn Fn() + Send + Sync>>,
    /// The number of the next request.
    requests: Arc<AtomicU32>,
}

impl WorkerLink {
    /// Returns a link to this worker for requests that belong to no queue, and so have no lease.
    pub fn new(worker: Arc<dyn Worker>) -> Self {
        Self {
            worker,
            attempt: Attempt {
                key: TaskKey::new("outside of a queue"),
                number: 1,
            },
            alive: None,
            requests: Arc::default(),
        }
    }

    /// Returns a link to the same worker for an attempt, whose lease its frames extend.
    #[must_use]
    pub fn for_attempt<A: Send + 'static>(&self, report: &AttemptReport<A>) -> Self {
        let alive = report.clone();
        Self {
            worker: Arc::clone(&self.worker),
            attempt: report.attempt.clone(),
            alive: Some(Arc::new(move || alive.alive())),
            requests: Arc::default(),
        }
    }

    /// Has the worker do one request, and returns the content of its end frame. `on_part` is given the parts of the
    /// result in their order, each once, and may refuse one.
    ///
    /// Frames that are repeated, or belong to another attempt or request, count for nothing. The worker is gone when
    /// this ends or is dropped.
    ///
    /// # Errors
    /// The worker ended without an end frame, reported that there is no result, or sent something that is no frame; or
    /// a part was refused.
    pub async fn request(
        &self,
        job: WorkerJob<'_>,
        on_part: &mut (dyn FnMut(Vec<u8>) -> Result<(), String> + Send),
    ) -> Result<Vec<u8>, RequestError> {
        let request = self.requests.fetch_add(1, Ordering::Relaxed);
        let (sender, mut receiver) = unbounded_channel();
        let frames = WorkerFrames::new(self.attempt.clone(), request, sender);
        let mut working = self.worker.work(job, frames);
        let mut is_working = true;
        let mut next = 0;
        loop {
            let frame = tokio::select! {
                biased;
                frame = receiver.recv() => frame,
                () = &mut working, if is_working => {
                    // Its last frames may still be unread.
                    is_working = false;
                    continue;
                }
            };
            let Some(mut frame) = frame else {
                return Err(RequestError::lost("its worker ended without an answer"));
            };
            let Some((header, content)) = wire::opened::<FrameHeader>(&frame) else {
                return Err(RequestError::lost("its worker sent what is no frame"));
            };
            let content = content.len();
            if !self.is_of(&header, request) || header.number < next {
                continue;
            }
            if header.number > next {
                return Err(RequestError::lost("a frame of its worker is missing"));
            }
            next += 1;
            if let Some(alive) = &self.alive {
                alive();
            }
            frame.truncate(content);
            match header.body {
                FrameBody::Heartbeat => {}
                FrameBody::Part => on_part(frame).map_err(RequestError::Refused)?,
                FrameBody::End => return Ok(frame),
                FrameBody::Lost(reason) => return Err(RequestError::Lost(one_line(&reason))),
            }
        }
    }

    fn is_of(&self, header: &FrameHeader, request: u32) -> bool {
        header.key == self.attempt.key.as_str()
            && (header.attempt, header.request) == (self.attempt.number, request)
    }
}

/// Returns what a worker says as one line, and not more of it than a message may quote.
pub fn one_line(reason: &str) -> String {
    let line = wording::one_line(reason);
    line.chars().take(REASON_CHARS_MAX).collect()
}

/// The end of a request, as the last of its frames says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestEnd {
    /// There is a result.
    Done,
    /// There is none, for this reason.
    Lost(String),
}

/// Returns the end of a request, if a frame is its last one.
pub fn request_end(frame: &[u8]) -> Option<RequestEnd> {
    match wire::opened::<FrameHeader>(frame)?.0.body {
        FrameBody::End => Some(RequestEnd::Done),
        FrameBody::Lost(reason) => Some(RequestEnd::Lost(one_line(&reason))),
        FrameBody::Heartbeat | FrameBody::Part => None,
    }
}

impl fmt::Debug for WorkerLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "WorkerLink({}, attempt {})",
            self.attempt.key, self.attempt.number
        )
    }
}
