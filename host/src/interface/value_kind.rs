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
