//! Pairs that change places with what else runs on the core.
//!
//! Two hardware threads share one core's execution units, and the other thread may be another
//! machine's. Work that waits for memory hardly notices; work that fills the units does. So of two
//! variants one can be the faster while the core is theirs, and the other while it is shared: then
//! neither is the faster one, and a verdict would only say what the neighbours did meanwhile.

use super::track::Origin;
use crate::stats::{hodges_lehmann, spearman};
use crate::verdict::Reversal;

/// Replicas with a reading before anything is said.
const REPLICAS_MIN: usize = 8;
/// Least replicas on each side.
const SIDE_MIN: usize = 4;
/// For all pairs and cases together. Not corrected for the number of looks: to be wrong here delays a
/// verdict, and makes none.
pub(super) const P_MAX: f64 = 0.003;

/// Whether differences D = ln t_a − ln t_b change sign with the yardstick of their replicas: rank
/// correlation with p < `p_max`, and estimates of opposite sign beyond δ in the sixth (four at least)
/// with the shortest and that with the longest yardstick.
pub(super) fn find(
    values: &[f64],
    origins: &[Origin],
    practical_log: f64,
    p_max: f64,
) -> Option<Reversal> {
    let mut known: Vec<(f64, f64)> = values
        .iter()
        .zip(origins)
        .filter_map(|(value, origin)| Some((origin.yardstick_ns?, *value)))
        .collect();
    if known.len() < REPLICAS_MIN {
        return None;
    }
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (yardsticks, values): (Vec<f64>, Vec<f64>) = known.into_iter().unzip();
    let side = (values.len() / 6).max(SIDE_MIN);
    let quiet = hodges_lehmann(&values[..side])?;
    let crowded = hodges_lehmann(&values[values.len() - side..])?;
    let turns = quiet * crowded < 0.0 && quiet.abs().min(crowded.abs()) > practical_log;
    // Most pairs are not asked for more than this: a correlation takes longer to find out.
    if !turns || spearman(&yardsticks, &values)?.p >= p_max {
        return None;
    }
    Some(Reversal {
        quiet: quiet.exp(),
        crowded: crowded.exp(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replicas whose yardstick and difference are given.
    fn found(rows: &[(Option<f64>, f64)]) -> Option<Reversal> {
        let origin = |yardstick_ns| Origin {
            yardstick_ns,
            ..Origin::default()
        };
        let values: Vec<f64> = rows.iter().map(|row| row.1).collect();
        let origins: Vec<Origin> = rows.iter().map(|row| origin(row.0)).collect();
        find(&values, &origins, 0.01, P_MAX)
    }

    /// Every other replica on a crowded core, where the difference is `crowded`, with some noise.
    fn alternating(replicas: u32, quiet: f64, crowded: f64) -> Vec<(Option<f64>, f64)> {
        let row = |index: u32| {
            let noise = f64::from(index * 7 % 5) * 0.002;
            match index % 2 {
                0 => (Some(30.0 + noise), quiet + noise),
                _ => (Some(45.0 + noise), crowded - noise),
            }
        };
        (0..replicas).map(row).collect()
    }

    #[test]
    fn opposite_signs_on_a_quiet_and_a_crowded_core_are_a_reversal() {
        let reversal = found(&alternating(20, 0.08, -0.2)).expect("a reversal");
        assert!((reversal.quiet.ln() - 0.083).abs() < 0.01, "{reversal:?}");
        assert!((reversal.crowded.ln() + 0.203).abs() < 0.01, "{reversal:?}");
    }

    #[test]
    fn a_fifth_of_many_replicas_is_enough() {
        let row = |index: u32| match index % 5 {
            0 => (Some(30.0 + f64::from(index)), 0.08),
            _ => (
                Some(80.0 + f64::from(index * 7 % 20)),
                -0.2 - 0.001 * f64::from(index),
            ),
        };
        let rows: Vec<_> = (0..60).map(row).collect();
        assert!(found(&rows).is_some());
    }

    #[test]
    fn one_sign_little_difference_or_few_readings_are_none() {
        assert_eq!(found(&alternating(30, -0.05, -0.2)), None);
        assert_eq!(found(&alternating(30, 0.001, -0.2)), None);
        assert_eq!(found(&alternating(7, 0.08, -0.2)), None);
        let unread: Vec<_> = alternating(30, 0.08, -0.2)
            .into_iter()
            .map(|(_, value)| (None, value))
            .collect();
        assert_eq!(found(&unread), None);
    }

    #[test]
    fn signs_that_do_not_follow_the_core_are_none() {
        let row = |index: u32| {
            let sign = if index * 7 % 11 < 5 { 1.0 } else { -1.0 };
            (Some(f64::from(index * 5 % 13)), sign * 0.1)
        };
        let rows: Vec<_> = (0..26).map(row).collect();
        assert_eq!(found(&rows), None);
    }
}
