//! One flag for each odd number: the flag at i stands for 2i + 1.

pub fn primes(limit: u32) -> (u32, u64) {
    if limit <= 2 {
        return (0, 0);
    }
    let flags = limit as usize / 2;
    let mut is_prime = vec![true; flags];
    let (mut count, mut sum) = (1, 2);
    for i in 1..flags {
        if !is_prime[i] {
            continue;
        }
        let number = 2 * i + 1;
        count += 1;
        sum += number as u64;
        // The square of 2i + 1 is 2 (2i² + 2i) + 1; every second multiple after it is odd.
        let square = (2 * i).saturating_mul(i + 1);
        for multiple in (square..flags).step_by(number) {
            is_prime[multiple] = false;
        }
    }
    (count, sum)
}
