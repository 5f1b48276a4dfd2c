//! Guesses the place from the values at both ends, and halves if that does not get far.

pub fn solve(numbers: Vec<u32>, wanted: Vec<u32>) -> u64 {
    wanted
        .iter()
        .map(|&wanted| below(&numbers, wanted) as u64)
        .sum()
}

fn below(numbers: &[u32], wanted: u32) -> usize {
    let (mut low, mut high) = (0, numbers.len());
    let mut guesses = 0;
    while low < high {
        let (first, last) = (numbers[low], numbers[high - 1]);
        if wanted <= first {
            return low;
        }
        if last < wanted {
            return high;
        }
        let middle = if guesses < 8 {
            let share = u64::from(wanted - first) * (high - 1 - low) as u64;
            low + (share / u64::from(last - first)) as usize
        } else {
            low + (high - low) / 2
        };
        guesses += 1;
        if numbers[middle] < wanted {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
