//! Ratios of the variants of a race to the one that leads so far, for whoever watches. They claim nothing: verdicts do.

use bakeoff_domain::measurement::VariantIndex;
use bakeoff_domain::race::Analysis;
use bakeoff_domain::verdict::PairVerdict;
use bakeoff_store::events::{Event, LeaderRatio, RATIOS_MAX};

/// Returns the event about the leader and the other variants; `None` while no pair has a ratio.
pub(super) fn leader_ratios(
    analysis: &Analysis,
    id: impl Fn(VariantIndex) -> String,
) -> Option<Event> {
    let leader = leader(&analysis.overall, &analysis.unbeaten)?;
    let others = analysis.overall.iter().filter_map(|pair| {
        let pair = against(pair, leader)?;
        pair.interval.ratio?;
        Some(LeaderRatio {
            variant_id: id(pair.a),
            verdict: pair.verdict,
            ratio: pair.interval,
        })
    });
    let ratios: Vec<LeaderRatio> = others.take(RATIOS_MAX).collect();
    (!ratios.is_empty()).then(|| Event::Ratios {
        replicas: analysis.replicas,
        leader: id(leader),
        ratios,
    })
}

/// Returns the unbeaten variant with the smallest time so far.
fn leader(pairs: &[PairVerdict], unbeaten: &[VariantIndex]) -> Option<VariantIndex> {
    unbeaten.iter().copied().reduce(|best, other| {
        let mut ratios = pairs
            .iter()
            .filter(|pair| pair.a == other || pair.b == other);
        let ratio = ratios.find_map(|pair| against(pair, best)?.interval.ratio);
        if ratio.is_some_and(|ratio| ratio < 1.0) {
            other
        } else {
            best
        }
    })
}

/// Returns the verdict of the other variant of a pair against the leader; `None` for a pair without the leader.
fn against(pair: &PairVerdict, leader: VariantIndex) -> Option<PairVerdict> {
    if pair.b == leader {
        Some(pair.clone())
    } else {
        (pair.a == leader).then(|| pair.clone().mirrored())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::verdict::{RatioInterval, Verdict};

    fn pair(a: VariantIndex, b: VariantIndex, ratio: f64) -> PairVerdict {
        PairVerdict {
            a,
            b,
            case: None,
            verdict: Verdict::NoCall,
            below_threshold: false,
            interval: RatioInterval {
                ratio: Some(ratio),
                low: Some(ratio / 2.0),
                high: Some(ratio * 2.0),
            },
            replicas: 3,
            typical: None,
            few_layouts: false,
        }
    }

    #[test]
    fn the_leader_has_the_smallest_time_of_those_that_nobody_beats() {
        // The times are 4, 2 and 1.
        let pairs = [pair(0, 1, 2.0), pair(0, 2, 4.0), pair(1, 2, 2.0)];
        assert_eq!(leader(&pairs, &[0, 1, 2]), Some(2));
        assert_eq!(leader(&pairs, &[0, 1]), Some(1), "the fastest is beaten");
        assert_eq!(leader(&pairs, &[]), None);
    }

    #[test]
    fn a_ratio_is_that_of_the_other_to_the_leader() {
        let mirrored = against(&pair(0, 1, 0.5), 0).unwrap();
        assert_eq!((mirrored.a, mirrored.interval.ratio), (1, Some(2.0)));
        assert_eq!(mirrored.interval.low, Some(1.0));
        assert_eq!(
            against(&pair(0, 1, 0.5), 1).unwrap().interval.ratio,
            Some(0.5)
        );
        assert!(against(&pair(0, 1, 0.5), 2).is_none());
    }
}
