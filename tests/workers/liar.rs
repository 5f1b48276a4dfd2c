//! A worker that lies in answers that are well-formed in every way.

use bakeoff_confine::tasks::{WorkFuture, WorkerFrames};
use bakeoff_run::PortableServer;
use bakeoff_runner::GateReply;
use bakeoff_runner::call::RunnerMessage;
use bakeoff_workers::{TaskContents, TaskServer};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc::unbounded_channel;

/// Bytes of the length behind the header of a frame.
const LENGTH_BYTES: usize = 4;

/// The fuel of every call, as this worker says.
pub(super) const FUEL: u64 = 7;

/// Does each check as it should, and says of every call that it took next to nothing.
pub(super) struct Liar(pub(super) PortableServer);

impl TaskServer for Liar {
    fn serve<'a>(
        &'a self,
        task: Vec<u8>,
        core: usize,
        contents: TaskContents<'a>,
        frames: WorkerFrames,
    ) -> WorkFuture<'a> {
        Box::pin(answered(&self.0, task, (core, contents), frames, |frame| {
            lie(&frame).unwrap_or(frame)
        }))
    }
}

/// Has a server do a task, and passes on what `change` makes of each of its frames.
pub(super) async fn answered(
    server: &PortableServer,
    task: Vec<u8>,
    (core, contents): (usize, TaskContents<'_>),
    frames: WorkerFrames,
    mut change: impl FnMut(Vec<u8>) -> Vec<u8>,
) {
    let (sender, mut truth) = unbounded_channel();
    let honest = WorkerFrames::new(frames.attempt().clone(), frames.request(), sender);
    let mut working = std::pin::pin!(server.serve(task, core, contents, honest));
    let mut is_working = true;
    loop {
        tokio::select! {
            biased;
            frame = truth.recv() => match frame {
                Some(frame) => assert!(frames.pass_on(change(frame))),
                None => return,
            },
            () = &mut working, if is_working => is_working = false,
        }
    }
}

/// Returns a frame with another content; `None` if there is nothing to lie about.
fn lie(frame: &[u8]) -> Option<Vec<u8>> {
    with_reply(frame, |reply| {
        let GateReply::Checked(mut case) = reply else {
            return None;
        };
        (case.fuel, case.fuel_later) = (FUEL, FUEL);
        Some(GateReply::Checked(case))
    })
}

/// Returns a frame with another reply of a runner; `None` if it has none, or that reply stays.
pub(super) fn with_reply<R: Serialize + DeserializeOwned>(
    frame: &[u8],
    change: impl FnOnce(R) -> Option<R>,
) -> Option<Vec<u8>> {
    let (rest, length) = frame.split_last_chunk::<LENGTH_BYTES>()?;
    let header = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (content, header) = rest.split_at(rest.len().checked_sub(header)?);
    let RunnerMessage::Reply(reply) = postcard::from_bytes(content).ok()? else {
        return None;
    };
    let message = RunnerMessage::Reply(change(reply)?);
    let content = postcard::to_stdvec(&message).ok()?;
    Some([&content[..], header, length].concat())
}
