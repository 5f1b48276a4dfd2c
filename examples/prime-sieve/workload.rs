//! Ranges that begin anywhere below a million million: too many for a table that a source could bring.

use crate::bakeoff::Rng;

/// The least and the most number that a range begins with.
const LOWS: (u64, u64) = (100_000_000_000, 1_000_000_000_000);

pub fn generate(size: u32, seed: u64) -> (u64, u32) {
    let low = LOWS.0 + Rng::new(seed).below(LOWS.1 - LOWS.0);
    (low, size)
}

pub fn check(low: u64, length: u32, answer: (u32, u64)) -> Result<(), String> {
    let (count, sum) = count_and_sum(low, u64::from(length));
    if answer == (count, sum) {
        return Ok(());
    }
    Err(format!(
        "of {length} numbers from {low} on: expected {count} primes with the sum {sum}, got {} with the \
         sum {}",
        answer.0, answer.1
    ))
}

/// How many primes there are in a range, and their sum: every number up to the root crosses off its
/// multiples, unless 2, 3 or 5 have done so, whether it is prime or not.
fn count_and_sum(low: u64, length: u64) -> (u32, u64) {
    let mut is_composite = vec![false; length as usize];
    let mut factor = 2;
    while factor * factor < low + length {
        let is_crossed_off = [2, 3, 5]
            .iter()
            .any(|small| factor > *small && factor % small == 0);
        let first = low.next_multiple_of(factor).max(factor * factor);
        if !is_crossed_off {
            let multiples = (first - low..length).step_by(factor as usize);
            multiples.for_each(|at| is_composite[at as usize] = true);
        }
        factor += 1;
    }
    let numbers = (low..).zip(&is_composite);
    let primes = numbers.filter(|(number, is_composite)| *number >= 2 && !**is_composite);
    primes.fold((0, 0), |(count, sum), (prime, _)| (count + 1, sum + prime))
}
