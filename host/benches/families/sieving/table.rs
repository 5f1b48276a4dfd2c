//! Strikes multiples out of a table of all numbers.

pub fn solve(limit: u32) -> u32 {
    let limit = limit as usize;
    let mut struck = vec![false; limit.max(2)];
    struck[..2].fill(true);
    for number in (2..limit).take_while(|number| number * number < limit) {
        if !struck[number] {
            for multiple in (number * number..limit).step_by(number) {
                struck[multiple] = true;
            }
        }
    }
    struck.iter().filter(|struck| !**struck).count() as u32
}
