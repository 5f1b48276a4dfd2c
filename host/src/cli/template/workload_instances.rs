//! A workload: what makes the inputs, and judges the answers.
//!
//! Its functions are those of the world `workload` in the WIT: the input is what `generate` returns, and `check`
//! and `assess` get it again, with the answer behind it.

use crate::bakeoff::Rng;
use std::collections::BTreeSet;

/// How far an answer may be off, as a share of the right one.
const TOLERANCE: f64 = 0.1;

/// The input of an instance, by its name: `KIND-SIZE`. The same name gives the same input on every machine.
pub fn generate(instance: String) -> Vec<u32> {
    let (kind, size) = instance.rsplit_once('-').expect("a name like uniform-40000");
    let size: u32 = size.parse().expect("a size behind the last hyphen");
    let mut rng = Rng::new(u64::from(size));
    let range = u64::from(match kind {
        "uniform" => size / 4,
        "few" => size / 400,
        other => panic!("there are no instances of the kind {other}"),
    });
    // Spread over all 32 bits: an approach should not gain from small numbers.
    let spread = |number: u32| number.wrapping_mul(0x9e37_79b1);
    (0..size).map(|_| spread(rng.below(range.max(1)) as u32)).collect()
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
