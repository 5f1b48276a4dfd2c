//! The worker of this machine: it takes a task whenever a core is free, has it done, and sends what came of it.

use super::error::WorkersError;
use super::facts::WorkerFacts;
use super::machines::ANNOUNCE_EVERY;
use super::messages::{
    AnswerHeader, AnswerPart, Cancelled, PIECE_BYTES_MAX, TASK_BYTES_MAX, TaskHeader,
};
use super::wire::{AckHandle, TaskInHand, ToWorker, WorkerEnds, WorkerWire};
use bakeoff_confine::tasks::{RequestEnd, WorkFuture, WorkerFrames, request_end, wire};
use bakeoff_domain::queue::{Attempt, TaskKey};
use bakeoff_source::content_address;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::{Receiver, UnboundedSender, unbounded_channel};
use tokio::task::AbortHandle;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};

/// The time in which another worker of the same name says that it is there.
const NAME_CHECK: Duration = Duration::from_millis(1_500);

/// The time that an announcement may take.
const ANNOUNCE_MAX: Duration = Duration::from_secs(2);

/// The time after which a message that was not taken is sent again, and for how long.
const SEND_AGAIN: Duration = Duration::from_secs(2);
const SEND_FOR: Duration = Duration::from_secs(50);

/// The time between two signs of life about a task.
const GOES_ON_EVERY: Duration = Duration::from_secs(10);

/// The longest text about a task, in characters.
const SHOWN_CHARS_MAX: usize = 120;

/// Contents that tasks name by their digests.
pub struct TaskContents<'a> {
    wire: &'a dyn WorkerWire,
    events: &'a UnboundedSender<ServiceEvent>,
}

impl TaskContents<'_> {
    /// Returns the content of this digest, which it is checked to have.
    ///
    /// # Errors
    /// It is not there, larger than `bytes_max`, or another one.
    pub async fn get(&self, digest: &str, bytes_max: usize) -> Result<Vec<u8>, String> {
        let got = self.wire.get(digest, bytes_max).await;
        let content = got.map_err(|error| {
            let why = format!("the content {digest} cannot be had: {error}");
            // Whoever set up the server is on this side more often than on that of the run.
            let _ = self.events.send(ServiceEvent::Trouble(why.clone()));
            why
        })?;
        if content.len() > bytes_max || content_address(&content) != digest {
            return Err(format!(
                "the content {digest} is another one than its digest says"
            ));
        }
        Ok(content)
    }
}

/// Whoever does the tasks of other machines on this one, and believes nothing in them.
pub trait TaskServer: Send + Sync + 'static {
    /// Does a task on a core, and sends its result in frames. It must be safe to drop at any moment.
    fn serve<'a>(
        &'a self,
        task: Vec<u8>,
        core: usize,
        contents: TaskContents<'a>,
        frames: WorkerFrames,
    ) -> WorkFuture<'a>;
}

/// Something that happened to a worker, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServiceEvent {
    /// It takes tasks from now on.
    Begun,
    /// It took a task, on this core.
    Took(String, usize),
    /// A task is over, after this time.
    Did(String, Duration),
    /// A task was dropped, for this reason.
    Dropped(String, String),
    /// The server does not answer as it should.
    Trouble(String),
}

/// The worker of this machine.
pub struct Service {
    /// Facts of the machine, with the number of its cores.
    pub facts: WorkerFacts,
    /// The numbers of the cores that take tasks.
    pub cores: Vec<usize>,
    /// The longest time of a task.
    pub task_max: Duration,
    /// Whoever does the tasks.
    pub server: Arc<dyn TaskServer>,
    /// The channel to which events go.
    pub events: UnboundedSender<ServiceEvent>,
}

/// Tasks that are being done, by their session and request.
type RunningTasks = Arc<Mutex<BTreeMap<(String, u64), TaskAtWork>>>;

/// A task that is being done.
struct TaskAtWork {
    working: AbortHandle,
    hand: Arc<dyn AckHandle>,
}

/// A core that is given back when this is dropped, in whichever way its task ended.
struct CoreLease(usize, UnboundedSender<usize>);

impl Drop for CoreLease {
    fn drop(&mut self) {
        let _ = self.1.send(self.0);
    }
}

/// All that a task needs of its service.
struct TaskContext {
    wire: Arc<dyn WorkerWire>,
    server: Arc<dyn TaskServer>,
    events: UnboundedSender<ServiceEvent>,
    task_max: Duration,
    at_work: RunningTasks,
    done: AtomicU64,
}

