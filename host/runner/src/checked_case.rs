//! Results of one variant's checks, case by case.

use bakeoff_domain::measurement::CaseIndex;
use bakeoff_sandbox::PeakMemory;
use serde::{Deserialize, Deserializer, Serialize};

/// The result of one case of the gate.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckedCase {
    /// The case that was checked.
    pub case: CaseIndex,
    /// Units of fuel of the first call on a fresh instance.
    pub fuel: u64,
    /// Units of fuel of the same call after others on the same instance.
    pub fuel_later: u64,
    /// Rough CPU time of the first call, with fuel counted, in nanoseconds. Decides only how a variant is
    /// tried out before the race.
    pub cpu_ns: u64,
    /// Peak memory of the first call.
    pub peak: PeakMemory,
    /// Digest of the answer, to compare it between variants.
    pub answer: String,
    /// The answer as text, shortened for reports.
    pub shown: String,
    /// Numbers that the workload's `assess` gave the answer, by name.
    #[serde(deserialize_with = "null_is_nan")]
    pub assessed: Vec<(String, f64)>,
    /// The number of calls made.
    pub calls: u32,
    /// True if the input was the same for every seed that was tried.
    pub constant_input: bool,
    /// Arguments, counted from 0, that were the same for every seed that was tried, and are larger than a few numbers;
    /// empty if the whole input was the same.
    pub constant_arguments: Vec<u32>,
}

/// The numbers that the workload's `assess` gives the answer to one input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssessedAnswer {
    /// The case of the input.
    pub case: CaseIndex,
    /// Digest of the answer, to compare it between variants.
    pub answer: String,
    /// The numbers, by name.
    #[serde(deserialize_with = "null_is_nan")]
    pub numbers: Vec<(String, f64)>,
}

/// Reads null as NaN. Results are kept as JSON, which has no number that is not finite and writes
/// null for it; the protocol between processes carries all numbers.
fn null_is_nan<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, f64)>, D::Error> {
    if !from.is_human_readable() {
        return Vec::deserialize(from);
    }
    let numbers = Vec::<(String, Option<f64>)>::deserialize(from)?;
    let number = |(name, number): (String, Option<f64>)| (name, number.unwrap_or(f64::NAN));
    Ok(numbers.into_iter().map(number).collect())
}

/// The result of a rehearsal: the calls of a whole replica on one instance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rehearsal {
    /// Peak memory of the one instance.
    pub peak: PeakMemory,
    /// The number of calls made.
    pub calls: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_none_survives_the_store() {
        let case = CheckedCase {
            case: 0,
            fuel: 1,
            fuel_later: 1,
            cpu_ns: 1,
            peak: PeakMemory::default(),
            answer: String::new(),
            shown: String::new(),
            assessed: vec![("error".into(), f64::NAN), ("rank".into(), 2.0)],
            calls: 1,
            constant_input: false,
            constant_arguments: Vec::new(),
        };
        let text = serde_json::to_string(&case).unwrap();
        let read: CheckedCase = serde_json::from_str(&text).unwrap();
        assert!(read.assessed[0].1.is_nan());
        assert_eq!(read.assessed[1], case.assessed[1]);
        let bytes = postcard::to_stdvec(&case).unwrap();
        let read: CheckedCase = postcard::from_bytes(&bytes).unwrap();
        assert_eq!(read.assessed[1], case.assessed[1]);
    }
}
