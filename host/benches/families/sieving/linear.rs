//! Strikes every number once, by its least prime factor (Gries and Misra 1978).

pub fn solve(limit: u32) -> u32 {
    let limit = limit as usize;
    let mut struck = vec![false; limit];
    let mut primes = Vec::new();
    for number in 2..limit {
        if !struck[number] {
            primes.push(number);
        }
        for &prime in primes.iter().take_while(|&prime| prime * number < limit) {
            struck[prime * number] = true;
            if number % prime == 0 {
                break;
            }
        }
    }
    primes.len() as u32
}
