//! Amounts of models: what calls cost, what was spent, and what bounds it.

use super::{Models, Source};
use crate::request::Purpose;
use crate::usage::{SpentTable, Usage};

impl Models {
    /// Returns the cost of a call with these numbers of tokens at the usual price, in millionths of a dollar; `None` if
    /// the price is not known. A replay costs nothing.
    pub fn expected_microdollars(&self, prompt_tokens: u64, output_tokens: u64) -> Option<u64> {
        match &self.source {
            Source::Live(live) => (live.usual).expected_microdollars(prompt_tokens, output_tokens),
            Source::Replay(_) | Source::Manual(_) => Some(0),
        }
    }

    /// Returns the bounds on what [`Self::counted`] counts: tokens, and millionths of a dollar.
    pub fn bounds(&self) -> (Option<u64>, Option<u64>) {
        let (tokens, microdollars) = self.books.budget.bounds();
        let before = &self.not_counted.total.usage;
        let less = |bound: u64, before: u64| bound.saturating_sub(before);
        (
            tokens.map(|bound| less(bound, before.tokens())),
            microdollars.map(|bound| less(bound, before.microdollars)),
        )
    }

    /// Returns what the bounds count of a purpose, or of all: also what processes before this one spent, unless the bounds
    /// are from now on.
    pub fn counted(&self, purpose: Option<Purpose>) -> Usage {
        let of = |table: &SpentTable| match purpose {
            Some(purpose) => table.by_purpose.get(&purpose).map(|spent| spent.usage),
            None => Some(table.total.usage),
        };
        let all = of(&self.spent()).unwrap_or_default();
        all.minus(&of(&self.not_counted).unwrap_or_default())
    }

    /// Returns the most calls at the same time.
    pub fn calls_at_once(&self) -> u32 {
        self.calls_at_once
    }

    /// Returns the amounts spent so far, together with what the record had already.
    pub fn spent(&self) -> SpentTable {
        self.books.budget.spent()
    }
}
