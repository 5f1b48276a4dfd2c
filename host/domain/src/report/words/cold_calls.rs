//! Ratios of cold calls: those of a variant that makes single calls, since it is far slower than the
//! best.

use crate::report::{CaseLabel, Report, VerdictRow};
use std::collections::BTreeSet;

/// How far a ratio of times is one of cold calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColdCalls {
    /// It is one of warm calls.
    Nowhere,
    /// It is one of cold calls on some of its cases.
    Somewhere,
    /// It is one of cold calls.
    Everywhere,
}

impl ColdCalls {
    /// Of a verdict by time.
    pub fn of(report: &Report, row: &VerdictRow) -> Self {
        let pair = report.variants.iter();
        let pair = pair.filter(|variant| variant.id == row.a || variant.id == row.b);
        let cold: BTreeSet<&CaseLabel> = pair.flat_map(|variant| &variant.single_calls).collect();
        let cases = report.experiment.cases.len();
        let timed = cases.saturating_sub(report.too_short.len());
        match &row.case {
            Some(case) if cold.contains(case) => Self::Everywhere,
            Some(_) => Self::Nowhere,
            None if cold.is_empty() => Self::Nowhere,
            None if cold.len() < timed => Self::Somewhere,
            None => Self::Everywhere,
        }
    }

    /// The words that follow the ratio; empty for warm calls.
    pub fn text(self) -> &'static str {
        match self {
            Self::Nowhere => "",
            Self::Somewhere => ", on cold calls at some sizes",
            Self::Everywhere => " on a cold call",
        }
    }
}
