//! Tasks that need a core each: as many at a time as there are cores.

use super::error::RunError;
use tokio::task::JoinSet;

/// Tasks in progress, and the cores that none of them uses.
pub struct OnCores<T> {
    free: Vec<usize>,
    running: JoinSet<(usize, T)>,
}

impl<T: Send + 'static> OnCores<T> {
    /// Returns an empty set of tasks for these cores, by number.
    pub fn new(cores: &[usize]) -> Self {
        Self {
            free: cores.to_vec(),
            running: JoinSet::new(),
        }
    }

    /// Returns true if another task can start.
    pub fn has_free_core(&self) -> bool {
        !self.free.is_empty()
    }

    /// Starts a task with the number of its core. Without a free core, nothing starts.
    pub fn start<F>(&mut self, task: impl FnOnce(usize) -> F)
    where
        F: Future<Output = T> + Send + 'static,
    {
        if let Some(core) = self.free.pop() {
            let task = task(core);
            self.running.spawn(async move { (core, task.await) });
        }
    }

    /// Waits for the next task that ends, and returns its result; `None` if none is in progress.
    ///
    /// # Errors
    /// [`RunError::Engine`] if the task panicked.
    pub async fn next(&mut self) -> Result<Option<T>, RunError> {
        let Some(done) = self.running.join_next().await else {
            return Ok(None);
        };
        let (core, result) = done.map_err(|error| RunError::Engine(error.to_string()))?;
        self.free.push(core);
        Ok(Some(result))
    }
}
