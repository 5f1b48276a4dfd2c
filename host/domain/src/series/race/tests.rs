//! Series of values that are known.

use super::*;
use crate::spec::Direction;

fn settings(scale: ValueScale) -> SeriesSettings {
    SeriesSettings {
        variants: 2,
        cases: 1,
        quantity: Quantity {
            name: "loss".to_owned(),
            unit: String::new(),
            direction: Direction::LowerIsBetter,
            scale,
        },
        confidence: 0.95,
        practical: 0.01,
        blocks_max: 1000,
        resolution: 0.0,
        margin: None,
    }
}

fn block(values: &[f64]) -> Vec<BlockValue> {
    let value = |(variant, value): (usize, &f64)| BlockValue {
        variant,
        case: 0,
        value: *value,
    };
    values.iter().enumerate().map(value).collect()
}

/// The ratio, its ends and the verdict after some blocks of a = 1.2 b with noise.
fn ratio(factor: f64) -> (Verdict, f64, f64, f64) {
    let mut race = SeriesRace::new(settings(ValueScale::Ratio));
    for round in 0..24_u32 {
        let noise = 1.0 + 0.01 * f64::from(round * 7 % 5);
        let drift = 1.0 + 0.1 * f64::from(round);
        race.push(&block(&[1.2 * factor * drift * noise, factor * drift]))
            .unwrap();
    }
    let SeriesVerdicts::Ratios { analysis, .. } = race.verdicts() else {
        panic!("ratios");
    };
    let pair = &analysis.overall[0];
    let interval = pair.interval;
    (
        pair.verdict,
        interval.ratio.unwrap(),
        interval.low.unwrap(),
        interval.high.unwrap(),
    )
}

#[test]
fn the_unit_of_the_values_changes_nothing() {
    let (verdict, value, low, high) = ratio(1.0);
    assert_eq!(verdict, Verdict::Beaten);
    assert!(low > 1.19 && high < 1.27 && (1.2..1.26).contains(&value));
    for factor in [1e-12, 3.3e-4, 7.0, 1e15] {
        let (found, scaled, low_then, high_then) = ratio(factor);
        assert_eq!(found, verdict, "{factor}");
        for (one, other) in [(scaled, value), (low_then, low), (high_then, high)] {
            assert!((one - other).abs() < 1e-4, "{factor}: {one} {other}");
        }
    }
}

#[test]
fn what_cannot_be_compared_is_refused_and_changes_nothing() {
    let mut race = SeriesRace::new(settings(ValueScale::Ratio));
    race.push(&block(&[1.0, 2.0])).unwrap();
    for (value, expected) in [
        (f64::INFINITY, ValueError::NotFinite(f64::INFINITY)),
        (0.0, ValueError::NotPositive(0.0)),
        (-2.0, ValueError::NotPositive(-2.0)),
        (
            1e9,
            ValueError::TooFar {
                value: 1e9,
                first: 1.0,
            },
        ),
    ] {
        assert_eq!(race.push(&block(&[1.0, value])).unwrap_err().1, expected);
    }
    assert_eq!(race.blocks(), 1);
}

#[test]
fn in_a_range_means_are_compared() {
    let scale = ValueScale::Range {
        low: -1.0,
        high: 1.0,
    };
    let mut race = SeriesRace::new(settings(scale));
    for round in 0..120_u32 {
        let noise = 0.01 * f64::from(round % 3);
        race.push(&block(&[-0.3 + noise, 0.2])).unwrap();
    }
    let SeriesVerdicts::Means(pairs) = race.verdicts() else {
        panic!("means");
    };
    assert_eq!(pairs[0].verdict, Verdict::Beats);
    let error = race.push(&block(&[0.0, 1.5])).unwrap_err().1;
    assert!(error.to_string().contains("outside of -1..1"), "{error}");
    // Both came in 120 rounds; whoever lacks a value in one has one less.
    race.push(&block(&[0.0])).unwrap();
    let SeriesVerdicts::Means(pairs) = race.verdicts() else {
        panic!("means");
    };
    assert_eq!((pairs[0].count, race.blocks()), (120, 121));
}

#[test]
fn means_that_changed_sides_are_no_call() {
    let scale = ValueScale::Range {
        low: 0.0,
        high: 1.0,
    };
    let mut race = SeriesRace::new(settings(scale));
    for round in 0..42 {
        let pair = if round < 12 { [1.0, 0.0] } else { [0.0, 1.0] };
        race.push(&block(&pair)).unwrap();
    }
    let SeriesVerdicts::Means(pairs) = race.verdicts() else {
        panic!("means");
    };
    let pair = &pairs[0];
    assert_eq!(pair.verdict, Verdict::NoCall, "{pair:?}");
    assert!(
        pair.low <= pair.value && pair.value <= pair.high,
        "{pair:?}"
    );
}

#[test]
fn who_failed_is_out_and_the_others_stay_as_they_were() {
    let mut race = SeriesRace::new(SeriesSettings {
        variants: 3,
        ..settings(ValueScale::Ratio)
    });
    for round in 0..30_u32 {
        let noise = 0.01 * f64::from(round % 4);
        race.push(&block(&[1.0 + noise, 2.0, 1.5])).unwrap();
    }
    race.withdraw(1);
    let SeriesVerdicts::Ratios { analysis, .. } = race.verdicts() else {
        panic!("ratios");
    };
    assert_eq!(analysis.winner, Some(0));
    assert_eq!(analysis.overall.len(), 1);
}
