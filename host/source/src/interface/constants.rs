//! Constants that stand in sources, for the search for inputs on which functions differ.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Numbers and texts that stand in sources: a function may treat them specially.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constants {
    /// The whole numbers.
    pub numbers: BTreeSet<i64>,
    /// The texts, and single letters as texts.
    pub texts: BTreeSet<String>,
}

impl Constants {
    /// Adds the constants of another file.
    pub fn extend(&mut self, other: Self) {
        self.numbers.extend(other.numbers);
        self.texts.extend(other.texts);
    }
}
