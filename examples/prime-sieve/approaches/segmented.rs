//! Eratosthenes in pieces that stay in the cache: memory for the primes up to the root, and for one
//! piece.

const SEGMENT: usize = 16 * 1024;

pub fn primes(limit: u32) -> (u32, u64) {
    let limit = limit as usize;
    let mut is_prime = [true; SEGMENT];
    // Primes up to the root of what is sieved so far, each with its next multiple.
    let mut sieving: Vec<(usize, usize)> = Vec::new();
    let mut candidate = 2;
    let (mut count, mut sum) = (0, 0);
    for start in (0..limit).step_by(SEGMENT) {
        let end = limit.min(start + SEGMENT);
        while candidate * candidate < end {
            if sieving.iter().all(|(prime, _)| candidate % prime != 0) {
                sieving.push((candidate, candidate * candidate));
            }
            candidate += 1;
        }
        is_prime.fill(true);
        for (prime, next) in &mut sieving {
            while *next < end {
                is_prime[*next - start] = false;
                *next += *prime;
            }
        }
        for number in start.max(2)..end {
            if is_prime[number - start] {
                count += 1;
                sum += number as u64;
            }
        }
    }
    (count, sum)
}
