//! The symmetric e-process: evidence against a distribution that is symmetric around 0 or below it.
//!
//! If z is symmetric around 0 given the past, E[e^{λz} / cosh λz] = 1 for every λ, so the product
//! M_λ = Π e^{λz} / cosh λz is a nonnegative martingale that starts at 1, and so is any mean over
//! λ. By Ville's inequality its running maximum reaches 1/α with probability at most α, however
//! often one looks and for whatever reason one stops. Nothing else is assumed: no variance, no
//! independence, no shape of the tails.

/// The largest magnitude at which a standardised difference counts.
pub(super) const CLIP: f64 = 4.0;
/// The number of bets λ that are held at once.
const BETS: usize = 14;
/// The most timid bet, made for small and noisy effects.
const BET_LOW: f64 = 0.15;
/// The boldest bet: at [`CLIP`] it nearly doubles with every replica.
const BET_HIGH: f64 = 6.0;
/// The smallest number of replicas before anything is rejected: each is a process of its own, and
/// fewer say too little about what differs between processes.
pub const REPLICAS_MIN: u32 = 3;
/// Products stay below this, so that they never overflow. Less than the true value is still valid.
const PRODUCT_MAX: f64 = 1e290;
/// Products below this are set to 0: subnormal numbers are slow, and less is still valid.
const PRODUCT_MIN: f64 = 1e-290;

/// The values of λ: 14, geometric from 0.15 to 6.
fn bets() -> [f64; BETS] {
    std::array::from_fn(|place| {
        BET_LOW * (BET_HIGH / BET_LOW).powf(place as f64 / (BETS - 1) as f64)
    })
}

/// One running e-process, for one hypothesis and one side.
#[derive(Clone, Debug)]
pub struct EProcess {
    doubled_bets: [f64; BETS],
    products: [f64; BETS],
    highest: f64,
}

impl Default for EProcess {
    fn default() -> Self {
        Self {
            doubled_bets: bets().map(|bet| 2.0 * bet),
            products: [1.0; BETS],
            highest: 1.0,
        }
    }
}

impl EProcess {
    /// Adds a standardised difference, clipped to ±4.
    pub fn push(&mut self, z: f64) {
        let z = z.clamp(-CLIP, CLIP);
        let mut sum = 0.0;
        for (product, doubled_bet) in self.products.iter_mut().zip(&self.doubled_bets) {
            // e^{λz} / cosh λz = 2 / (1 + e^{−2λz})
            *product = (*product * 2.0 / (1.0 + (-doubled_bet * z).exp())).min(PRODUCT_MAX);
            if *product < PRODUCT_MIN {
                *product = 0.0;
            }
            sum += *product;
        }
        self.highest = self.highest.max(sum / BETS as f64);
    }

    /// The running maximum of ln E: evidence in nats. The hypothesis is rejected at level α when
    /// this reaches ln(1/α).
    pub fn log_highest(&self) -> f64 {
        self.highest.ln()
    }

    /// Returns true if the running maximum of E has reached `level`.
    pub(super) fn reached(&self, level: f64) -> bool {
        self.highest >= level
    }

    /// Discards all evidence.
    pub(super) fn restart(&mut self) {
        self.products = [1.0; BETS];
        self.highest = 1.0;
    }
}

/// The smallest number of replicas after which the evidence can reach `threshold` (in nats) if their
/// scale is known from the first on: the number that an obvious difference takes.
///
/// ```
/// use bakeoff_domain::stats::replicas_needed;
/// assert_eq!(replicas_needed((2.0_f64 / 0.05).ln()), 6);
/// assert_eq!(replicas_needed((8.0_f64 * 7.0 / 0.05).ln()), 11);
/// assert_eq!(replicas_needed(0.1), 3);
/// ```
pub fn replicas_needed(threshold: f64) -> u32 {
    let mut process = EProcess::default();
    let mut replicas = 0;
    let reachable = threshold.min(0.5 * PRODUCT_MAX.ln());
    while process.log_highest() < reachable {
        process.push(CLIP);
        replicas += 1;
    }
    replicas.max(REPLICAS_MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn evidence_agrees_with_reference_values() {
        // Computed in logarithms from the definition by a separate script.
        let zs = [0.5, -1.0, 2.5, 9.0, 0.0, -0.3, 3.2, 1.1];
        let expected = [
            0.406_862_364_976_153_5,
            0.406_862_364_976_153_5,
            0.406_862_364_976_153_5,
            0.406_862_364_976_153_5,
            0.406_862_364_976_153_5,
            0.406_862_364_976_153_5,
            0.640_873_076_497_003_8,
            1.014_125_650_955_095,
        ];
        let mut process = EProcess::default();
        for (z, expected) in zs.into_iter().zip(expected) {
            process.push(z);
            assert!((process.log_highest() - expected).abs() < 1e-12, "{z}");
        }
        process.restart();
        (0..10).for_each(|_| process.push(4.0));
        assert!((process.log_highest() - 6.673_275_055_657_072).abs() < 1e-12);
    }

    #[test]
    fn symmetric_evidence_is_a_fair_bet() {
        // Over both signs of each z the mean of E is 1, exactly: here over all 2^6 of them.
        let sizes = [0.1, 0.5, 1.0, 2.0, 4.0, 0.9];
        let mut total = 0.0;
        for signs in 0..64_u32 {
            let mut process = EProcess::default();
            for (place, size) in sizes.iter().enumerate() {
                let sign = if signs >> place & 1 == 0 { 1.0 } else { -1.0 };
                process.push(sign * size);
            }
            total += process.products.iter().sum::<f64>() / BETS as f64;
        }
        assert!((total / 64.0 - 1.0).abs() < 1e-12, "{total}");
    }

    #[test]
    fn evidence_never_overflows_nor_vanishes_for_good() {
        let mut process = EProcess::default();
        (0..10_000).for_each(|_| process.push(4.0));
        assert!(process.log_highest().is_finite());
        process.restart();
        (0..10_000).for_each(|_| process.push(-4.0));
        assert_eq!(process.log_highest(), 0.0);
    }

    proptest! {
        #[test]
        fn more_of_every_difference_is_more_evidence(
            zs in prop::collection::vec(-5.0..5.0f64, 1..40), more in 0.0..2.0f64,
        ) {
            let (mut less_process, mut more_process) = (EProcess::default(), EProcess::default());
            for z in zs {
                less_process.push(z);
                more_process.push(z + more);
            }
            prop_assert!(more_process.log_highest() >= less_process.log_highest());
        }
    }
}
