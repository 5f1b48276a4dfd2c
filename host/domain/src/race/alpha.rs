//! The table of α: how the probability of a false claim is divided among all claims of a race.
//!
//! Evidence × scope × reading ÷ directed pairs. The shares of each column sum to 1, so all claims
//! together are wrong with probability at most α. What is not in the table is not claimed.

use serde::{Deserialize, Serialize};

/// Scope of a claim about a pair: the cases that it holds for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimScope {
    /// All cases that count, together.
    AllCases,
    /// A single one of several cases.
    OneCase,
}

/// Unit of the evidence for a claim by time: each replica, or each block, counts once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClaimUnit {
    /// Replicas are the units: for differences of any size.
    Replicas,
    /// Blocks are the units, against a bound on what belongs to a process: for obvious differences.
    Blocks,
}

/// The share of all cases together, where several count.
const ALL_CASES_SHARE: f64 = 0.8;
/// The share of claims that rest on blocks.
const BLOCKS_SHARE: f64 = 0.3;

impl ClaimUnit {
    /// The share of α of the claims that rest on this unit.
    pub(super) fn share(self) -> f64 {
        match self {
            Self::Replicas => 1.0 - BLOCKS_SHARE,
            Self::Blocks => BLOCKS_SHARE,
        }
    }
}

impl ClaimScope {
    /// The share of α of a claim of this scope where `cases` cases count. A single case is the same
    /// as all of them, and has no claim of its own.
    pub(super) fn share(self, cases: usize) -> f64 {
        match (self, cases) {
            (Self::AllCases, 0 | 1) => 1.0,
            (Self::OneCase, 0 | 1) => 0.0,
            (Self::AllCases, _) => ALL_CASES_SHARE,
            (Self::OneCase, cases) => (1.0 - ALL_CASES_SHARE) / cases as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::RaceSettings;

    #[test]
    fn all_claims_of_a_race_together_have_alpha() {
        for (variants, cases, readings) in [(2, 1, 1), (2, 2, 1), (4, 7, 2), (8, 1, 3)] {
            let mut settings = RaceSettings::new(variants, cases);
            settings.confidence = 0.9;
            settings.metric_share = 1.0 / f64::from(readings);
            let pairs = (variants * (variants - 1)) as f64;
            let of_pair = |evidence| {
                settings.alpha_of_claim(evidence, ClaimScope::AllCases)
                    + cases as f64 * settings.alpha_of_claim(evidence, ClaimScope::OneCase)
            };
            let of_pair = of_pair(ClaimUnit::Replicas) + of_pair(ClaimUnit::Blocks);
            let total = f64::from(readings) * pairs * of_pair;
            assert!((total - 0.1).abs() < 1e-12, "{variants} {cases}: {total}");
        }
    }

    #[test]
    fn a_claim_has_the_share_that_the_table_gives_it() {
        let near = |settings: &RaceSettings, evidence, scope, share: f64| {
            let found = settings.alpha_of_claim(evidence, scope);
            (found - (share * 0.05 / 12.0)).abs() < 1e-15
        };
        use ClaimScope::{AllCases, OneCase};
        use ClaimUnit::{Blocks, Replicas};
        let mut settings = RaceSettings::new(4, 1);
        assert!(near(&settings, Replicas, AllCases, 0.7));
        assert!(near(&settings, Blocks, AllCases, 0.3));
        settings = RaceSettings::new(4, 5);
        assert!(near(&settings, Replicas, AllCases, 0.56));
        assert!(near(&settings, Replicas, OneCase, 0.7 * 0.2 / 5.0));
        assert!(near(&settings, Blocks, OneCase, 0.3 * 0.2 / 5.0));
        settings.metric_share = 0.5;
        assert!(near(&settings, Replicas, AllCases, 0.28));
        // A case of weight 0 has no claim, and no share.
        settings.case_weights[1..].fill(0.0);
        assert!(near(&settings, Replicas, AllCases, 0.35));
        assert_eq!(settings.alpha_of_claim(Replicas, OneCase), 0.0);
        assert_eq!(settings.threshold(OneCase), f64::INFINITY);
    }
}
