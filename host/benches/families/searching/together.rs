//! Sorts what is looked for, then walks along both lists once.

pub fn solve(numbers: Vec<u32>, mut wanted: Vec<u32>) -> u64 {
    wanted.sort_unstable();
    let mut below = 0;
    let mut total = 0;
    for wanted in wanted {
        while below < numbers.len() && numbers[below] < wanted {
            below += 1;
        }
        total += below as u64;
    }
    total
}
