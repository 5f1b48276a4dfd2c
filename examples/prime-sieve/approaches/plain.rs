//! Eratosthenes: one flag for each number of the range.

pub fn primes(low: u64, length: u32) -> (u32, u64) {
    let end = low + u64::from(length);
    let mut is_prime = vec![true; length as usize];
    for prime in primes_to_root(end) {
        let first = low.next_multiple_of(prime).max(prime * prime);
        for at in (first.saturating_sub(low) as usize..is_prime.len()).step_by(prime as usize) {
            is_prime[at] = false;
        }
    }
    let (mut count, mut sum) = (0, 0);
    for (number, is_prime) in (low..end).zip(is_prime) {
        if is_prime && number >= 2 {
            count += 1;
            sum += number;
        }
    }
    (count, sum)
}

/// The primes whose squares are below the end.
fn primes_to_root(end: u64) -> Vec<u64> {
    let root = end.saturating_sub(1).isqrt() as usize;
    let mut is_prime = vec![true; root + 1];
    let mut primes = Vec::new();
    for number in 2..=root {
        if is_prime[number] {
            primes.push(number as u64);
            (number.saturating_mul(number)..=root)
                .step_by(number)
                .for_each(|at| is_prime[at] = false);
        }
    }
    primes
}
