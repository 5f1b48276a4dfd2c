//! What was reproduced, figure by figure.

use serde::Serialize;
use serde_json::Value;

/// The version of the format in which a verification is written as JSON.
pub const VERIFICATION_VERSION: u32 = 1;
/// Numbers that are this close, as a share of the larger, are the same number from another
/// library of mathematics: logarithms may differ in their last digits between machines.
const LAST_DIGITS: f64 = 1e-12;
/// Characters of a value that are shown.
const SHOWN_CHARS_MAX: usize = 100;

/// What came of verifying a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verification {
    /// Always [`VERIFICATION_VERSION`].
    pub schema_version: u32,
    /// Name of the experiment.
    pub experiment: String,
    /// Number of the run where it was made.
    pub run: i64,
    /// How many figures were reproduced.
    pub reproduced: usize,
    /// How many came out otherwise.
    pub differ: usize,
    /// How many cannot be repeated here.
    pub not_repeated: usize,
    /// Every figure.
    pub figures: Vec<Figure>,
}

/// One figure, and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// What it is about: the id of a variant, `inputs`, `verdicts`, …
    pub about: String,
    /// Which figure.
    pub figure: String,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What came of a figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Outcome {
    /// The same, to the last digit.
    Reproduced {
        /// What it is.
        value: String,
    },
    /// The same but for the last digits: see [`LAST_DIGITS`].
    ReproducedToLastDigits {
        /// What was kept.
        kept: String,
        /// What came out now.
        here: String,
    },
    /// Something else.
    Differs {
        /// What was kept.
        kept: String,
        /// What came out now.
        here: String,
    },
    /// It cannot be repeated here.
    NotRepeated {
        /// Why, and what can be done.
        why: String,
    },
}

/// Figures on their way to a verification.
#[derive(Debug, Default)]
pub(super) struct Figures(Vec<Figure>);

impl Figures {
    pub(super) fn add(&mut self, about: &str, figure: impl Into<String>, outcome: Outcome) {
        self.0.push(Figure {
            about: about.to_owned(),
            figure: figure.into(),
            outcome,
        });
    }

    /// Two values that should be the same.
    pub(super) fn hold(
        &mut self,
        about: &str,
        figure: impl Into<String>,
        kept: impl Into<Value>,
        here: impl Into<Value>,
    ) {
        self.add(about, figure, held(&kept.into(), &here.into()));
    }

    /// What cannot be repeated here.
    pub(super) fn skip(&mut self, about: &str, figure: impl Into<String>, why: impl Into<String>) {
        let why = why.into();
        self.add(about, figure, Outcome::NotRepeated { why });
    }

    /// Those that came out otherwise.
    pub(super) fn differing(self) -> Vec<Figure> {
        let differs = |figure: &Figure| matches!(figure.outcome, Outcome::Differs { .. });
        self.0.into_iter().filter(differs).collect()
    }

    pub(super) fn verification(self, experiment: &str, run: i64) -> Verification {
        let count = |is: fn(&Outcome) -> bool| {
            let counted = self.0.iter().filter(|figure| is(&figure.outcome));
            counted.count()
        };
        let differ = count(|outcome| matches!(outcome, Outcome::Differs { .. }));
        let not_repeated = count(|outcome| matches!(outcome, Outcome::NotRepeated { .. }));
        Verification {
            schema_version: VERIFICATION_VERSION,
            experiment: experiment.to_owned(),
            run,
            reproduced: self.0.len() - differ - not_repeated,
            differ,
            not_repeated,
            figures: self.0,
        }
    }
}

/// Compares two values that should be the same.
pub(super) fn held(kept: &Value, here: &Value) -> Outcome {
    let texts = || (shown(kept), shown(here));
    if kept == here {
        return Outcome::Reproduced { value: shown(kept) };
    }
    let (kept_text, here_text) = texts();
    match alike(kept, here) {
        true => Outcome::ReproducedToLastDigits {
            kept: kept_text,
            here: here_text,
        },
        false => Outcome::Differs {
            kept: kept_text,
            here: here_text,
        },
    }
}

/// Whether two values are the same but for the last digits of their numbers.
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

/// A value as it is shown: text as it is, everything else as JSON, cut where it is long.
fn shown(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => "nothing".to_owned(),
        other => other.to_string(),
    };
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_last_digits_may_differ() {
        let is = |a: Value, b: Value| match held(&a, &b) {
            Outcome::Reproduced { .. } => "same",
            Outcome::ReproducedToLastDigits { .. } => "close",
            Outcome::Differs { .. } => "differs",
            Outcome::NotRepeated { .. } => "skipped",
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
