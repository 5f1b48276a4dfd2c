//! The end of a run.

use super::super::address::{ServerAddress, ServerCredentials};
use super::super::error::WorkersError;
use super::super::facts::MachineName;
use super::super::wire::{FromMachine, INBOX_MESSAGES, OnWire, RunEnds, RunWire};
use super::streams::TeamStreams;
use super::{INBOX, connect, next, on_wire, with_causes};
use async_nats::HeaderMap;
use async_nats::jetstream::consumer::pull::OrderedConfig;
use async_nats::jetstream::context::{PublishError, PublishErrorKind};
use async_nats::jetstream::{self, ErrorCode};
use bytes::Bytes;
use std::collections::BTreeSet;
use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::{Sender, channel};
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep};

/// The time before answers are asked for again, where the server did not give them.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// Time between two looks whether the server still has the stream of answers that are read.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// The header by which the server knows a task that it has already.
const MESSAGE_ID: &str = "Nats-Msg-Id";

/// Errors of a server that has no room for what is published.
const NO_ROOM: [ErrorCode; 4] = [
    ErrorCode::STREAM_STORE_FAILED,
    ErrorCode::STORAGE_RESOURCES_EXCEEDED,
    ErrorCode::ACCOUNT_RESOURCES_EXCEEDED,
    ErrorCode::INSUFFICIENT_RESOURCES,
];

/// State that the end of a run shares with whoever reads its answers.
struct RunStreams {
    streams: TeamStreams,
    /// The digests of contents that the server keeps, as far as this run knows.
    kept: Mutex<BTreeSet<String>>,
}

struct NatsRun(Arc<RunStreams>);

/// Connects a run.
pub(crate) async fn connect_run(
    address: &ServerAddress,
    credentials: &ServerCredentials,
    session: &str,
) -> Result<RunEnds, WorkersError> {
    let connected = connect(address, credentials, INBOX).await?;
    let state = Arc::new(RunStreams {
        streams: TeamStreams::open(connected, address).await?,
        kept: Mutex::default(),
    });
    let streams = &state.streams;
    let (sender, facts) = channel(INBOX_MESSAGES);
    let subscriber = streams.client.subscribe(streams.facts("*")).await;
    let mut subscriber = subscriber.map_err(|error| on_wire(&error))?;
    tokio::spawn(async move {
        while let Some(message) = next(&mut subscriber).await {
            if !pass_on(&sender, &message.subject, &message.payload).await {
                return;
            }
        }
    });
    let (sender, answers) = channel(INBOX_MESSAGES);
    let subject = streams.answer(session, "*");
    let reading = Arc::clone(&state);
    tokio::spawn(async move {
        // It makes its consumer anew where the server lost it; where that fails, too, it is begun again here, and what comes
        // twice counts once.
        while !sender.is_closed() {
            read_answers(&reading, &subject, &sender).await;
            sleep(ASK_AGAIN).await;
        }
        // What is left of this session is of no use to anybody.
        let answers = &reading.streams.answers;
        let _ = answers.purge().filter(subject).await;
    });
    Ok(RunEnds {
        wire: Arc::new(NatsRun(state)),
        facts,
        answers,
    })
}

/// Passes on the answers to a session, until the connection or the run ends, or the server has lost its store.
async fn read_answers(state: &RunStreams, subject: &str, sender: &Sender<FromMachine>) {
    let config = OrderedConfig {
        filter_subject: subject.to_owned(),
        ..OrderedConfig::default()
    };
    let answers = &state.streams.answers;
    let info = match answers.get_info().await {
        Ok(info) => info,
        Err(error) => return state.restore_if_missing(code(&error)).await,
    };
    let Ok(consumer) = answers.create_consumer(config).await else {
        return;
    };
    let Ok(mut messages) = consumer.messages().await else {
        return;
    };
    let mut look = interval_at(Instant::now() + LOOK_EVERY, LOOK_EVERY);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let message = tokio::select! {
            message = next(&mut messages) => message,
            _ = look.tick() => {
                // A consumer goes on at the number at which it was: in a stream that was made anew it would pass over answers.
                match answers.get_info().await {
                    Ok(now) if now.created == info.created => {}
                    Ok(_) => {
                        state.forget_kept();
                        return;
                    }
                    Err(error) => state.restore_if_missing(code(&error)).await,
                }
                continue;
            }
            () = sender.closed() => return,
        };
        let Some(Ok(message)) = message else { return };
        if !pass_on(sender, &message.subject, &message.payload).await {
            return;
        }
    }
}

