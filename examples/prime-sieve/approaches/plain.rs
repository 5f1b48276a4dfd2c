//! Eratosthenes: one flag for each number.

pub fn primes(limit: u32) -> (u32, u64) {
    let limit = limit as usize;
    let mut is_prime = vec![true; limit];
    let (mut count, mut sum) = (0, 0);
    for number in 2..limit {
        if !is_prime[number] {
            continue;
        }
        count += 1;
        sum += number as u64;
        for multiple in (number.saturating_mul(number)..limit).step_by(number) {
            is_prime[multiple] = false;
        }
    }
    (count, sum)
}
