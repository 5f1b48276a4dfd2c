//! Kinds of values and texts that drawn inputs have, as the generator of inputs names and numbers them.

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

/// The kind of an input's texts. An input whose letters follow its [`ValueKind`] has none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// The divisor of the rest of the seed (seed / [`SEEDS_OF_KINDS`]) whose remainder decides in the generator whether
/// lists and texts have the same length; they do for remainder 0.
const SEEDS_OF_LENGTHS: u64 = 8;

/// Returns the seed of an input that is as large as its size allows, made of any seed: all lists and texts have the
/// full length, and texts are letters of several scripts.
pub fn large_input_seed(any: u64) -> u64 {
    any - any % (SEEDS_OF_KINDS * SEEDS_OF_LENGTHS) + TextKind::Scripts as u64
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
                assert_eq!(large_input_seed(any) % 64, 4);
            }
        }
    }
}
