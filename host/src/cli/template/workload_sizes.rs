//! A workload: what makes the inputs, and judges the answers.
//!
//! Its functions are those of the world `workload` in the WIT: the input is what `generate` returns, and `check`
//! and `assess` get it again, with the answer behind it.

use crate::bakeoff::Rng;
use std::collections::BTreeSet;

/// How far an answer may be off, as a share of the right one.
const TOLERANCE: f64 = 0.1;

/// The input of a size. The same size and seed give the same input on every machine; which seeds are measured,
/// nobody knows before the run.
pub fn generate(size: u32, seed: u64) -> Vec<u32> {
    let mut rng = Rng::new(seed);
    let range = u64::from(size / 4).max(1);
    // Spread over all 32 bits: an approach should not gain from small numbers.
    let spread = |number: u32| number.wrapping_mul(0x9e37_79b1);
    (0..size).map(|_| spread(rng.below(range) as u32)).collect()
}

/// Is the answer right? What is wrong with it goes into the report. It may be slow, but should not be one of the
/// approaches. Without it, the answers of the approaches are held against each other.
pub fn check(values: Vec<u32>, answer: u32) -> Result<(), String> {
    let (expected, error) = compared(values, answer);
    if error <= TOLERANCE { Ok(()) } else { Err(format!("{answer} is more than a tenth away from {expected}")) }
}

/// How good is it? Numbers by name, for criteria `from = "assess:NAME"`; of several inputs, the mean counts.
pub fn assess(values: Vec<u32>, answer: u32) -> Vec<(String, f64)> {
    let (_, error) = compared(values, answer);
    vec![("error".to_owned(), 100.0 * error)]
}

/// The right answer, and how far the given one is away from it.
fn compared(values: Vec<u32>, answer: u32) -> (usize, f64) {
    let expected = values.into_iter().collect::<BTreeSet<u32>>().len();
    let error = (f64::from(answer) - expected as f64).abs() / (expected.max(1) as f64);
    (expected, error)
}
