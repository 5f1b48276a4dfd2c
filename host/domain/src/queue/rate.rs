//! Rate limits: how often something may be done.

use std::time::Duration;

/// A limit of how often something may be done: in every span of time `t`, at most `burst + t / every`
/// tokens are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// The time in which one token comes back.
    pub every: Duration,
    /// The largest number of tokens at hand.
    pub burst: u32,
}

/// The tokens of a rate limit.
///
/// The bucket keeps the time at which all tokens would be there again, as in the generic cell rate algorithm (ITU-T
/// I.371): times add up without rounding.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    rate: Rate,
    full_at: Duration,
}

impl Bucket {
    /// Returns a full bucket.
    pub(super) fn new(rate: Rate) -> Self {
        Self {
            rate,
            full_at: Duration::ZERO,
        }
    }

    /// Returns true if this many tokens can ever be there at once.
    pub(super) fn can_hold(&self, tokens: u32) -> bool {
        tokens <= self.rate.burst
    }

    /// Returns the time from which on this many tokens are there.
    pub(super) fn at(&self, tokens: u32) -> Duration {
        let missing_at_most = self.rate.burst.saturating_sub(tokens);
        let to_refill = self.rate.every.saturating_mul(missing_at_most);
        self.full_at.saturating_sub(to_refill)
    }

    /// Withholds all tokens until this time.
    pub(super) fn pause(&mut self, until: Duration) {
        let to_refill = self
            .rate
            .every
            .saturating_mul(self.rate.burst.saturating_sub(1));
        self.full_at = self.full_at.max(until.saturating_add(to_refill));
    }

    /// Takes tokens, which must be there.
    pub(super) fn take(&mut self, tokens: u32, now: Duration) {
        let since = self.full_at.max(now);
        self.full_at = since.saturating_add(self.rate.every.saturating_mul(tokens));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back_one_by_one_and_never_more_than_the_burst() {
        let second = Duration::from_secs;
        let mut bucket = Bucket::new(Rate {
            every: second(2),
            burst: 3,
        });
        bucket.take(3, second(100));
        assert_eq!(bucket.at(1), second(102));
        assert_eq!(bucket.at(3), second(106));
        bucket.take(1, second(102));
        assert_eq!(bucket.at(1), second(104));
        // After a long time there are three again, and no more.
        bucket.take(2, second(1_000));
        assert_eq!(bucket.at(1), second(1_000));
        assert_eq!(bucket.at(2), second(1_002));
        assert!(bucket.can_hold(3) && !bucket.can_hold(4));
        // Nobody may begin before a pause ends, which never makes an earlier one shorter.
        bucket.pause(second(2_000));
        bucket.pause(second(1_500));
        assert_eq!((bucket.at(1), bucket.at(3)), (second(2_000), second(2_004)));
    }
}
