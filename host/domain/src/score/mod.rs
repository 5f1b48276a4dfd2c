//! Scores: from readings and verdicts to totals, ranks, and the robustness of the choice.
//!
//! Nothing here is stronger than what goes in. A variant is ranked ahead of another only if the
//! interval of the difference of their totals excludes zero, and for times that interval is the
//! verdict's own. A missing score stays missing: it is never a zero.
//!
//! Sources of formulas: the score of a ratio is 10 − 10·log_R(reading / best reading), never below 0;
//! the total is Σ w·s/10 / Σ w over the criteria.

mod criterion;
mod difference;
mod engine;
mod first_place;
mod flip;
mod input;
mod opinions;
mod outcome;
mod pareto;
mod rank;
mod scale;
mod screening;
mod undecided;
mod variant_score;
mod weights;

#[cfg(test)]
mod tests;

pub use crate::interval::Interval;
pub use criterion::CriterionSummary;
pub use engine::{Ranking, score};
pub use flip::{Flip, WeightChange};
pub use input::{ReplicaTimes, ScoreInput, TimedCases, VariantReadings};
pub use outcome::RankingOutcome;
pub use pareto::{compare_readings, is_worth};
pub use screening::{
    CHOSEN, COARSE_TIME, FUEL_GROWTH, PlacesRule, RACING_MAX, ScreenedFigures, ScreeningFigures,
    StandIn, first_of_each, screen, screen_with_gates,
};
pub use undecided::open_by_time;
pub use variant_score::{MissingScore, VariantScore, VariantStatus};
pub use weights::{WeightError, parse_weight, reweighted};
