//! Eratosthenes in pieces that stay in the cache: memory for the primes up to the root, and for one
//! piece.

const PIECE: usize = 128 * 1024;

pub fn primes(low: u64, length: u32) -> (u32, u64) {
    let end = low + u64::from(length);
    // Each prime with its next multiple, counted from the beginning of the next piece.
    let mut sieving: Vec<(u32, u32)> = primes_to_root(end)
        .into_iter()
        .map(|prime| {
            let wide = u64::from(prime);
            let next = low.next_multiple_of(wide).max(wide * wide) - low;
            (prime, u32::try_from(next).unwrap_or(u32::MAX))
        })
        .collect();
    let mut is_prime = [true; PIECE];
    let (mut count, mut sum) = (0, 0);
    for start in (low..end).step_by(PIECE) {
        let piece = &mut is_prime[..PIECE.min((end - start) as usize)];
        piece.fill(true);
        for (prime, next) in &mut sieving {
            let mut at = *next as usize;
            while at < piece.len() {
                piece[at] = false;
                at += *prime as usize;
            }
            *next = (at - piece.len()) as u32;
        }
        for (number, &is_prime) in (start..).zip(piece.iter()) {
            if is_prime && number >= 2 {
                count += 1;
                sum += number;
            }
        }
    }
    (count, sum)
}

/// The primes whose squares are below the end.
fn primes_to_root(end: u64) -> Vec<u32> {
    let root = end.saturating_sub(1).isqrt() as usize;
    let mut is_prime = vec![true; root + 1];
    let mut primes = Vec::new();
    for number in 2..=root {
        if is_prime[number] {
            primes.push(number as u32);
            (number.saturating_mul(number)..=root)
                .step_by(number)
                .for_each(|at| is_prime[at] = false);
        }
    }
    primes
}
