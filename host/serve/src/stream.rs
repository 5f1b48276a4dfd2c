//! Events for pages (server-sent events): what happened, by number, and the parts of a page that changed.

use super::app::App;
use super::run_page::parts;
use axum::response::sse::Event;
use bakeoff_render::escape::Json;
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
    let (mut viewer, events) = Viewer::new(permit);
    tokio::spawn(async move {
        let mut after = after;
        loop {
            let asked = id.clone();
            let update = app
                .live
                .ask(move |monitor| monitor.update(&asked, Some(after)))
                .await;
            match update {
                // Too many ask: later.
                None => {}
                Some(None) => return,
                Some(Some(Err(_))) => {
                    // The page says why.
                    viewer
                        .send(Event::default().event("reset").data("{}"))
                        .await;
                    return;
                }
                Some(Some(Ok(update))) => {
                    if update.is_other {
                        viewer
                            .send(Event::default().event("reset").data("{}"))
                            .await;
                        return;
                    }
                    for line in &update.lines {
                        let event = Event::default().event("line").id(line.sequence.to_string());
                        if !viewer.send(event.data(line.data())).await {
                            return;
                        }
                        after = line.sequence;
                    }
                    if after < update.state.sequence && !update.lines.is_empty() {
                        continue;
                    }
                    for (part, markup) in parts(&update.state) {
                        if !viewer.send_part(part, markup).await {
                            return;
                        }
                    }
                }
            }
            if !viewer.wait(RUN_EVERY).await {
                return;
            }
        }
    });
    events
}
