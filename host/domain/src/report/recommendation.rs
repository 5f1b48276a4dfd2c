//! The recommendation of a report, and what takes it back.

use super::{RankingOutcome, WeightChange};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The recommended variant, and the robustness of the choice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Recommendation {
    /// The id of the variant to take, if there is a winner.
    pub winner: Option<String>,
    /// Ids that share the first place.
    pub tied: Vec<String>,
    /// Ids within 0.1 of the best total.
    pub alternatives: Vec<String>,
    /// The least total change of weights that makes another variant win.
    pub flip_distance: Option<f64>,
    /// Share of bootstrap resamples in which a variant has the best total, by its id.
    #[serde(default)]
    pub first_share: BTreeMap<String, f64>,
    /// The recommendation in words.
    pub text: String,
    /// The outcome at the first place.
    #[serde(default)]
    pub outcome: RankingOutcome,
    /// Weights that move by `flip_distance`, and the variant that wins beyond it.
    #[serde(default)]
    pub flip: Option<FlipTo>,
    /// The id of the variant that is surely ahead and not recommended, since it was stopped in the search before the
    /// run ([`StoppedInSearch`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<String>,
    /// Ids that are first by what was measured alone, where opinions bring others beside them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measured_first: Vec<String>,
}

impl Recommendation {
    /// The id of the variant that is surely ahead, recommended or not.
    pub fn ahead(&self) -> Option<&str> {
        self.winner.as_deref().or(self.withheld.as_deref())
    }

    /// Recommends the winner no more. All that are ranked share the first place, as nothing is known of the inputs on
    /// which the winner was stopped.
    pub(super) fn withhold(&mut self, ranked: Vec<String>) {
        self.withheld = self.winner.take();
        self.outcome = RankingOutcome::NoCall;
        self.tied = ranked;
    }
}

/// The cheapest way to another winner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlipTo {
    /// Id of the variant that wins then.
    pub winner: String,
    /// The weights that move, and how far.
    pub changes: Vec<WeightChange>,
}

/// An approach that was stopped by a limit on inputs that were tried before a run, on which another one answers. What is
/// timed does not speak for such inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoppedInSearch {
    /// The name of the approach.
    pub approach: String,
    /// The number of inputs on which it was stopped and another one answers.
    pub stopped: u64,
    /// The number of inputs that were tried.
    pub tried: u64,
}

impl StoppedInSearch {
    /// Says whom it stopped on how many inputs, for the end of a sentence; `name` is that of the variant.
    pub fn sentence(&self, name: &str) -> String {
        format!(
            "{name} was stopped by a limit on {} of the {} inputs that were tried first, on which another file answers, \
             and times are those of other inputs",
            self.stopped, self.tried
        )
    }
}
