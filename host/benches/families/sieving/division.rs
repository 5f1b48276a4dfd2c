//! Divides by the primes up to the square root.

pub fn solve(limit: u32) -> u32 {
    let mut primes: Vec<u32> = Vec::new();
    for number in 2..limit {
        let mut small = primes.iter().take_while(|&prime| prime * prime <= number);
        if small.all(|prime| number % prime != 0) {
            primes.push(number);
        }
    }
    primes.len() as u32
}
