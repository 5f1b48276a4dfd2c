use super::*;
use bakeoff_domain::spec::{Code, Direction, Needs};
use std::path::PathBuf;

const ALL: GivenEvidence = GivenEvidence {
    source: true,
    fixed_inputs: None,
    samples: true,
};

fn criterion(name: &str) -> EvaluatedCriterion {
    EvaluatedCriterion {
        name: name.into(),
        summary: String::new(),
        unit: "points".into(),
        direction: Direction::LowerIsBetter,
        range: Some((0.0, 10.0)),
        per_answer: false,
        needs: Needs::default(),
    }
}

fn evaluator(criteria: &[EvaluatedCriterion]) -> Evaluator {
    Evaluator {
        name: "mine".into(),
        code: Code::Source(PathBuf::from("evaluator.rs")),
        criteria: criteria.to_vec(),
    }
}

fn given(criterion: &str, value: f64) -> GivenReading {
    GivenReading {
        criterion: criterion.into(),
        value,
        interval: None,
        answer: None,
        note: None,
    }
}

fn of_answer(number: u32, value: f64) -> GivenReading {
    GivenReading {
        answer: Some(number),
        ..given("a", value)
    }
}

/// Returns answers to one input on each of two cases, over and over.
fn answered(count: usize, readings: Vec<GivenReading>) -> EvaluatorAnswer {
    let answer = |place: usize| AssessedAnswer {
        case: place % 2,
        answer: String::new(),
        numbers: Vec::new(),
    };
    EvaluatorAnswer {
        answers: (0..count).map(answer).collect(),
        readings,
        ..EvaluatorAnswer::default()
    }
}

/// Returns the reason why there is no reading of the first criterion.
fn missing(
    criteria: &[EvaluatedCriterion],
    given: GivenEvidence,
    answer: EvaluatorAnswer,
) -> String {
    let evaluation = Evaluation::of(&evaluator(criteria), given, answer);
    evaluation.reading(&criteria[0], 2, None).unwrap_err()
}

#[test]
fn a_number_that_cannot_be_takes_that_criterion_alone() {
    let criteria = [criterion("a"), criterion("b")];
    for (wrong, words) in [
        (f64::NAN, "NaN, which is no finite number"),
        (f64::NEG_INFINITY, "-inf, which is no finite number"),
        (11.0, "gave 11, and says itself that it is from 0 to 10"),
    ] {
        let answer = answered(0, vec![given("a", wrong), given("b", 3.0)]);
        let evaluation = Evaluation::of(&evaluator(&criteria), ALL, answer);
        let why = evaluation.reading(&criteria[0], 2, None).unwrap_err();
        assert!(why.contains(words), "{why}");
        let reading = evaluation.reading(&criteria[1], 2, None).unwrap();
        assert_eq!((reading.value, reading.unit.as_str()), (3.0, "points"));
    }
}

#[test]
fn readings_that_do_not_fit_the_description_are_none() {
    let one = [criterion("a")];
    let wrong = |readings: Vec<GivenReading>| missing(&one, ALL, answered(2, readings));
    assert!(wrong(vec![]).ends_with("gave no reading of it"));
    assert!(wrong(vec![given("x", 1.0)]).ends_with("but one of \"x\""));
    assert!(wrong(vec![given("a", 1.0), given("a", 2.0)]).contains("2 readings"));
    assert!(wrong(vec![of_answer(0, 1.0)]).contains("about the variant"));
    let interval = GivenReading {
        interval: Some((2.0, 3.0)),
        ..given("a", 1.0)
    };
    assert!(wrong(vec![interval]).contains("with an interval from 2 to 3"));

    let of_each = [EvaluatedCriterion {
        per_answer: true,
        ..criterion("a")
    }];
    let wrong = |readings: Vec<GivenReading>| missing(&of_each, ALL, answered(2, readings));
    assert!(wrong(vec![of_answer(0, 1.0)]).contains("1 of 2 answers"));
    assert!(wrong(vec![given("a", 1.0)]).contains("none of the 2 answers"));
    assert!(wrong(vec![of_answer(2, 1.0)]).contains("none of the 2 answers"));
    assert!(wrong(vec![of_answer(0, 1.0), of_answer(0, 1.0)]).contains("two readings of answer 0"));
}

