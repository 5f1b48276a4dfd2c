//! Flags only for numbers without a factor 2, 3 or 5: eight of every thirty.

/// What such a number leaves when divided by 30.
const SPOKES: [usize; 8] = [1, 7, 11, 13, 17, 19, 23, 29];

pub fn primes(limit: u32) -> (u32, u64) {
    let limit = limit as usize;
    let (mut count, mut sum) = (0, 0);
    for prime in [2, 3, 5] {
        if prime < limit {
            count += 1;
            sum += prime as u64;
        }
    }
    // By spoke, then by turn: the number is 30 * turn + spoke.
    let turns = limit.div_ceil(30);
    let mut is_prime = vec![vec![true; turns]; SPOKES.len()];
    for turn in 0..turns {
        for (spoke, offset) in SPOKES.into_iter().enumerate() {
            let number = 30 * turn + offset;
            if number == 1 || number >= limit || !is_prime[spoke][turn] {
                continue;
            }
            count += 1;
            sum += number as u64;
            if number <= limit / number {
                cross_off(&mut is_prime, number, turn);
            }
        }
    }
    (count, sum)
}

/// Crosses off the multiples of a prime. Its products with the numbers of one spoke lie on one
/// spoke again, as many turns apart as the prime is large.
fn cross_off(is_prime: &mut [Vec<bool>], prime: usize, turn: usize) {
    for offset in SPOKES {
        let mut factor = 30 * turn + offset;
        if factor < prime {
            factor += 30;
        }
        let product = prime * factor;
        let spoke = SPOKES
            .iter()
            .position(|&offset| offset == product % 30)
            .expect("products of numbers on spokes are on spokes");
        for flag in is_prime[spoke].iter_mut().skip(product / 30).step_by(prime) {
            *flag = false;
        }
    }
}
