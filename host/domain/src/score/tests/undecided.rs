//! The pairs that share the first place, and that longer timing would tell apart.

use super::*;

/// Two variants of which the first takes `ratio` as long, and has `lines` times as many lines, both criteria of weight 1.
fn quick_and_long(verdicts: Vec<PairVerdict>, lines: f64) -> ScoreInput {
    let criteria = [measured("time", 1.0), measured("source-lines", 1.0)];
    let [time, source_lines] = &criteria;
    let variants = vec![
        variant(&[(time, 1.0), (source_lines, 10.0 * lines)]),
        variant(&[(time, 1.0), (source_lines, 10.0)]),
    ];
    ScoreInput {
        criteria: criteria.into(),
        variants,
        verdicts: BTreeMap::from([("time".to_owned(), verdicts)]),
        ..ScoreInput::default()
    }
}

/// Surely ahead by time, with this ratio and interval, and the longer one by this factor.
fn ahead(ratio: (f64, f64, f64), lines: f64) -> ScoreInput {
    quick_and_long(vec![verdict(0, 1, Verdict::Beats, ratio)], lines)
}

fn open(input: &ScoreInput) -> Vec<(usize, usize)> {
    open_by_time(input, |_, _| false)
}

#[test]
fn a_sure_time_of_unknown_size_leaves_a_total_open_until_it_is_narrow() {
    // 5 × faster and 2 × as long: the total is 0.2 ahead. With a ratio that may be 1.1 it is not sure.
    let wide = ahead((0.2, 0.01, 0.9), 2.0);
    assert_eq!(score(&wide).outcome, RankingOutcome::NoCall);
    assert_eq!(open(&wide), [(0, 1)]);
    let narrow = ahead((0.2, 0.18, 0.22), 2.0);
    assert_eq!(score(&narrow).outcome, RankingOutcome::Winner);
    assert!(open(&narrow).is_empty());
}

#[test]
fn totals_that_may_be_close_are_open_until_it_is_known() {
    let wide = ahead((0.2, 0.01, 0.9), 5.0);
    assert_eq!(open(&wide), [(0, 1)]);
    let narrow = ahead((0.2, 0.15, 0.27), 5.0);
    assert_eq!(score(&narrow).outcome, RankingOutcome::Tie);
    assert!(open(&narrow).is_empty());
}

#[test]
fn nothing_is_open_that_no_time_can_settle() {
    // The other reading is as unsure as the difference is large.
    let mut unsure = ahead((0.2, 0.19, 0.21), 3.0);
    let lines = unsure.variants[0].readings.get_mut("source-lines");
    *lines.unwrap() = Interval {
        value: 30.0,
        low: Some(3.0),
        high: Some(300.0),
    };
    assert_eq!(score(&unsure).outcome, RankingOutcome::NoCall);
    assert!(open(&unsure).is_empty());
    // More times tell nothing more of this pair.
    let no_call = verdict(0, 1, Verdict::NoCall, (0.97, 0.93, 1.01));
    let settled = quick_and_long(vec![no_call], 1.02);
    assert_eq!(open(&settled), [(0, 1)]);
    assert!(open_by_time(&settled, |a, b| (a, b) == (0, 1)).is_empty());
    // A failed one, and one without a reading, share no place.
    let mut failed = ahead((0.2, 0.01, 0.9), 2.0);
    failed.variants[1].failed = true;
    assert!(open(&failed).is_empty());
    let mut unread = ahead((0.2, 0.01, 0.9), 2.0);
    unread.variants[1].readings.remove("source-lines");
    assert!(open(&unread).is_empty());
}

#[test]
fn only_a_time_that_counts_is_waited_for_and_only_for_the_first_place() {
    let mut unweighted = ahead((0.2, 0.01, 0.9), 2.0);
    unweighted.criteria[0].weight = 0.0;
    assert!(open(&unweighted).is_empty());
    // 2 is behind both by either criterion, however wide its interval is.
    let mut three = ahead((0.2, 0.18, 0.22), 2.0);
    let [time, lines] = [three.criteria[0].clone(), three.criteria[1].clone()];
    three
        .variants
        .push(variant(&[(&time, 9.0), (&lines, 90.0)]));
    let rows = three.verdicts.get_mut("time").unwrap();
    rows.push(verdict(0, 2, Verdict::Beats, (0.1, 0.001, 0.9)));
    rows.push(verdict(1, 2, Verdict::NoCall, (0.5, 0.01, 2.0)));
    assert!(open(&three).is_empty());
}

#[test]
fn an_opinion_opens_nothing() {
    let mut judged = ahead((0.2, 0.18, 0.22), 2.0);
    let opinion = CriterionSummary {
        opinion: Some("Which is clearer?".to_owned()),
        source: "judge:clarity".to_owned(),
        ..graded("clarity", 9.0)
    };
    for (variant, value) in judged.variants.iter_mut().zip([0.0, 10.0]) {
        let reading = Interval::exact(value);
        variant.readings.insert(opinion.source.clone(), reading);
    }
    judged.criteria.push(opinion);
    assert_eq!(score(&judged).outcome, RankingOutcome::NoCall);
    assert!(open(&judged).is_empty());
}
