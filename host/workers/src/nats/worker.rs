//! The end of a worker.

use super::super::address::{ServerAddress, ServerCredentials};
use super::super::error::WorkersError;
use super::super::facts::MachineName;
use super::super::wire::{
    AckHandle, INBOX_MESSAGES, OnWire, TaskInHand, ToWorker, WorkerEnds, WorkerWire,
};
use super::streams::TeamStreams;
use super::{INBOX, connect, next, next_of, on_wire};
use async_nats::jetstream::consumer::{AckPolicy, Consumer, pull};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::{AckKind, Message};
use async_nats::{Client, Subject};
use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc::{Sender, channel};

/// The time after which a task of which its worker says nothing is nobody's: the lease of its run has run out then, too.
const ACK_WAIT: Duration = Duration::from_secs(60);

/// The longest time that a question for a task waits at the server. A server that was started again knows nothing of it, and
/// gives no task before the next one.
const ASK_FOR: Duration = Duration::from_secs(10);

/// Tasks that may be open at the server for each core. There are more than cores take: the server does not know yet of one that
/// was cancelled, and nothing of those that a worker had which was killed, until their time is over.
const OPEN_PER_CORE: i64 = 64;

struct NatsWorker {
    streams: TeamStreams,
    tasks: Consumer<pull::Config>,
    machine: MachineName,
    cores: usize,
}

/// Returns the consumer of a machine's tasks.
fn consumer(streams: &TeamStreams, machine: &MachineName, cores: usize) -> pull::Config {
    let name = machine.as_str();
    pull::Config {
        durable_name: Some(name.to_owned()),
        filter_subject: streams.task(name),
        ack_policy: AckPolicy::Explicit,
        ack_wait: ACK_WAIT,
        // The queue of the run decides what is done again.
        max_deliver: 1,
        max_ack_pending: OPEN_PER_CORE * i64::try_from(cores).unwrap_or(1),
        ..pull::Config::default()
    }
}

/// Connects a worker.
pub(crate) async fn connect_worker(
    address: &ServerAddress,
    credentials: &ServerCredentials,
    machine: &MachineName,
    cores: usize,
) -> Result<WorkerEnds, WorkersError> {
    let name = machine.as_str();
    // Each worker has answers of its own, so that its permissions need not include those to others.
    let connected = connect(address, credentials, &format!("{INBOX}.{name}")).await?;
    let streams = TeamStreams::open(connected, address).await?;
    let tasks = streams
        .tasks
        .create_consumer(consumer(&streams, machine, cores));
    let tasks = tasks.await.map_err(|error| streams.wrong(&error))?;
    let (sender, inbox) = channel(INBOX_MESSAGES);
    let client = &streams.client;
    listen(client, streams.question(), &sender, |_| ToWorker::Asked).await?;
    listen(
        client,
        streams.cancelled(name),
        &sender,
        ToWorker::Cancelled,
    )
    .await?;
    listen(client, streams.facts(name), &sender, ToWorker::SameName).await?;
    let machine = machine.clone();
    let wire = NatsWorker {
        streams,
        tasks,
        machine,
        cores,
    };
    Ok(WorkerEnds {
        wire: Arc::new(wire),
        inbox,
    })
}

/// Passes on what is published on a subject.
async fn listen(
    client: &Client,
    subject: String,
    sender: &Sender<ToWorker>,
    form: fn(Vec<u8>) -> ToWorker,
) -> Result<(), WorkersError> {
    let subscriber = client.subscribe(Subject::from(subject)).await;
    let mut subscriber = subscriber.map_err(|error| on_wire(&error))?;
    let sender = sender.clone();
    tokio::spawn(async move {
        while let Some(message) = next(&mut subscriber).await {
            if sender.send(form(message.payload.to_vec())).await.is_err() {
                return;
            }
        }
    });
    Ok(())
}

impl NatsWorker {
    /// Waits for the next task.
    async fn next_task(&self) -> Result<TaskInHand, WorkersError> {
        loop {
            let batch = self.tasks.batch().max_messages(1).expires(ASK_FOR);
            let batch = batch.messages().await.map_err(|error| on_wire(&error))?;
            match next_of(batch).await {
                // Nothing was there to do.
                None => {}
                Some(Err(error)) => return Err(self.streams.wrong(&*error)),
                Some(Ok(message)) => {
                    return Ok(TaskInHand {
                        bytes: message.payload.to_vec(),
                        hand: Arc::new(NatsHand(message)),
                    });
                }
            }
        }
    }

    /// Makes anew what the server lost of the way of tasks to this machine.
    async fn restore(&self) {
        self.streams.restore().await;
        let consumer = consumer(&self.streams, &self.machine, self.cores);
        // Where it cannot be had now, the next question fails again.
        let _ = self.streams.tasks.create_consumer(consumer).await;
    }
}

impl WorkerWire for NatsWorker {
    fn name(&self) -> &MachineName {
        &self.machine
    }

    fn next(&self) -> OnWire<'_, TaskInHand> {
        Box::pin(async move {
            let next = self.next_task().await;
            if next.is_err() {
                self.restore().await;
            }
            next
        })
    }

    fn get<'a>(&'a self, digest: &'a str, bytes_max: usize) -> OnWire<'a, Vec<u8>> {
        Box::pin(async move {
            let object = self.streams.contents.get(digest).await;
            let object = object.map_err(|error| self.streams.wrong(&error))?;
            let bytes = object.info().size;
            if bytes > bytes_max {
                let message = format!("the content {digest} has {bytes} bytes, more than it may");
                return Err(WorkersError::Wire(message));
            }
            let mut content = Vec::new();
            let read = object
                .take(bytes_max as u64 + 1)
                .read_to_end(&mut content)
                .await;
            read.map(|_| content)
                .map_err(|error| self.streams.wrong(&error))
        })
    }

    fn answer<'a>(&'a self, session: &'a str, answer: Vec<u8>) -> OnWire<'a, ()> {
        Box::pin(async move {
            let subject = self.streams.answer(session, self.machine.as_str());
            let sent = self.streams.context.publish(subject, answer.into()).await;
            let kept = match sent {
                Ok(kept) => kept.await.map(drop),
                Err(error) => Err(error),
            };
            if let Err(error) = &kept
                && error.kind() == PublishErrorKind::StreamNotFound
            {
                self.streams.restore().await;
            }
            kept.map_err(|error| self.streams.wrong(&error))
        })
    }

    fn announce(&self, facts: Vec<u8>) -> OnWire<'_, ()> {
        Box::pin(async move {
            let subject = self.streams.facts(self.machine.as_str());
            let client = &self.streams.client;
            let sent = client.publish(subject, facts.into()).await;
            sent.map_err(|error| on_wire(&error))?;
            client.flush().await.map_err(|error| on_wire(&error))
        })
    }

    fn ask(&self) -> OnWire<'_, ()> {
        Box::pin(async move {
            let subject = self.streams.question();
            let sent = self.streams.client.publish(subject, Bytes::new()).await;
            sent.map_err(|error| on_wire(&error))
        })
    }
}

struct NatsHand(Message);

impl NatsHand {
    async fn say(&self, kind: AckKind) -> Result<(), WorkersError> {
        let said = self.0.ack_with(kind).await;
        said.map_err(|error| on_wire(&*error))
    }
}

impl AckHandle for NatsHand {
    fn goes_on(&self) -> OnWire<'_, ()> {
        Box::pin(self.say(AckKind::Progress))
    }

    fn is_over(&self) -> OnWire<'_, ()> {
        Box::pin(self.say(AckKind::Ack))
    }
}
