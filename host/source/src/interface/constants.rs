//! What stands in sources.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Numbers and texts that stand in sources: a function may do something special with these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constants {
    /// Whole numbers.
    pub numbers: BTreeSet<i64>,
    /// Texts, and letters.
    pub texts: BTreeSet<String>,
}

impl Constants {
    /// Adds those of another file.
    pub fn extend(&mut self, other: Self) {
        self.numbers.extend(other.numbers);
        self.texts.extend(other.texts);
    }
}
