//! The engine on known examples; its properties in `properties`.

mod ahead;
mod dominated;
mod opinions;
mod properties;
mod undecided;

use super::*;
use crate::reading_verdict::{Claim, ReadingVerdict};
use crate::spec::{Direction, Gate, GateOn, Scale};
use crate::verdict::{PairVerdict, RatioInterval, Verdict};
use std::collections::BTreeMap;

/// A criterion whose readings are scores from 0 to 10 already.
fn graded(name: &str, weight: f64) -> CriterionSummary {
    CriterionSummary {
        name: name.to_owned(),
        weight,
        source: format!("given:{name}"),
        direction: Direction::HigherIsBetter,
        unit: String::new(),
        scale: Scale::Linear {
            low: 0.0,
            high: 10.0,
        },
        gate: None,
        exact: false,
        opinion: None,
    }
}

/// A criterion from a source, by ratio, lower is better.
fn measured(source: &str, weight: f64) -> CriterionSummary {
    CriterionSummary {
        source: source.to_owned(),
        direction: Direction::LowerIsBetter,
        scale: Scale::Ratio { base: 10.0 },
        ..graded(source, weight)
    }
}

fn variant(readings: &[(&CriterionSummary, f64)]) -> VariantReadings {
    VariantReadings {
        readings: readings
            .iter()
            .map(|(criterion, value)| {
                let reading = Interval {
                    value: *value,
                    low: None,
                    high: None,
                };
                (criterion.source.clone(), reading)
            })
            .collect(),
        missing: BTreeMap::new(),
        failed: false,
        screened: false,
    }
}

fn verdict(a: usize, b: usize, verdict: Verdict, ratio: (f64, f64, f64)) -> PairVerdict {
    PairVerdict {
        a,
        b,
        case: None,
        verdict,
        below_threshold: false,
        interval: RatioInterval {
            ratio: Some(ratio.0),
            low: Some(ratio.1),
            high: Some(ratio.2),
        },
        replicas: 12,
        typical: None,
        few_layouts: false,
    }
}

/// Variants that differ by time alone.
fn race(size: usize, verdicts: Vec<PairVerdict>) -> ScoreInput {
    let time = measured("time", 1.0);
    ScoreInput {
        variants: vec![variant(&[(&time, 1.0)]); size],
        criteria: vec![time],
        verdicts: BTreeMap::from([("time".to_owned(), verdicts)]),
        ..ScoreInput::default()
    }
}

fn value(variant: &VariantScore) -> f64 {
    variant.total.map_or(f64::NAN, |total| total.value)
}

/// The caching example of the specification: its weights and scores as data.
#[test]
fn the_caching_example_ranks_by_the_formula() {
    let criteria = [
        ("performance", 1.0),
        ("cost", 0.8),
        ("complexity", 1.2),
        ("scalability", 0.9),
        ("maintainability", 1.0),
    ]
    .map(|(name, weight)| graded(name, weight));
    let scores = [
        [9.0, 6.0, 7.0, 9.0, 7.0],
        [8.0, 8.0, 6.0, 10.0, 8.0],
        [10.0, 10.0, 9.0, 4.0, 9.0],
        [6.0, 9.0, 8.0, 5.0, 8.0],
    ];
    let variants = scores.map(|scores| {
        let readings: Vec<_> = criteria.iter().zip(scores).collect();
        variant(&readings)
    });
    let scored = score(&ScoreInput {
        criteria: criteria.to_vec(),
        variants: variants.to_vec(),
        ..ScoreInput::default()
    });
    let (redis, cdn, app, database) = (0, 1, 2, 3);
    assert_eq!(scored.order, [app, cdn, redis, database]);
    let ranks: Vec<Option<u32>> = scored.variant_scores.iter().map(|s| s.rank).collect();
    assert_eq!(ranks, [Some(3), Some(2), Some(1), Some(4)]);
    let totals = scored
        .variant_scores
        .iter()
        .map(|s| (value(s) * 1e3).round() / 1e3);
    assert_eq!(totals.collect::<Vec<_>>(), [0.761, 0.788, 0.845, 0.720]);
    assert_eq!(scored.winner, Some(app));
    assert_eq!(scored.alternatives, [cdn, redis]);
    // The database cache beats each of the others on one criterion.
    assert_eq!(scored.pareto, [redis, cdn, app, database]);
}

