//! Opinions: they count in totals, and make nobody surely ahead.

use super::*;

fn opinion(weight: f64) -> CriterionSummary {
    CriterionSummary {
        source: "judge:ease".to_owned(),
        opinion: Some("How easily could a newcomer change this?".to_owned()),
        ..graded("ease", weight)
    }
}

/// Two variants that were timed, with a mean opinion each.
fn judged(time: Verdict, ratio: (f64, f64, f64), ease: [f64; 2], weight: f64) -> ScoreInput {
    let (speed, ease_of) = (measured("time", 1.0), opinion(weight));
    let one = |value: f64| variant(&[(&speed, 100.0), (&ease_of, value)]);
    ScoreInput {
        variants: ease.map(one).to_vec(),
        criteria: vec![speed.clone(), ease_of.clone()],
        verdicts: BTreeMap::from([("time".to_owned(), vec![verdict(0, 1, time, ratio)])]),
        ..ScoreInput::default()
    }
}

const TIE: (Verdict, (f64, f64, f64)) = (Verdict::Tie, (1.0, 0.995, 1.005));
const BEATS: (Verdict, (f64, f64, f64)) = (Verdict::Beats, (0.5, 0.49, 0.51));

#[test]
fn an_opinion_counts_in_the_total_and_puts_nobody_ahead() {
    for weight in [0.1, 1.0, 1e6] {
        let scored = score(&judged(TIE.0, TIE.1, [9.0, 1.0], weight));
        let totals: Vec<f64> = scored
            .variant_scores
            .iter()
            .map(|one| one.total.unwrap().value)
            .collect();
        assert!(totals[0] > totals[1] + 0.05, "{weight}: {totals:?}");
        assert_eq!((scored.winner, scored.outcome), (None, RankingOutcome::Tie));
        // It is shown first, and shares the rank.
        assert_eq!(scored.tied, [0, 1]);
        assert_eq!(scored.order, [0, 1]);
        assert_eq!(scored.pareto, [0, 1]);
        assert!(scored.flip.is_none() && scored.measured_first.is_empty());
    }
}

#[test]
fn a_measurement_puts_ahead_and_opinions_only_leave_that_open() {
    let scored = score(&judged(BEATS.0, BEATS.1, [6.0, 6.5], 1.0));
    assert_eq!(scored.winner, Some(0));
    assert!(scored.measured_first.is_empty());
    let scored = score(&judged(BEATS.0, BEATS.1, [1.0, 9.0], 10.0));
    assert_eq!(
        (scored.winner, scored.outcome),
        (None, RankingOutcome::NoCall)
    );
    assert_eq!(scored.measured_first, [0]);
    assert_eq!(scored.tied, [1, 0]);
    assert_eq!(scored.pareto, [0, 1]);
}

#[test]
fn a_weight_of_an_opinion_is_no_way_to_another_winner() {
    let scored = score(&judged(BEATS.0, BEATS.1, [5.0, 6.0], 0.5));
    assert_eq!((scored.winner, scored.flip), (Some(0), None));
}

#[test]
fn the_spread_of_votes_is_no_error_of_a_measurement() {
    let exact = judged(BEATS.0, BEATS.1, [6.0, 6.0], 1.0);
    let mut spread = exact.clone();
    for one in &mut spread.variants {
        let reading = one.readings.get_mut("judge:ease").unwrap();
        (reading.low, reading.high) = (Some(0.0), Some(10.0));
    }
    assert_eq!(score(&spread), score(&exact));
}

#[test]
fn an_opinion_that_is_missing_takes_nothing_from_anybody() {
    let with = |missing: &[usize]| {
        let mut input = judged(BEATS.0, BEATS.1, [1.0, 9.0], 10.0);
        for index in missing {
            input.variants[*index].readings.remove("judge:ease");
        }
        // A gate from outside eliminates nobody either.
        input.criteria[1].gate = Some(Gate {
            on: GateOn::Score,
            min: Some(5.0),
            max: None,
        });
        score(&input)
    };
    for missing in [&[0_usize][..], &[1], &[0, 1]] {
        let scored = with(missing);
        assert_eq!(scored.winner, Some(0), "{missing:?}");
        let statuses = scored.variant_scores.iter().map(|one| one.status);
        assert!(statuses.into_iter().all(|one| one == VariantStatus::Ranked));
        assert!(scored.measured_first.is_empty());
    }
    assert_eq!(with(&[]).outcome, RankingOutcome::NoCall);
}

#[test]
fn where_only_opinions_count_all_share_the_first_place() {
    let mut input = judged(BEATS.0, BEATS.1, [1.0, 9.0], 1.0);
    input.criteria[0].weight = 0.0;
    input.log_times = vec![vec![Some(1.0), Some(2.0)]; 4];
    let scored = score(&input);
    assert_eq!((scored.winner, scored.outcome), (None, RankingOutcome::Tie));
    assert_eq!(scored.tied, [1, 0]);
    assert!(scored.first_share.is_empty());
}

#[test]
fn first_places_are_drawn_by_what_was_measured() {
    let mut input = judged(BEATS.0, BEATS.1, [1.0, 9.0], 10.0);
    input.log_times = vec![vec![Some(1.0), Some(1.7)]; 8];
    let scored = score(&input);
    assert_eq!(scored.first_share, [1.0, 0.0]);
}