#[test]
fn evidence_that_is_not_there_is_the_reason() {
    let needing = |needs: Needs| {
        [EvaluatedCriterion {
            needs,
            ..criterion("a")
        }]
    };
    let nothing = GivenEvidence {
        source: false,
        fixed_inputs: Some(9),
        samples: false,
    };
    let readings = || vec![given("a", 1.0)];
    let source = needing(Needs {
        source: true,
        ..Needs::default()
    });
    assert!(missing(&source, nothing, answered(0, readings())).contains("a component has none"));
    let samples = needing(Needs {
        samples: true,
        ..Needs::default()
    });
    assert!(missing(&samples, nothing, answered(0, readings())).contains("was not timed"));
    let answers = needing(Needs {
        answers: true,
        ..Needs::default()
    });
    let cut = EvaluatorAnswer {
        cut: true,
        ..answered(4, readings())
    };
    assert!(missing(&answers, nothing, cut).contains("after 4 of 9"));
    let died = EvaluatorAnswer {
        missing: Some("the evaluator failed: trap: unreachable".into()),
        ..EvaluatorAnswer::default()
    };
    assert!(missing(&[criterion("a")], ALL, died).contains("trap"));
}

#[test]
fn readings_of_answers_are_averaged_over_the_inputs_of_a_case_and_then_over_the_cases() {
    let criteria = [EvaluatedCriterion {
        per_answer: true,
        ..criterion("a")
    }];
    let readings = vec![
        of_answer(0, 1.0),
        of_answer(1, 3.0),
        of_answer(2, 2.0),
        of_answer(3, 8.0),
    ];
    let evaluation = Evaluation::of(&evaluator(&criteria), ALL, answered(4, readings));
    assert!(evaluation.fits(&evaluator(&criteria), 2));
    assert!(!evaluation.fits(&evaluator(&criteria), 1));
    let reading = evaluation.reading(&criteria[0], 2, None).unwrap();
    assert_eq!(reading.value, 3.5);
    assert_eq!(reading.by_case, [Some(1.5), Some(5.5)]);
    assert_eq!(evaluation.rounds("a", 2), Some(vec![2.0, 5.0]));
    // Of a set, the first that count.
    let reading = evaluation.reading(&criteria[0], 2, Some(3)).unwrap();
    assert_eq!(reading.value, 2.0);
    let why = evaluation.reading(&criteria[0], 2, Some(5)).unwrap_err();
    assert_eq!(why, "4 of the 5 instances that count were answered");
}

#[test]
fn an_evaluation_from_elsewhere_is_held_against_its_description() {
    let criteria = [criterion("a")];
    let answer = || answered(0, vec![given("a", 4.0)]);
    let mut evaluation = Evaluation::of(&evaluator(&criteria), ALL, answer());
    assert!(evaluation.fits(&evaluator(&criteria), 2));
    evaluation.results[0].outcome = EvaluationOutcome::Variant {
        value: 1e300,
        interval: None,
        note: None,
    };
    assert!(!evaluation.fits(&evaluator(&criteria), 2));
    evaluation.results.clear();
    assert!(!evaluation.fits(&evaluator(&criteria), 2));
}

#[test]
fn a_description_has_names_units_and_ranges_that_can_be() {
    let described = |change: fn(&mut EvaluatedCriterion)| {
        let mut one = criterion("a");
        change(&mut one);
        check_description(&[one])
    };
    assert_eq!(described(|_| ()), Ok(()));
    assert!(check_description(&[]).unwrap_err().contains("0 criteria"));
    for change in [
        (|one| one.name = "A b".into()) as fn(&mut EvaluatedCriterion),
        |one| one.name = "\u{202e}".into(),
        |one| one.unit = "x".repeat(21),
        |one| one.name = "x".repeat(1 << 20),
        |one| one.unit = "x".repeat(1 << 20),
        |one| one.summary = "x".repeat(1 << 20),
        |one| one.unit = "a\u{1b}[31m".into(),
        |one| one.range = Some((1.0, 1.0)),
        |one| one.range = Some((f64::NAN, 1.0)),
        |one| one.range = Some((0.0, f64::INFINITY)),
    ] {
        let why = described(change).unwrap_err();
        assert!(why.len() < 300, "{} bytes", why.len());
    }
    let twice = [criterion("a"), criterion("a")];
    assert!(
        check_description(&twice)
            .unwrap_err()
            .contains("two criteria")
    );
}