#[test]
fn what_is_missing_is_missing_and_says_so() {
    let (quality, size) = (graded("quality", 1.0), measured("component-size", 1.0));
    let mut input = ScoreInput {
        variants: vec![
            variant(&[(&quality, 5.0), (&size, 100.0)]),
            variant(&[(&quality, 9.0)]),
            variant(&[(&quality, 9.0), (&size, -1.0)]),
            variant(&[(&quality, f64::NAN), (&size, 0.0)]),
            variant(&[(&quality, 9.0), (&size, f64::INFINITY)]),
        ],
        criteria: vec![quality, size],
        ..ScoreInput::default()
    };
    let scored = score(&input);
    let status: Vec<VariantStatus> = scored.variant_scores.iter().map(|s| s.status).collect();
    assert_eq!(status[0], VariantStatus::Ranked);
    assert!(
        status[1..]
            .iter()
            .all(|status| *status == VariantStatus::Unranked)
    );
    let reason = |of: usize| scored.variant_scores[of].reason.clone().unwrap();
    assert!(
        reason(1).contains("no reading of component-size"),
        "{}",
        reason(1)
    );
    assert!(reason(2).contains("-1 is not positive"), "{}", reason(2));
    assert!(
        reason(3).contains("NaN is not a finite number"),
        "{}",
        reason(3)
    );
    assert!(reason(3).contains("not positive"), "{}", reason(3));
    assert!(reason(4).contains("inf is not a finite"), "{}", reason(4));
    assert_eq!(scored.winner, Some(0));

    input.criteria[1].weight = 0.0;
    let variant_scores = score(&input).variant_scores;
    assert_eq!(
        variant_scores[1].status,
        VariantStatus::Ranked,
        "a weight of 0 asks for nothing"
    );
    assert_eq!(value(&variant_scores[1]), 0.9);
    input.criteria[0].weight = 0.0;
    let reason = score(&input).variant_scores[0].reason.clone().unwrap();
    assert!(reason.contains("weight above zero"), "{reason}");
}

#[test]
fn gates_eliminate_by_score_and_by_reading() {
    let gate = |on, min, max| Some(Gate { on, min, max });
    let quality = CriterionSummary {
        gate: gate(GateOn::Score, Some(4.0), None),
        ..graded("quality", 1.0)
    };
    let size = CriterionSummary {
        gate: gate(GateOn::Reading, None, Some(64.0)),
        unit: "bytes".to_owned(),
        ..measured("component-size", 0.0)
    };
    let scored = score(&ScoreInput {
        variants: vec![
            variant(&[(&quality, 4.0), (&size, 64.0)]),
            variant(&[(&quality, 3.9), (&size, 10.0)]),
            variant(&[(&quality, 9.0), (&size, 64.5)]),
            variant(&[(&quality, 9.0)]),
            variant(&[(&quality, 3.9996), (&size, 10.0)]),
        ],
        criteria: vec![quality, size],
        ..ScoreInput::default()
    });
    let status: Vec<VariantStatus> = scored.variant_scores.iter().map(|s| s.status).collect();
    let (out, missing) = (VariantStatus::Eliminated, VariantStatus::Unranked);
    assert_eq!(status, [VariantStatus::Ranked, out, out, missing, out]);
    let reason = |of: usize| scored.variant_scores[of].reason.clone().unwrap();
    assert_eq!(reason(1), "quality: score 3.9 is below the gate's 4");
    assert_eq!(reason(4), "quality: score 3.9996 is below the gate's 4");
    assert_eq!(reason(2), "component-size: 64.5 B is above the gate's 64 B");
    assert_eq!(scored.winner, Some(0));
}

