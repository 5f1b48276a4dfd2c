//! Types for evaluators: criteria, evidence and readings.
//!
//! An evaluator is one Rust file with two functions. bakeoff builds it, asks once what it evaluates, and then
//! hands it the evidence of each variant.
//!
//! ```
//! #![forbid(unsafe_code)]
//! # mod bakeoff { pub use bakeoff_guest::evaluator::*; }
//! use crate::bakeoff::{Criterion, Error, Evidence, Reading};
//!
//! pub fn describe() -> Vec<Criterion> {
//!     vec![
//!         Criterion::lower_is_better("loops", "Loops in the source.")
//!             .unit("loops")
//!             .range(0.0, 1_000.0)
//!             .needs_source(),
//!     ]
//! }
//!
//! pub fn evaluate(evidence: &dyn Evidence) -> Result<Vec<Reading>, Error> {
//!     let text = evidence.whole_source()?;
//!     let words = text.split_whitespace();
//!     let loops = words.filter(|word| ["for", "while", "loop"].contains(word)).count();
//!     Ok(vec![Reading::new("loops", loops as f64)])
//! }
//!
//! // The same functions in a test of one's own:
//! # fn main() {
//! use crate::bakeoff::KnownEvidence;
//! let evidence = KnownEvidence::of_source("for i in 0..3 { while true {} }");
//! assert_eq!(evaluate(&evidence).unwrap(), [Reading::new("loops", 2.0)]);
//! # }
//! ```

/// A number that an evaluator gives about each variant, or about each answer of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Criterion {
    /// Its name: 1 to 64 characters of `a-z`, `0-9` and `-`.
    pub name: String,
    /// The meaning of its readings, in a sentence.
    pub summary: String,
    /// The unit of its readings.
    pub unit: String,
    /// True if higher readings are better.
    pub higher_is_better: bool,
    /// The range that every reading is in.
    pub range: Option<(f64, f64)>,
    /// True if it is about each answer.
    pub per_answer: bool,
    /// True if it reads the source.
    pub needs_source: bool,
    /// True if it reads answers.
    pub needs_answers: bool,
    /// True if it reads the times of calls.
    pub needs_samples: bool,
}

impl Criterion {
    fn new(name: &str, summary: &str, higher_is_better: bool) -> Self {
        Self {
            name: name.to_owned(),
            summary: summary.to_owned(),
            unit: String::new(),
            higher_is_better,
            range: None,
            per_answer: false,
            needs_source: false,
            needs_answers: false,
            needs_samples: false,
        }
    }

    /// A criterion of which lower readings are better.
    pub fn lower_is_better(name: &str, summary: &str) -> Self {
        Self::new(name, summary, false)
    }

    /// A criterion of which higher readings are better.
    pub fn higher_is_better(name: &str, summary: &str) -> Self {
        Self::new(name, summary, true)
    }

    /// Sets the unit of its readings, of at most 20 characters.
    #[must_use]
    pub fn unit(mut self, unit: &str) -> Self {
        self.unit = unit.to_owned();
        self
    }

    /// Sets the range that every reading is in. Without one, readings are compared by ratio.
    #[must_use]
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// Makes the criterion one about each answer: the reading is the mean, and two variants are compared input by input.
    #[must_use]
    pub fn per_answer(mut self) -> Self {
        self.per_answer = true;
        self.needs_answers = true;
        self
    }

    /// Makes the criterion one that reads the source, which a component has not.
    #[must_use]
    pub fn needs_source(mut self) -> Self {
        self.needs_source = true;
        self
    }

    /// Makes the criterion one that reads answers.
    #[must_use]
    pub fn needs_answers(mut self) -> Self {
        self.needs_answers = true;
        self
    }

    /// Makes the criterion one that reads the times of calls.
    #[must_use]
    pub fn needs_samples(mut self) -> Self {
        self.needs_samples = true;
        self
    }
}

/// A reading of one criterion.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The name of the criterion.
    pub criterion: String,
    /// The number.
    pub value: f64,
    /// The interval that the value surely lies in, by the evaluator's own account.
    pub interval: Option<(f64, f64)>,
    /// The number of the answer that it is about, if it is about one.
    pub answer: Option<u32>,
    /// A sentence that a person should read beside it.
    pub note: Option<String>,
}

impl Reading {
    /// A reading about the variant.
    pub fn new(criterion: &str, value: f64) -> Self {
        Self {
            criterion: criterion.to_owned(),
            value,
            interval: None,
            answer: None,
            note: None,
        }
    }

    /// A reading about one answer, by its number.
    pub fn of_answer(criterion: &str, answer: u32, value: f64) -> Self {
        Self {
            answer: Some(answer),
            ..Self::new(criterion, value)
        }
    }

    /// Adds the interval that the value surely lies in.
    #[must_use]
    pub fn interval(mut self, low: f64, high: f64) -> Self {
        self.interval = Some((low, high));
        self
    }

    /// Adds a sentence that a person should read beside it.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }
}

/// A call of the variant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The number of the case.
    pub case: u32,
    /// The arguments in WAVE.
    pub arguments: Vec<String>,
    /// The answer in WAVE; none if the function returns nothing.
    pub answer: Option<String>,
}

/// Several calls, timed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// CPU time of all of them, in nanoseconds.
    pub duration: u64,
    /// The number of calls.
    pub calls: u32,
    /// The number of the replica.
    pub replica: u32,
}

/// The reason why there is no reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// There is no such evidence of this variant.
    Unavailable(String),
    /// Another reason.
    Other(String),
}

/// A text is an error as it is.
impl From<String> for Error {
    fn from(text: String) -> Self {
        Self::Other(text)
    }
}

