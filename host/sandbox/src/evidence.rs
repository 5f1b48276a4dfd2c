//! Evidence of a variant, as evaluators ask for it, and the readings that they give.

use serde::{Deserialize, Serialize};

/// All evidence of one variant.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KnownEvidence {
    /// The name of the variant.
    pub variant_name: String,
    /// The labels of the cases.
    pub cases: Vec<String>,
    /// Names and texts of the source files.
    pub sources: Vec<(String, String)>,
    /// The size of the component, in bytes.
    pub component_bytes: u64,
    /// Answers to inputs.
    pub answers: Vec<KnownAnswer>,
    /// Timed calls of the race, one list for each case.
    pub samples: Vec<Vec<TimedCalls>>,
}

/// A call of the variant, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownAnswer {
    /// The index of the case.
    pub case: u32,
    /// The arguments in WAVE.
    pub arguments: Vec<String>,
    /// The answer in WAVE, if the function has a result.
    pub answer: Option<String>,
}

impl KnownAnswer {
    /// Returns the length of arguments and answer, in bytes.
    pub fn bytes(&self) -> usize {
        let arguments = self.arguments.iter().map(String::len);
        arguments.sum::<usize>() + self.answer.as_ref().map_or(0, String::len)
    }
}

/// Several calls, timed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimedCalls {
    /// CPU time of all of them, in nanoseconds.
    pub duration_ns: u64,
    /// The number of calls.
    pub calls: u32,
    /// The number of the replica.
    pub replica: u32,
}

/// A reading as an evaluator gives it. Nothing about it was checked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GivenReading {
    /// The name of the criterion.
    pub criterion: String,
    /// The number.
    pub value: f64,
    /// The interval of the value, from low to high, if the evaluator gives one.
    pub interval: Option<(f64, f64)>,
    /// The number of the answer that the reading describes; `None` for a reading of the whole
    /// variant.
    pub answer: Option<u32>,
    /// The evaluator's remark on the reading.
    pub note: Option<String>,
}
