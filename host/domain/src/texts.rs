//! Kinds of texts in drawn inputs, as the generator of inputs that are timed numbers them.

use serde::{Deserialize, Serialize};

/// The kind of an input's texts. An input whose letters follow the kind of its other values has none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextKind {
    /// Words of small letters.
    Words,
    /// Lines of words.
    Lines,
    /// Texts of digits.
    Digits,
    /// Latin letters, some with accents.
    Accents,
    /// Letters of several scripts.
    Scripts,
}

/// The divisor of the seed whose remainder is the number of the kind of texts in the generator of inputs.
const SEEDS_OF_KINDS: u64 = 8;

impl TextKind {
    /// All kinds, as the generator of inputs numbers them.
    pub const ALL: [Self; 5] = [
        Self::Words,
        Self::Lines,
        Self::Digits,
        Self::Accents,
        Self::Scripts,
    ];

    /// Returns the kind in words, for messages.
    pub fn words(self) -> &'static str {
        match self {
            Self::Words => "words of ASCII letters",
            Self::Lines => "lines of ASCII letters",
            Self::Digits => "digits",
            Self::Accents => "Latin letters with accents",
            Self::Scripts => "letters of several scripts",
        }
    }

    /// Returns the seed of an input with texts of this kind, made of any seed.
    pub fn seed(self, any: u64) -> u64 {
        any - any % SEEDS_OF_KINDS + self as u64
    }
}

/// A case of inputs of one size whose texts are of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizedTexts {
    /// The size that is passed to the workload's `generate`.
    pub size: u32,
    /// The kind of texts. The seed that is passed to `generate` follows from it and from the seed of the input.
    pub texts: TextKind,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_says_the_kind_of_texts() {
        for (place, kind) in TextKind::ALL.into_iter().enumerate() {
            for any in [0, 7, 8, u64::MAX] {
                assert_eq!(kind.seed(any) % SEEDS_OF_KINDS, place as u64);
                assert_eq!(kind.seed(any) / SEEDS_OF_KINDS, any / SEEDS_OF_KINDS);
            }
        }
    }
}
