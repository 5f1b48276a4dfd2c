//! Properties of a criterion's readings that the user declares, checked against the evaluator's description.

use bakeoff_domain::spec::{Criterion, Direction, EvaluatedCriterion, Scale};

/// The default base of the ratio scale: ten times as slow costs ten points.
pub(super) const DEFAULT_BASE: f64 = 10.0;

/// A kind of scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScaleKind {
    /// A scale by ratio: a reading `base` times as bad as the best scores 0.
    Ratio,
    /// A scale that runs evenly from one end of a range to the other.
    Linear,
}

/// Properties of a criterion's readings that the experiment file declares. All may be left to the evaluator.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct UserScale {
    pub(super) direction: Option<Direction>,
    pub(super) unit: Option<String>,
    pub(super) kind: Option<ScaleKind>,
    pub(super) range: Option<(f64, f64)>,
    pub(super) base: Option<f64>,
}

/// A declared property that contradicts the evaluator's own description, as the label of an error and its help.
#[derive(Debug, PartialEq)]
pub(super) struct Contradiction {
    pub(super) label: String,
    pub(super) help: String,
}

impl UserScale {
    /// Fills in direction, unit and scale of a criterion from the evaluator's description.
    pub(super) fn complete(
        &self,
        criterion: &mut Criterion,
        described: &EvaluatedCriterion,
    ) -> Result<(), Contradiction> {
        let refused = |label: String, help: &str| Contradiction {
            label,
            help: help.to_owned(),
        };
        if self.direction.is_some_and(|one| one != described.direction) {
            let is = match described.direction {
                Direction::LowerIsBetter => "lower-is-better",
                Direction::HigherIsBetter => "higher-is-better",
            };
            return Err(refused(
                format!("the evaluator says `direction = \"{is}\"`"),
                "remove `direction`: the evaluator knows it",
            ));
        }
        if self.unit.as_ref().is_some_and(|one| *one != described.unit) {
            return Err(refused(
                match described.unit.as_str() {
                    "" => "the evaluator gives no unit".to_owned(),
                    unit => format!("the evaluator gives it in {unit}"),
                },
                "remove `unit`: the evaluator knows it",
            ));
        }
        if let (None, Some((low, high)), Some(_)) = (self.kind, described.range, self.base) {
            return Err(refused(
                format!(
                    "`base` is of scores by ratio, and its readings lie between {low} and {high}"
                ),
                "remove `base`, or add `scale = \"ratio\"` if no reading is 0 or below",
            ));
        }
        let kind = match (self.kind, self.range.or(described.range), self.base) {
            (Some(kind), ..) => kind,
            (None, _, Some(_)) | (None, None, None) => ScaleKind::Ratio,
            (None, Some(_), None) => ScaleKind::Linear,
        };
        let scale = match (kind, self.range.or(described.range)) {
            (ScaleKind::Ratio, _) => Scale::Ratio {
                base: self.base.unwrap_or(DEFAULT_BASE),
            },
            (ScaleKind::Linear, Some((low, high))) => Scale::Linear { low, high },
            (ScaleKind::Linear, None) => {
                return Err(refused(
                    "the evaluator declares no range".to_owned(),
                    "add a line like `range = [0, 100]`",
                ));
            }
        };
        if let (Some(range), Some(of_evaluator)) = (self.range, described.range)
            && !is_within(range, of_evaluator)
        {
            let (low, high) = of_evaluator;
            return Err(refused(
                format!("its readings are from {low} to {high}"),
                "remove `range`, or write one within that",
            ));
        }
        criterion.direction = described.direction;
        criterion.unit.clone_from(&described.unit);
        criterion.scale = scale;
        Ok(())
    }
}

fn is_within((low, high): (f64, f64), (lowest, highest): (f64, f64)) -> bool {
    lowest <= low && high <= highest
}

#[cfg(test)]
mod tests {
    use super::*;
    use bakeoff_domain::spec::{EvaluatorSource, Needs, Source};

    fn completed(by_user: &UserScale, range: Option<(f64, f64)>) -> Result<Criterion, String> {
        let mut criterion = Criterion {
            name: "simplicity".into(),
            weight: 1.0,
            source: Source::Evaluator(EvaluatorSource {
                evaluator: "e".into(),
                criterion: "branches".into(),
                exact: true,
            }),
            direction: Direction::LowerIsBetter,
            unit: String::new(),
            scale: Scale::Ratio { base: 10.0 },
            gate: None,
        };
        let described = EvaluatedCriterion {
            name: "branches".into(),
            summary: String::new(),
            unit: "branches".into(),
            direction: Direction::HigherIsBetter,
            range,
            per_answer: false,
            needs: Needs::default(),
        };
        let done = by_user.complete(&mut criterion, &described);
        done.map(|()| criterion).map_err(|wrong| wrong.label)
    }

    #[test]
    fn what_the_user_leaves_out_comes_from_the_evaluator() {
        let criterion = completed(&UserScale::default(), Some((0.0, 8.0))).unwrap();
        assert_eq!(criterion.direction, Direction::HigherIsBetter);
        assert_eq!(criterion.unit, "branches");
        let (low, high) = (0.0, 8.0);
        assert_eq!(criterion.scale, Scale::Linear { low, high });
        let criterion = completed(&UserScale::default(), None).unwrap();
        assert_eq!(criterion.scale, Scale::Ratio { base: 10.0 });
    }

    #[test]
    fn a_narrower_range_is_a_finer_scale_and_a_wider_one_a_contradiction() {
        let by_user = |range| UserScale {
            range: Some(range),
            ..UserScale::default()
        };
        let finer = completed(&by_user((2.0, 4.0)), Some((0.0, 8.0))).unwrap();
        let (low, high) = (2.0, 4.0);
        assert_eq!(finer.scale, Scale::Linear { low, high });
        let wrong = completed(&by_user((0.0, 9.0)), Some((0.0, 8.0))).unwrap_err();
        assert_eq!(wrong, "its readings are from 0 to 8");
        assert!(completed(&by_user((0.0, 9.0)), None).is_ok());
    }

    #[test]
    fn another_direction_or_unit_is_a_contradiction() {
        let lower = UserScale {
            direction: Some(Direction::LowerIsBetter),
            ..UserScale::default()
        };
        let wrong = completed(&lower, None).unwrap_err();
        assert_eq!(
            wrong,
            "the evaluator says `direction = \"higher-is-better\"`"
        );
        let unit = UserScale {
            unit: Some("lines".into()),
            ..UserScale::default()
        };
        assert_eq!(
            completed(&unit, None).unwrap_err(),
            "the evaluator gives it in branches"
        );
        // A reading of 0 would have no score by ratio, without a word.
        let base = |kind| UserScale {
            kind,
            base: Some(2.0),
            ..UserScale::default()
        };
        let wrong = completed(&base(None), Some((0.0, 8.0))).unwrap_err();
        assert!(
            wrong.contains("its readings lie between 0 and 8"),
            "{wrong}"
        );
        let asked = completed(&base(Some(ScaleKind::Ratio)), Some((0.0, 8.0))).unwrap();
        assert_eq!(asked.scale, Scale::Ratio { base: 2.0 });
        let linear = UserScale {
            kind: Some(ScaleKind::Linear),
            ..UserScale::default()
        };
        assert_eq!(
            completed(&linear, None).unwrap_err(),
            "the evaluator declares no range"
        );
    }
}