#[test]
fn ranks_are_only_as_sure_as_verdicts() {
    use Verdict::{Beats, NoCall, Tie};
    let tie = verdict(0, 1, Tie, (1.002, 0.995, 1.009));
    let open = verdict(0, 1, NoCall, (0.9, 0.8, 1.02));
    let clear = |a| verdict(a, 2, Beats, (0.5, 0.45, 0.55));
    let cases = [(tie, RankingOutcome::Tie), (open, RankingOutcome::NoCall)];
    for (between, outcome) in cases {
        let scored = score(&race(3, vec![between, clear(0), clear(1)]));
        let ranks: Vec<Option<u32>> = scored.variant_scores.iter().map(|s| s.rank).collect();
        assert_eq!(ranks, [Some(1), Some(1), Some(3)]);
        assert_eq!((scored.outcome, scored.winner), (outcome, None));
        let mut tied = scored.tied.clone();
        tied.sort_unstable();
        assert_eq!(tied, [0, 1]);
        assert_eq!(scored.pareto, [0, 1]);
    }
    let slow = verdict(1, 0, Verdict::Beaten, (1.3, 1.2, 1.4));
    let scored = score(&race(2, vec![slow]));
    assert_eq!(
        (scored.winner, scored.outcome),
        (Some(0), RankingOutcome::Winner)
    );
    let of_slow = scored.variant_scores[1].scores[0].unwrap();
    assert!((of_slow.value - 8.861).abs() < 1e-3, "10 - 10 lg 1.3");
    assert!(
        (of_slow.low.unwrap() - 8.539).abs() < 1e-3,
        "10 - 10 lg 1.4"
    );
    assert!(
        (of_slow.high.unwrap() - 9.208).abs() < 1e-3,
        "10 - 10 lg 1.2"
    );
}

#[test]
fn a_verdict_whose_far_end_is_unknown_still_counts() {
    let mut sure = verdict(0, 1, Verdict::Beats, (0.5, 0.4, 0.9));
    sure.interval.low = None;
    let scored = score(&race(2, vec![sure]));
    assert_eq!(scored.winner, Some(0));
    assert_eq!(scored.variant_scores[1].scores[0].unwrap().low, None);
}

#[test]
fn who_was_never_compared_is_not_ranked() {
    let row = verdict(0, 1, Verdict::Beats, (0.5, 0.4, 0.6));
    let scored = score(&race(3, vec![row]));
    assert_eq!(scored.variant_scores[2].status, VariantStatus::Unranked);
    let reason = scored.variant_scores[2].reason.clone().unwrap();
    assert!(reason.contains("not measured against the best"), "{reason}");
    // Two timed variants without a single verdict: no order is claimed.
    let scored = score(&race(2, Vec::new()));
    assert_eq!(scored.outcome, RankingOutcome::NoCall);
}

#[test]
fn failed_ones_are_nobodys_measure() {
    let row = |a, b| verdict(a, b, Verdict::Beats, (0.01, 0.009, 0.011));
    let mut input = race(3, vec![row(0, 1), row(0, 2), row(1, 2)]);
    input.variants[0].failed = true;
    let scored = score(&input);
    assert_eq!(scored.variant_scores[0].status, VariantStatus::Failed);
    assert_eq!(scored.winner, Some(1));
    assert_eq!(scored.variant_scores[1].scores[0].unwrap().value, 10.0);
}

#[test]
fn the_share_of_first_places_follows_the_replicas() {
    let row = verdict(0, 1, Verdict::NoCall, (0.99, 0.9, 1.1));
    let mut input = race(2, vec![row]);
    input.log_times = (0..20)
        .map(|replica| {
            let noise = f64::from(replica % 5) / 20.0 - 0.1;
            vec![Some(0.0), Some(0.01 + noise)]
        })
        .collect();
    let share = score(&input).first_share;
    assert!((share[0] + share[1] - 1.0).abs() < 1e-9);
    assert!(share[0] > 0.5 && share[1] > 0.0, "{share:?}");
    assert_eq!(
        share,
        score(&input).first_share,
        "the same seed draws the same"
    );
    input.log_times = vec![vec![Some(0.0), Some(0.01)]; 20];
    assert_eq!(score(&input).first_share, [1.0, 0.0]);
    // Replicas say nothing of how a build varies: where that counts, a share would be too sure.
    input.criteria.push(measured("build-time", 1.0));
    assert!(score(&input).first_share.is_empty());
    input.criteria[1].weight = 0.0;
    assert!(!score(&input).first_share.is_empty());
}

