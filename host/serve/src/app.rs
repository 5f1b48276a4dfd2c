//! The state that all requests share: the secrets, the threads that read, and the bound on viewers.

use super::access::Access;
use super::controls::{ControlConsent, Controls};
use super::live::{RunState, last_finished};
use super::monitor::Monitor;
use super::places::Place;
use super::reports::Reports;
use super::run_page::{Part, answer_part};
use super::worker::Worker;
use super::{change_page, list_page};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// The most pages that follow events at the same time.
const VIEWERS_MAX: usize = 48;
/// Time within which answers that are not known yet are worked out for one list.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);
/// Time that the page of a run waits for its answer, which comes by itself where it takes longer.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);

/// The state of a server.
pub(crate) struct App {
    /// The folder that the user named.
    pub(crate) root: PathBuf,
    /// The secrets of the server.
    pub(crate) access: Access,
    /// The thread that follows runs.
    pub(crate) live: Worker<Monitor>,
    /// The thread that works reports out.
    pub(crate) reports: Worker<Reports>,
    /// The controls of experiments, if the user gave leave for one.
    pub(crate) controls: Option<Arc<Controls>>,
    /// Leave to follow events.
    pub(crate) viewers: Arc<Semaphore>,
}

impl App {
    /// Starts the threads of a server that listens on a port.
    ///
    /// # Errors
    /// There are no random numbers, or no threads.
    pub(crate) fn start(root: &Path, port: u16, leave: Option<ControlConsent>) -> io::Result<Self> {
        let (for_live, for_reports) = (root.to_owned(), root.to_owned());
        Ok(Self {
            root: root.to_owned(),
            access: Access::new(port, leave.is_some())?,
            controls: leave.map(|leave| Arc::new(Controls::new(root, leave))),
            live: Worker::start("runs", move || Monitor::new(&for_live))?,
            reports: Worker::start("reports", move || Reports::new(&for_reports))?,
            viewers: Arc::new(Semaphore::new(VIEWERS_MAX)),
        })
    }

    /// Returns the list as markup; `None` if too many ask for it.
    pub(crate) async fn list(&self) -> Option<String> {
        let listed = self.live.ask(Monitor::list).await?;
        let rows = listed.rows.clone();
        let answers = self
            .reports
            .ask(move |reports| reports.answers(&rows, ANSWERS_WITHIN))
            .await?;
        let mut list = list_page::list(&listed, &answers, self.controls.is_some());
        if let Some(controls) = &self.controls {
            list.push_str(&list_page::unrun(&listed.unrun, |place| {
                let change = controls.change(&place.below, "");
                change_page::entry(place, change.as_ref(), self.access.form_token())
            }));
        }
        Some(list)
    }

    /// Returns the answer of the last finished run of a place, as a part of its page: `None` where no run has finished, or
    /// none was worked out within a time. Whoever works it out goes on, and has it the next time.
    pub(crate) async fn answer(&self, place: &Place, state: &RunState) -> Option<Part> {
        let run = last_finished(&state.runs)?.clone();
        let (place, id) = (place.clone(), run.id);
        let answer = self
            .reports
            .ask(move |reports| reports.answer(&place, &run, false));
        let answer = tokio::time::timeout(ANSWER_WITHIN, answer).await.ok()??;
        Some(answer_part(state, id, answer.as_ref()))
    }

    /// Returns what stands beside a run, where the user gave leave to change something.
    pub(crate) fn beside_run(&self, place: &Place, state: &RunState) -> Option<Part> {
        let controls = self.controls.as_ref()?;
        let change = controls.change(place.experiment(), &state.began);
        let token = self.access.form_token();
        Some((
            "controls",
            change_page::beside_run(place, state, change.as_ref(), token),
        ))
    }
}
