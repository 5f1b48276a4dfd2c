//! Four passes of eight bits, from the lowest.

pub fn solve(mut numbers: Vec<u32>) -> Vec<u32> {
    let mut other = vec![0; numbers.len()];
    for shift in [0, 8, 16, 24] {
        let digit = |number: u32| (number >> shift) as usize & 255;
        let mut ends = [0_usize; 256];
        for &number in &numbers {
            ends[digit(number)] += 1;
        }
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        for &number in &numbers {
            let place = &mut ends[digit(number)];
            other[*place] = number;
            *place += 1;
        }
        std::mem::swap(&mut numbers, &mut other);
    }
    numbers
}
