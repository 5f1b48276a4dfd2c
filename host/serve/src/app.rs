//! The state that all requests share: the secrets, the threads that read, and the bound on viewers.

use super::access::Access;
use super::list_page;
use super::monitor::Monitor;
use super::reports::Reports;
use super::worker::Worker;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// The most pages that follow events at the same time.
const VIEWERS_MAX: usize = 48;
/// Time within which answers that are not known yet are worked out for one list.
const ANSWERS_WITHIN: Duration = Duration::from_secs(2);

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
    /// Leave to follow events.
    pub(crate) viewers: Arc<Semaphore>,
}

impl App {
    /// Starts the threads of a server that listens on a port.
    ///
    /// # Errors
    /// There are no random numbers, or no threads.
    pub(crate) fn start(root: &Path, port: u16) -> io::Result<Self> {
        let (for_live, for_reports) = (root.to_owned(), root.to_owned());
        Ok(Self {
            root: root.to_owned(),
            access: Access::new(port)?,
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
        Some(list_page::list(&listed, &answers))
    }
}
