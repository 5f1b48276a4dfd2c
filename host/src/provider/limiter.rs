//! When calls may begin, and when one that failed is made again.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until};

/// Limits on the calls of a run: so many at a time, so many a minute, and none while the provider asks
/// for a pause.
#[derive(Debug)]
pub(super) struct Limiter {
    slots: Semaphore,
    /// The time between the beginnings of two calls.
    spacing: Duration,
    /// When the next call may begin.
    next: Mutex<Instant>,
}

impl Limiter {
    pub(super) fn new(concurrency: u32, calls_per_minute: Option<u32>) -> Self {
        let spacing = calls_per_minute.map(|calls| Duration::from_secs(60) / calls.max(1));
        Self {
            slots: Semaphore::new(concurrency.max(1) as usize),
            spacing: spacing.unwrap_or_default(),
            next: Mutex::new(Instant::now()),
        }
    }

    /// Waits until a call may begin. It counts as under way until what is returned is dropped.
    pub(super) async fn begin(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        let permit = self.slots.acquire().await.ok();
        while let Err(later) = self.start(Instant::now()) {
            sleep_until(later).await;
        }
        permit
    }

    /// Begins a call, or returns when it may begin.
    fn start(&self, now: Instant) -> Result<(), Instant> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if *next > now {
            return Err(*next);
        }
        *next = now + self.spacing;
        Ok(())
    }

    /// Lets no call begin for a while.
    pub(super) fn pause(&self, duration: Duration) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        *next = (*next).max(Instant::now() + duration);
    }
}

/// How often, and after how long, a call is made again that was not answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct RetryPolicy {
    /// The most calls for one question that are not paid for.
    pub(super) tries_max: u32,
    /// The most replies to one question that are cut off, and may have been paid for.
    pub(super) cuts_max: u32,
    /// The longest wait after the first failure; it doubles with each further one.
    pub(super) first: Duration,
    /// The longest wait.
    pub(super) longest: Duration,
    /// The longest wait that a provider may ask for.
    pub(super) asked_max: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            tries_max: 6,
            cuts_max: 2,
            first: Duration::from_secs(1),
            longest: Duration::from_secs(60),
            asked_max: Duration::from_secs(300),
        }
    }
}

impl RetryPolicy {
    /// Returns how long to wait after so many failures. `random` spreads out calls that failed at the same
    /// time. `None`: the provider asks for more than is waited for.
    pub(super) fn wait(
        &self,
        failures: u32,
        asked: Option<Duration>,
        random: u32,
    ) -> Option<Duration> {
        let share = f64::from(random) / f64::from(u32::MAX);
        match asked {
            Some(asked) if asked > self.asked_max => None,
            // Never earlier than asked for.
            Some(asked) => Some(asked + self.first.mul_f64(share / 4.0)),
            None => {
                let doubled = 2_u32.saturating_pow(failures.saturating_sub(1).min(16));
                let longest = self.first.saturating_mul(doubled).min(self.longest);
                Some(longest.mul_f64(0.5 + share / 2.0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(future)
    }

    #[test]
    fn waits_double_within_their_bounds_and_are_never_shorter_than_asked_for() {
        let policy = RetryPolicy::default();
        let seconds = |failures, asked: Option<u64>, random| {
            let asked = asked.map(Duration::from_secs);
            policy
                .wait(failures, asked, random)
                .map(|wait| wait.as_secs_f64())
        };
        assert_eq!(seconds(1, None, 0), Some(0.5));
        assert_eq!(seconds(1, None, u32::MAX), Some(1.0));
        assert_eq!(seconds(4, None, u32::MAX), Some(8.0));
        assert_eq!(seconds(99, None, u32::MAX), Some(60.0));
        assert_eq!(seconds(1, Some(0), 0), Some(0.0));
        assert_eq!(seconds(9, Some(7), 0), Some(7.0));
        assert_eq!(seconds(1, Some(300), u32::MAX), Some(300.25));
        assert_eq!(seconds(1, Some(301), 0), None);
    }

    #[test]
    fn calls_begin_at_their_distance_and_after_a_pause() {
        let limiter = Limiter::new(9, Some(30));
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        limiter.start(start).unwrap();
        assert_eq!(limiter.start(at(1)), Err(at(2)));
        limiter.start(at(2)).unwrap();
        let now = Instant::now();
        limiter.pause(Duration::from_secs(60));
        limiter.pause(Duration::from_secs(1));
        let later = limiter.start(at(9)).unwrap_err();
        assert!(later >= now + Duration::from_secs(60));
        limiter.start(later).unwrap();
        // Without a rate, any number at once.
        let limiter = Limiter::new(9, None);
        limiter.start(at(1)).unwrap();
        limiter.start(at(1)).unwrap();
    }

    #[test]
    fn only_so_many_calls_are_under_way() {
        block_on(async {
            let limiter = Arc::new(Limiter::new(2, None));
            let (running, most) = (AtomicU32::new(0), AtomicU32::new(0));
            let call = async || {
                let _permit = limiter.begin().await;
                most.fetch_max(
                    running.fetch_add(1, Ordering::Relaxed) + 1,
                    Ordering::Relaxed,
                );
                tokio::task::yield_now().await;
                running.fetch_sub(1, Ordering::Relaxed);
            };
            tokio::join!(call(), call(), call(), call(), call());
            assert_eq!(most.into_inner(), 2);
        });
    }
}
