//! Properties that hold for all readings and weights.

use super::super::flip::{Gain, least_moves};
use super::*;
use proptest::prelude::*;

/// Criteria with exact scores, and as many variants.
fn matrices() -> impl Strategy<Value = (Vec<f64>, Vec<Vec<f64>>)> {
    (1..5_usize, 2..6_usize).prop_flat_map(|(criteria, variants)| {
        let score = (0..=20_u8).prop_map(|half| f64::from(half) / 2.0);
        let row = proptest::collection::vec(score, criteria);
        let weight = prop_oneof![Just(0.0), 0.1..3.0];
        (
            proptest::collection::vec(weight, criteria),
            proptest::collection::vec(row, variants),
        )
    })
}

fn input(weights: &[f64], rows: &[Vec<f64>]) -> ScoreInput {
    let criteria: Vec<CriterionSummary> = weights
        .iter()
        .enumerate()
        .map(|(index, weight)| graded(&format!("c{index}"), *weight))
        .collect();
    let variants = rows.iter().map(|row| {
        let readings: Vec<_> = criteria.iter().zip(row.iter().copied()).collect();
        variant(&readings)
    });
    ScoreInput {
        variants: variants.collect(),
        criteria,
        ..ScoreInput::default()
    }
}

/// Variants with a time and a size, with verdicts that follow from the times.
fn timed(times: &[f64], sizes: &[f64], wide: f64) -> ScoreInput {
    let (time, size) = (measured("time", 1.0), measured("component-size", 0.7));
    let mut rows = Vec::new();
    for a in 0..times.len() {
        for b in a + 1..times.len() {
            let ratio = times[a] / times[b];
            let (low, high) = (ratio / wide, ratio * wide);
            let said = if high < 1.0 {
                Verdict::Beats
            } else if low > 1.0 {
                Verdict::Beaten
            } else {
                Verdict::NoCall
            };
            rows.push(verdict(a, b, said, (ratio, low, high)));
        }
    }
    let variants = times.iter().zip(sizes);
    ScoreInput {
        variants: variants
            .map(|(t, s)| variant(&[(&time, *t), (&size, *s)]))
            .collect(),
        criteria: vec![time, size],
        verdicts: BTreeMap::from([("time".to_owned(), rows)]),
        ..ScoreInput::default()
    }
}

/// The least change by trying every corner: all subsets of the winner's criteria brought to 0,
/// and one criterion more that closes what is left of the gap.
fn by_force(gains: &[Gain]) -> Option<f64> {
    if gains.iter().all(|gain| gain.lead >= 0.0) {
        return None;
    }
    let mut least = f64::INFINITY;
    for emptied in 0..1_u32 << gains.len() {
        let is_emptied = |index: usize| emptied & (1 << index) != 0;
        let mut cost = 0.0;
        let mut gap = 0.0;
        for (index, gain) in gains.iter().enumerate() {
            if is_emptied(index) {
                cost += gain.weight;
            } else {
                gap += gain.weight * gain.lead;
            }
        }
        if gap.abs() < 1e-12 {
            least = f64::min(least, cost);
        }
        for (index, gain) in gains.iter().enumerate() {
            let moved = -gap / gain.lead;
            let stays = gain.weight + moved >= -1e-12;
            if !is_emptied(index) && gain.lead != 0.0 && stays {
                least = f64::min(least, cost + moved.abs());
            }
        }
    }
    Some(least)
}

