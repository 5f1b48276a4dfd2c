//! Aggregators: components of the user that add sections to a finished report.

use crate::code::Code;
use serde::{Deserialize, Serialize};

/// An aggregator that the user brings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aggregator {
    /// Name of the aggregator: `a-z`, `0-9` and `-`.
    pub name: String,
    /// File with the code of the aggregator.
    pub code: Code,
}
