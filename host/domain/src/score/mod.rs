//! Scores: from readings and verdicts to totals, ranks, and how sure the choice is.
//!
//! Nothing here is stronger than what goes in. A variant is ranked ahead of another only if the
//! interval of the difference of their totals excludes zero, and for times that interval is the
//! verdict's own. What is missing stays missing: it is never a zero.
//!
//! Sources of formulas: the score of a ratio is 10 − 10·log_R(reading / best reading); the total
//! is Σ w·s/10 / Σ w over the criteria.

mod criterion;
mod difference;
mod engine;
mod flip;
mod input;
mod pareto;
mod rank;
mod scale;
mod share;
mod weights;

#[cfg(test)]
mod tests;

pub use criterion::CriterionSummary;
pub use engine::{Outcome, Scored, Standing, score};
pub use flip::{Change, Flip};
pub use input::{Candidate, Interval, ReplicaTimes, ScoreInput, Status};
pub use rank::CLOSE;
pub use scale::Missing;
pub use share::DRAWS;
pub use weights::{WeightError, parse_weight, reweighted};