/// A text is an error as it is.
impl From<&str> for Error {
    fn from(text: &str) -> Self {
        Self::Other(text.to_owned())
    }
}

/// An evaluator of a crate of its own. A plain file has two functions with these names instead.
pub trait Evaluator {
    /// Returns the criteria that it gives readings of, always the same ones.
    fn describe() -> Vec<Criterion>;

    /// Returns the readings of one variant. Called once for each, on a fresh instance.
    ///
    /// # Errors
    /// The variant has no readings, and why.
    fn evaluate(evidence: &dyn Evidence) -> Result<Vec<Reading>, Error>;
}

/// The evidence of a variant: all that is known of it. Nothing is handed over before it is asked for.
pub trait Evidence {
    /// The name of the variant.
    fn variant_name(&self) -> String;
    /// The cases, in order: their sizes, names or calls.
    fn cases(&self) -> Vec<String>;
    /// The names of its source files; empty for a component that was brought.
    fn sources(&self) -> Vec<String>;
    /// The text of a source file.
    ///
    /// # Errors
    /// There is no such file.
    fn read_source(&self, name: &str) -> Result<String, Error>;
    /// The size of its component, in bytes.
    fn component_size(&self) -> u64;
    /// The number of answers; 0 unless a criterion needs them.
    fn answer_count(&self) -> u32;
    /// One answer, by its number from 0.
    ///
    /// # Errors
    /// There is no such answer.
    fn read_answer(&self, number: u32) -> Result<Answer, Error>;
    /// The samples of a case; empty unless a criterion needs them.
    fn samples(&self, case: u32) -> Vec<Sample>;

    /// The text of all source files, one after the other.
    ///
    /// # Errors
    /// There is none: the variant is a component that was brought.
    fn whole_source(&self) -> Result<String, Error> {
        let names = self.sources();
        if names.is_empty() {
            return Err(Error::Unavailable("a component has no source".to_owned()));
        }
        let texts: Result<Vec<String>, Error> =
            names.iter().map(|name| self.read_source(name)).collect();
        Ok(texts?.join("\n"))
    }
}

/// Evidence that is known beforehand, to test an evaluator natively.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownEvidence {
    /// The name of the variant.
    pub variant_name: String,
    /// The cases.
    pub cases: Vec<String>,
    /// Names and texts of source files.
    pub sources: Vec<(String, String)>,
    /// The size of the component, in bytes.
    pub component_size: u64,
    /// The answers.
    pub answers: Vec<Answer>,
    /// The samples of each case.
    pub samples: Vec<Vec<Sample>>,
}

impl KnownEvidence {
    /// Evidence of a variant with this source.
    pub fn of_source(text: &str) -> Self {
        Self {
            sources: vec![("prototype.rs".to_owned(), text.to_owned())],
            ..Self::default()
        }
    }

    /// Evidence of a variant with these answers.
    pub fn of_answers(answers: Vec<Answer>) -> Self {
        Self {
            answers,
            ..Self::default()
        }
    }
}

impl Evidence for KnownEvidence {
    fn variant_name(&self) -> String {
        self.variant_name.clone()
    }

    fn cases(&self) -> Vec<String> {
        self.cases.clone()
    }

    fn sources(&self) -> Vec<String> {
        self.sources.iter().map(|(name, _)| name.clone()).collect()
    }

    fn read_source(&self, name: &str) -> Result<String, Error> {
        let found = self.sources.iter().find(|(known, _)| known == name);
        let text = found.map(|(_, text)| text.clone());
        text.ok_or_else(|| Error::Unavailable(format!("there is no file {name}")))
    }

    fn component_size(&self) -> u64 {
        self.component_size
    }

    fn answer_count(&self) -> u32 {
        self.answers.len() as u32
    }

    fn read_answer(&self, number: u32) -> Result<Answer, Error> {
        let answer = self.answers.get(number as usize).cloned();
        answer.ok_or_else(|| Error::Unavailable(format!("there is no answer {number}")))
    }

    fn samples(&self, case: u32) -> Vec<Sample> {
        self.samples.get(case as usize).cloned().unwrap_or_default()
    }
}

/// Returns all numbers in a text of WAVE, in order: `[[1, 2.5], [-3]]` has 1, 2.5 and -3. Digits in names
/// and in quotes are no numbers.
///
/// ```
/// use bakeoff_guest::evaluator::numbers;
/// assert_eq!(numbers("{x1: 2, name: \"3 4\", at: [(-5, 1e3)]}"), [2.0, -5.0, 1e3]);
/// ```
pub fn numbers(text: &str) -> Vec<f64> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            byte if byte.is_ascii_alphanumeric() || b"-+.%_".contains(&byte) => {
                let start = at;
                while at < bytes.len()
                    && (bytes[at].is_ascii_alphanumeric() || b"-+.%_".contains(&bytes[at]))
                {
                    at += 1;
                }
                found.extend(text[start..at].parse::<f64>());
            }
            _ => at += 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_read_as_a_whole_or_is_unavailable() {
        let mut evidence = KnownEvidence::of_source("fn a() {}");
        evidence.sources.push(("b.rs".into(), "fn b() {}".into()));
        assert_eq!(evidence.whole_source().unwrap(), "fn a() {}\nfn b() {}");
        let none = KnownEvidence::default().whole_source();
        assert!(matches!(none, Err(Error::Unavailable(_))));
    }

    #[test]
    fn text_that_is_cut_off_has_the_numbers_before_that() {
        assert_eq!(numbers("[1, \"2"), [1.0]);
        assert_eq!(numbers("\"\\"), []);
        assert_eq!(numbers("some(-0.5)"), [-0.5]);
        assert_eq!(numbers("é7"), [7.0]);
    }
}
