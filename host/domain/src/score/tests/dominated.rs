//! Dominance, and the worth of a tie beside exact readings.

use super::*;

/// Three ways of packing bins: worst fit is faster than the best one, but first fit is faster still and
/// needs fewer bins.
#[test]
fn what_another_dominates_is_no_alternative() {
    let time = measured("time", 0.2);
    let bins = CriterionSummary {
        scale: Scale::Linear {
            low: 2_050.0,
            high: 2_300.0,
        },
        ..measured("assess:bins", 1.0)
    };
    let variants =
        [2_060.0, 2_068.0, 2_090.0].map(|count| variant(&[(&time, 1.0), (&bins, count)]));
    let slower =
        |a, b, ratio: f64| verdict(a, b, Verdict::Beaten, (ratio, ratio * 0.98, ratio * 1.02));
    let (best_fit, first_fit, worst_fit) = (0, 1, 2);
    let rows = vec![
        slower(best_fit, first_fit, 1.3),
        slower(best_fit, worst_fit, 1.2),
        slower(worst_fit, first_fit, 1.1),
    ];
    let fewer = |a, b, apart: f64| ReadingVerdict {
        verdict: Verdict::Beats,
        value: Some(-apart),
        low: Some(-apart - 0.5),
        high: Some(-apart + 0.5),
        count: 256,
        ..ReadingVerdict::same(a, b, Claim::MeanDifference)
    };
    let by_bins = vec![
        fewer(best_fit, first_fit, 8.0),
        fewer(best_fit, worst_fit, 30.0),
        fewer(first_fit, worst_fit, 22.0),
    ];
    let scored = score(&ScoreInput {
        criteria: vec![time, bins],
        variants: variants.to_vec(),
        verdicts: BTreeMap::from([("time".to_owned(), rows)]),
        differences: BTreeMap::from([("assess:bins".to_owned(), by_bins)]),
        ..ScoreInput::default()
    });
    let totals: Vec<f64> = scored.variant_scores.iter().map(value).collect();
    assert!(
        totals.iter().all(|total| *total > 0.85),
        "all are close: {totals:?}"
    );
    assert_eq!(scored.pareto, [best_fit, first_fit]);
    assert!(!scored.alternatives.contains(&worst_fit));
    assert_eq!(scored.winner, Some(best_fit));
}

#[test]
fn a_tie_by_time_with_less_memory_is_ahead() {
    let tie = verdict(0, 1, Verdict::Tie, (1.008, 0.999, 1.0095));
    let mut input = race(2, vec![tie]);
    input.criteria.push(measured("peak-memory", 1.0));
    reading(&mut input.variants[0], "peak-memory", 65_536.0);
    reading(&mut input.variants[1], "peak-memory", 131_072.0);
    let scored = score(&input);
    // It is no worse by time, and needs less memory.
    assert_eq!(scored.winner, Some(0));
    assert_eq!(scored.pareto, [0]); // Sixteen bytes decide nothing.
    reading(&mut input.variants[1], "peak-memory", 65_552.0);
    let scored = score(&input);
    assert_eq!((scored.winner, scored.outcome), (None, RankingOutcome::Tie));
    assert_eq!(scored.pareto, [0, 1]);
}

/// One is faster for sure, and the other has the smaller component: how the two add up hangs on how much faster.
#[test]
fn what_is_surely_apart_ties_only_if_the_totals_are_surely_close() {
    let outcome = |ratio: (f64, f64, f64)| {
        let mut input = race(2, vec![verdict(0, 1, Verdict::Beats, ratio)]);
        input.criteria.push(measured("component-size", 1.0));
        reading(&mut input.variants[0], "component-size", 4_000.0);
        reading(&mut input.variants[1], "component-size", 1_000.0);
        let scored = score(&input);
        (scored.winner, scored.outcome)
    };
    // A quarter of the time against a quarter of the size.
    assert_eq!(outcome((0.25, 0.116, 0.55)), (None, RankingOutcome::NoCall));
    assert_eq!(outcome((0.25, 0.24, 0.26)), (None, RankingOutcome::Tie));
    assert_eq!(
        outcome((0.125, 0.12, 0.13)),
        (Some(0), RankingOutcome::Winner)
    );
}

#[test]
fn nobody_ties_where_somebody_was_not_measured() {
    let mut input = race(3, vec![verdict(0, 1, Verdict::Tie, (1.0, 1.0, 1.0))]);
    assert_eq!(input.variants.len(), 3);
    input.variants[2].readings.clear();
    let scored = score(&input);
    assert_eq!(scored.variant_scores[2].status, VariantStatus::Unranked);
    assert_eq!(
        (scored.winner, scored.outcome),
        (None, RankingOutcome::NoCall)
    );
}
