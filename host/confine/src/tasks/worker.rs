//! Workers, which are given bytes and give frames back, and confine what they run.

use super::wire::{self, FrameBody, FrameHeader};
use bakeoff_domain::queue::Attempt;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::{MissedTickBehavior, interval};

/// Time between two heartbeats of a worker.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(10);

/// One request to a worker: a part of an attempt at a task, and mostly all of it.
#[derive(Clone, Copy, Debug)]
pub struct WorkerJob<'a> {
    /// The core to use, and no other, if it was given one.
    pub core: Option<usize>,
    /// Bytes of the task, which contain everything that the worker needs to know.
    pub task: &'a [u8],
}

/// The work on one request.
pub type WorkFuture<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A worker: it does what tasks consist of. The worker of this process starts a confined child for each; on another
/// machine, it would be at the other end of a wire.
pub trait Worker: Send + Sync + 'static {
    /// Does one request, and sends its result in frames. The attempt is lost if this ends without an end frame, or says
    /// nothing for as long as its lease. It must be safe to drop at any moment: then nothing that it started goes on.
    fn work<'a>(&'a self, job: WorkerJob<'a>, frames: WorkerFrames) -> WorkFuture<'a>;
}

/// The way of frames from a worker back to the link that asked for the work. Frames to a link that is gone are dropped.
///
/// Each frame names the attempt and the request that it belongs to, and has a number.
#[derive(Debug)]
pub struct WorkerFrames {
    attempt: Attempt,
    request: u32,
    next: AtomicU32,
    sender: UnboundedSender<Vec<u8>>,
}

impl WorkerFrames {
    /// Returns the way of frames of an attempt at a task that this process does for a link elsewhere, which is at the other
    /// end of the channel.
    pub fn new(attempt: Attempt, request: u32, sender: UnboundedSender<Vec<u8>>) -> Self {
        Self {
            attempt,
            request,
            next: AtomicU32::new(0),
            sender,
        }
    }

    /// Returns the attempt that these frames belong to.
    pub fn attempt(&self) -> &Attempt {
        &self.attempt
    }

    /// Returns the number of the request within the attempt.
    pub fn request(&self) -> u32 {
        self.request
    }

    /// Sends a frame that a worker elsewhere made for this request, as it made it. Returns false, and sends nothing, if it is
    /// no frame of this request.
    pub fn pass_on(&self, frame: Vec<u8>) -> bool {
        let Some((header, _)) = wire::opened::<FrameHeader>(&frame) else {
            return false;
        };
        let is_own = header.key == self.attempt.key.as_str()
            && (header.attempt, header.request) == (self.attempt.number, self.request);
        if is_own {
            self.next
                .fetch_max(header.number.saturating_add(1), Ordering::Relaxed);
            self.send_bytes(frame);
        }
        is_own
    }

    /// Sends a part of the result. The meaning of the bytes is an agreement between client and worker.
    pub fn part(&self, bytes: Vec<u8>) {
        self.send(FrameBody::Part, bytes);
    }

    /// Ends the request with these bytes; nothing counts after them.
    pub fn end(&self, bytes: Vec<u8>) {
        self.send(FrameBody::End, bytes);
    }

    /// Ends the request without a result, for a reason that another attempt may not meet.
    pub fn lost(&self, reason: impl Into<String>) {
        self.send(FrameBody::Lost(reason.into()), Vec::new());
    }

    /// Does the work, and sends heartbeats until it ends.
    pub async fn while_alive<F: Future>(&self, work: F) -> F::Output {
        let mut work = std::pin::pin!(work);
        let mut heartbeat = interval(HEARTBEAT);
        heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                output = &mut work => return output,
                _ = heartbeat.tick() => self.send(FrameBody::Heartbeat, Vec::new()),
            }
        }
    }

    pub(super) fn send(&self, body: FrameBody, bytes: Vec<u8>) {
        let header = FrameHeader {
            key: self.attempt.key.as_str().to_owned(),
            attempt: self.attempt.number,
            request: self.request,
            number: self.next.fetch_add(1, Ordering::Relaxed),
            body,
        };
        self.send_bytes(wire::sealed(bytes, &header));
    }

    pub(super) fn send_bytes(&self, frame: Vec<u8>) {
        let _ = self.sender.send(frame);
    }
}
