//! Events for pages (server-sent events): what happened, by number, and the parts of a page that changed.

use super::app::App;
use super::monitor::Update;
use super::run_page::parts;
use axum::response::sse::Event;
use bakeoff_render::escape::Json;
use bakeoff_store::Fingerprint;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Time between two looks for a viewer of a run, and of the list.
const RUN_EVERY: Duration = Duration::from_millis(500);
const LIST_EVERY: Duration = Duration::from_secs(2);
/// The most events that wait for a viewer who reads slowly.
const WAITING_MAX: usize = 32;

/// The most times in a row that a database cannot be read, before its page says so.
const REFUSED_MAX: u32 = 10;

/// The events of a page, as they come.
pub(crate) struct PageEvents(Receiver<Result<Event, Infallible>>);

impl futures_core::Stream for PageEvents {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}

/// A viewer of a page.
struct Viewer {
    sender: Sender<Result<Event, Infallible>>,
    /// The parts that the viewer has, by id.
    parts: BTreeMap<&'static str, String>,
    _permit: OwnedSemaphorePermit,
}

impl Viewer {
    /// Returns a viewer, and the events that it gets.
    fn new(permit: OwnedSemaphorePermit) -> (Self, PageEvents) {
        let (sender, receiver) = channel(WAITING_MAX);
        let viewer = Self {
            sender,
            parts: BTreeMap::new(),
            _permit: permit,
        };
        (viewer, PageEvents(receiver))
    }

    /// Sends an event; returns false if the viewer is gone.
    async fn send(&self, event: Event) -> bool {
        self.sender.send(Ok(event)).await.is_ok()
    }

    /// Sends a part, unless the viewer has it.
    async fn send_part(&mut self, id: &'static str, markup: String) -> bool {
        if self.parts.get(id) == Some(&markup) {
            return true;
        }
        let html = serde_json::to_string(&markup).unwrap_or_default();
        let data = Json(&format!(r#"{{"id":"{id}","html":{html}}}"#)).to_string();
        self.parts.insert(id, markup);
        self.send(Event::default().event("part").data(data)).await
    }

    /// Waits; returns false if the viewer is gone.
    async fn wait(&self, time: Duration) -> bool {
        tokio::select! {
            () = tokio::time::sleep(time) => true,
            () = self.sender.closed() => false,
        }
    }
}

/// Returns the events of the list.
pub(crate) fn of_list(app: Arc<App>, permit: OwnedSemaphorePermit) -> PageEvents {
    let (mut viewer, events) = Viewer::new(permit);
    tokio::spawn(async move {
        loop {
            if let Some(list) = app.list().await
                && !viewer.send_part("list", list).await
            {
                return;
            }
            if !viewer.wait(LIST_EVERY).await {
                return;
            }
        }
    });
    events
}

/// Returns the events of a run, those after a number first: each with its own number, and none left out.
pub(crate) fn of_run(
    app: Arc<App>,
    id: String,
    after: u64,
    permit: OwnedSemaphorePermit,
) -> PageEvents {
    let (viewer, events) = Viewer::new(permit);
    let follower = Follower {
        viewer,
        after,
        database: None,
        refused: 0,
    };
    tokio::spawn(follower.follow(app, id));
    events
}

/// A viewer of a run.
struct Follower {
    viewer: Viewer,
    /// Number of the last event that the viewer has.
    after: u64,
    /// The database that the events are from.
    database: Option<Fingerprint>,
    /// Number of times in a row that it could not be read.
    refused: u32,
}

impl Follower {
    async fn follow(mut self, app: Arc<App>, id: String) {
        loop {
            let (asked, after) = (id.clone(), self.after);
            let update = app
                .live
                .ask(move |monitor| monitor.update(&asked, Some(after)));
            let goes_on = match update.await {
                // Too many ask: later.
                None => true,
                Some(None) => return,
                Some(Some(Err(_))) => {
                    self.refused += 1;
                    self.refused < REFUSED_MAX
                }
                Some(Some(Ok(update))) => {
                    self.refused = 0;
                    match self.send(&app, update).await {
                        SendResult::Some => continue,
                        SendResult::All => true,
                        SendResult::Other => false,
                        SendResult::Nobody => return,
                    }
                }
            };
            if !goes_on {
                // The page is loaded again, and says why.
                self.viewer
                    .send(Event::default().event("reset").data("{}"))
                    .await;
                return;
            }
            if !self.viewer.wait(RUN_EVERY).await {
                return;
            }
        }
    }

    /// Sends what is new.
    async fn send(&mut self, app: &App, update: Update) -> SendResult {
        let database = *self.database.get_or_insert(update.fingerprint);
        if update.is_other || !database.is_same_file(&update.fingerprint) {
            return SendResult::Other;
        }
        for line in &update.lines {
            let event = Event::default().event("line").id(line.sequence.to_string());
            if !self.viewer.send(event.data(line.data())).await {
                return SendResult::Nobody;
            }
            self.after = line.sequence;
        }
        if self.after < update.state.sequence && !update.lines.is_empty() {
            return SendResult::Some;
        }
        let (place, state) = (&update.place, &update.state);
        let beside = app.beside_run(place, state);
        let answer = app.answer(place, state).await;
        for (part, markup) in parts(place, state).into_iter().chain(answer).chain(beside) {
            if !self.viewer.send_part(part, markup).await {
                return SendResult::Nobody;
            }
        }
        SendResult::All
    }
}

/// Result of sending what is new to a viewer.
enum SendResult {
    /// There is more.
    Some,
    /// The viewer has all.
    All,
    /// Another database is in the place of the one that the viewer follows.
    Other,
    /// The viewer is gone.
    Nobody,
}