proptest! {
    /// A better reading never lowers the score, the total or the rank.
    #[test]
    fn scores_are_monotone((weights, mut rows) in matrices(), who in 0..6_usize, at in 0..5_usize, more in 0.0..5.0) {
        let who = who % rows.len();
        let at = at % weights.len();
        let before = score(&input(&weights, &rows));
        rows[who][at] = f64::min(rows[who][at] + more, 10.0);
        let after = score(&input(&weights, &rows));
        if let (Some(before), Some(after)) = (before.variant_scores[who].rank, after.variant_scores[who].rank) {
            prop_assert!(after <= before);
        }
        if weights.iter().any(|weight| *weight > 0.0) {
            prop_assert!(value(&after.variant_scores[who]) >= value(&before.variant_scores[who]) - 1e-12);
        }
    }

    /// Faster is never worse, whatever else there is.
    #[test]
    fn a_faster_one_has_no_lower_score(times in proptest::collection::vec(0.01..100.0_f64, 2..6)) {
        let scored = score(&timed(&times, &vec![1.0; times.len()], 1.01));
        for a in 0..times.len() {
            for b in 0..times.len() {
                let of = |who: usize| scored.variant_scores[who].scores[0].unwrap().value;
                prop_assert!(times[a] > times[b] || of(a) >= of(b) - 1e-9);
            }
        }
    }

    /// No score is outside the scale, whatever the readings and the ends of their intervals are.
    #[test]
    fn every_score_is_from_0_to_10(
        all in proptest::collection::vec((1e-6..1e6_f64, 1e-6..1e6_f64), 2..6),
        wide in 1.0001..100.0_f64,
    ) {
        let (times, sizes): (Vec<f64>, Vec<f64>) = all.into_iter().unzip();
        let scored = score(&timed(&times, &sizes, wide));
        for variant in &scored.variant_scores {
            for score in variant.scores.iter().flatten() {
                for end in [Some(score.value), score.low, score.high].into_iter().flatten() {
                    prop_assert!((0.0..=10.0).contains(&end), "{score:?}");
                }
            }
            prop_assert!(variant.total.is_none_or(|total| (0.0..=1.0).contains(&total.value)));
        }
    }

    /// Scores of variants that are more than ten times slower end at 0, yet the one that is surely faster is never
    /// ranked behind by time alone, and the interval of each difference holds what it should.
    #[test]
    fn a_verdict_counts_below_the_scale(times in proptest::collection::vec(0.001..1000.0_f64, 2..6)) {
        let mut input = timed(&times, &vec![1.0; times.len()], 1.01);
        input.criteria.truncate(1);
        let scored = score(&input);
        for a in 0..times.len() {
            for b in 0..times.len() {
                let rank = |who: usize| scored.variant_scores[who].rank;
                prop_assert!(times[a] * 1.02 > times[b] || rank(a) < rank(b));
            }
        }
    }

    /// Adding an alternative leaves every difference of scores above 0 as it was, and reverses no rank
    /// among those.
    #[test]
    fn another_alternative_reverses_no_rank(
        all in proptest::collection::vec((1.0..12.0_f64, 100.0..1200.0_f64), 3..7),
        wide in 1.0001..1.3_f64,
    ) {
        let (times, sizes): (Vec<f64>, Vec<f64>) = all.into_iter().unzip();
        let fewer = times.len() - 1;
        let before = score(&timed(&times[..fewer], &sizes[..fewer], wide));
        let after = score(&timed(&times, &sizes, wide));
        let total = |scored: &Ranking, who: usize| value(&scored.variant_scores[who]);
        // A score that ends at 0 says only that another one is much better.
        let above_zero = |who: usize| [&before, &after].iter().all(|scored| {
            let scores = scored.variant_scores[who].scores.iter().flatten();
            scores.into_iter().all(|score| score.low.is_some_and(|low| low > 0.0))
        });
        let above: Vec<usize> = (0..fewer).filter(|who| above_zero(*who)).collect();
        for a in above.iter().copied() {
            for b in above.iter().copied() {
                for at in 0..2 {
                    let apart = |scored: &Ranking| {
                        let of = |who: usize| scored.variant_scores[who].scores[at].unwrap().value;
                        of(a) - of(b)
                    };
                    prop_assert!((apart(&before) - apart(&after)).abs() < 1e-9);
                }
                let (was, is) = (total(&before, a) - total(&before, b), total(&after, a) - total(&after, b));
                prop_assert!((was - is).abs() < 1e-9);
                let ahead = |scored: &Ranking| scored.variant_scores[a].rank < scored.variant_scores[b].rank;
                let behind = |scored: &Ranking| scored.variant_scores[a].rank > scored.variant_scores[b].rank;
                let sure = was.abs() > 2.0 * wide.log10();
                prop_assert!(!(sure && ahead(&before) && behind(&after)));
            }
        }
    }

    /// The greedy way is the least way.
    #[test]
    fn the_flip_distance_is_what_brute_force_finds(
        pairs in proptest::collection::vec((0.0..3.0_f64, -10..=10_i8), 1..7),
    ) {
        let gains: Vec<Gain> = pairs
            .iter()
            .enumerate()
            .map(|(index, (weight, lead))| Gain { index, weight: *weight, lead: f64::from(*lead) / 2.0 })
            .collect();
        let gap: f64 = gains.iter().map(|gain| gain.weight * gain.lead).sum();
        prop_assume!(gap > 1e-9);
        let greedy = least_moves(&gains).map(|moves| moves.iter().map(|(_, m)| m.abs()).sum::<f64>());
        match (greedy, by_force(&gains)) {
            (Some(greedy), Some(force)) => prop_assert!((greedy - force).abs() < 1e-9 * (1.0 + force)),
            (greedy, force) => prop_assert_eq!(greedy.is_none(), force.is_none()),
        }
    }

    /// Just before the flip distance the winner stays, just beyond it the named one wins.
    #[test]
    fn the_winner_moves_exactly_at_the_flip_distance((weights, rows) in matrices()) {
        let mut input = input(&weights, &rows);
        let before = score(&input);
        let (Some(winner), Some(flip)) = (before.winner, before.flip.clone()) else {
            return Ok(());
        };
        prop_assume!(flip.distance > 0.01);
        let moved = |input: &mut ScoreInput, share: f64| {
            for change in &flip.changes {
                let criterion = input.criteria.iter_mut().find(|c| c.name == change.criterion);
                criterion.unwrap().weight = change.from + share * (change.to - change.from);
            }
            score(input)
        };
        prop_assert_eq!(moved(&mut input, 1.0 - 1e-4).winner, Some(winner));
        // A weight at 0 cannot fall further.
        if flip.changes.iter().all(|change| change.to > 1e-3) {
            let after = moved(&mut input, 1.0 + 1e-4);
            let best = value(&after.variant_scores[flip.winner]);
            prop_assert!(best > value(&after.variant_scores[winner]));
        }
    }

    /// No change of weights that is smaller than the flip distance gives another winner.
    #[test]
    fn nothing_nearer_flips((weights, rows) in matrices(), by in proptest::collection::vec(-1.0..1.0_f64, 5)) {
        let mut input = input(&weights, &rows);
        let before = score(&input);
        let (Some(winner), Some(flip)) = (before.winner, before.flip) else {
            return Ok(());
        };
        let size: f64 = by[..weights.len()].iter().map(|x| x.abs()).sum();
        for (criterion, by) in input.criteria.iter_mut().zip(&by) {
            criterion.weight = (criterion.weight + by / size * flip.distance * 0.999).max(0.0);
        }
        let after = score(&input);
        if after.winner.is_some() {
            prop_assert_eq!(after.winner, Some(winner));
        }
    }

    /// Whatever the numbers are, what is ranked has finite scores.
    #[test]
    fn odd_numbers_are_never_ranked(values in proptest::collection::vec(any::<f64>(), 1..6)) {
        let size = measured("component-size", 1.0);
        let variants = values.iter().map(|value| variant(&[(&size, *value)]));
        let scored = score(&ScoreInput {
            variants: variants.collect(),
            criteria: vec![size.clone()],
            ..ScoreInput::default()
        });
        for (value, variant) in values.iter().zip(&scored.variant_scores) {
            let usable = value.is_finite() && *value > 0.0;
            prop_assert_eq!(variant.status == VariantStatus::Ranked, usable);
            prop_assert!(variant.total.is_none_or(|total| total.value.is_finite()));
        }
    }
}