impl Service {
    /// Works until `stop` ends, and leaves.
    ///
    /// # Errors
    /// Another worker has the same name.
    pub async fn run(
        self,
        ends: WorkerEnds,
        stop: impl Future<Output = ()>,
    ) -> Result<(), WorkersError> {
        let WorkerEnds { wire, mut inbox } = ends;
        self.check_name(&*wire, &mut inbox).await?;
        let context = Arc::new(TaskContext {
            wire: Arc::clone(&wire),
            server: Arc::clone(&self.server),
            events: self.events.clone(),
            task_max: self.task_max,
            at_work: RunningTasks::default(),
            done: AtomicU64::new(0),
        });
        let taking = tokio::spawn(take_tasks(Arc::clone(&context), self.cores.clone()));
        let announce = async |cores: u32| {
            let facts = WorkerFacts {
                cores,
                tasks: context.done.load(Ordering::Relaxed),
                ..self.facts.clone()
            };
            // Said again in a moment. Where the server is gone, nothing here waits for it.
            let _ = timeout(ANNOUNCE_MAX, wire.announce(facts.to_bytes())).await;
        };
        let _ = self.events.send(ServiceEvent::Begun);
        let mut every = interval(ANNOUNCE_EVERY);
        every.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut stop = std::pin::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                _ = every.tick() => announce(self.facts.cores).await,
                Some(message) = inbox.recv() => match message {
                    ToWorker::Asked => announce(self.facts.cores).await,
                    ToWorker::Cancelled(cancelled) => context.cancel(&cancelled),
                    ToWorker::SameName(facts) => {
                        if self.is_other(&facts) {
                            let trouble = "another worker has the name of this one".to_owned();
                            let _ = self.events.send(ServiceEvent::Trouble(trouble));
                        }
                    }
                },
            }
        }
        taking.abort();
        context.stop();
        announce(0).await;
        Ok(())
    }

    fn is_other(&self, facts: &[u8]) -> bool {
        let other = WorkerFacts::read(facts);
        other.is_some_and(|other| other.start != self.facts.start && other.cores > 0)
    }

    /// Returns an error if another worker of the same name is there.
    async fn check_name(
        &self,
        wire: &dyn WorkerWire,
        inbox: &mut Receiver<ToWorker>,
    ) -> Result<(), WorkersError> {
        wire.ask().await?;
        let until = Instant::now() + NAME_CHECK;
        while let Ok(Some(message)) = tokio::time::timeout_at(until, inbox.recv()).await {
            if let ToWorker::SameName(facts) = message
                && self.is_other(&facts)
            {
                return Err(WorkersError::NameTaken(wire.name().to_string()));
            }
        }
        Ok(())
    }
}

/// Takes a task whenever a core is free. No task is taken before there is one for it.
async fn take_tasks(context: Arc<TaskContext>, cores: Vec<usize>) {
    let (give_back, mut free) = unbounded_channel();
    for core in cores.into_iter().rev() {
        let _ = give_back.send(core);
    }
    while let Some(core) = free.recv().await {
        let lease = CoreLease(core, give_back.clone());
        let task = loop {
            match context.wire.next().await {
                Ok(task) => break task,
                Err(error) => {
                    let _ = context
                        .events
                        .send(ServiceEvent::Trouble(error.to_string()));
                    sleep(SEND_AGAIN).await;
                }
            }
        };
        context.begin(task, lease);
    }
}

impl TaskContext {
    /// Begins a task, in a future of its own.
    fn begin(self: &Arc<Self>, task: TaskInHand, core: CoreLease) {
        let read = wire::opened::<TaskHeader>(&task.bytes);
        let Some((header, inline)) = read.filter(|(header, _)| header.is_bounded()) else {
            let dropped = ServiceEvent::Dropped(
                "a message".to_owned(),
                "it is no task of this version".to_owned(),
            );
            let _ = self.events.send(dropped);
            tokio::spawn(async move { task.hand.is_over().await });
            return;
        };
        let inline = inline.to_vec();
        let name = (header.session.clone(), header.number);
        let hand = Arc::clone(&task.hand);
        let context = Arc::clone(self);
        let mut at_work = self.at_work.lock().unwrap_or_else(PoisonError::into_inner);
        let working = tokio::spawn(async move {
            let core = core;
            let shown: String = header.key.chars().take(SHOWN_CHARS_MAX).collect();
            let began = Instant::now();
            let _ = context
                .events
                .send(ServiceEvent::Took(shown.clone(), core.0));
            let name = (header.session.clone(), header.number);
            let ended = context.work(header, inline, core.0, &task).await;
            context.done.fetch_add(1, Ordering::Relaxed);
            let _ = task.hand.is_over().await;
            let _ = context.events.send(match ended {
                Ok(()) => ServiceEvent::Did(shown, began.elapsed()),
                Err(why) => ServiceEvent::Dropped(shown, why),
            });
            context.forget(&name.0, name.1);
        });
        let working = working.abort_handle();
        at_work.insert(name, TaskAtWork { working, hand });
    }

