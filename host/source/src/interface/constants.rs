//! Constants that stand in sources, for the search for inputs on which functions differ.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The most constants of each kind in a file.
const CONSTANTS_MAX: usize = 64;

/// The longest text, in characters.
const TEXT_CHARS_MAX: usize = 24;

/// Numbers and texts that stand in sources: a function may treat them specially.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Constants {
    /// The whole numbers.
    pub numbers: BTreeSet<i64>,
    /// The texts, and single letters as texts.
    pub texts: BTreeSet<String>,
}

impl Constants {
    /// Adds a number, if there is one and not many are known.
    pub fn add_number(&mut self, number: Option<i64>) {
        if self.numbers.len() < CONSTANTS_MAX {
            self.numbers.extend(number);
        }
    }

    /// Adds a text, if there is one that is short and not many are known.
    pub fn add_text(&mut self, text: Option<String>) {
        let text = text.filter(|text| text.chars().count() <= TEXT_CHARS_MAX);
        if self.texts.len() < CONSTANTS_MAX {
            self.texts.extend(text);
        }
    }

    /// Adds the constants of another file.
    pub fn extend(&mut self, other: Self) {
        self.numbers.extend(other.numbers);
        self.texts.extend(other.texts);
    }
}
