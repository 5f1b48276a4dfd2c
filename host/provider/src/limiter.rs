//! Limits on calls: when they may begin, and when a failed call is made again.

use bakeoff_domain::queue::{
    AddError, Attempt, Capacity, Cpu, Ending, Needs, Rate, Task, TaskKey, TaskQueue, Tokens,
};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// The name of the rate limit of calls.
const CALLS: &str = "calls";

/// Lease of a call, which never runs out: each call has a time limit of its own.
const LEASE: Duration = Duration::from_secs(365 * 24 * 3600);

/// Limits on the calls of a run: how many at a time, how many a minute, and none while the provider asks for a pause.
/// Each call is a task of a queue: it needs one of the connections, and a token of the rate limit.
#[derive(Debug)]
pub(super) struct Limiter {
    calls: Mutex<Calls>,
    began: Instant,
    /// Notified when a call that waits elsewhere may begin, or may begin earlier than was known.
    changed: Notify,
}

/// The calls that wait or are under way.
#[derive(Debug)]
struct Calls {
    queue: TaskQueue,
    /// The calls that may begin, and have not noticed it.
    granted: BTreeMap<TaskKey, Attempt>,
    /// The number of calls that ever asked.
    asked: u64,
}

/// Permission for a call, which is under way until this is dropped.
#[derive(Debug)]
pub(super) struct Permit<'a> {
    limiter: &'a Limiter,
    key: TaskKey,
    /// Attempt at the task of the call; `None` while the call waits.
    attempt: Option<Attempt>,
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let now = self.limiter.began.elapsed();
        let mut calls = self.limiter.calls();
        match &self.attempt {
            Some(attempt) => {
                calls.queue.finish(attempt, Ending::Done, now);
            }
            None => {
                calls.granted.remove(&self.key);
                calls.queue.withdraw(&self.key, now);
            }
        }
        drop(calls);
        self.limiter.changed.notify_waiters();
    }
}

impl Limiter {
    pub(super) fn new(concurrency: u32, calls_per_minute: Option<u32>) -> Self {
        let every = calls_per_minute.map(|calls| Duration::from_secs(60) / calls.max(1));
        let rate = Rate {
            every: every.unwrap_or_default(),
            burst: 1,
        };
        let capacity = Capacity {
            rates: vec![(CALLS.to_owned(), rate)],
            ..Capacity::of_cores(0..concurrency.max(1) as usize)
        };
        Self {
            calls: Mutex::new(Calls {
                queue: TaskQueue::new(capacity),
                granted: BTreeMap::new(),
                asked: 0,
            }),
            began: Instant::now(),
            changed: Notify::new(),
        }
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a call may begin, in the order in which they ask.
    ///
    /// # Errors
    /// There were as many calls as a queue has tasks.
    pub(super) async fn begin(&self) -> Result<Permit<'_>, AddError> {
        let mut permit = Permit {
            limiter: self,
            key: self.calls().ask()?,
            attempt: None,
        };
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            // Before the look at the queue, so that no change in between is missed.
            changed.as_mut().enable();
            let now = self.began.elapsed();
            let (granted, next) = self.calls().grant(&permit.key, now);
            if let Some(attempt) = granted {
                permit.attempt = Some(attempt);
                // Others may have been granted beside it.
                self.changed.notify_waiters();
                return Ok(permit);
            }
            let next = next.map(|at| self.began + at);
            tokio::select! {
                () = changed => {}
                () = sleep_until(next.unwrap_or(self.began)), if next.is_some() => {}
            }
        }
    }

    /// Lets no call begin for a while.
    pub(super) fn pause(&self, duration: Duration) {
        let until = self.began.elapsed().saturating_add(duration);
        self.calls().queue.pause(CALLS, until);
    }
}

impl Calls {
    /// Adds a call to those that wait.
    fn ask(&mut self) -> Result<TaskKey, AddError> {
        self.asked += 1;
        let key = TaskKey::new(format!("call {}", self.asked));
        let needs = Needs {
            tokens: Some(Tokens {
                rate: CALLS.to_owned(),
                count: 1,
            }),
            ..Needs::cpu(Cpu::Core)
        };
        self.queue.add(Task {
            lease: LEASE,
            ..Task::new(key.clone(), "call", needs)
        })?;
        Ok(key)
    }

    /// Grants all calls that may begin now. Returns the grant of this call, and the next time at which there may be one
    /// if nothing else happens.
    fn grant(&mut self, key: &TaskKey, now: Duration) -> (Option<Attempt>, Option<Duration>) {
        while let Some(lease) = self.queue.lease(now) {
            let key = lease.attempt.key.clone();
            self.granted.insert(key, lease.attempt);
        }
        (self.granted.remove(key), self.queue.next_change(now))
    }
}

/// Limits on repeating failed calls: how many, and after which waits.
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
    /// Returns the wait after this number of failures. `random` spreads out calls that failed at the same time. `None`:
    /// the provider asks for a longer wait than is accepted.
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
            .enable_time()
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
        let seconds = Duration::from_secs;
        let limiter = Limiter::new(9, Some(30));
        let mut calls = limiter.calls();
        let (first, second) = (calls.ask().unwrap(), calls.ask().unwrap());
        assert!(calls.grant(&first, seconds(1)).0.is_some());
        let (granted, next) = calls.grant(&second, seconds(2));
        assert_eq!((granted, next), (None, Some(seconds(3))));
        assert!(calls.grant(&second, seconds(3)).0.is_some());
        calls.queue.pause(CALLS, seconds(60));
        calls.queue.pause(CALLS, seconds(9));
        let third = calls.ask().unwrap();
        let (granted, next) = calls.grant(&third, seconds(59));
        assert_eq!((granted, next), (None, Some(seconds(60))));
        assert!(calls.grant(&third, seconds(60)).0.is_some());
        // Without a rate, any number at once.
        let limiter = Limiter::new(9, None);
        let mut calls = limiter.calls();
        for _ in 0..9 {
            let call = calls.ask().unwrap();
            assert!(calls.grant(&call, seconds(1)).0.is_some());
        }
    }

    #[test]
    fn whoever_stops_waiting_leaves_its_turn_to_the_next() {
        block_on(async {
            let limiter = Limiter::new(1, None);
            let first = limiter.begin().await.unwrap();
            let mut second = Box::pin(limiter.begin());
            let mut third = Box::pin(limiter.begin());
            for waiting in [&mut second, &mut third] {
                assert!(polled_once(waiting).await.is_none());
            }
            drop(first);
            // The second is granted when the third looks, and never notices.
            assert!(polled_once(&mut third).await.is_none());
            drop(second);
            assert!(polled_once(&mut third).await.is_some());
        });
    }

    /// Polls a future once, and returns its output if it is ready.
    async fn polled_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
        tokio::select! {
            biased;
            output = future => Some(output),
            () = std::future::ready(()) => None,
        }
    }

    #[test]
    fn only_so_many_calls_are_under_way() {
        block_on(async {
            let limiter = Arc::new(Limiter::new(2, None));
            let (running, most) = (AtomicU32::new(0), AtomicU32::new(0));
            let call = async || {
                let _permit = limiter.begin().await.unwrap();
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
