//! One flag for each odd number of the range: the flag at i stands for `first_odd` + 2i.

pub fn primes(low: u64, length: u32) -> (u32, u64) {
    let end = low + u64::from(length);
    let first_odd = low | 1;
    let mut is_prime = vec![true; (end.saturating_sub(first_odd)).div_ceil(2) as usize];
    for prime in odd_primes_to_root(end) {
        let mut first = low.next_multiple_of(prime).max(prime * prime);
        if first.is_multiple_of(2) {
            first += prime;
        }
        // Every second multiple is odd, so that the flags are one prime apart.
        let at = (first - first_odd) / 2;
        for flag in is_prime
            .iter_mut()
            .skip(at as usize)
            .step_by(prime as usize)
        {
            *flag = false;
        }
    }
    let (mut count, mut sum) = match (low..end).contains(&2) {
        true => (1, 2),
        false => (0, 0),
    };
    for (at, is_prime) in is_prime.into_iter().enumerate() {
        let number = first_odd + 2 * at as u64;
        if is_prime && number > 1 {
            count += 1;
            sum += number;
        }
    }
    (count, sum)
}

/// The odd primes whose squares are below the end: the flag at i stands for 2i + 1.
fn odd_primes_to_root(end: u64) -> Vec<u64> {
    let root = end.saturating_sub(1).isqrt() as usize;
    let mut is_prime = vec![true; root.div_ceil(2)];
    let mut primes = Vec::new();
    for at in 1..is_prime.len() {
        if is_prime[at] {
            let number = 2 * at + 1;
            primes.push(number as u64);
            // The square of 2i + 1 is 2 (2i² + 2i) + 1.
            let square = (2 * at).saturating_mul(at + 1);
            (square..is_prime.len())
                .step_by(number)
                .for_each(|at| is_prime[at] = false);
        }
    }
    primes
}
