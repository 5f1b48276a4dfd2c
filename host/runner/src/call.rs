//! Calls of a runner: each is a request with the replies that belong to it.

use super::announcement::Doing;
use super::guest_failure::{Call, GuestFailure};
use super::runner::Runner;
use super::stop::Halt;
use bakeoff_confine::Frames;
use bakeoff_domain::measurement::CaseIndex;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::marker::PhantomData;

/// A call of a runner. The request is the value itself; the parent collects the replies.
pub trait RunnerCall {
    /// A reply to the call. A runner may send several.
    type Reply: Serialize + DeserializeOwned;

    /// Does the work of the call, inside a runner.
    ///
    /// # Errors
    /// The runner itself is at fault: the channel to the parent is closed, or the request is none.
    fn serve(&self, runner: &Runner<'_>, replies: Replies<'_, Self::Reply>) -> Result<(), String>;
}

/// A message of a runner: a reply to its call, or a failure of a guest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RunnerMessage<R> {
    /// A reply.
    Reply(R),
    /// The failure of a guest. A runner ends with it, or with one for each variant that failed.
    Failed(GuestFailure),
}

/// The parent as a runner sees it: it hears replies of one kind, and what is about to be done.
pub struct Replies<'f, R> {
    frames: &'f mut Frames,
    kind: PhantomData<fn(R)>,
}

impl<'f, R: Serialize> Replies<'f, R> {
    pub(super) fn new(frames: &'f mut Frames) -> Self {
        Self {
            frames,
            kind: PhantomData,
        }
    }

    /// Announces a step on a case, before it begins.
    pub(super) fn announce(&self, step: Doing, case: CaseIndex) {
        step.announce(case, self.frames);
    }

    /// Sends a reply.
    pub(super) fn send(&mut self, reply: R) -> Result<(), String> {
        self.send_message(&RunnerMessage::Reply(reply))
    }

    /// Sends the failure of a guest.
    pub(super) fn fail(&mut self, failed: GuestFailure) -> Result<(), String> {
        self.send_message(&RunnerMessage::Failed(failed))
    }

    /// Ends a call about a single variant that was halted after these calls of it.
    pub(super) fn halt(&mut self, halt: Halt, calls: Vec<Call>) -> Result<(), String> {
        match halt {
            Halt::Channel(error) => Err(error),
            Halt::GuestError(error) => self.fail(GuestFailure::of_single_variant(error, calls)),
        }
    }

    fn send_message(&mut self, message: &RunnerMessage<R>) -> Result<(), String> {
        let bytes = postcard::to_stdvec(message).map_err(|error| error.to_string())?;
        self.frames.send(&bytes).map_err(|error| error.to_string())
    }
}
