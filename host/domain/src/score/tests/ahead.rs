//! Order of variants where claims do not chain or say nothing.

use super::*;

/// Variants with a quality each, higher is better, and what is claimed of pairs of them.
fn qualities(
    values: &[f64],
    claim: Claim,
    verdicts: &[(usize, usize, Verdict)],
) -> (ScoreInput, CriterionSummary) {
    let quality = CriterionSummary {
        source: "assess:quality".to_owned(),
        scale: match claim {
            Claim::MoreInputs => Scale::Ratio { base: 10.0 },
            _ => Scale::Linear {
                low: 0.0,
                high: 1.0,
            },
        },
        ..graded("quality", 1.0)
    };
    let rows = verdicts.iter().map(|(a, b, verdict)| ReadingVerdict {
        a: *a,
        b: *b,
        verdict: *verdict,
        below_threshold: false,
        claim,
        value: Some(match verdict {
            Verdict::Beaten => -0.1,
            _ => 0.1,
        }),
        low: None,
        high: None,
        count: 256,
    });
    let input = ScoreInput {
        variants: values
            .iter()
            .map(|value| variant(&[(&quality, *value)]))
            .collect(),
        criteria: vec![quality.clone()],
        differences: BTreeMap::from([(quality.source.clone(), rows.collect())]),
        ..ScoreInput::default()
    };
    (input, quality)
}

fn ranks(input: &ScoreInput) -> Vec<Option<u32>> {
    let scored = score(input).variant_scores;
    scored.iter().map(|one| one.rank).collect()
}

#[test]
fn better_on_most_inputs_says_nothing_of_a_third() {
    let (beats, open) = (Verdict::Beats, Verdict::NoCall);
    let chain = [(0, 1, beats), (1, 2, beats), (0, 2, open)];
    let values = [0.6, 0.5, 0.4];
    let (input, _) = qualities(&values, Claim::MoreInputs, &chain);
    assert_eq!(ranks(&input), [Some(1), Some(2), Some(2)]);
    // Of means it does.
    let (input, _) = qualities(&values, Claim::MeanDifference, &chain);
    assert_eq!(ranks(&input), [Some(1), Some(2), Some(3)]);
    // In a circle nobody is ahead.
    let circle = [(0, 1, beats), (1, 2, beats), (0, 2, Verdict::Beaten)];
    let (input, _) = qualities(&[0.5; 3], Claim::MoreInputs, &circle);
    assert_eq!(ranks(&input), [Some(1); 3]);
}

#[test]
fn who_is_better_on_most_inputs_and_worse_in_the_mean_is_not_ahead() {
    let claimed = [(0, 1, Verdict::Beats)];
    let (input, _) = qualities(&[0.5, 0.6], Claim::MoreInputs, &claimed);
    let scored = score(&input);
    assert_eq!(ranks(&input), [Some(1), Some(1)]);
    assert_eq!((scored.winner, scored.flip), (None, None));
    assert_eq!(scored.pareto, [0, 1]);
    let (input, _) = qualities(&[0.6, 0.5], Claim::MoreInputs, &claimed);
    assert_eq!(score(&input).winner, Some(0));
}

#[test]
fn what_nobody_can_claim_moves_a_total_by_no_more_than_it_weighs() {
    let claimed = [(0, 1, Verdict::Beats)];
    let (mut input, quality) = qualities(&[0.9, 0.4], Claim::MeanDifference, &claimed);
    for row in input.differences.get_mut(&quality.source).unwrap() {
        row.low = Some(0.05);
    }
    let vague = CriterionSummary {
        source: "evaluator:e.vague".to_owned(),
        ..graded("vague", 0.01)
    };
    for one in &mut input.variants {
        let reading = Interval {
            value: 5.0,
            low: None,
            high: None,
        };
        one.readings.insert(vague.source.clone(), reading);
    }
    assert!(vague.is_paired());
    for (weight, winner) in [(0.01, Some(0)), (2.0, None)] {
        input.criteria.truncate(1);
        input.criteria.push(CriterionSummary {
            weight,
            ..vague.clone()
        });
        assert_eq!(score(&input).winner, winner, "{weight}");
    }
}
