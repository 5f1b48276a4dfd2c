//! Random keys, some of them equal, and half as many queries, every other one a key. The answer is checked
//! by counting in another way than by a search: keys and queries are put into one order.

use crate::bakeoff::Rng;

pub fn generate(size: u32, seed: u64) -> (Vec<u64>, Vec<u64>) {
    let mut rng = Rng::new(seed);
    let range = u64::from(size).max(1) * 8;
    let keys: Vec<u64> = (0..size).map(|_| rng.below(range)).collect();
    let queries = (0..size / 2).map(|number| match keys.is_empty() || number % 2 == 0 {
        true => rng.below(range + 2),
        false => keys[rng.below(keys.len() as u64) as usize],
    });
    let queries = queries.collect();
    (keys, queries)
}

pub fn check(keys: Vec<u64>, queries: Vec<u64>, answer: Vec<u32>) -> Result<(), String> {
    if answer.len() != queries.len() {
        return Err(format!("{} answers to {} queries", answer.len(), queries.len()));
    }
    // At equal values a query comes before the keys: those are not less.
    let mut all: Vec<(u64, bool, usize)> = keys.iter().map(|key| (*key, true, 0)).collect();
    all.extend(queries.iter().enumerate().map(|(place, query)| (*query, false, place)));
    all.sort_unstable();
    let mut less = 0;
    for (value, is_key, place) in all {
        match is_key {
            true => less += 1,
            false if answer[place] != less => {
                return Err(format!("{less} keys are less than {value}, not {}", answer[place]));
            }
            false => {}
        }
    }
    Ok(())
}
