//! A small list for each run, put together at the end.

pub fn solve(numbers: Vec<u32>) -> Vec<u32> {
    let mut runs: Vec<Vec<u32>> = Vec::new();
    for number in &numbers {
        match runs.last_mut() {
            Some(run) if run[0] == *number => run.push(*number),
            _ => runs.push(vec![*number]),
        }
    }
    runs.iter().flat_map(|run| [run.len() as u32, run[0]]).collect()
}