/// Returns the code of the server's error that caused this one.
fn code(error: &(dyn Error + 'static)) -> Option<ErrorCode> {
    let cause = error.source()?;
    let error = cause.downcast_ref::<jetstream::Error>();
    error.map(jetstream::Error::error_code)
}

impl RunStreams {
    /// Makes anew what the server lost.
    async fn restore(&self) {
        self.streams.restore().await;
        self.forget_kept();
    }

    /// Does that if the code of an error says that a stream is missing.
    async fn restore_if_missing(&self, code: Option<ErrorCode>) {
        if code == Some(ErrorCode::STREAM_NOT_FOUND) {
            self.restore().await;
        }
    }

    fn forget_kept(&self) {
        self.kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    /// Returns the error of a message that the server did not take.
    fn not_taken(&self, error: &PublishError) -> WorkersError {
        if code(error).is_some_and(|code| NO_ROOM.contains(&code)) {
            return WorkersError::Full(with_causes(error));
        }
        self.streams.wrong(error)
    }
}

/// Passes a message on with the machine that its subject names. Returns false if nobody takes it.
async fn pass_on(sender: &Sender<FromMachine>, subject: &str, payload: &Bytes) -> bool {
    let machine = subject.rsplit('.').next().unwrap_or_default();
    let Ok(machine) = MachineName::try_from(machine.to_owned()) else {
        return true;
    };
    let bytes = payload.to_vec();
    sender.send(FromMachine { machine, bytes }).await.is_ok()
}

impl RunWire for NatsRun {
    fn put<'a>(&'a self, digest: &'a str, content: &'a [u8]) -> OnWire<'a, ()> {
        Box::pin(async move {
            let RunStreams { streams, kept } = &*self.0;
            let locked = || kept.lock().unwrap_or_else(PoisonError::into_inner);
            if locked().contains(digest) {
                return Ok(());
            }
            let there = streams.contents.info(digest).await;
            if there.is_err()
                || there.is_ok_and(|there| there.deleted || there.size != content.len())
            {
                let mut rest = content;
                if let Err(error) = streams.contents.put(digest, &mut rest).await {
                    return Err(if streams.is_full(content.len()).await {
                        WorkersError::Full(with_causes(&error))
                    } else {
                        streams.wrong(&error)
                    });
                }
            }
            locked().insert(digest.to_owned());
            Ok(())
        })
    }

    fn send<'a>(&'a self, machine: &'a MachineName, id: &'a str, task: Vec<u8>) -> OnWire<'a, ()> {
        Box::pin(async move {
            let streams = &self.0.streams;
            let mut headers = HeaderMap::new();
            headers.insert(MESSAGE_ID, id);
            let subject = streams.task(machine.as_str());
            let context = &streams.context;
            let sent = context.publish_with_headers(subject, headers, task.into());
            let kept = match sent.await {
                Ok(kept) => kept.await.map(drop),
                Err(error) => Err(error),
            };
            if let Err(error) = &kept
                && error.kind() == PublishErrorKind::StreamNotFound
            {
                self.0.restore().await;
            }
            kept.map_err(|error| self.0.not_taken(&error))
        })
    }

    fn cancel<'a>(&'a self, machine: &'a MachineName, cancelled: Vec<u8>) -> OnWire<'a, ()> {
        Box::pin(async move {
            let streams = &self.0.streams;
            let subject = streams.cancelled(machine.as_str());
            let sent = streams.client.publish(subject, cancelled.into()).await;
            sent.map_err(|error| on_wire(&error))
        })
    }

    fn ask(&self) -> OnWire<'_, ()> {
        Box::pin(async move {
            let streams = &self.0.streams;
            let sent = streams
                .client
                .publish(streams.question(), Bytes::new())
                .await;
            sent.map_err(|error| on_wire(&error))
        })
    }
}
