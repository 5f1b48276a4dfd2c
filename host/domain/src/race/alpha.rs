//! The table of α: how the probability of a false claim is divided among all claims of a race.
//!
//! Basis × scope × reading ÷ directed pairs. The shares of each column sum to 1, so all claims
//! together are wrong with probability at most α. What is not in the table is not claimed.

use serde::{Deserialize, Serialize};

/// The replicas that verdicts rest on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// All replicas.
    #[default]
    All,
    /// What was measured while nobody else used the core ([`super::QuietCore`]), where at least a third of the
    /// replicas have such a part.
    Quiet,
    /// Replicas that ran alone on the machine: the fallback when [`super::SoloComparison::Differs`].
    Solo,
}

/// What a claim about a pair holds for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimScope {
    /// All cases that count, together.
    AllCases,
    /// A single one of several cases.
    OneCase,
}

/// The share of all cases together, where several count.
const ALL_CASES_SHARE: f64 = 0.8;
/// The share of quiet cores, as a basis of their own.
const QUIET_SHARE: f64 = 0.7;
/// The share of replicas that ran alone, as a basis of their own.
const SOLO_SHARE: f64 = 0.1;

impl Basis {
    /// The share of α of claims that rest on this basis. Where nobody knows what a quiet core is, there
    /// are no claims about it, and all replicas have its share.
    pub(super) fn share(self, knows_quiet: bool) -> f64 {
        match self {
            Self::Quiet => QUIET_SHARE,
            Self::All if knows_quiet => 1.0 - QUIET_SHARE - SOLO_SHARE,
            Self::All => 1.0 - SOLO_SHARE,
            Self::Solo => SOLO_SHARE,
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
    use crate::race::{QuietCore, RaceSettings};

    #[test]
    fn all_claims_of_a_race_together_have_alpha() {
        let of_each = [(2, 1, 1), (2, 2, 1), (4, 7, 2), (8, 1, 3)];
        let known = [None, QuietCore::new(&[1.0])];
        let each = of_each.into_iter();
        for ((variants, cases, readings), quiet) in
            each.flat_map(|each| known.map(|known| (each, known)))
        {
            let mut settings = RaceSettings::new(variants, cases);
            settings.confidence = 0.9;
            settings.metric_share = 1.0 / f64::from(readings);
            settings.quiet = quiet;
            let mut total = 0.0;
            let bases = [Basis::All, Basis::Solo, Basis::Quiet];
            for basis in bases.into_iter().take(2 + usize::from(quiet.is_some())) {
                settings.basis = basis;
                let pairs = (variants * (variants - 1)) as f64;
                let of_pair = settings.alpha_of_claim(ClaimScope::AllCases)
                    + cases as f64 * settings.alpha_of_claim(ClaimScope::OneCase);
                total += f64::from(readings) * pairs * of_pair;
            }
            assert!((total - 0.1).abs() < 1e-12, "{variants} {cases}: {total}");
        }
    }

    #[test]
    fn a_claim_has_the_share_that_the_table_gives_it() {
        let mut settings = RaceSettings::new(4, 1);
        let near = |found: f64, share: f64| (found - (share * 0.05 / 12.0)).abs() < 1e-15;
        assert!(near(settings.alpha_of_claim(ClaimScope::AllCases), 0.9));
        settings.basis = Basis::Solo;
        assert!(near(settings.alpha_of_claim(ClaimScope::AllCases), 0.1));
        settings.quiet = QuietCore::new(&[1.0]);
        settings.basis = Basis::Quiet;
        assert!(near(settings.alpha_of_claim(ClaimScope::AllCases), 0.7));
        settings.basis = Basis::All;
        assert!(near(settings.alpha_of_claim(ClaimScope::AllCases), 0.2));
        let mut settings = RaceSettings::new(4, 5);
        assert!(near(settings.alpha_of_claim(ClaimScope::AllCases), 0.72));
        assert!(near(
            settings.alpha_of_claim(ClaimScope::OneCase),
            0.9 * 0.2 / 5.0
        ));
        settings.metric_share = 0.5;
        assert!(near(settings.alpha_of_claim(ClaimScope::AllCases), 0.36));
        // A case of weight 0 has no claim, and no share.
        settings.case_weights[1..].fill(0.0);
        assert!(near(settings.alpha_of_claim(ClaimScope::AllCases), 0.45));
        assert_eq!(settings.alpha_of_claim(ClaimScope::OneCase), 0.0);
        assert_eq!(settings.threshold(ClaimScope::OneCase), f64::INFINITY);
    }
}
