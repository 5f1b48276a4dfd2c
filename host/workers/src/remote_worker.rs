//! A worker behind the queue whose work is done on another machine.

use super::facts::MachineName;
use super::fleet_state::{Arrival, FleetState, PackedTask, Packer, locked};
use super::messages::{
    AnswerError, AnswerFrames, AnswerPiece, Cancelled, INLINE_BYTES_MAX, TaskHeader,
};
use bakeoff_confine::tasks::{WorkFuture, Worker, WorkerFrames, WorkerJob, wire};
use bakeoff_source::content_address;
use std::sync::Arc;
use tokio::sync::mpsc::channel;

/// The pieces of an answer that may wait to be read.
const PIECES_WAITING: usize = 64;

/// The worker of one machine, as its run sees it.
pub(super) struct RemoteWorker {
    shared: Arc<FleetState>,
    machine: MachineName,
    /// The start of the machine's worker that has a race: another one continues none.
    start: Option<u64>,
    packer: Packer,
}

/// A request that a machine has: whoever drops it before its end tells the machine to stop.
struct RequestGuard<'a> {
    worker: &'a RemoteWorker,
    number: u64,
    is_over: bool,
}

impl Drop for RequestGuard<'_> {
    fn drop(&mut self) {
        let RemoteWorker {
            shared, machine, ..
        } = self.worker;
        shared.close(self.number);
        if self.is_over {
            return;
        }
        let cancelled = Cancelled {
            session: shared.session.clone(),
            request: self.number,
        };
        let (wire, machine) = (Arc::clone(&shared.wire), machine.clone());
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                // A worker that does not hear it ends by its own limits.
                let _ = wire.cancel(&machine, cancelled.to_bytes()).await;
            });
        }
    }
}

impl RemoteWorker {
    /// Returns the worker of a machine, for tasks that are packed in this way.
    pub(super) fn new(shared: Arc<FleetState>, machine: MachineName, packer: Packer) -> Self {
        Self {
            packer,
            shared,
            machine,
            start: None,
        }
    }

    /// Returns the worker of a race on this machine, as it was started.
    pub(super) fn of_race(shared: Arc<FleetState>, machine: MachineName, start: u64) -> Self {
        let packer = Arc::clone(&shared.packer);
        Self {
            start: Some(start),
            ..Self::new(shared, machine, packer)
        }
    }

    /// Returns true if the worker of a race is gone, or was started again.
    fn is_gone(&self) -> bool {
        let machines = locked(&self.shared.machines);
        let start = self.start;
        start.is_some_and(|start| !machines.can_race(&self.machine, start))
    }

    /// Keeps a content where the worker finds it.
    async fn send_content(&self, digest: &str, content: &[u8]) -> Result<(), String> {
        let put = self.shared.wire.put(digest, content).await;
        put.map_err(|error| format!("a content cannot be sent: {error}"))
    }

    /// Has the machine do a request, and passes its frames on.
    ///
    /// # Errors
    /// The reason why the attempt is lost.
    async fn run(&self, job: WorkerJob<'_>, frames: &WorkerFrames) -> Result<(), String> {
        let PackedTask { bytes, contents } = (self.packer)(job.task)?;
        for (digest, content) in &contents {
            self.send_content(digest, content).await?;
        }
        let mut header = TaskHeader {
            session: self.shared.session.clone(),
            number: 0,
            key: frames.attempt().key.as_str().to_owned(),
            attempt: frames.attempt().number,
            request: frames.request(),
            content: None,
        };
        let inline = if bytes.len() > INLINE_BYTES_MAX {
            let digest = content_address(&bytes);
            self.send_content(&digest, &bytes).await?;
            header.content = Some(digest);
            Vec::new()
        } else {
            bytes
        };
        let (sender, mut arriving) = channel(PIECES_WAITING);
        let mut open = RequestGuard {
            worker: self,
            number: self.shared.open(&self.machine, sender),
            is_over: false,
        };
        header.number = open.number;
        // After it is open: what ends the machine from now on ends the request.
        if self.is_gone() {
            open.is_over = true;
            return Err(format!("worker {} is gone", self.machine));
        }
        // Two queues of one session may both have a first attempt at a task of one key: the number tells them apart.
        let id = format!(
            "{}/{}/{}/{}/{}",
            header.session,
            content_address(header.key.as_bytes()),
            header.attempt,
            header.request,
            header.number
        );
        let task = wire::sealed(inline, &header);
        let sent = self.shared.wire.send(&self.machine, &id, task).await;
        sent.map_err(|error| format!("worker {} gets no task: {error}", self.machine))?;
        let mut pieces = AnswerFrames::default();
        while let Some(arrived) = arriving.recv().await {
            let Arrival::Piece(header, content) = arrived else {
                break;
            };
            let wrong = match pieces.take(header, &content) {
                Ok(AnswerPiece::Nothing) => continue,
                Ok(AnswerPiece::Frame(frame)) => {
                    if frames.pass_on(frame) {
                        continue;
                    }
                    "it sent a frame that is none of its task".to_owned()
                }
                Ok(AnswerPiece::Over) => {
                    open.is_over = true;
                    // Whether there was an end is for the link to say.
                    return Ok(());
                }
                // The server may have lost it.
                Err(AnswerError::Gap) => {
                    return Err(format!("worker {}: {}", self.machine, AnswerError::Gap));
                }
                Err(AnswerError::TooLarge) => AnswerError::TooLarge.to_string(),
            };
            self.shared.strike_off(&self.machine, &wrong);
            return Err(format!("worker {}: {wrong}", self.machine));
        }
        Err(format!("worker {} is gone", self.machine))
    }
}

impl Worker for RemoteWorker {
    fn work<'a>(&'a self, job: WorkerJob<'a>, frames: WorkerFrames) -> WorkFuture<'a> {
        Box::pin(async move {
            if let Err(reason) = self.run(job, &frames).await {
                frames.lost(reason);
            }
        })
    }
}
