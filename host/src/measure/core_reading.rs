//! What the contention probe read in a process, for those that come after it.

use serde::{Deserialize, Serialize};

/// What the contention probe read in a process.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoreReading {
    /// The mean ratio of its two pieces.
    pub mean: f64,
    /// The ratio while the core was quiet, if that was seen.
    pub quiet: Option<f64>,
}

impl CoreReading {
    /// Whether a probe could have read this.
    pub fn could_be(&self) -> bool {
        let could_be = |ratio: f64| ratio.is_finite() && ratio > 0.0;
        could_be(self.mean) && self.quiet.is_none_or(could_be)
    }
}
