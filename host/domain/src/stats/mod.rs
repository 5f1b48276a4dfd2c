//! The statistics that verdicts rest on: robust estimates, and a test that needs only symmetry.
//!
//! Every function is defined for every finite input and returns `None` for too few values.

mod betting;
mod bounds;
mod coin;
mod eprocess;
mod estimate;
mod order;
mod rank;
mod resampled;
mod scale;
mod sequence;
mod trend;
mod uniform;

pub use betting::{BoundedMean, SignOfDifferences, evidence_of_agreement};
pub use bounds::Bounds;
pub(crate) use coin::at_most;
pub use eprocess::{EProcess, REPLICAS_MIN, replicas_needed};
pub use estimate::{hodges_lehmann, median, quantile};
pub use order::median_interval;
pub use rank::{Correlation, spearman};
pub use resampled::{Resampled, resampled};
pub use scale::PastScale;
pub use sequence::ConfidenceSequence;
pub(crate) use sequence::rounded_up;
pub use trend::theil_sen;
pub(crate) use uniform::below;
