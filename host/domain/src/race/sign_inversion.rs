//! Sign inversions: pairs of which one is faster on a quiet core and the other on a crowded one.
//!
//! Two hardware threads share one core's execution units, and the other thread may be another
//! machine's. Work that waits for memory hardly notices; work that fills the units does. So of two
//! variants one can be the faster while the core is theirs, and the other while it is shared: then
//! neither is the faster one, and a verdict would depend on the neighbours. The caches that cores share
//! are the same once more: work that waits for memory notices who uses them, work that does not, does not.

use super::conditions::ReplicaConditions;
use crate::stats::{hodges_lehmann, spearman};
use crate::verdict::{SharedPart, SignInversion};

/// Fewest replicas with a probe for an inversion to be looked for.
const REPLICAS_MIN: usize = 8;
/// Fewest replicas in the quiet and in the crowded group.
const SIDE_MIN: usize = 4;
/// The largest p-value of the correlation, for all pairs, cases and probes together. Not corrected for the
/// number of looks: a false positive delays a verdict and makes none.
pub(super) const P_MAX: f64 = 0.003;

/// Returns the inversion if differences D = ln t_a − ln t_b change sign with a probe of their replicas: the
/// contention probe, or else the cache probe. That is, Spearman's correlation with p < `p_max`/2, and
/// Hodges–Lehmann estimates of opposite sign, both beyond δ, in the sixth of the replicas (four at least)
/// with the shortest and in the sixth with the longest probe.
pub(super) fn find(
    values: &[f64],
    conditions: &[ReplicaConditions],
    practical_log: f64,
    p_max: f64,
) -> Option<SignInversion> {
    let by = |part: SharedPart, probe: fn(&ReplicaConditions) -> Option<f64>| {
        let known = values.iter().zip(conditions);
        let known = known.filter_map(|(value, replica)| Some((probe(replica)?, *value)));
        let (quiet, crowded) = sides(known.collect(), practical_log, p_max / 2.0)?;
        Some(SignInversion {
            part,
            quiet,
            crowded,
            withholds: true,
        })
    };
    // Of results that were kept before the ratio was, or of which some were, the time is what all have.
    let has_ratio = |one: &ReplicaConditions| {
        one.core_contention.is_some() || one.contention_probe_ns.is_none()
    };
    let core: fn(&ReplicaConditions) -> Option<f64> = match conditions.iter().all(has_ratio) {
        true => |replica| replica.core_contention,
        false => |replica| replica.contention_probe_ns,
    };
    by(SharedPart::Core, core).or_else(|| by(SharedPart::Caches, |replica| replica.cache_probe_ns))
}

/// The ratios where the probe is short and where it is long, if they invert; of (probe, difference).
fn sides(mut known: Vec<(f64, f64)>, practical_log: f64, p_max: f64) -> Option<(f64, f64)> {
    if known.len() < REPLICAS_MIN {
        return None;
    }
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (probe_ns, values): (Vec<f64>, Vec<f64>) = known.into_iter().unzip();
    let side = (values.len() / 6).max(SIDE_MIN);
    let quiet = hodges_lehmann(&values[..side])?;
    let crowded = hodges_lehmann(&values[values.len() - side..])?;
    let inverts = quiet * crowded < 0.0 && quiet.abs().min(crowded.abs()) > practical_log;
    // The correlation is computed last: it takes longest, and most pairs do not get here.
    let is_sure = || Some(spearman(&probe_ns, &values)?.p < p_max);
    (inverts && is_sure()?).then(|| (quiet.exp(), crowded.exp()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The inversion of replicas whose contention probe and difference are given.
    fn found(rows: &[(Option<f64>, f64)]) -> Option<SignInversion> {
        let replica = |contention_probe_ns| ReplicaConditions {
            contention_probe_ns,
            ..ReplicaConditions::default()
        };
        let values: Vec<f64> = rows.iter().map(|row| row.1).collect();
        let conditions: Vec<ReplicaConditions> = rows.iter().map(|row| replica(row.0)).collect();
        find(&values, &conditions, 0.01, P_MAX)
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
    fn opposite_signs_on_a_quiet_and_a_crowded_core_are_an_inversion() {
        let inversion = found(&alternating(20, 0.08, -0.2)).expect("an inversion");
        assert!((inversion.quiet.ln() - 0.083).abs() < 0.01, "{inversion:?}");
        assert!(
            (inversion.crowded.ln() + 0.203).abs() < 0.01,
            "{inversion:?}"
        );
    }

    #[test]
    fn what_turns_with_the_caches_alone_is_found_by_their_probe() {
        let rows = alternating(20, 0.08, -0.2);
        let replica = |(probe_ns, _): &(Option<f64>, f64)| ReplicaConditions {
            contention_probe_ns: Some(30.0),
            cache_probe_ns: *probe_ns,
            ..ReplicaConditions::default()
        };
        let values: Vec<f64> = rows.iter().map(|row| row.1).collect();
        let conditions: Vec<ReplicaConditions> = rows.iter().map(replica).collect();
        let inversion = find(&values, &conditions, 0.01, P_MAX).expect("an inversion");
        assert_eq!(inversion.part, SharedPart::Caches);
        assert!(
            inversion.quiet > 1.05 && inversion.crowded < 0.85,
            "{inversion:?}"
        );
        let on_the_core = found(&rows).expect("an inversion");
        assert_eq!(on_the_core.part, SharedPart::Core);
    }

    #[test]
    fn where_all_replicas_have_the_ratio_it_tells_and_the_time_does_not() {
        let rows = alternating(20, 0.08, -0.2);
        let values: Vec<f64> = rows.iter().map(|row| row.1).collect();
        let replica = |(reading, _): &(Option<f64>, f64)| ReplicaConditions {
            // The frequency falls all the while.
            contention_probe_ns: Some(30.0),
            core_contention: *reading,
            ..ReplicaConditions::default()
        };
        let mut conditions: Vec<ReplicaConditions> = rows.iter().map(replica).collect();
        assert!(find(&values, &conditions, 0.01, P_MAX).is_some());
        conditions[0].core_contention = None;
        assert_eq!(find(&values, &conditions, 0.01, P_MAX), None);
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