    /// Does a task, and sends its frames as they come.
    async fn work(
        &self,
        header: TaskHeader,
        inline: Vec<u8>,
        core: usize,
        task: &TaskInHand,
    ) -> Result<(), String> {
        let (sender, mut frames) = unbounded_channel();
        let attempt = Attempt {
            key: TaskKey::new(header.key.as_str()),
            number: header.attempt,
        };
        let answer = WorkerFrames::new(attempt, header.request, sender);
        let session = &header.session;
        let mut sent = AnswerPieces {
            wire: &*self.wire,
            session,
            request: header.number,
            piece: 0,
        };
        let doing = async {
            let contents = TaskContents {
                wire: &*self.wire,
                events: &self.events,
            };
            let bytes = match &header.content {
                None => inline,
                Some(digest) => match contents.get(digest, TASK_BYTES_MAX).await {
                    Ok(bytes) => bytes,
                    Err(why) => return answer.lost(why),
                },
            };
            self.server.serve(bytes, core, contents, answer).await;
        };
        let mut doing = std::pin::pin!(timeout(self.task_max, doing));
        let (mut has_ended, mut is_late) = (false, false);
        let mut refused = None;
        let mut goes_on = interval(GOES_ON_EVERY);
        goes_on.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                biased;
                frame = frames.recv() => match frame {
                    Some(frame) => {
                        let end = request_end(&frame);
                        if end.is_some() {
                            // Once the run has it, it may say that it waits no longer: nothing is left that could be stopped.
                            self.forget(session, header.number);
                        }
                        if let Some(RequestEnd::Lost(reason)) = end {
                            refused = Some(reason);
                        }
                        sent.frame(&frame).await?;
                    }
                    None => break,
                },
                done = &mut doing, if !has_ended => {
                    (has_ended, is_late) = (true, done.is_err());
                    if is_late {
                        // Its frames end only when it is dropped, which is at the end of this function.
                        break;
                    }
                }
                _ = goes_on.tick() => drop(task.hand.goes_on().await),
            }
        }
        sent.send(AnswerPart::Over, &[]).await?;
        if is_late {
            return Err(format!(
                "it took longer than {} s, which is what this worker lets a task take",
                self.task_max.as_secs()
            ));
        }
        refused.map_or(Ok(()), Err)
    }

    fn forget(&self, session: &str, request: u64) {
        let mut at_work = self.at_work.lock().unwrap_or_else(PoisonError::into_inner);
        at_work.remove(&(session.to_owned(), request));
    }

    /// Stops a task that nobody waits for any more.
    fn cancel(&self, cancelled: &[u8]) {
        let Some(Cancelled { session, request }) = Cancelled::read(cancelled) else {
            return;
        };
        let mut at_work = self.at_work.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(TaskAtWork { working, hand }) = at_work.remove(&(session, request)) {
            working.abort();
            tokio::spawn(async move { hand.is_over().await });
        }
    }

    fn stop(&self) {
        let mut at_work = self.at_work.lock().unwrap_or_else(PoisonError::into_inner);
        for task in std::mem::take(&mut *at_work).into_values() {
            task.working.abort();
        }
    }
}

/// The pieces of one answer on their way.
struct AnswerPieces<'a> {
    wire: &'a dyn WorkerWire,
    session: &'a str,
    request: u64,
    piece: u32,
}

impl AnswerPieces<'_> {
    async fn frame(&mut self, frame: &[u8]) -> Result<(), String> {
        let mut pieces = frame.chunks(PIECE_BYTES_MAX).peekable();
        while let Some(piece) = pieces.next() {
            let part = if pieces.peek().is_some() {
                AnswerPart::Begun
            } else {
                AnswerPart::Frame
            };
            self.send(part, piece).await?;
        }
        Ok(())
    }

    /// Sends a piece, more than once where it is not known to have been taken.
    async fn send(&mut self, part: AnswerPart, content: &[u8]) -> Result<(), String> {
        let header = AnswerHeader {
            request: self.request,
            piece: self.piece,
            part,
        };
        self.piece += 1;
        let message = wire::sealed(content.to_vec(), &header);
        let until = Instant::now() + SEND_FOR;
        loop {
            let sent = self.wire.answer(self.session, message.clone()).await;
            match sent {
                Ok(()) => return Ok(()),
                Err(error) if Instant::now() >= until => {
                    return Err(format!("its answer was not taken: {error}"));
                }
                Err(_) => sleep(SEND_AGAIN).await,
            }
        }
    }
}
