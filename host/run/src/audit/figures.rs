//! The figures of a verification, with the outcome of each.

use bakeoff_domain::report::MachineCost;
use bakeoff_domain::wording::clipped;
use serde::Serialize;
use serde_json::Value;

/// The version of the format in which a verification is written as JSON.
pub const VERIFICATION_VERSION: u32 = 1;
/// The relative difference up to which two numbers count as the same. Logarithms may differ in
/// their last digits between the mathematics libraries of two machines.
const LAST_DIGITS: f64 = 1e-12;
/// The most characters of a value that are shown.
const SHOWN_CHARS_MAX: usize = 100;

/// The result of verifying a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verification {
    /// Always [`VERIFICATION_VERSION`].
    pub schema_version: u32,
    /// Name of the experiment.
    pub experiment: String,
    /// Number of the run, on the machine where it was made.
    pub run: i64,
    /// The number of figures that were reproduced.
    pub reproduced: usize,
    /// The number of figures that differ.
    pub differ: usize,
    /// The number of figures that cannot be repeated here.
    pub not_repeated: usize,
    /// Every figure.
    pub figures: Vec<Figure>,
    /// The work of other machines, if the user named workers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<MachineCost>,
}

/// One figure of a run, with the outcome of its verification.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The subject of the figure: the id of a variant, `inputs`, `verdicts`, …
    pub about: String,
    /// The name of the figure.
    pub figure: String,
    /// The outcome of its verification.
    #[serde(flatten)]
    pub outcome: FigureOutcome,
}

/// The outcome of verifying a figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum FigureOutcome {
    /// The figure is the same, to the last digit.
    Reproduced {
        /// The value of the figure.
        value: String,
    },
    /// The figure is the same but for the last digits: see [`LAST_DIGITS`].
    ReproducedToLastDigits {
        /// The stored value.
        kept: String,
        /// The value found now.
        here: String,
    },
    /// The figure differs.
    Differs {
        /// The stored value.
        kept: String,
        /// The value found now.
        here: String,
    },
    /// The figure cannot be repeated here.
    NotRepeated {
        /// The reason, with advice for the user.
        why: String,
    },
}

/// The figures of a verification in progress.
#[derive(Debug, Default)]
pub(super) struct Figures(Vec<Figure>);

impl Figures {
    pub(super) fn add(&mut self, about: &str, figure: impl Into<String>, outcome: FigureOutcome) {
        self.0.push(Figure {
            about: about.to_owned(),
            figure: figure.into(),
            outcome,
        });
    }

    /// Adds the comparison of two values that should be the same.
    pub(super) fn hold(
        &mut self,
        about: &str,
        figure: impl Into<String>,
        kept: impl Into<Value>,
        here: impl Into<Value>,
    ) {
        self.add(about, figure, compare_values(&kept.into(), &here.into()));
    }

    /// Adds a figure that cannot be repeated here.
    pub(super) fn skip(&mut self, about: &str, figure: impl Into<String>, why: impl Into<String>) {
        let why = why.into();
        self.add(about, figure, FigureOutcome::NotRepeated { why });
    }

    /// Returns the figures that differ.
    pub(super) fn differing(self) -> Vec<Figure> {
        let differs = |figure: &Figure| matches!(figure.outcome, FigureOutcome::Differs { .. });
        self.0.into_iter().filter(differs).collect()
    }

    pub(super) fn verification(self, experiment: &str, run: i64) -> Verification {
        let count = |is: fn(&FigureOutcome) -> bool| {
            let counted = self.0.iter().filter(|figure| is(&figure.outcome));
            counted.count()
        };
        let differ = count(|outcome| matches!(outcome, FigureOutcome::Differs { .. }));
        let not_repeated = count(|outcome| matches!(outcome, FigureOutcome::NotRepeated { .. }));
        Verification {
            schema_version: VERIFICATION_VERSION,
            experiment: experiment.to_owned(),
            run,
            reproduced: self.0.len() - differ - not_repeated,
            differ,
            not_repeated,
            figures: self.0,
            machines: Vec::new(),
        }
    }
}

/// Returns the outcome of comparing two values that should be the same.
pub(super) fn compare_values(kept: &Value, here: &Value) -> FigureOutcome {
    if kept == here {
        return FigureOutcome::Reproduced { value: shown(kept) };
    }
    let is_close = alike(kept, here);
    let (kept, here) = (shown(kept), shown(here));
    if is_close {
        FigureOutcome::ReproducedToLastDigits { kept, here }
    } else {
        FigureOutcome::Differs { kept, here }
    }
}

/// Returns true if two values are the same but for the last digits of their numbers.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            // Counts are exact, and are compared so.
            if a.is_u64() && b.is_u64() {
                return a == b;
            }
            let (Some(a), Some(b)) = (a.as_f64(), b.as_f64()) else {
                return false;
            };
            (a - b).abs() <= LAST_DIGITS * a.abs().max(b.abs())
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let same = |(name, a): (&String, &Value)| b.get(name).is_some_and(|b| alike(a, b));
            a.len() == b.len() && a.iter().all(same)
        }
        (a, b) => a == b,
    }
}

/// Returns a value as it is shown: text as it is, everything else as JSON, shortened where it is
/// long.
fn shown(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => "nothing".to_owned(),
        other => other.to_string(),
    };
    clipped(&text, SHOWN_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_last_digits_may_differ() {
        let is = |a: Value, b: Value| match compare_values(&a, &b) {
            FigureOutcome::Reproduced { .. } => "same",
            FigureOutcome::ReproducedToLastDigits { .. } => "close",
            FigureOutcome::Differs { .. } => "differs",
            FigureOutcome::NotRepeated { .. } => "skipped",
        };
        assert_eq!(is(json!([1, 0.5, null]), json!([1, 0.5, null])), "same");
        assert_eq!(is(json!({"low": 0.3}), json!({"low": 0.1 + 0.2})), "close");
        assert_eq!(is(json!(0.3), json!(0.300_000_001)), "differs");
        let (large, next) = (u64::MAX - 1, u64::MAX);
        assert_eq!(is(json!(large), json!(next)), "differs", "fuel is exact");
        assert_eq!(is(json!({"a": 1}), json!({"a": 1, "b": 2})), "differs");
        assert_eq!(is(json!("beats"), json!("tie")), "differs");
        assert_eq!(is(json!([1]), json!([1, 2])), "differs");
        assert_eq!(is(json!(0), Value::Null), "differs");
    }

    #[test]
    fn verifications_are_counted() {
        let mut figures = Figures::default();
        figures.hold("heap", "fuel", 1, 1);
        figures.hold("heap", "fuel", 1, 2);
        figures.skip("times", "all", "another moment");
        let verification = figures.verification("top-k", 3);
        let counts = (
            verification.reproduced,
            verification.differ,
            verification.not_repeated,
        );
        assert_eq!(counts, (1, 1, 1));
        let said = serde_json::to_value(&verification.figures[1]).unwrap();
        assert_eq!(
            said,
            json!({"about": "heap", "figure": "fuel", "status": "differs", "kept": "1", "here": "2"})
        );
    }
}
