//! The end of waiting for tasks, once the user asks to stop.

use super::error::RunError;
use super::options::Interrupt;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// The time in which what goes on may end once the user asked to stop.
const STOPS_WITHIN: Duration = Duration::from_secs(3);

/// The flag by which the user asks to stop, as whoever waits for tasks follows it. By default nobody raises it.
#[derive(Debug, Default)]
pub(super) struct Stop {
    interrupt: Interrupt,
    /// The time at which what still goes on is given up, once the user has asked.
    at: Option<Instant>,
}

impl Stop {
    /// Returns what stops when this flag is raised.
    pub(super) fn by(interrupt: &Interrupt) -> Self {
        Self {
            interrupt: interrupt.clone(),
            at: None,
        }
    }

    /// Refuses to go on once the user asked to stop.
    ///
    /// # Errors
    /// The user asked to stop.
    pub(super) fn refuse(&self) -> Result<(), RunError> {
        self.interrupt.refuse()
    }

    /// Waits for something. What ends soon after the user asked to stop is returned, and what goes on then is given up.
    ///
    /// # Errors
    /// The user asked to stop, and it did not end in time.
    pub(super) async fn unless_late<T>(
        &mut self,
        work: impl Future<Output = T>,
    ) -> Result<T, RunError> {
        let Self { interrupt, at } = self;
        let late = async {
            interrupt.raised().await;
            // Counted from when the user asked, however often something else has ended since.
            sleep_until(*at.get_or_insert_with(|| Instant::now() + STOPS_WITHIN)).await;
        };
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = late => Err(RunError::Interrupted),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::{pending, ready};
    use tokio::time::sleep;

    #[tokio::test]
    async fn what_ends_soon_after_the_user_asked_is_returned_and_the_rest_given_up() {
        let interrupt = Interrupt::default();
        let mut stop = Stop::by(&interrupt);
        assert!(stop.refuse().is_ok());
        assert_eq!(stop.unless_late(ready(1)).await.unwrap(), 1);
        interrupt.raise();
        assert!(matches!(stop.refuse(), Err(RunError::Interrupted)));
        let soon = sleep(Duration::from_millis(1));
        assert!(stop.unless_late(soon).await.is_ok());
        let at = stop.at.unwrap();
        // The end of one task gives the next no more time.
        let soon = sleep(Duration::from_millis(1));
        assert!(stop.unless_late(soon).await.is_ok());
        assert_eq!(stop.at, Some(at));
        stop.at = Some(Instant::now());
        let late = stop.unless_late(pending::<()>()).await;
        assert!(matches!(late, Err(RunError::Interrupted)));
    }
}