#[test]
fn weights_from_outside_are_checked() {
    let criteria = [measured("time", 1.0), graded("quality", 0.5)];
    let set = |name: &str, weight| BTreeMap::from([(name.to_owned(), weight)]);
    let error = |name: &str, weight| {
        let error = reweighted(&criteria, &set(name, weight)).unwrap_err();
        error.to_string()
    };
    assert!(error("time", -1.0).contains("0 or more"));
    assert!(error("time", f64::NAN).contains("finite"));
    assert!(error("time", f64::INFINITY).contains("finite"));
    assert!(error("tmie", 1.0).contains("the criteria are \"time\", \"quality\""));
    assert!(!error("\u{1b}[2J\u{202e}", 1.0).contains(['\u{1b}', '\u{202e}']));
    let none = BTreeMap::from([("time".to_owned(), 0.0), ("quality".to_owned(), -0.0)]);
    assert_eq!(reweighted(&criteria, &none), Err(WeightError::AllZero));
    assert_eq!(
        reweighted(&criteria, &set("quality", 2.0)).unwrap()[1].weight,
        2.0
    );

    assert_eq!(parse_weight("a=b=2").unwrap(), ("a=b".to_owned(), 2.0));
    for text in [
        "",
        "time",
        "=1",
        "time=",
        "time=x",
        "time=-1",
        "time=inf",
        "time=1e300",
    ] {
        assert!(parse_weight(text).is_err(), "{text}");
    }
}

/// An exact reading from a source.
fn reading(variant: &mut VariantReadings, source: &str, value: f64) {
    let exact = Interval::exact(value);
    variant.readings.insert(source.to_owned(), exact);
}

#[test]
fn a_score_ends_at_0_and_its_interval_with_it() {
    let memory = measured("peak-memory", 1.0);
    let row = |a, ratio| verdict(a, 0, Verdict::Beaten, ratio);
    let mut input = race(
        3,
        vec![row(1, (9.0, 8.0, 12.0)), row(2, (40.0, 30.0, 50.0))],
    );
    input.criteria.push(memory);
    for (variant, bytes) in input
        .variants
        .iter_mut()
        .zip([65_536.0, 65_536.0, 25_165_824.0])
    {
        reading(variant, "peak-memory", bytes);
    }
    let scored = score(&input);
    let scores = |who: usize| scored.variant_scores[who].scores.clone();
    let near = scores(1)[0].unwrap();
    assert!((near.value - 0.458).abs() < 1e-3, "10 - 10 lg 9");
    assert_eq!(near.low, Some(0.0), "12 times is beyond the scale");
    assert!((near.high.unwrap() - 0.969).abs() < 1e-3, "10 - 10 lg 8");
    let zero = Interval::exact(0.0);
    assert_eq!(scores(2), [Some(zero), Some(zero)]);
    assert_eq!(value(&scored.variant_scores[2]), 0.0);
}

#[test]
fn readings_outside_a_range_score_as_its_ends() {
    let quality = graded("quality", 1.0);
    let scored = score(&ScoreInput {
        variants: vec![variant(&[(&quality, 11.0)]), variant(&[(&quality, -3.0)])],
        criteria: vec![quality],
        ..ScoreInput::default()
    });
    let scores = scored
        .variant_scores
        .iter()
        .map(|one| one.scores[0].unwrap().value);
    assert_eq!(scores.collect::<Vec<_>>(), [10.0, 0.0]);
}

/// Both are more than ten times slower than the best, so both score 0, but a verdict tells them apart.
#[test]
fn who_beats_another_below_the_scale_is_ranked_ahead() {
    let row =
        |a, b, ratio: f64| verdict(a, b, Verdict::Beaten, (ratio, ratio * 0.95, ratio * 1.05));
    let scored = score(&race(
        3,
        vec![row(1, 0, 20.0), row(2, 0, 40.0), row(2, 1, 2.0)],
    ));
    let ranks: Vec<Option<u32>> = scored.variant_scores.iter().map(|s| s.rank).collect();
    assert_eq!(ranks, [Some(1), Some(2), Some(3)]);
    assert_eq!(value(&scored.variant_scores[1]), 0.0);
}

#[test]
fn readings_beyond_the_scale_are_told_apart_by_what_they_are() {
    let (quality, memory) = (graded("quality", 1.0), measured("peak-memory", 1.0));
    let scored = score(&ScoreInput {
        variants: vec![
            variant(&[(&quality, 1.0), (&memory, 1.0)]),
            variant(&[(&quality, 9.0), (&memory, 100.0)]),
            variant(&[(&quality, 9.0), (&memory, 200.0)]),
        ],
        criteria: vec![quality, memory],
        ..ScoreInput::default()
    });
    assert_eq!(
        scored.variant_scores[1].total,
        scored.variant_scores[2].total
    );
    assert_eq!(
        scored.pareto,
        [0, 1],
        "the third takes twice the memory of the second"
    );
    assert_eq!(scored.variant_scores[2].rank, Some(3));
}
