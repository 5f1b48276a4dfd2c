//! Cores that work beside a race may use while nothing is timed.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Cores that others work on. Whoever times something takes all of them first, so that nobody disturbs it.
#[derive(Clone, Debug)]
pub struct SharedCores {
    cores: Arc<Semaphore>,
    count: u32,
}

impl SharedCores {
    /// Makes cores for so many tasks at the same time, one at least.
    pub fn new(count: usize) -> Self {
        let count = u32::try_from(count.max(1)).unwrap_or(u32::MAX);
        Self {
            cores: Arc::new(Semaphore::new(count as usize)),
            count,
        }
    }

    /// Waits for a core, which is free again when the result is dropped; `None` never happens, since it is never closed.
    pub async fn one(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.cores).acquire_owned().await.ok()
    }

    /// Waits until nobody works on any of them, and keeps others away until the result is dropped.
    pub async fn all(&self) -> Option<OwnedSemaphorePermit> {
        let cores = Arc::clone(&self.cores);
        cores.acquire_many_owned(self.count).await.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_times_waits_for_the_others_and_keeps_them_away() {
        let cores = SharedCores::new(2);
        let first = cores.one().await;
        let mut all = Box::pin(cores.all());
        tokio::select! {
            biased;
            _ = &mut all => panic!("somebody works still"),
            () = tokio::task::yield_now() => {}
        }
        drop(first);
        let all = all.await;
        let mut one = Box::pin(cores.one());
        tokio::select! {
            biased;
            _ = &mut one => panic!("something is timed"),
            () = tokio::task::yield_now() => {}
        }
        drop(all);
        assert!(one.await.is_some());
    }
}
