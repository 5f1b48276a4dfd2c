//! The use of instances in timed trials.

use bakeoff_domain::spec::State;
use serde::{Deserialize, Serialize};

/// The use of instances in timed trials: the same for all variants of a race, since a ratio between a
/// fresh instance and a used one says nothing about the variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Instances {
    /// A fresh instance for every call: each begins with the same memory.
    Fresh,
    /// One instance for the life of a replica: calls may share state.
    Kept,
}

impl From<State> for Instances {
    fn from(state: State) -> Self {
        match state {
            State::Pure => Self::Fresh,
            State::Kept => Self::Kept,
        }
    }
}
