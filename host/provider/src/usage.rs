//! Tokens and money: of one call, and of all calls of a run.

use super::request::Purpose;
use bakeoff_domain::report::ModelCost;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Usage of one call, or the sum of several: tokens and cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens that were read, without those of a cache.
    pub input_tokens: u64,
    /// Tokens that were written, thoughts included.
    pub output_tokens: u64,
    /// Tokens that were read from the provider's cache.
    pub cache_read_tokens: u64,
    /// Tokens that were written to the provider's cache.
    pub cache_write_tokens: u64,
    /// The cost in millionths of a US dollar, rounded up.
    pub microdollars: u64,
    /// True for a reply that was cut off, or that came without a count: tokens and cost are the most that the call can
    /// have taken.
    pub upper_bound: bool,
    /// True if the price is not known: then `microdollars` lacks the cost of the call.
    pub unpriced: bool,
}

impl Usage {
    /// Returns the number of all tokens together.
    pub fn tokens(&self) -> u64 {
        self.input_tokens
            .saturating_add(self.output_tokens)
            .saturating_add(self.cache_read_tokens)
            .saturating_add(self.cache_write_tokens)
    }

    /// Returns the part of a sum that came after another, which it contains.
    pub(super) fn minus(&self, before: &Self) -> Self {
        let less = |sum: u64, before: u64| sum.saturating_sub(before);
        Self {
            input_tokens: less(self.input_tokens, before.input_tokens),
            output_tokens: less(self.output_tokens, before.output_tokens),
            cache_read_tokens: less(self.cache_read_tokens, before.cache_read_tokens),
            cache_write_tokens: less(self.cache_write_tokens, before.cache_write_tokens),
            microdollars: less(self.microdollars, before.microdollars),
            ..*self
        }
    }

    fn add(&mut self, other: &Self) {
        let sums = [
            (&mut self.input_tokens, other.input_tokens),
            (&mut self.output_tokens, other.output_tokens),
            (&mut self.cache_read_tokens, other.cache_read_tokens),
            (&mut self.cache_write_tokens, other.cache_write_tokens),
            (&mut self.microdollars, other.microdollars),
        ];
        for (sum, value) in sums {
            *sum = sum.saturating_add(value);
        }
        self.upper_bound |= other.upper_bound;
        self.unpriced |= other.unpriced;
    }
}

/// Sums over several calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct UsageTotals {
    /// The number of calls that were paid for.
    pub calls: u64,
    /// The sums over these calls.
    pub usage: Usage,
    /// The sum of the durations of these calls, in seconds. Calls at the same time each count.
    pub seconds: f64,
    /// Number of calls that are counted with the most that they can have taken.
    pub upper_bound_calls: u64,
    /// Number of calls without a known price.
    pub unpriced_calls: u64,
}

impl UsageTotals {
    pub(super) fn add(&mut self, usage: &Usage, seconds: f64) {
        self.calls += 1;
        self.usage.add(usage);
        self.seconds += seconds;
        self.upper_bound_calls += u64::from(usage.upper_bound);
        self.unpriced_calls += u64::from(usage.unpriced);
    }
}

impl From<&UsageTotals> for ModelCost {
    /// Returns the sums in the form of reports.
    fn from(spent: &UsageTotals) -> Self {
        Self {
            calls: spent.calls,
            tokens: spent.usage.tokens(),
            usd: (!spent.usage.unpriced).then_some(spent.usage.microdollars as f64 / 1e6),
            upper_bound: spent.usage.upper_bound,
            seconds: spent.seconds,
        }
    }
}

/// Spending of a run: in all, by purpose and by subject.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpentTable {
    /// All calls.
    pub total: UsageTotals,
    /// Calls of each purpose.
    pub by_purpose: BTreeMap<Purpose, UsageTotals>,
    /// Calls about each subject.
    pub by_subject: BTreeMap<String, UsageTotals>,
}

impl SpentTable {
    pub(super) fn add(&mut self, purpose: Purpose, subject: &str, usage: &Usage, seconds: f64) {
        self.total.add(usage, seconds);
        self.by_purpose
            .entry(purpose)
            .or_default()
            .add(usage, seconds);
        self.by_subject
            .entry(subject.to_owned())
            .or_default()
            .add(usage, seconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_add_up_in_all_and_by_purpose_and_subject() {
        let mut table = SpentTable::default();
        let usage = Usage {
            input_tokens: 1,
            output_tokens: 2,
            cache_read_tokens: 4,
            cache_write_tokens: 8,
            microdollars: 16,
            ..Usage::default()
        };
        let cut = Usage {
            upper_bound: true,
            unpriced: true,
            ..usage
        };
        table.add(Purpose::Plan, "", &usage, 0.5);
        table.add(Purpose::Prototype, "approach 1", &usage, 1.0);
        table.add(Purpose::Prototype, "approach 2", &cut, 1.0);
        let total = table.total;
        assert_eq!((total.calls, total.seconds), (3, 2.5));
        assert_eq!((total.upper_bound_calls, total.unpriced_calls), (1, 1));
        assert_eq!((total.usage.tokens(), total.usage.microdollars), (45, 48));
        assert!(total.usage.upper_bound && total.usage.unpriced);
        assert_eq!(table.by_purpose[&Purpose::Prototype].calls, 2);
        assert_eq!(table.by_subject["approach 1"].usage, usage);
    }
}
