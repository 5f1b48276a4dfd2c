//! Kinds of values that drawn inputs have, as the generator of inputs names them.

use bakeoff_domain::texts::TextKind;

/// The kind of an input's values, drawn anew for each input that is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Any values between plus and minus a thousand million.
    Any,
    /// Small values; for letters, digits.
    Small,
    /// Few different values.
    Few,
    /// Equal values.
    Equal,
    /// Values in ascending order.
    Ascending,
    /// Values in descending order.
    Descending,
    /// The largest and smallest values of the type.
    Extreme,
}

impl ValueKind {
    /// All kinds.
    pub const ALL: [Self; 7] = [
        Self::Any,
        Self::Small,
        Self::Few,
        Self::Equal,
        Self::Ascending,
        Self::Descending,
        Self::Extreme,
    ];

    /// Returns the kind in words, for messages.
    pub fn words(self) -> &'static str {
        match self {
            Self::Any => "any values",
            Self::Small => "small values",
            Self::Few => "few different values",
            Self::Equal => "equal values",
            Self::Ascending => "ascending values",
            Self::Descending => "descending values",
            Self::Extreme => "the largest and smallest values",
        }
    }

    /// Returns the name of the kind in the generator of inputs.
    pub(super) fn rust(self) -> &'static str {
        match self {
            Self::Any => "Values::Any",
            Self::Small => "Values::Small",
            Self::Few => "Values::Few",
            Self::Equal => "Values::Equal",
            Self::Ascending => "Values::Ascending",
            Self::Descending => "Values::Descending",
            Self::Extreme => "Values::Extreme",
        }
    }
}

/// The divisor of the seed whose remainder decides in the generator the kind of texts and, by what is left of it,
/// whether lists and texts have the same length; they do for remainders below 8.
const SEEDS_OF_LENGTHS: u64 = 64;

/// Returns the seed of an input that is as large as its size allows, made of any seed: all lists and texts have the
/// full length, and texts are letters of several scripts.
pub fn large_input_seed(any: u64) -> u64 {
    TextKind::Scripts.seed(any - any % SEEDS_OF_LENGTHS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_input_has_texts_of_several_scripts_and_of_one_length() {
        for any in [0, 7, 8, u64::MAX] {
            assert_eq!(large_input_seed(any) % SEEDS_OF_LENGTHS, 4);
        }
    }
}
