//! Tasks as they are added to the queue.

use super::needs::Needs;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The name of a task in its queue. It contains everything that the result depends on, or a digest of it:
/// two tasks with the same key have the same result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskKey(Arc<str>);

impl TaskKey {
    /// Returns the key with this text.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Dependency of a task: another task that must end before it can start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The key of a task that is in the queue.
    pub key: TaskKey,
    /// Required end of that task.
    pub until: Until,
}

/// Required end of a task on which others depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// A result. If there is none, the tasks that depend on it never start.
    Done,
    /// Any end.
    Ended,
}

impl Dependency {
    /// A dependency on the result of a task.
    pub fn on_result(key: TaskKey) -> Self {
        let until = Until::Done;
        Self { key, until }
    }

    /// A dependency on the end of a task, whether it has a result or not.
    pub fn on_end(key: TaskKey) -> Self {
        let until = Until::Ended;
        Self { key, until }
    }
}

/// Limits on the repetition of lost attempts. An attempt is lost if its worker died or stalled, or was refused for a
/// moment; a task that failed by itself is never repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// The largest number of attempts, the first one included.
    pub attempts_max: u32,
    /// The time before the second attempt; it doubles before each one after that.
    pub first_wait: Duration,
    /// The longest time before an attempt.
    pub wait_max: Duration,
}

impl Retries {
    /// A single attempt.
    pub const NONE: Self = Self {
        attempts_max: 1,
        first_wait: Duration::ZERO,
        wait_max: Duration::ZERO,
    };

    /// Returns the time to wait after this many lost attempts; `None` if there is no other attempt.
    pub(super) fn wait_after(&self, attempts: u32) -> Option<Duration> {
        if attempts >= self.attempts_max {
            return None;
        }
        let doublings = attempts.saturating_sub(1).min(31);
        Some(
            self.first_wait
                .saturating_mul(1 << doublings)
                .min(self.wait_max),
        )
    }
}

/// A task as it is added to the queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Key of the task.
    pub key: TaskKey,
    /// The kind of work, by which durations are estimated.
    pub kind: &'static str,
    /// Dependencies of the task. All of them must be in the queue already.
    pub after: Vec<Dependency>,
    /// Priority: ready tasks of a higher one start first.
    pub priority: i32,
    /// Amount of work, in units of an ordinary task of its kind.
    pub size: f64,
    /// Resources that the task takes while it is leased.
    pub needs: Needs,
    /// Limits on the repetition of lost attempts.
    pub retries: Retries,
    /// The time after which an attempt is lost if its worker says nothing.
    pub lease: Duration,
}

impl Task {
    /// Lease of a task for which no other is set.
    pub const LEASE: Duration = Duration::from_secs(60);

    /// Returns a task of ordinary size and priority that depends on nothing and is tried once.
    pub fn new(key: TaskKey, kind: &'static str, needs: Needs) -> Self {
        Self {
            key,
            kind,
            after: Vec::new(),
            priority: 0,
            size: 1.0,
            needs,
            retries: Retries::NONE,
            lease: Self::LEASE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_up_to_its_limit_and_then_there_are_no_more_attempts() {
        let retries = Retries {
            attempts_max: 6,
            first_wait: Duration::from_millis(100),
            wait_max: Duration::from_millis(500),
        };
        let waits: Vec<Option<u128>> = (1..=6)
            .map(|attempts| Some(retries.wait_after(attempts)?.as_millis()))
            .collect();
        let expected = [Some(100), Some(200), Some(400), Some(500), Some(500), None];
        assert_eq!(waits, expected);
        assert_eq!(Retries::NONE.wait_after(1), None);
        let many = Retries {
            attempts_max: u32::MAX,
            ..retries
        };
        assert_eq!(many.wait_after(u32::MAX - 1), Some(retries.wait_max));
    }
}
