//! Direction in which readings are better: lower or higher.

use serde::{Deserialize, Serialize};

/// The direction in which readings are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Lower readings are better.
    LowerIsBetter,
    /// Higher readings are better.
    HigherIsBetter,
}
