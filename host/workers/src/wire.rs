//! The ends of the way between a run and its workers. What is between them carries bytes, keeps them for a while, and says of
//! a message of a machine which one it is from; nobody believes more of it.

use super::error::WorkersError;
use super::facts::MachineName;
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::mpsc::Receiver;

/// Something that a wire is asked to do.
pub type OnWire<'a, T> = Pin<Box<dyn Future<Output = Result<T, WorkersError>> + Send + 'a>>;

/// The messages that wait at an end to be read. A wire reads no faster than its owner does.
pub const INBOX_MESSAGES: usize = 256;

/// The end of a run: it sends tasks and contents.
pub trait RunWire: Send + Sync + 'static {
    /// Keeps a content for workers, unless it is kept already.
    fn put<'a>(&'a self, digest: &'a str, content: &'a [u8]) -> OnWire<'a, ()>;

    /// Sends a task to a machine. A task of an id that was sent before is dropped.
    fn send<'a>(&'a self, machine: &'a MachineName, id: &'a str, task: Vec<u8>) -> OnWire<'a, ()>;

    /// Tells a machine that nobody waits for a task any more.
    fn cancel<'a>(&'a self, machine: &'a MachineName, cancelled: Vec<u8>) -> OnWire<'a, ()>;

    /// Asks all workers to announce themselves now.
    fn ask(&self) -> OnWire<'_, ()>;
}

/// A message of a machine to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FromMachine {
    /// The machine, as the wire knows it: with credentials of its own for each, the server holds it to its name.
    pub machine: MachineName,
    /// The message.
    pub bytes: Vec<u8>,
}

/// Both directions of a run's end.
pub struct RunEnds {
    /// The direction to workers.
    pub wire: Arc<dyn RunWire>,
    /// Announcements of machines.
    pub facts: Receiver<FromMachine>,
    /// Answers to the tasks of this session, in order for each machine.
    pub answers: Receiver<FromMachine>,
}

/// The end of a worker: it takes tasks and sends answers.
pub trait WorkerWire: Send + Sync + 'static {
    /// Returns the name of this machine.
    fn name(&self) -> &MachineName;

    /// Waits for the next task.
    fn next(&self) -> OnWire<'_, TaskInHand>;

    /// Returns a content of at most this many bytes. It may be another one than was asked for.
    fn get<'a>(&'a self, digest: &'a str, bytes_max: usize) -> OnWire<'a, Vec<u8>>;

    /// Sends an answer to the run that has this session.
    fn answer<'a>(&'a self, session: &'a str, answer: Vec<u8>) -> OnWire<'a, ()>;

    /// Announces the facts of this machine.
    fn announce(&self, facts: Vec<u8>) -> OnWire<'_, ()>;

    /// Asks all workers to announce themselves now.
    fn ask(&self) -> OnWire<'_, ()>;
}

/// A task that a worker took.
pub struct TaskInHand {
    /// The task.
    pub bytes: Vec<u8>,
    /// The way to say how it goes.
    pub hand: Arc<dyn AckHandle>,
}

/// The way of a worker to say how a task goes that it took.
pub trait AckHandle: Send + Sync + 'static {
    /// Says that the task is still being worked on.
    fn goes_on(&self) -> OnWire<'_, ()>;

    /// Says that the task is over, and need not be kept.
    fn is_over(&self) -> OnWire<'_, ()>;
}

/// A message to a worker that is no task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToWorker {
    /// A run asks who is there.
    Asked,
    /// Nobody waits for a task any more.
    Cancelled(Vec<u8>),
    /// Another worker announced itself under the name of this one.
    SameName(Vec<u8>),
}

/// Both directions of a worker's end.
pub struct WorkerEnds {
    /// The direction to runs.
    pub wire: Arc<dyn WorkerWire>,
    /// Messages beside tasks.
    pub inbox: Receiver<ToWorker>,
}
