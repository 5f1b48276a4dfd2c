//! Limits a little above the size: no two calls ask for the same.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> u32 {
    let spread = Rng::new(seed).below(u64::from(size / 100));
    size.saturating_add(spread as u32)
}

pub fn check(limit: u32, answer: (u32, u64)) -> Result<(), String> {
    let (count, sum) = count_and_sum(limit);
    if (u64::from(answer.0), answer.1) == (count, sum) {
        return Ok(());
    }
    Err(format!(
        "below {limit}: expected {count} primes with the sum {sum}, got {} with the sum {}",
        answer.0, answer.1
    ))
}

/// How many primes there are below a limit, and their sum: by Legendre's method, without a sieve.
///
/// It starts with all numbers from 2 on, and for each prime takes away those whose least factor it
/// is. Only the counts up to each of the values n / i are kept.
fn count_and_sum(limit: u32) -> (u64, u64) {
    let n = u64::from(limit.saturating_sub(1));
    if n < 2 {
        return (0, 0);
    }
    let root = n.isqrt() as usize;
    let all = |v: u64| (v - 1, v * (v + 1) / 2 - 1);
    // By v up to the root: of the numbers up to v, and of the numbers up to n / v.
    let mut small: Vec<_> = (0..=root as u64).map(|v| all(v.max(1))).collect();
    let mut large: Vec<_> = (0..=root as u64).map(|v| all(n / v.max(1))).collect();
    for p in 2..=root {
        let (count, sum) = small[p - 1];
        if small[p].0 == count {
            continue;
        }
        let square = p as u64 * p as u64;
        for i in 1..=root.min((n / square) as usize) {
            let product = i * p;
            let rest = if product <= root {
                large[product]
            } else {
                small[(n / product as u64) as usize]
            };
            large[i].0 -= rest.0 - count;
            large[i].1 -= p as u64 * (rest.1 - sum);
        }
        for v in (1..=root).rev().take_while(|&v| v as u64 >= square) {
            let rest = small[v / p];
            small[v].0 -= rest.0 - count;
            small[v].1 -= p as u64 * (rest.1 - sum);
        }
    }
    large[1]
}
