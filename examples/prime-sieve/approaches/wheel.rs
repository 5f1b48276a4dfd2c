//! Flags only for numbers without a factor 2, 3 or 5: eight of every thirty.

/// What such a number leaves when divided by 30.
const SPOKES: [u64; 8] = [1, 7, 11, 13, 17, 19, 23, 29];

pub fn primes(low: u64, length: u32) -> (u32, u64) {
    let end = low + u64::from(length);
    let (mut count, mut sum) = (0, 0);
    for prime in [2, 3, 5] {
        if (low..end).contains(&prime) {
            count += 1;
            sum += prime;
        }
    }
    // By spoke, then by turn: the number is 30 * (first_turn + turn) + spoke.
    let first_turn = low / 30;
    let turns = (end.div_ceil(30) - first_turn) as usize;
    let mut is_prime = vec![vec![true; turns]; SPOKES.len()];
    for prime in primes_to_root(end) {
        for (flags, spoke) in is_prime.iter_mut().zip(SPOKES) {
            // The multiples of a prime on one spoke are as many turns apart as the prime is large.
            let mut factor = (30 * first_turn).div_ceil(prime).max(prime);
            while prime * factor % 30 != spoke {
                factor += 1;
            }
            let at = prime * factor / 30 - first_turn;
            for flag in flags.iter_mut().skip(at as usize).step_by(prime as usize) {
                *flag = false;
            }
        }
    }
    for (flags, spoke) in is_prime.iter().zip(SPOKES) {
        for (turn, is_prime) in (first_turn..).zip(flags) {
            let number = 30 * turn + spoke;
            if *is_prime && number > 1 && (low..end).contains(&number) {
                count += 1;
                sum += number;
            }
        }
    }
    (count, sum)
}

/// The primes from 7 on whose squares are below the end.
fn primes_to_root(end: u64) -> Vec<u64> {
    let root = end.saturating_sub(1).isqrt() as usize;
    let mut is_prime = vec![true; root + 1];
    let mut primes = Vec::new();
    for number in 2..=root {
        if is_prime[number] {
            primes.extend((number > 5).then_some(number as u64));
            (number.saturating_mul(number)..=root)
                .step_by(number)
                .for_each(|at| is_prime[at] = false);
        }
    }
    primes
}
