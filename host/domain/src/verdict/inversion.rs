//! Pairs of which the faster one depends on who else uses the machine.

use serde::{Deserialize, Serialize};

/// What a core shares with others, who may use it at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SharedPart {
    /// Its execution units: the contention probe shows their use.
    #[default]
    Core,
    /// The caches: the cache probe shows their use.
    Caches,
}

impl SharedPart {
    /// Returns true for what reports leave out: earlier ones knew of nothing else.
    fn is_core(&self) -> bool {
        *self == Self::Core
    }
}

/// A pair whose difference changes its sign with the contention of the core or of the caches: the estimates of
/// its ratio where they are quiet and where they are crowded. Which one is faster then depends on the neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignInversion {
    /// What it goes with.
    #[serde(default, skip_serializing_if = "SharedPart::is_core")]
    pub part: SharedPart,
    /// Time of `a` divided by time of `b` in the sixth of the replicas with the shortest probes (four at
    /// least).
    pub quiet: f64,
    /// The same in the sixth with the longest probes.
    pub crowded: f64,
    /// Whether there is no verdict because of it; else what the verdict says is said of quiet cores.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub withholds: bool,
}

fn yes() -> bool {
    true
}

/// True for what reports leave out: earlier ones knew of nothing else.
fn is_yes(withholds: &bool) -> bool {
    *withholds
}

impl SignInversion {
    /// The inversion of `b` against `a`.
    #[must_use]
    pub fn mirrored(self) -> Self {
        Self {
            part: self.part,
            quiet: 1.0 / self.quiet,
            crowded: 1.0 / self.crowded,
            withholds: self.withholds,
        }
    }
}
