//! Run by run, onto a list that grows.

pub fn solve(numbers: Vec<u32>) -> Vec<u32> {
    let mut runs = Vec::new();
    let mut at = 0;
    while at < numbers.len() {
        let mut end = at + 1;
        while end < numbers.len() && numbers[end] == numbers[at] {
            end += 1;
        }
        runs.push((end - at) as u32);
        runs.push(numbers[at]);
        at = end;
    }
    runs
}
