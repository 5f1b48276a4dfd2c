//! The choices of a search in rounds, with their words in files.

/// A way of making candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Propose {
    /// One parameter of a good candidate moves to a neighbouring value, then further.
    Climb,
    /// Several parameters of good candidates are mixed and moved at random, by a distance that adapts.
    Evolve,
    /// Parameters are drawn without regard to any result.
    Draw,
    /// A place in the source of a good candidate changes: a constant, an order of loops, a data structure.
    Mutate,
    /// A model writes a better source, told what was learnt.
    Model,
    /// A proposer, which is a component of the experiment's, names programs, told what was learnt.
    Component,
}

impl Propose {
    /// Every way, with its word in files.
    pub const ALL: [(&'static str, Self); 6] = [
        ("climb", Self::Climb),
        ("evolve", Self::Evolve),
        ("draw", Self::Draw),
        ("mutate", Self::Mutate),
        ("model", Self::Model),
        ("component", Self::Component),
    ];

    /// Returns true if it makes candidates of those that were found to be good.
    pub fn has_parents(self) -> bool {
        matches!(self, Self::Climb | Self::Evolve | Self::Mutate)
    }

    /// Returns the word of the way.
    pub fn name(self) -> &'static str {
        let own = Self::ALL.iter().find(|(_, way)| *way == self);
        own.map_or("climb", |(name, _)| name)
    }
}

/// Wish for a candidate that a model writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Wish {
    /// A better version of the best so far.
    Improve,
    /// The best of two of the best in one.
    Combine,
    /// Another idea than those that were tried.
    New,
}

impl Wish {
    /// Every wish, with its word in files.
    pub const ALL: [(&'static str, Self); 3] = [
        ("improve", Self::Improve),
        ("combine", Self::Combine),
        ("new", Self::New),
    ];

    /// Returns the word of the wish.
    pub fn name(self) -> &'static str {
        let own = Self::ALL.iter().find(|(_, wish)| *wish == self);
        own.map_or("improve", |(name, _)| name)
    }
}

/// Making of a round that comes after one without a new best.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterFailure {
    /// A round from the best so far, as any other.
    #[default]
    RefineBest,
    /// A round from the approaches that the search began with, by values that are drawn, or by another idea of a model's.
    New,
}

/// Choice of the candidates that race.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Select {
    /// The best.
    #[default]
    Top,
    /// The best of those that pass the gates of all criteria.
    Passing,
}

/// Choice of the candidates of a round that are timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Allocate {
    /// The best by fuel.
    #[default]
    Racing,
    /// All that passed their checks.
    Equal,
}
