//! What the values of drawn inputs are like.

/// What the values of an input are like that is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Any within a thousand millions.
    Any,
    /// Small ones; of letters, digits.
    Small,
    /// Few different ones.
    Few,
    /// All the same.
    Equal,
    /// In ascending order.
    Ascending,
    /// In descending order.
    Descending,
    /// The largest and smallest.
    Extreme,
}

impl ValueKind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Any,
        Self::Small,
        Self::Few,
        Self::Equal,
        Self::Ascending,
        Self::Descending,
        Self::Extreme,
    ];

    /// What they are, for a reader.
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

    /// What the generator of inputs calls them.
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

/// What the letters of texts are like in an input that is timed. An input has no such kind where its letters are like
/// its other values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// Words of small letters.
    Words,
    /// Lines of words.
    Lines,
    /// Digits.
    Digits,
    /// Latin letters, some with accents.
    Accents,
    /// Letters of several scripts.
    Scripts,
}

/// The generator of inputs takes the kind of texts from the seed: its rest by this is the place of the kind.
const SEEDS_OF_KINDS: u64 = 8;

impl TextKind {
    /// All of them, as the generator of inputs numbers them.
    pub const ALL: [Self; 5] = [
        Self::Words,
        Self::Lines,
        Self::Digits,
        Self::Accents,
        Self::Scripts,
    ];

    /// What they are, for a reader.
    pub fn words(self) -> &'static str {
        match self {
            Self::Words => "words of ASCII letters",
            Self::Lines => "lines of ASCII letters",
            Self::Digits => "digits",
            Self::Accents => "Latin letters with accents",
            Self::Scripts => "letters of several scripts",
        }
    }

    /// The seed of an input with texts of this kind, made of any seed.
    pub fn seed(self, any: u64) -> u64 {
        any - any % SEEDS_OF_KINDS + self as u64
    }
}

/// It takes from what is left whether lists and texts have the same length: they do if the rest by this is the least.
const SEEDS_OF_LENGTHS: u64 = 8;

/// The seed of an input that is as large as those of its size get, made of any seed: lists and texts have the same
/// length, and texts are letters of several scripts.
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
